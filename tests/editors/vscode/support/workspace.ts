// A folder that is opened in the editor.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PROJECT } from "./editor.ts";

export const DEMO_CATALOGUE = path.join(PROJECT, "codeact_lsp/demo/catalogue.json");

const CURSOR = "¦";

export interface Place {
  readonly line: number;
  readonly column: number;
}

export class Workspace {
  readonly folder: string;
  /** Where `¦` stood in the file that was written last, 1-based. */
  cursor: Place = { line: 1, column: 1 };

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "codeact-lsp-folder-")));
    for (const [name, text] of Object.entries(files)) {
      this.write(name, text);
    }
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  /** Writes a file; a text that starts with `#!` is a program. */
  write(name: string, text: string): void {
    const at = text.indexOf(CURSOR);
    if (at >= 0) {
      const before = text.slice(0, at).split("\n");
      this.cursor = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
    }
    const file = this.path(name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text.replace(CURSOR, ""), { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }

  read(name: string): string {
    return fs.readFileSync(this.path(name), "utf8");
  }

  remove(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A config file of the project with a snapshot of the demo's tools: no server is started for it. */
export function snapshot(...servers: readonly string[]): Record<string, string> {
  const { tools } = JSON.parse(fs.readFileSync(DEMO_CATALOGUE, "utf8")) as { tools: unknown[] };
  const listed = Object.fromEntries((servers.length === 0 ? ["desk"] : servers).map((name) => [name, { tools }]));
  return {
    "codeact-lsp.toml": 'snapshots = ["tools.json"]\n',
    "tools.json": JSON.stringify({ version: 1, servers: listed }),
  };
}

/** The demo's server in a config file; it adds a tool as soon as the file `grow` is there. */
export function demoServer(grow: string): { readonly command: string; readonly args: readonly string[] } {
  return {
    command: path.join(PROJECT, ".venv/bin/python"),
    args: ["-m", "codeact_lsp.demo.server", "--grow-when", grow],
  };
}
