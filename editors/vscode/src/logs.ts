// Output channels: the language server's own, one for each MCP server, and the trace.

import * as vscode from "vscode";
import type { LogLine } from "./protocol";
import { label, plain } from "./text";

export class Logs implements vscode.Disposable {
  readonly server = vscode.window.createOutputChannel("codeact-lsp", { log: true });
  #trace: vscode.LogOutputChannel | undefined;
  readonly #channels = new Map<string, vscode.LogOutputChannel>();

  get trace(): vscode.LogOutputChannel {
    this.#trace ??= vscode.window.createOutputChannel("codeact-lsp Trace", { log: true });
    return this.#trace;
  }

  take(line: LogLine): void {
    const channel = line.server === null ? this.server : this.of(line.server);
    switch (line.level) {
      case "error":
        channel.error(line.text);
        break;
      case "warning":
        channel.warn(line.text);
        break;
      case "debug":
        channel.debug(line.text);
        break;
      default:
        channel.info(line.text);
    }
  }

  /** What the server process prints on stderr: `LEVEL logger: text`. */
  takeStderr(line: string): void {
    const level = /^(DEBUG|INFO|WARNING|ERROR|CRITICAL) /.exec(line)?.[1];
    const text = level === undefined ? line : line.slice(level.length + 1);
    switch (level) {
      case "DEBUG":
        this.server.debug(text);
        break;
      case "WARNING":
        this.server.warn(text);
        break;
      case "ERROR":
      case "CRITICAL":
        this.server.error(text);
        break;
      default:
        this.server.info(text);
    }
  }

  of(server: string): vscode.LogOutputChannel {
    let channel = this.#channels.get(server);
    if (channel === undefined) {
      channel = vscode.window.createOutputChannel(`codeact-lsp: ${plain(server)}`, { log: true });
      this.#channels.set(server, channel);
    }
    return channel;
  }

  async choose(): Promise<void> {
    const servers = [...this.#channels].map(([server, channel]) => ({ label: label(server), channel }));
    const items = [{ label: "Language server", channel: this.server }, ...servers];
    const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { placeHolder: "Whose log?" });
    chosen?.channel.show(true);
  }

  dispose(): void {
    this.server.dispose();
    this.#trace?.dispose();
    for (const channel of this.#channels.values()) {
      channel.dispose();
    }
  }
}
