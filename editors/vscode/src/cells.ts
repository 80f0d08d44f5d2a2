// "Run cell" above the `# %%` sections of files that use the bindings.

import { randomUUID } from "node:crypto";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Launch } from "./python";
import { read } from "./settings";

const MARKER = /^# ?%%(?!%)/;
const ALWAYS = ["codeact_lsp", "__dsh__"];

/** The `# %%` sections of a text, as line ranges with both ends included; one where there is no marker. */
export function sections(lines: readonly string[]): readonly { readonly first: number; readonly last: number }[] {
  const starts = lines.flatMap((line, number) => (MARKER.test(line) ? [number] : []));
  if (starts[0] !== 0) {
    starts.unshift(0);
  }
  const ranges = starts.map((first, index) => ({ first, last: (starts[index + 1] ?? lines.length) - 1 }));
  const used = ({ first, last }: { first: number; last: number }): boolean =>
    lines.slice(first, last + 1).some((line) => line.trim() !== "" && !MARKER.test(line));
  return ranges.filter(used);
}

export class CellLenses implements vscode.CodeLensProvider {
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const text = document.getText();
    const modules = [...ALWAYS, ...read<string[]>("bindings-modules", [])];
    const bound = read<string>("prelude", "") !== "" || modules.some((name) => text.includes(name));
    if (!bound || !read<boolean>("run-cell-lens", true) || !vscode.workspace.isTrusted) {
      return [];
    }
    return sections(text.split(/\r\n|\r|\n/)).map(
      ({ first, last }) =>
        new vscode.CodeLens(new vscode.Range(first, 0, first, 0), {
          command: "codeact-lsp.runCell",
          title: "$(play) Run cell with codeact-lsp",
          arguments: [{ uri: document.uri.toString(), first, last }],
        }),
    );
  }
}

export interface Cell {
  readonly uri: string;
  readonly first: number;
  readonly last: number;
}

/** The cell of a lens, else the section that the cursor is in. */
export function cellAtCursor(): Cell | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return undefined;
  }
  const line = editor.selection.active.line;
  const lines = editor.document.getText().split(/\r\n|\r|\n/);
  const section = sections(lines).find(({ first, last }) => first <= line && line <= last);
  return section === undefined ? undefined : { uri: editor.document.uri.toString(), ...section };
}

/** Runs a cell in a terminal of its own: what it prints, asks and raises is the user's to see. */
export async function runCell(context: vscode.ExtensionContext, launch: Launch, cell: Cell): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(cell.uri));
  const lines = document.getText().split(/\r\n|\r|\n/).slice(cell.first, cell.last + 1);
  const name = path.basename(document.uri.path) || "cell.py";
  const folder = vscode.Uri.joinPath(context.globalStorageUri, "cells", randomUUID());
  const file = vscode.Uri.joinPath(folder, name.endsWith(".py") ? name : "cell.py");
  await vscode.workspace.fs.createDirectory(folder);
  // Blank lines before it keep the line numbers of a traceback those of the file.
  const source = "\n".repeat(cell.first) + lines.join("\n") + "\n";
  await vscode.workspace.fs.writeFile(file, Buffer.from(source, "utf8"));
  const home = vscode.workspace.getWorkspaceFolder(document.uri)?.uri;
  const terminal = vscode.window.createTerminal({
    name: `cell: ${name}`,
    shellPath: launch.command,
    shellArgs: [...launch.arguments, "run", file.fsPath],
    ...(home === undefined ? {} : { cwd: home }),
    iconPath: new vscode.ThemeIcon("play"),
  });
  terminal.show();
  const watcher = vscode.window.onDidCloseTerminal((closed) => {
    if (closed === terminal) {
      watcher.dispose();
      void vscode.workspace.fs.delete(folder, { recursive: true, useTrash: false });
    }
  });
}
