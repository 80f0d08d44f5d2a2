// The messages of `docs/editor-protocol.md`: what the server says beyond LSP.

import type { Location, TextEdit } from "vscode-languageclient/node";

export interface Status {
  readonly version: number;
  readonly loading: boolean;
  readonly restricted: boolean;
  readonly servers: number;
  readonly tools: number;
  readonly renames: number;
  readonly problems: number;
  readonly message: string;
}

/** A raw name, what Python code types for it (null: it has no name), and why the two differ. */
export interface Spelling {
  readonly raw: string;
  readonly name: string | null;
  readonly reason: string | null;
}

export interface ToolEntry extends Spelling {
  readonly path: string;
  readonly changed: boolean;
}

export interface ServerEntry {
  /** null for native tools, which belong to no server and have no state. */
  readonly raw: string | null;
  readonly name: string | null;
  readonly state?: string;
  readonly stale?: boolean;
  readonly title?: string | null;
  readonly version?: string | null;
  readonly address?: string | null;
  readonly listedAt?: number | null;
  readonly problems?: readonly string[];
  readonly tools: readonly ToolEntry[];
}

export interface CatalogueEntries {
  readonly version: number;
  readonly module: string;
  readonly servers: readonly ServerEntry[];
}

export interface ParameterEntry extends Spelling {
  readonly required: boolean;
  readonly type: string;
}

export interface ToolDetails {
  readonly signature: string;
  readonly call: string;
  readonly snippet: string;
  /** What a call needs at the place that was asked about. */
  readonly edits: readonly TextEdit[];
  readonly summary: string;
  readonly parameters: readonly ParameterEntry[];
  readonly location?: Location | null;
}

export interface ApprovalQuestion {
  readonly key: string;
  readonly server: string;
  readonly path: string;
  readonly shown: string;
  /** Where it runs; empty for a URL. */
  readonly cwd: string;
  /** The names of the environment variables or headers that it is given. */
  readonly sets: readonly string[];
}

export type ApprovalAnswer = "once" | "always" | "never";

export interface InputQuestion {
  readonly id: string;
  readonly server: string;
  /** The config file that declares it. */
  readonly path: string;
  readonly description: string;
  readonly password: boolean;
}

export interface LogLine {
  readonly server: string | null;
  readonly level: "debug" | "info" | "warning" | "error";
  readonly text: string;
}

export const METHODS = {
  status: "codeact-lsp/status",
  log: "codeact-lsp/log",
  approve: "codeact-lsp/approve",
  input: "codeact-lsp/input",
  catalogue: "codeact-lsp/catalogue",
  tool: "codeact-lsp/tool",
} as const;
