// What only a person can say: may this server run, and the value of an input.

import * as vscode from "vscode";
import type { ApprovalAnswer, ApprovalQuestion, InputQuestion } from "./protocol";
import { plain, visible } from "./text";

const INDEX = "codeact-lsp.inputs";
const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  "Allow Once": "once",
  "Always Allow": "always",
  Never: "never",
};

/** Asks with the whole command line or URL on screen; null when the question was dismissed. */
export async function askApproval(question: ApprovalQuestion): Promise<ApprovalAnswer | null> {
  const chosen = await vscode.window.showWarningMessage(
    `Allow the MCP server "${plain(question.server)}" of this workspace?`,
    { modal: true, detail: visible(`${question.shown}\n\nThis is what runs or is contacted. It comes from ${question.path}`) },
    ...Object.keys(ANSWERS),
  );
  return chosen === undefined ? null : (ANSWERS[chosen] ?? null);
}

/** A value from the secret storage, or from the user, who is asked once. */
export class Inputs {
  readonly #context: vscode.ExtensionContext;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  async ask(question: InputQuestion): Promise<string | null> {
    const key = storageKey(question);
    const stored = await this.#context.secrets.get(key);
    if (stored !== undefined) {
      return stored;
    }
    const value = await vscode.window.showInputBox({
      title: `Input for the MCP server "${plain(question.server)}"`,
      prompt: plain(question.description || question.id),
      password: question.password,
      ignoreFocusOut: true,
    });
    if (value === undefined) {
      return null;
    }
    await this.#context.secrets.store(key, value);
    await this.#remember([...new Set([...this.#keys(), key])]);
    return value;
  }

  async forget(): Promise<number> {
    const keys = this.#keys();
    for (const key of keys) {
      await this.#context.secrets.delete(key);
    }
    await this.#remember([]);
    return keys.length;
  }

  #keys(): readonly string[] {
    return this.#context.globalState.get<readonly string[]>(INDEX, []);
  }

  #remember(keys: readonly string[]): Thenable<void> {
    return this.#context.globalState.update(INDEX, keys);
  }
}

/** A value belongs to one input of one server of one workspace: another repository's file never gets it. */
function storageKey(question: InputQuestion): string {
  const workspace = (vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.toString() ?? "";
  return JSON.stringify(["input", workspace, question.server, question.id]);
}
