// A folder that is opened in the editor.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PROJECT } from "./editor.ts";

export const DEMO_CATALOGUE = path.join(PROJECT, "codeact_lsp/demo/catalogue.json");

export class Workspace {
  readonly folder: string;

  constructor(files: Readonly<Record<string, string>> = {}) {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "codeact-lsp-folder-")));
    for (const [name, text] of Object.entries(files)) {
      this.write(name, text);
    }
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  write(name: string, text: string): void {
    const file = this.path(name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
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

/** An `.mcp.json` that starts the demo's server, which adds a tool as soon as the file `grow` is there. */
export function live(grow: string): Record<string, string> {
  const desk = {
    command: path.join(PROJECT, ".venv/bin/python"),
    args: ["-m", "codeact_lsp.demo.server", "--when", grow],
  };
  return { ".mcp.json": JSON.stringify({ mcpServers: { desk } }, undefined, 2) };
}
