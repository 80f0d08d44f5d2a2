// Runs Pyright's language server, as the extensions that are built on it do.

import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

export function activate(): Promise<void> {
  const module = vscode.workspace.getConfiguration("neighbour").get<string>("server", "");
  const server = { module, transport: TransportKind.stdio };
  client = new LanguageClient("neighbour", server, { documentSelector: [{ language: "python" }] });
  return client.start();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}
