// What only a person can say: may this server run, and the value of an input.

import * as vscode from "vscode";
import type { ApprovalAnswer, ApprovalQuestion, InputQuestion } from "./protocol";
import { plain, visible } from "./text";

const INDEX = "codeact-lsp.inputs";
// The first one is what the Enter key of somebody who was typing answers.
const ANSWERS: Readonly<Record<string, ApprovalAnswer | null>> = {
  "Not Now": null,
  "Allow Once": "once",
  "Always Allow": "always",
  Never: "never",
};

/** Asks whether servers may run, and keeps which may for as long as the window is open. */
export class Approvals {
  readonly #once = new Set<string>();

  /** The keys that were answered with "once". */
  get once(): readonly string[] {
    return [...this.#once];
  }

  /** Asks with the whole command line or URL on screen; null when the question was dismissed. */
  async ask(question: ApprovalQuestion): Promise<ApprovalAnswer | null> {
    this.#once.delete(question.key);
    const lines = [
      question.shown,
      "",
      ...(question.cwd === "" ? [] : [`Runs in: ${question.cwd}`]),
      ...(question.sets.length === 0 ? [] : [`${question.cwd === "" ? "Headers" : "Environment"}: ${question.sets.join(", ")}`]),
      `Named by: ${question.path}`,
    ];
    const chosen = await vscode.window.showWarningMessage(
      `Allow the MCP server "${plain(question.server)}"?`,
      { modal: true, detail: visible(lines.join("\n")) },
      ...Object.keys(ANSWERS),
    );
    const answer = chosen === undefined ? null : (ANSWERS[chosen] ?? null);
    if (answer === "once") {
      this.#once.add(question.key);
    }
    return answer;
  }
}

/** A value from the secret storage, or from the user, who is asked once. */
export class Inputs {
  readonly #context: vscode.ExtensionContext;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
  }

  async ask(question: InputQuestion): Promise<string | null> {
    const key = JSON.stringify(["input", workspace(), question.path, question.id]);
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

  /** What was given in this workspace: config file → id → value. */
  async given(): Promise<Record<string, Record<string, string>>> {
    const found: Record<string, Record<string, string>> = {};
    for (const key of this.#keys()) {
      const [, where, file, id] = JSON.parse(key) as string[];
      const value = where === workspace() ? await this.#context.secrets.get(key) : undefined;
      if (file !== undefined && id !== undefined && value !== undefined) {
        (found[file] ??= {})[id] = value;
      }
    }
    return found;
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

/** A value belongs to one input of one config file of one workspace: another repository's file never gets it. */
function workspace(): string {
  return (vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri)?.toString() ?? "";
}
