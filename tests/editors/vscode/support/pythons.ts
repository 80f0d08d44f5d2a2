// Pythons that something is wrong with.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { PROJECT } from "./editor.ts";

const PYTHON = path.join(PROJECT, ".venv/bin/python");
const VERSION = (JSON.parse(fs.readFileSync(path.join(PROJECT, "editors/vscode/package.json"), "utf8")) as { version: string })
  .version;

/** A virtual environment without any package; the folder that packages go to. */
export function environment(folder: string): string {
  execFileSync(PYTHON, ["-I", "-m", "venv", "--without-pip", folder]);
  const [version = ""] = fs.readdirSync(path.join(folder, "lib"));
  return path.join(folder, "lib", version, "site-packages");
}

/** What an interrupted removal or installation leaves: the metadata, and of the module what `module` says. */
export function remains(packages: string, module?: string): void {
  const metadata = path.join(packages, `codeact_lsp-${VERSION}.dist-info`);
  fs.mkdirSync(metadata);
  fs.writeFileSync(path.join(metadata, "METADATA"), `Metadata-Version: 2.1\nName: codeact-lsp\nVersion: ${VERSION}\n`);
  if (module !== undefined) {
    fs.mkdirSync(path.join(packages, "codeact_lsp"));
    fs.writeFileSync(path.join(packages, "codeact_lsp", "__init__.py"), "");
    fs.writeFileSync(path.join(packages, "codeact_lsp", "__main__.py"), module);
  }
}

/** A program that says it is Python 3.8, and runs what it is given. */
export const OLD = `#!/bin/sh
exec '${PYTHON}' -I -c 'import sys; sys.version_info = (3, 8, 18, "final", 0); exec(sys.argv[-1])' "$@"
`;
