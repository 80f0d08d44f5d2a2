// Packs an extension that stands beside the one under test: `pack.mjs FOLDER FILE`. Its tools and its one library are those
// of the extension under test.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const folder = path.join(import.meta.dirname, process.argv[2]);
const extension = path.resolve(import.meta.dirname, "../../../../editors/vscode");
const { build } = createRequire(path.join(extension, "package.json"))("esbuild");

await build({
  entryPoints: [path.join(folder, "extension.ts")],
  outfile: path.join(folder, "dist/extension.js"),
  bundle: true,
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  nodePaths: [path.join(extension, "node_modules")],
  logLevel: "warning",
});
const vsce = path.join(extension, "node_modules/@vscode/vsce/vsce");
const options = ["--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", path.resolve(process.argv[3])];
execFileSync(process.execPath, [vsce, "package", ...options], { cwd: folder, stdio: ["ignore", 2, 2] });
