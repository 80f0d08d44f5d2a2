// Runs a general Python server, as the extensions that are built on it do.

import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export function activate(): Promise<void> {
  const [command = "", ...args] = vscode.workspace.getConfiguration("neighbour").get<string[]>("command", []);
  const options = { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "/" };
  client = new LanguageClient("neighbour", { command, args, options }, { documentSelector: [{ language: "python" }] });
  return client.start();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}
