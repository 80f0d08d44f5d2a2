// No server can be started: says so once, with the one thing to do and a button that does it.

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Logs } from "./logs";
import { OLDEST_PYTHON, environmentPython, ownEnvironment, type Python, type Search } from "./python";
import { plain } from "./text";

const WANTED = OLDEST_PYTHON.join(".");
const DOWNLOADS = vscode.Uri.parse("https://www.python.org/downloads/");

export class Installer implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #logs: Logs;
  readonly #retry: () => void;
  #focus: vscode.Disposable | undefined;

  constructor(context: vscode.ExtensionContext, logs: Logs, retry: () => void) {
    this.#context = context;
    this.#logs = logs;
    this.#retry = retry;
  }

  /** Shows the message, and returns its text. */
  explain(search: Exclude<Search, { kind: "found" }>): string {
    return search.kind === "no-python" ? this.#noPython(search.tried) : this.#noServer(search.python);
  }

  /** A server was found after all. */
  settled(): void {
    this.#focus?.dispose();
    this.#focus = undefined;
  }

  dispose(): void {
    this.settled();
  }

  #noPython(tried: readonly string[]): string {
    for (const line of tried) {
      this.#logs.server.info(`looked for a Python: ${line}`);
    }
    const configured = vscode.workspace.getConfiguration("codeact-lsp").get<string>("interpreter", "");
    const text =
      configured === ""
        ? `codeact-lsp needs Python ${WANTED} or newer, and found none.`
        : `codeact-lsp needs Python ${WANTED} or newer; the setting codeact-lsp.interpreter names "${plain(configured)}", which is none.`;
    const [button, act] =
      configured === ""
        ? (["Get Python", () => vscode.env.openExternal(DOWNLOADS)] as const)
        : (["Open Setting", () => openSetting("codeact-lsp.interpreter")] as const);
    void vscode.window.showErrorMessage(text, button).then((chosen) => {
      if (chosen === button) {
        void act();
      }
    });
    // Whoever installs one comes back to this window.
    this.#focus ??= vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) {
        this.settled();
        this.#retry();
      }
    });
    return text;
  }

  #noServer(python: Python): string {
    const text = `codeact-lsp has no server for Python ${python.version.join(".")} on this machine yet.`;
    const button = "Install Server";
    void vscode.window.showErrorMessage(text, button).then((chosen) => {
      if (chosen === button) {
        void this.#install(python);
      }
    });
    return text;
  }

  async #install(python: Python): Promise<void> {
    const folder = ownEnvironment(this.#context);
    const installed = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing the codeact-lsp server" },
      async (progress) => {
        try {
          fs.mkdirSync(path.dirname(folder), { recursive: true });
          progress.report({ message: "making an environment" });
          await this.#run(python.executable, ["-I", "-m", "venv", "--clear", folder]);
          progress.report({ message: "installing packages" });
          await this.#run(environmentPython(folder), ["-I", "-m", "pip", "install", "--no-input", this.#wheel()]);
          return true;
        } catch (error) {
          this.#logs.server.error(String(error));
          return false;
        }
      },
    );
    if (installed) {
      this.#retry();
      return;
    }
    const show = "Show Log";
    const chosen = await vscode.window.showErrorMessage("The codeact-lsp server could not be installed.", show);
    if (chosen === show) {
      this.#logs.server.show(true);
    }
  }

  /** The wheel of the server that this extension was built with. */
  #wheel(): string {
    const folder = this.#context.asAbsolutePath("bundled");
    const name = fs.readdirSync(folder).find((file) => file.endsWith(".whl"));
    if (name === undefined) {
      throw new Error(`no wheel in ${folder}`);
    }
    return path.join(folder, name);
  }

  #run(command: string, parameters: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      execFile(command, [...parameters], { windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
        this.#logs.server.info(`${command} ${parameters.join(" ")}\n${stdout}${stderr}`);
        if (error === null) {
          resolve();
        } else {
          reject(new Error(error.message));
        }
      });
    });
  }
}

/** Opens the settings at the level where `name` was set. */
function openSetting(name: string): Thenable<unknown> {
  const inWorkspace = vscode.workspace.getConfiguration().inspect(name)?.workspaceValue !== undefined;
  const command = inWorkspace
    ? "workbench.action.openWorkspaceSettings"
    : vscode.env.remoteName === undefined
      ? "workbench.action.openSettings"
      : "workbench.action.openRemoteSettings";
  return vscode.commands.executeCommand(command, { query: `@id:${name}` });
}
