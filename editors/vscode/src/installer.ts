// No server can be started: says so once, with the one thing to do and a button that does it.

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Logs } from "./logs";
import { OLDEST_PYTHON, environmentPython, ownEnvironment, storage, type Findings, type Python } from "./python";
import { plain } from "./text";

const WANTED = OLDEST_PYTHON.join(".");
const DOWNLOADS = vscode.Uri.parse("https://www.python.org/downloads/");

/** What to say, and the one thing to do about it. */
interface Advice {
  readonly text: string;
  readonly button: string;
  readonly act: () => unknown;
  /** Somebody who mends it elsewhere comes back to this window. */
  readonly elsewhere: boolean;
}

export class Installer implements vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #logs: Logs;
  readonly #retry: () => void;
  #focus: vscode.Disposable | undefined;
  /** What was said last: the same is not said again by itself. */
  #said: string | undefined;
  #installed = false;

  constructor(context: vscode.ExtensionContext, logs: Logs, retry: () => void) {
    this.#context = context;
    this.#logs = logs;
    this.#retry = retry;
  }

  /** Shows the message, and returns its text; `failure` is why the best of the servers that were found did not start. */
  explain(found: Findings, failure?: string): string {
    for (const { source, command, outcome } of found.tried) {
      this.#logs.server.info(`looked for a Python: ${source}: ${command} ${outcome}`);
    }
    const advice = this.#advice(found, failure);
    if (advice.text !== this.#said) {
      this.#said = advice.text;
      void vscode.window.showErrorMessage(plain(advice.text), advice.button).then((chosen) => {
        if (chosen === advice.button) {
          void advice.act();
        }
      });
    }
    if (advice.elsewhere) {
      this.#focus ??= vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) {
          this.#retry();
        }
      });
    }
    return advice.text;
  }

  /** Whatever is wrong from here on is news. */
  forget(): void {
    this.#focus?.dispose();
    this.#focus = undefined;
    this.#said = undefined;
  }

  dispose(): void {
    this.forget();
  }

  #advice({ tried, usable }: Findings, failure: string | undefined): Advice {
    const python = usable[0];
    if (python === undefined) {
      return noPython(tried);
    }
    const log = { button: "Show Log", act: () => this.#logs.server.show(true) };
    const install = { button: "Install Server", act: () => this.#install(python) };
    return failure === undefined
      ? {
          text: `codeact-lsp has no server for Python ${python.version.join(".")} on this machine yet.`,
          ...install,
          elsewhere: true,
        }
      : // Where a fresh copy does not start either, another one would not.
        { text: `The codeact-lsp server does not start: ${failure}`, ...(this.#installed ? log : install), elsewhere: false };
  }

  async #install(python: Python): Promise<void> {
    const folder = ownEnvironment(this.#context);
    const failure = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing the codeact-lsp server" },
      async (progress) => {
        try {
          progress.report({ message: "making an environment" });
          await this.#run(python.executable, ["-I", "-m", "venv", "--clear", folder]);
          progress.report({ message: "installing packages" });
          await this.#run(environmentPython(folder), ["-I", "-m", "pip", "install", "--no-input", this.#wheel()]);
          return undefined;
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      },
    );
    if (failure === undefined) {
      this.#installed = true;
      this.forget();
      this.#retry();
      return;
    }
    this.#logs.server.error(failure);
    // Debian has the module that makes environments in a package of its own, and its error says in which.
    const missing = /apt(?:-get)? install (python[\w.]*-venv)/.exec(failure)?.[1];
    const text =
      missing === undefined
        ? "The codeact-lsp server could not be installed."
        : `The codeact-lsp server could not be installed: the package ${missing} is missing. Install it, then try again.`;
    const [again, show] = ["Try Again", "Show Log"];
    const chosen = await vscode.window.showErrorMessage(text, again, show);
    if (chosen === again) {
      await this.#install(python);
    } else if (chosen === show) {
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
    const options = { cwd: storage(this.#context), windowsHide: true, maxBuffer: 16 * 1024 * 1024 };
    return new Promise((resolve, reject) => {
      execFile(command, [...parameters], options, (error, stdout, stderr) => {
        this.#logs.server.info(`${command} ${parameters.join(" ")}\n${stdout}${stderr}`);
        if (error === null) {
          resolve();
        } else {
          reject(new Error(`${error.message}\n${stdout}`));
        }
      });
    });
  }
}

function noPython(tried: Findings["tried"]): Advice {
  const configured = tried.find(({ source }) => source === "codeact-lsp.interpreter");
  const text = `codeact-lsp needs Python ${WANTED} or newer`;
  return configured === undefined
    ? {
        text: `${text}, and found none.`,
        button: "Get Python",
        act: () => vscode.env.openExternal(DOWNLOADS),
        elsewhere: true,
      }
    : {
        text: `${text}; the setting codeact-lsp.interpreter names "${configured.command}", which ${configured.outcome}.`,
        button: "Open Setting",
        act: () => openSetting("codeact-lsp.interpreter"),
        elsewhere: true,
      };
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
