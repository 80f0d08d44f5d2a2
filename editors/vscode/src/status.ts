// How things stand: a status bar entry, and an item in the language status of Python files.

import * as vscode from "vscode";
import type { Status } from "./protocol";
import { plain } from "./text";

const SELECTOR: vscode.DocumentSelector = [{ language: "python" }];

export type State =
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly status: Status | undefined }
  | { readonly kind: "stopped"; readonly reason: string };

export class StatusItems implements vscode.Disposable {
  readonly #bar = vscode.window.createStatusBarItem("codeact-lsp", vscode.StatusBarAlignment.Right, 100);
  readonly #language = vscode.languages.createLanguageStatusItem("codeact-lsp", SELECTOR);
  readonly #watcher: vscode.Disposable;

  constructor() {
    this.#bar.name = "codeact-lsp";
    this.#language.name = "codeact-lsp";
    this.#watcher = vscode.window.onDidChangeActiveTextEditor(() => this.#showWherePythonIs());
    this.show({ kind: "starting" });
  }

  show(state: State): void {
    const seen = appearance(state);
    this.#bar.text = `${seen.icon} ${seen.short}`;
    this.#bar.tooltip = `codeact-lsp: ${seen.text}`;
    this.#bar.command = seen.command;
    this.#bar.accessibilityInformation = { label: `codeact-lsp: ${seen.text}` };
    this.#bar.backgroundColor = seen.alarm ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.#language.text = seen.short;
    this.#language.detail = plain(seen.text);
    this.#language.busy = seen.busy;
    this.#language.severity = seen.alarm
      ? vscode.LanguageStatusSeverity.Warning
      : vscode.LanguageStatusSeverity.Information;
    this.#language.command = seen.command;
    void vscode.commands.executeCommand("setContext", "codeact-lsp.state", state.kind);
    this.#showWherePythonIs();
  }

  dispose(): void {
    this.#bar.dispose();
    this.#language.dispose();
    this.#watcher.dispose();
  }

  #showWherePythonIs(): void {
    if (vscode.window.activeTextEditor?.document.languageId === "python") {
      this.#bar.show();
    } else {
      this.#bar.hide();
    }
  }
}

interface Appearance {
  readonly icon: string;
  readonly short: string;
  readonly text: string;
  readonly busy: boolean;
  readonly alarm: boolean;
  readonly command: vscode.Command;
}

const TOOLS: vscode.Command = { command: "codeact-lsp.tools.focus", title: "Show Tools" };
const LOGS: vscode.Command = { command: "codeact-lsp.showLogs", title: "Show Log" };

function appearance(state: State): Appearance {
  if (state.kind === "stopped") {
    return { icon: "$(error)", short: "MCP: stopped", text: state.reason, busy: false, alarm: true, command: LOGS };
  }
  const status = state.kind === "running" ? state.status : undefined;
  if (status === undefined) {
    return {
      icon: "$(loading~spin)",
      short: "MCP",
      text: "starting",
      busy: true,
      alarm: false,
      command: LOGS,
    };
  }
  const counts = `MCP: ${status.servers}/${status.tools}`;
  const restricted = status.restricted ? ". Restricted Mode: no server is started, only snapshot files are read" : "";
  const icon = status.loading
    ? "$(loading~spin)"
    : status.restricted
      ? "$(shield)"
      : status.problems > 0
        ? "$(warning)"
        : "$(plug)";
  return {
    icon,
    short: status.problems > 0 ? `${counts} (${status.problems})` : counts,
    text: status.message + restricted,
    busy: status.loading,
    alarm: false,
    command: TOOLS,
  };
}
