// Builds the extension and packs it: `package.mjs [--target PLATFORM] [--out FILE] [--repository URL]`.
//
// A registry shows where an extension comes from and how to report something: `--repository` says so in what is packed.
// Without a platform that packages are bundled for, the VSIX is universal and holds the server's wheel alone.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

const root = path.resolve(import.meta.dirname, "..");
const project = path.resolve(root, "../..");
const { values } = parseArgs({
  options: {
    target: { type: "string", default: `${process.platform}-${process.arch}` },
    out: { type: "string" },
    repository: { type: "string" },
  },
});
const python = process.env.PYTHON ?? path.join(project, ".venv/bin/python");

run(process.execPath, "scripts/build.mjs");
run(python, "scripts/bundle.py", values.target, "bundled");
copyFileSync(path.join(project, "LICENSE"), path.join(root, "LICENSE"));
writeFileSync(path.join(root, "THIRD_PARTY_LICENSES.txt"), licences());
const universal = values.target === "universal";
const file = path.resolve(values.out ?? `codeact-lsp-${values.target}.vsix`);
const manifest = path.join(root, "package.json");
const written = readFileSync(manifest, "utf8");
try {
  if (values.repository !== undefined) {
    writeFileSync(manifest, JSON.stringify({ ...JSON.parse(written), ...origin(values.repository) }, undefined, 2));
  }
  run(
    process.execPath,
    "node_modules/@vscode/vsce/vsce",
    "package",
    "--no-dependencies",
    ...(values.repository === undefined ? ["--allow-missing-repository"] : []),
    ...(universal ? [] : ["--target", values.target]),
    "--out",
    file,
  );
} finally {
  writeFileSync(manifest, written);
}
run(python, "scripts/check.py", file);

function origin(repository) {
  const page = repository.replace(/\.git$/, "");
  return {
    repository: { type: "git", url: repository, directory: "editors/vscode" },
    homepage: `${page}#readme`,
    bugs: { url: `${page}/issues` },
  };
}

function run(command, ...parameters) {
  execFileSync(command, parameters, { cwd: root, stdio: ["ignore", 2, 2] });
}

/** The licences of all that is bundled, JavaScript and Python. */
function licences() {
  const rule = "=".repeat(78);
  const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages)
    .filter(([where, { dev }]) => where !== "" && dev !== true)
    .map(([where, { version, license }]) => {
      const folder = path.join(root, where);
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
      const text = file === undefined ? "" : readFileSync(path.join(folder, file), "utf8").trim();
      return [rule, `${where.split("node_modules/").pop()} ${version} ${license}`, rule, text, ""].join("\n");
    });
  const bundled = path.join(root, "bundled/LICENSES.txt");
  return [...packages, ...(existsSync(bundled) ? [readFileSync(bundled, "utf8")] : [])].join("\n");
}
