// Which Python runs the server, and which copy of the server.

import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { read, type ServerChoice } from "./settings";

export const OLDEST_PYTHON = [3, 11] as const;
const PROBE_MILLISECONDS = 10_000;
const WINDOWS = process.platform === "win32";

// Isolated (-I): the current directory, PYTHONPATH and user packages of a workspace play no part. What is too old to be
// used still says which version it is. A server counts when its module is there: an interrupted removal leaves metadata.
const PROBE = `
import json, sys
found = {"version": sys.version_info[:2], "executable": sys.executable, "prefix": sys.prefix}
if sys.version_info >= (${OLDEST_PYTHON.join(", ")}):
    from importlib.metadata import PackageNotFoundError, version
    from importlib.util import find_spec
    try:
        server = version("codeact-lsp") if find_spec("codeact_lsp") else None
    except PackageNotFoundError:
        server = None
    found.update(server=server, tag=sys.implementation.cache_tag, lzma=find_spec("_lzma") is not None)
print(json.dumps(found))
`;

/** A Python that is new enough. */
export interface Python {
  readonly executable: string;
  readonly prefix: string;
  readonly version: readonly [number, number];
  /** Version of the server that is installed there. */
  readonly server: string | null;
  /** `cpython-311`. */
  readonly tag: string;
  /** Can unpack the copy that comes with the extension. */
  readonly lzma: boolean;
}

/** How the server is started; `arguments` go before the subcommand. */
export interface Launch {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly origin: string;
}

/** What a search came across, for the message when it ends without a server. */
export interface Findings {
  readonly tried: { readonly source: string; readonly command: string; readonly outcome: string }[];
  /** Every Python that is new enough. */
  readonly usable: Python[];
}

interface Candidate {
  readonly command: string;
  readonly arguments?: readonly string[];
  readonly source: string;
}

/** The ways to start a server, best first. What is met on the way is added to `found`. */
export async function* launches(context: vscode.ExtensionContext, found: Findings): AsyncGenerator<Launch> {
  const choice = read<ServerChoice>("server", "auto");
  const wanted = (context.extension.packageJSON as { version: string }).version;
  const met = new Set<string>();
  for await (const candidate of candidates(context)) {
    const python = await probe(context, candidate);
    const { source, command } = candidate;
    found.tried.push({ source, command, outcome: describe(python) });
    // One Python has many names on a `PATH`.
    const key = `${python?.prefix} ${python?.version.join(".")}`;
    if (python === undefined || !newEnough(python) || met.has(key)) {
      continue;
    }
    met.add(key);
    found.usable.push(python);
    if (choice !== "bundled" && python.server !== null && sameSeries(python.server, wanted)) {
      yield installed(python);
    }
    const launch = choice === "environment" ? undefined : bundled(context, python);
    if (launch !== undefined) {
      yield launch;
    }
  }
}

/** The extension's own folder, made when it is missing: a directory to run programs in that holds nothing to import. */
export function storage(context: vscode.ExtensionContext): string {
  const folder = context.globalStorageUri.fsPath;
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

/** Where the "Install" button puts a server, for machines that no bundled copy fits. */
export function ownEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "server");
}

export function environmentPython(folder: string): string {
  return WINDOWS ? path.join(folder, "Scripts", "python.exe") : path.join(folder, "bin", "python");
}

async function* candidates(context: vscode.ExtensionContext): AsyncGenerator<Candidate> {
  // A setting, an environment and a virtual environment of the folder are the folder's word: a program that it brings.
  const trusted = vscode.workspace.isTrusted;
  const configured = read<string>("interpreter", "");
  if (configured !== "" && (trusted || !fromWorkspace("interpreter"))) {
    yield { command: expand(configured), source: "codeact-lsp.interpreter" };
    // Somebody chose: nothing else is tried behind their back.
    return;
  }
  if (trusted) {
    const chosen = await chosenInPythonExtension();
    if (chosen !== undefined) {
      yield { command: chosen, source: "the Python extension" };
    }
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      for (const name of [".venv", "venv"]) {
        const command = environmentPython(path.join(folder.uri.fsPath, name));
        if (fs.existsSync(command)) {
          yield { command, source: `${name} of ${folder.name}` };
        }
      }
    }
  }
  const own = environmentPython(ownEnvironment(context));
  if (fs.existsSync(own)) {
    yield { command: own, source: "the extension's own environment" };
  }
  const managed = await foundByUv(context);
  if (managed !== undefined) {
    yield { command: managed, source: "uv" };
  }
  for (const name of ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"]) {
    const command = onPath(name);
    if (command !== undefined) {
      yield { command, source: "PATH" };
    }
  }
  if (WINDOWS && onPath("py") !== undefined) {
    yield { command: "py", arguments: ["-3"], source: "the Python launcher" };
  }
}

interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
  };
}

async function chosenInPythonExtension(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  try {
    const { environments } = await extension.activate();
    const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const resolved = await environments.resolveEnvironment(active);
    return resolved?.executable.uri?.fsPath;
  } catch {
    // Its API is another project's: without it the next candidate is asked.
    return undefined;
  }
}

async function foundByUv(context: vscode.ExtensionContext): Promise<string | undefined> {
  const uv = onPath("uv");
  if (uv === undefined) {
    return undefined;
  }
  const answer = await output(context, uv, ["python", "find", "--no-project", "--offline", `>=${OLDEST_PYTHON.join(".")}`]);
  return answer?.trim() || undefined;
}

/** Undefined: it does not run. One that is too old says only which version it is. */
async function probe(context: vscode.ExtensionContext, candidate: Candidate): Promise<Python | undefined> {
  const answer = await output(context, candidate.command, [...(candidate.arguments ?? []), "-I", "-c", PROBE]);
  if (answer === undefined) {
    return undefined;
  }
  try {
    return JSON.parse(answer) as Python;
  } catch {
    return undefined;
  }
}

function output(
  context: vscode.ExtensionContext,
  command: string,
  parameters: readonly string[],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      command,
      [...parameters],
      { cwd: storage(context), timeout: PROBE_MILLISECONDS, windowsHide: true, encoding: "utf8" },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

function installed(python: Python): Launch {
  return {
    command: python.executable,
    arguments: ["-I", "-m", "codeact_lsp"],
    origin: `${python.executable} (codeact-lsp ${python.server ?? ""})`,
  };
}

function bundled(context: vscode.ExtensionContext, python: Python): Launch | undefined {
  const folder = context.asAbsolutePath("bundled");
  const file = path.join(folder, "tags.json");
  // An update that is half done leaves a folder without it.
  const tags = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as string[]) : [];
  return python.lzma && tags.includes(python.tag)
    ? {
        command: python.executable,
        arguments: ["-I", path.join(folder, "run.py"), path.join(context.globalStorageUri.fsPath, "packages")],
        origin: `${python.executable} (the copy that comes with the extension)`,
      }
    : undefined;
}

function newEnough(python: Python): boolean {
  const [major, minor] = python.version;
  return major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]);
}

/** 0.1.3 and 0.1.0 understand each other; 0.2.0 may not. */
function sameSeries(one: string, other: string): boolean {
  const series = (version: string): string => version.split(".").slice(0, 2).join(".");
  return series(one) === series(other);
}

function describe(python: Python | undefined): string {
  return python === undefined ? "does not run" : `is Python ${python.version.join(".")}`;
}

function onPath(name: string): string | undefined {
  const suffixes = WINDOWS ? [".exe"] : [""];
  for (const folder of (process.env["PATH"] ?? "").split(path.delimiter)) {
    // A relative entry means another place in every folder.
    if (!path.isAbsolute(folder)) {
      continue;
    }
    for (const suffix of suffixes) {
      const file = path.join(folder, name + suffix);
      if (fs.existsSync(file)) {
        return file;
      }
    }
  }
  return undefined;
}

function fromWorkspace(name: string): boolean {
  const found = vscode.workspace.getConfiguration("codeact-lsp").inspect(name);
  return found?.workspaceValue !== undefined || found?.workspaceFolderValue !== undefined;
}

function expand(setting: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? os.homedir();
  return setting
    .replaceAll("${workspaceFolder}", folder)
    .replaceAll("${userHome}", os.homedir())
    .replace(/^~(?=\/|\\|$)/, os.homedir());
}
