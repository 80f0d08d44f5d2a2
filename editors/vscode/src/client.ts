// The client end of the conversation with the server.

import type { Readable } from "node:stream";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { Logs } from "./logs";
import { METHODS, type ApprovalAnswer, type ApprovalQuestion, type InputQuestion, type LogLine, type Status } from "./protocol";
import type { Launch } from "./python";
import { SECTION } from "./settings";

export interface Parts {
  readonly launch: Launch;
  readonly cwd: string;
  readonly logs: Logs;
  readonly settings: () => Record<string, unknown>;
  readonly stderr: (stream: Readable) => void;
  readonly status: (status: Status) => void;
  readonly approve: (question: ApprovalQuestion) => Promise<ApprovalAnswer | null>;
  readonly input: (question: InputQuestion) => Promise<{ readonly value: string | null }>;
  /** The process ended by itself; `ran`: it had answered before. */
  readonly ended: (ran: boolean) => void;
}

export function createClient(parts: Parts): LanguageClient {
  const { launch, logs } = parts;
  const client: LanguageClient = new QuietClient(
    SECTION,
    "codeact-lsp",
    {
      command: launch.command,
      args: [...launch.arguments, "serve", "--stdio"],
      options: { cwd: parts.cwd },
    },
    {
      documentSelector: [{ language: "python" }],
      outputChannel: logs.server,
      traceOutputChannel: logs.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: "codeact-lsp",
      initializationOptions: () => ({ settings: parts.settings(), trusted: vscode.workspace.isTrusted }),
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          parts.ended(client.state === State.Running);
          // Another process may be the better one now: the search decides, not the client.
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
      // Text of MCP servers is shown, never obeyed: no HTML, no command links.
      markdown: { isTrusted: false, supportHtml: false },
      stdioOptions: {
        stdout: () => undefined,
        stderr: parts.stderr,
      },
      middleware: {
        provideCodeLenses: async (document, token, next) => {
          const lenses = (await next(document, token)) ?? [];
          return lenses.map(({ range, command }) =>
            new vscode.CodeLens(range, command && { ...command, title: `$(play) ${command.title}` }),
          );
        },
        workspace: {
          // Only what somebody set: defaults of the editor would hide what the project's file says.
          configuration: (asked) => asked.items.map(({ section }) => (section === SECTION ? parts.settings() : null)),
          didChangeConfiguration: () => Promise.resolve(),
        },
      },
    },
  );
  client.registerFeature(OWN_MESSAGES);
  client.onNotification(METHODS.status, parts.status);
  client.onNotification(METHODS.log, (line: LogLine) => logs.take(line));
  client.onRequest(METHODS.approve, parts.approve);
  client.onRequest(METHODS.input, parts.input);
  return client;
}

/** Its own messages about a process that does not start would stand beside ours. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Tells the server which messages beyond LSP this client understands. */
const OWN_MESSAGES: StaticFeature = {
  fillClientCapabilities(capabilities) {
    const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
    experimental["codeactLsp"] = {
      status: true,
      approval: true,
      input: true,
      log: true,
      runCell: true,
      commands: true,
    };
    capabilities.experimental = experimental;
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};
