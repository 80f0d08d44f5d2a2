// Shows in the status bar whether the extension under test is active. Itself it is among the last to be: the window has
// started by then.

import * as vscode from "vscode";

export function activate(context: vscode.ExtensionContext): void {
  const item = vscode.window.createStatusBarItem("witness");
  let looks = 0;
  const look = (): void => {
    looks += 1;
    const seen = vscode.extensions.getExtension("codeact-lsp.codeact-lsp");
    item.text = `look ${looks}: ${seen?.isActive === true ? "active" : seen === undefined ? "missing" : "not active"}`;
    item.show();
  };
  context.subscriptions.push(item, vscode.commands.registerCommand("witness.look", look));
  look();
}
