// The language server's process: found, started, followed, started again.

import * as fs from "node:fs";
import * as readline from "node:readline";
import type { Readable } from "node:stream";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Installer } from "./installer";
import type { Logs } from "./logs";
import { METHODS, type CatalogueEntries, type ToolDetails } from "./protocol";
import { launches, storage, type Findings, type Launch } from "./python";
import type { Approvals, Inputs } from "./questions";
import { SECTION, forServer } from "./settings";
import type { State } from "./status";
import { plain } from "./text";
import type { Catalogues } from "./toolsView";

const CRASHES_MINUTES = 3;
const MOST_CRASHES = 4;
/** How long the last words of a process that ended are waited for. */
const WORDS_MILLISECONDS = 1000;
const SHOW_LOG = "Show Log";
const RESTART = "Restart";

interface Questions {
  readonly inputs: Inputs;
  readonly approvals: Approvals;
}

export class Server implements Catalogues, vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #logs: Logs;
  readonly #questions: Questions;
  readonly #installer: Installer;
  readonly #changed = new vscode.EventEmitter<State>();
  readonly onDidChange = this.#changed.event;
  #client: LanguageClient | undefined;
  #launch: Launch | undefined;
  #crashes: number[] = [];
  /** The last line on stderr says most when a start fails. */
  #lastWords = "";
  /** Fulfilled when nothing more comes on stderr. */
  #silence: Promise<void> = Promise.resolve();
  /** Starting and stopping take turns. */
  #turn: Promise<void> = Promise.resolve();

  constructor(context: vscode.ExtensionContext, logs: Logs, questions: Questions) {
    this.#context = context;
    this.#logs = logs;
    this.#questions = questions;
    this.#installer = new Installer(context, logs, () => void this.#again());
  }

  get launch(): Launch | undefined {
    return this.#launch;
  }

  async restart(): Promise<void> {
    this.#crashes = [];
    this.#installer.forget();
    await this.#again();
  }

  /** The answer of a command of the server's; undefined when it does not run. */
  async execute(command: string, argument: object = {}): Promise<unknown> {
    const client = this.#client;
    if (client?.isRunning() !== true) {
      void this.#say("The codeact-lsp language server is not running.");
      return undefined;
    }
    return client.sendRequest("workspace/executeCommand", { command, arguments: [argument] });
  }

  async catalogue(): Promise<CatalogueEntries | undefined> {
    return this.#client?.isRunning() === true ? this.#client.sendRequest(METHODS.catalogue, {}) : undefined;
  }

  /** A tool by its raw names; `place` is where a call of it is wanted. */
  async details(server: string | null, tool: string, place?: vscode.Location): Promise<ToolDetails | undefined> {
    const client = this.#client;
    if (client?.isRunning() !== true) {
      return undefined;
    }
    const converter = client.code2ProtocolConverter;
    const at = place && { uri: converter.asUri(place.uri), position: converter.asPosition(place.range.start) };
    return (await client.sendRequest<ToolDetails | null>(METHODS.tool, { server, tool, ...at })) ?? undefined;
  }

  /** Where a location of the server's is, in the editor's terms. */
  show(location: NonNullable<ToolDetails["location"]>): Thenable<vscode.TextEditor> | undefined {
    const converter = this.#client?.protocol2CodeConverter;
    return converter === undefined
      ? undefined
      : vscode.window.showTextDocument(converter.asUri(location.uri), {
          selection: converter.asRange(location.range),
        });
  }

  settingsChanged(): void {
    if (this.#client?.isRunning() === true) {
      void this.#client.sendNotification("workspace/didChangeConfiguration", {
        settings: { [SECTION]: forServer(this.#context) },
      });
    }
  }

  dispose(): void {
    this.#changed.dispose();
    this.#installer.dispose();
    void this.stop();
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    // One that fails does not keep the next from its turn.
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Whether a server runs afterwards. */
  #again(): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#stop();
      return this.#start();
    });
  }

  /** Tries what there is, best first, until one answers. */
  async #start(): Promise<boolean> {
    this.#changed.fire({ kind: "starting" });
    const found: Findings = { tried: [], usable: [] };
    let failure: string | undefined;
    try {
      for await (const launch of launches(this.#context, found)) {
        const reason = await this.#attempt(launch);
        if (reason === undefined) {
          this.#installer.forget();
          return true;
        }
        this.#logs.server.error(`the server did not start with ${launch.origin}: ${reason}`);
        failure ??= reason;
      }
    } catch (error) {
      // Such as a storage folder that cannot be made.
      this.#logs.server.error(String(error));
      failure ??= String(error);
    }
    this.#changed.fire({ kind: "stopped", reason: this.#installer.explain(found, failure) });
    return false;
  }

  /** Starts one server; why it did not start, if so. */
  async #attempt(launch: Launch): Promise<string | undefined> {
    this.#logs.server.info(`starting the server with ${launch.origin}`);
    const cwd = storage(this.#context);
    if (!fs.existsSync(launch.command)) {
      // The same error means a working directory that is missing, so it is asked about by itself.
      return `there is no ${launch.command}`;
    }
    const client = await this.#createClient(launch, cwd);
    this.#client = client;
    this.#launch = launch;
    this.#lastWords = "";
    this.#silence = Promise.resolve();
    try {
      await client.start();
      this.#changed.fire({ kind: "running", status: undefined });
      return undefined;
    } catch (error) {
      await Promise.race([this.#silence, new Promise((resolve) => setTimeout(resolve, WORDS_MILLISECONDS))]);
      await this.#stop();
      return this.#lastWords || (error instanceof Error ? error.message : String(error));
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#launch = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.#logs.server.debug(`the server did not stop by itself: ${String(error)}`);
    }
  }

  async #createClient(launch: Launch, cwd: string): Promise<LanguageClient> {
    // Loaded here, beside the search for a Python: the window does not wait for it.
    const { createClient } = await import("./client");
    const client = createClient({
      launch,
      cwd,
      logs: this.#logs,
      settings: () => forServer(this.#context),
      stderr: (stream) => this.#listen(stream),
      status: (status) => this.#changed.fire({ kind: "running", status }),
      approve: (question) => this.#questions.approvals.ask(question),
      input: async (question) => ({ value: await this.#questions.inputs.ask(question) }),
      // One that never ran is the business of whoever started it.
      ended: (ran) => void (ran && this.#recover(client)),
    });
    return client;
  }

  #listen(stream: Readable): void {
    const lines = readline.createInterface(stream);
    this.#silence = new Promise((resolve) => lines.once("close", resolve));
    lines.on("line", (line) => {
      this.#lastWords = line.trim() || this.#lastWords;
      this.#logs.takeStderr(line);
    });
  }

  /** A server that ended by itself is started again, unless that happens too often. */
  async #recover(ended: LanguageClient): Promise<void> {
    const runs = await this.#inTurn(async () => {
      if (this.#client !== ended) {
        // Another one has been started since.
        return false;
      }
      await this.#stop();
      const now = Date.now();
      this.#crashes = [...this.#crashes.filter((time) => now - time < CRASHES_MINUTES * 60_000), now];
      if (this.#crashes.length <= MOST_CRASHES) {
        return this.#start();
      }
      const reason = `The server stopped ${this.#crashes.length} times in ${CRASHES_MINUTES} minutes and is not started again by itself.`;
      this.#changed.fire({ kind: "stopped", reason });
      void this.#say(`codeact-lsp: ${reason}`, RESTART);
      return false;
    });
    if (runs) {
      await this.#say("The codeact-lsp language server stopped unexpectedly and was started again.");
    }
  }

  async #say(message: string, ...actions: readonly string[]): Promise<void> {
    const chosen = await vscode.window.showWarningMessage(plain(message), ...actions, SHOW_LOG);
    if (chosen === SHOW_LOG) {
      this.#logs.server.show(true);
    } else if (chosen === RESTART) {
      await this.restart();
    }
  }
}
