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

// Isolated (-I): the current directory, PYTHONPATH and user packages of a workspace play no part.
const PROBE = `
import json, sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
try:
    server = version("codeact-lsp")
except PackageNotFoundError:
    server = None
print(json.dumps({"version": sys.version_info[:2], "executable": sys.executable, "server": server,
    "tag": sys.implementation.cache_tag, "lzma": find_spec("_lzma") is not None}))
`;

export interface Python {
  readonly executable: string;
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

export type Search =
  | { readonly kind: "found"; readonly launch: Launch }
  /** A Python is there, but no server that it could run. */
  | { readonly kind: "no-server"; readonly python: Python }
  /** Nothing of what was tried is a Python that is new enough. */
  | { readonly kind: "no-python"; readonly tried: readonly string[] };

interface Candidate {
  readonly command: string;
  readonly arguments?: readonly string[];
  readonly source: string;
}

export async function findServer(context: vscode.ExtensionContext): Promise<Search> {
  const choice = read<ServerChoice>("server", "auto");
  const wanted = (context.extension.packageJSON as { version: string }).version;
  const tried: string[] = [];
  const usable: Python[] = [];
  for await (const candidate of candidates(context)) {
    const python = await probe(candidate);
    tried.push(`${candidate.source}: ${describe(candidate, python)}`);
    if (python === undefined || !newEnough(python)) {
      continue;
    }
    if (choice !== "bundled" && python.server !== null && sameSeries(python.server, wanted)) {
      return { kind: "found", launch: installed(python) };
    }
    usable.push(python);
    if (choice === "bundled" && bundled(context, python) !== undefined) {
      break;
    }
  }
  if (choice !== "environment") {
    for (const python of usable) {
      const launch = bundled(context, python);
      if (launch !== undefined) {
        return { kind: "found", launch };
      }
    }
  }
  const python = usable[0];
  return python === undefined ? { kind: "no-python", tried } : { kind: "no-server", python };
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
  for (const name of ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python"]) {
    const command = onPath(name);
    if (command !== undefined) {
      yield { command, source: "PATH" };
    }
  }
  if (WINDOWS && onPath("py") !== undefined) {
    yield { command: "py", arguments: ["-3"], source: "the Python launcher" };
  }
  const managed = await foundByUv();
  if (managed !== undefined) {
    yield { command: managed, source: "uv" };
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

async function foundByUv(): Promise<string | undefined> {
  const uv = onPath("uv");
  if (uv === undefined) {
    return undefined;
  }
  const answer = await output(uv, ["python", "find", "--no-project", "--offline", `>=${OLDEST_PYTHON.join(".")}`]);
  return answer?.trim() || undefined;
}

async function probe(candidate: Candidate): Promise<Python | undefined> {
  const answer = await output(candidate.command, [...(candidate.arguments ?? []), "-I", "-c", PROBE]);
  if (answer === undefined) {
    return undefined;
  }
  try {
    return JSON.parse(answer) as Python;
  } catch {
    return undefined;
  }
}

function output(command: string, parameters: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      command,
      [...parameters],
      { cwd: os.homedir(), timeout: PROBE_MILLISECONDS, windowsHide: true, encoding: "utf8" },
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
  const tags = JSON.parse(fs.readFileSync(path.join(folder, "tags.json"), "utf8")) as string[];
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

function describe(candidate: Candidate, python: Python | undefined): string {
  return python === undefined
    ? `${candidate.command} does not run`
    : `${candidate.command} is Python ${python.version.join(".")}`;
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
