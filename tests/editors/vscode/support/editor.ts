// A Visual Studio Code with a clean profile and the packaged extension in it.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export const PROJECT = path.resolve(import.meta.dirname, "../../../..");

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: these tests are started by tests/editors/vscode/run`);
  }
  return value;
}

export interface Options {
  /** Asks whether a folder is trusted, as a desktop does. */
  readonly trust?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Where extensions look for programs. */
  readonly path?: string;
  /** The only programs that extensions find, by their names. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Extensions beside it, by their names in `companions`. */
  readonly extensions?: readonly string[];
}

const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.layoutControl.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "window.menuBarVisibility": "compact",
  "window.commandCenter": false,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "editor.accessibilitySupport": "off",
  "editor.wordBasedSuggestions": "off",
  "editor.fontSize": 15,
  "files.autoSave": "off",
  "workbench.navigationControl.enabled": false,
};

export class Editor {
  readonly home: string;
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(home: string, url: string, child: ChildProcess) {
    this.home = home;
    this.url = url;
    this.#process = child;
  }

  static async start(options: Options = {}): Promise<Editor> {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "codeact-lsp-editor-"));
    const data = path.join(home, "data");
    const extensions = path.join(home, "extensions");
    const temporary = path.join(home, "tmp");
    const settings = {
      ...QUIET,
      "security.workspace.trust.enabled": options.trust === true,
      ...options.settings,
    };
    fs.mkdirSync(path.join(data, "User"), { recursive: true });
    fs.mkdirSync(temporary);
    fs.writeFileSync(path.join(data, "User", "settings.json"), JSON.stringify(settings));
    const entry = path.join(environment("CODE_SERVER"), "node_modules/code-server/out/node/entry.js");
    const folders = ["--user-data-dir", data, "--extensions-dir", extensions];
    const variables: NodeJS.ProcessEnv = {
      ...process.env,
      // The state of the person who runs these tests is not touched.
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, "config"),
      XDG_CACHE_HOME: path.join(home, "cache"),
      XDG_STATE_HOME: path.join(home, "state"),
      XDG_DATA_HOME: path.join(home, "share"),
      // Each window leaves sockets there.
      TMPDIR: temporary,
    };
    const programs = path.join(home, "programs");
    fs.mkdirSync(programs);
    for (const [name, text] of Object.entries(options.programs ?? {})) {
      fs.writeFileSync(path.join(programs, name), text, { mode: 0o755 });
    }
    const places = options.programs === undefined ? options.path : programs;
    if (places !== undefined) {
      // The editor asks a login shell what the path is.
      fs.writeFileSync(path.join(home, ".bash_profile"), `export PATH=${places}\n`);
      Object.assign(variables, { PATH: places, SHELL: "/bin/bash" });
    }
    const companions = (options.extensions ?? []).map((name) => path.join(environment("COMPANIONS"), `${name}.vsix`));
    for (const vsix of [environment("VSIX"), ...companions]) {
      await run(process.execPath, [entry, ...folders, "--install-extension", vsix], { env: variables });
    }
    const port = await freePort();
    const log = fs.openSync(path.join(home, "editor.log"), "w");
    const child = spawn(
      process.execPath,
      [
        entry,
        ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`],
        ...folders,
        ...["--disable-telemetry", "--disable-update-check"],
      ],
      // A group of its own, so that the extension hosts end with it.
      { env: variables, stdio: ["ignore", log, log], detached: true },
    );
    const editor = new Editor(home, `http://127.0.0.1:${port}`, child);
    await until(async () => (await fetch(`${editor.url}/healthz`)).ok, "the editor answers");
    return editor;
  }

  /** A program of `options.programs`, or a file beside them. */
  program(name: string): string {
    return path.join(this.home, "programs", name);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    process.kill(-(this.#process.pid ?? 0), "SIGTERM");
    await ended;
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Waits until `condition` holds; a condition that throws does not hold yet. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limit = 30_000,
): Promise<void> {
  const end = Date.now() + limit;
  for (;;) {
    try {
      if (await condition()) {
        return;
      }
    } catch {
      // Not yet.
    }
    if (Date.now() > end) {
      throw new Error(`waited ${limit} ms in vain until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
