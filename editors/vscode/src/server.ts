// The language server's process: found, started, followed, started again.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { Installer } from "./installer";
import type { Logs } from "./logs";
import { METHODS, type CatalogueEntries, type ToolDetails } from "./protocol";
import { findServer, type Launch } from "./python";
import { askApproval, type Inputs } from "./questions";
import { SECTION, forServer } from "./settings";
import type { State } from "./status";
import { plain } from "./text";
import type { Catalogues } from "./toolsView";

const CRASHES_MINUTES = 3;
const MOST_CRASHES = 4;
const SHOW_LOG = "Show Log";
const RESTART = "Restart";

export class Server implements Catalogues, vscode.Disposable {
  readonly #context: vscode.ExtensionContext;
  readonly #logs: Logs;
  readonly #inputs: Inputs;
  readonly #installer: Installer;
  readonly #changed = new vscode.EventEmitter<State>();
  readonly onDidChange = this.#changed.event;
  #client: LanguageClient | undefined;
  #launch: Launch | undefined;
  #crashes: number[] = [];
  /** The last line on stderr says most when a start fails. */
  #lastWords = "";
  /** Starting and stopping take turns. */
  #turn: Promise<void> = Promise.resolve();

  constructor(context: vscode.ExtensionContext, logs: Logs, inputs: Inputs) {
    this.#context = context;
    this.#logs = logs;
    this.#inputs = inputs;
    this.#installer = new Installer(context, logs, () => void this.restart());
  }

  get launch(): Launch | undefined {
    return this.#launch;
  }

  restart(): Promise<void> {
    this.#crashes = [];
    this.#turn = this.#turn.then(async () => {
      await this.#stop();
      await this.#start();
    });
    return this.#turn;
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

  async details(server: string | null, tool: string): Promise<ToolDetails | undefined> {
    const client = this.#client;
    return client?.isRunning() === true
      ? ((await client.sendRequest<ToolDetails | null>(METHODS.tool, { server, tool })) ?? undefined)
      : undefined;
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
    this.#turn = this.#turn.then(() => this.#stop());
    return this.#turn;
  }

  async #start(): Promise<void> {
    this.#changed.fire({ kind: "starting" });
    const search = await findServer(this.#context);
    if (search.kind !== "found") {
      this.#changed.fire({ kind: "stopped", reason: this.#installer.explain(search) });
      return;
    }
    this.#installer.settled();
    this.#launch = search.launch;
    this.#logs.server.info(`starting the server with ${search.launch.origin}`);
    const client = await this.#createClient(search.launch);
    this.#client = client;
    this.#lastWords = "";
    try {
      await client.start();
      this.#changed.fire({ kind: "running", status: undefined });
    } catch (error) {
      this.#client = undefined;
      const words = this.#lastWords || (error instanceof Error ? error.message : String(error));
      const reason = `The server did not start: ${words}`;
      this.#logs.server.error(reason);
      this.#changed.fire({ kind: "stopped", reason });
      void this.#say(`codeact-lsp: ${reason}`);
    }
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#launch = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.#logs.server.warn(`the server did not stop by itself: ${String(error)}`);
    }
  }

  async #createClient(launch: Launch): Promise<LanguageClient> {
    // Loaded here, beside the search for a Python: the window does not wait for it.
    const { createClient } = await import("./client");
    return createClient({
      launch,
      // Not the workspace: nothing there is importable by accident.
      cwd: this.#context.extensionPath,
      logs: this.#logs,
      settings: () => forServer(this.#context),
      stderr: (line) => {
        this.#lastWords = line;
        this.#logs.takeStderr(line);
      },
      status: (status) => this.#changed.fire({ kind: "running", status }),
      approve: askApproval,
      input: async (question) => ({ value: await this.#inputs.ask(question) }),
      restartAfterCrash: (ran) => this.#restartAfterCrash(ran),
    });
  }

  /** Whether a server that ended by itself is started again; `ran`: it had answered before. */
  #restartAfterCrash(ran: boolean): boolean {
    if (!ran) {
      if (this.#crashes.length > 0) {
        this.#changed.fire({ kind: "stopped", reason: `The server did not start: ${this.#lastWords}` });
      }
      // Whoever started it says so, and trying the same again would not help.
      return false;
    }
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASHES_MINUTES * 60_000), now];
    if (this.#crashes.length <= MOST_CRASHES) {
      this.#changed.fire({ kind: "starting" });
      void this.#say("The codeact-lsp language server stopped unexpectedly and was started again.");
      return true;
    }
    const reason = `The server stopped ${this.#crashes.length} times in ${CRASHES_MINUTES} minutes and is not started again by itself.`;
    this.#changed.fire({ kind: "stopped", reason });
    void this.#say(`codeact-lsp: ${reason}`, RESTART);
    return false;
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
