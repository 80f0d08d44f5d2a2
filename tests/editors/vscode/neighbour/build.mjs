// Packs the neighbour: `build.mjs FILE`. Its tools and its one library are those of the extension under test.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const here = import.meta.dirname;
const extension = path.resolve(here, "../../../../editors/vscode");
const { build } = createRequire(path.join(extension, "package.json"))("esbuild");

await build({
  entryPoints: [path.join(here, "extension.ts")],
  outfile: path.join(here, "dist/extension.js"),
  bundle: true,
  platform: "node",
  format: "cjs",
  external: ["vscode"],
  nodePaths: [path.join(extension, "node_modules")],
  logLevel: "warning",
});
const vsce = path.join(extension, "node_modules/@vscode/vsce/vsce");
const options = ["--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", path.resolve(process.argv[2])];
execFileSync(process.execPath, [vsce, "package", ...options], { cwd: here, stdio: ["ignore", 2, 2] });
