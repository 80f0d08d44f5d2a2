// The settings as the server takes them: only what somebody set, so that a default of the editor never hides what the
// project's own file says.

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

export const SECTION = "codeact-lsp";

/** Sent to the server, by the names of `codeact-lsp.toml`. */
const SERVER_SETTINGS = [
  "configs",
  "snapshots",
  "bindings-modules",
  "prelude",
  "rules",
  "fold-characters",
  "inlay-hints",
  "run-cell-lens",
  "diagnostics-debounce",
] as const;

/** A change of one of these needs another process. */
const STARTING_SETTINGS = ["interpreter", "server"] as const;

export type ServerChoice = "auto" | "environment" | "bundled";

export function read<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration(SECTION).get<T>(name, otherwise);
}

export function forServer(context: vscode.ExtensionContext): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of SERVER_SETTINGS) {
    const value = explicit(name);
    if (value !== undefined) {
      settings[name] = value;
    }
  }
  const profile = profileServers(context);
  if (vscode.workspace.isTrusted && profile !== undefined) {
    const configs = read<string[]>("configs", []);
    settings["configs"] = [...configs, profile];
  }
  return settings;
}

/** Whether a change needs another server process; false where telling the server is enough. */
export function needsRestart(event: vscode.ConfigurationChangeEvent): boolean {
  return STARTING_SETTINGS.some((name) => event.affectsConfiguration(`${SECTION}.${name}`));
}

function explicit(name: string): unknown {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const found = configuration.inspect(name);
  const given = found?.workspaceValue ?? found?.globalValue;
  // `get` merges objects of several levels, and leaves out what a folder that is not trusted may not set.
  return given === undefined ? undefined : configuration.get(name);
}

/** The user's own list of MCP servers in Visual Studio Code, which no API lists. */
function profileServers(context: vscode.ExtensionContext): string | undefined {
  if (!read<boolean>("user-mcp-servers", true)) {
    return undefined;
  }
  // …/User/globalStorage/<extension>
  const file = path.resolve(context.globalStorageUri.fsPath, "..", "..", "mcp.json");
  return fs.existsSync(file) ? file : undefined;
}
