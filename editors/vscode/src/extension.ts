// Called by Visual Studio Code when the first Python text is opened.

import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { Logs } from "./logs";
import { StubOffer } from "./neighbours";
import { Approvals, Inputs } from "./questions";
import { Server } from "./server";
import { SECTION, needsRestart } from "./settings";
import { StatusItems } from "./status";
import { ToolsView } from "./toolsView";

let running: Server | undefined;

/** Returns before anything is searched or started: the window does not wait for this. */
export function activate(context: vscode.ExtensionContext): void {
  const logs = new Logs();
  const inputs = new Inputs(context);
  const approvals = new Approvals();
  const server = new Server(context, logs, { inputs, approvals });
  const status = new StatusItems();
  const tools = new ToolsView(server);
  running = server;
  context.subscriptions.push(
    logs,
    server,
    status,
    tools,
    new StubOffer(context),
    registerCommands({ context, server, logs, inputs, approvals, tools }),
    server.onDidChange((state) => {
      status.show(state);
      tools.refresh();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (needsRestart(event)) {
        void server.restart();
      } else if (event.affectsConfiguration(SECTION)) {
        server.settingsChanged();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
  void server.restart();
}

export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}
