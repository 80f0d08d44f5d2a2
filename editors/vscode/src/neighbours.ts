// The general Python server beside this one: where it cannot resolve a bindings module, a minimal stub is offered, once.

import * as vscode from "vscode";
import { read } from "./settings";
import { plain } from "./text";

const ASKED = "codeact-lsp.stubOffered";
/** Read no stub from `typings`: to offer one would help nobody. */
const WITHOUT_TYPINGS = new Set(["ty"]);
// A stub without a source is no reason to offer a stub.
const UNRESOLVED = /could not be resolved(?! from source)|[Cc]annot resolve|[Cc]annot find|unresolved/;

export class StubOffer implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #watcher: vscode.Disposable;

  constructor(context: vscode.ExtensionContext) {
    this.#context = context;
    this.#watcher = vscode.languages.onDidChangeDiagnostics((event) => void this.#look(event.uris));
  }

  dispose(): void {
    this.#watcher.dispose();
  }

  async #look(uris: readonly vscode.Uri[]): Promise<void> {
    if (!vscode.workspace.isTrusted || this.#context.workspaceState.get<boolean>(ASKED, false)) {
      return;
    }
    const modules = ["codeact_lsp", "__dsh__", ...read<string[]>("bindings-modules", [])];
    const complaint = uris
      .flatMap((uri) => vscode.languages.getDiagnostics(uri))
      .find(({ source, message }) =>
          source !== undefined &&
          source !== "codeact-lsp" &&
          !WITHOUT_TYPINGS.has(source) &&
          UNRESOLVED.test(message) &&
          modules.some((name) => message.includes(name)),
      );
    if (complaint?.source === undefined) {
      return;
    }
    await this.#context.workspaceState.update(ASKED, true);
    const add = "Add Stub";
    const chosen = await vscode.window.showInformationMessage(
      `${plain(complaint.source)} does not know the bindings module. A small stub in "typings" tells it that the module is there.`,
      add,
    );
    if (chosen === add) {
      await vscode.commands.executeCommand("codeact-lsp.addMinimalStub");
    }
  }
}
