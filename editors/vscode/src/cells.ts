// Runs a cell in a terminal: what it prints, asks and raises is the user's to see.

import * as path from "node:path";
import * as vscode from "vscode";
import type { Launch } from "./python";

/** A line, from 1, of a Python text; of a notebook's cell, any line of it. */
export interface Cell {
  readonly uri: string;
  readonly line: number;
}

/** What the command line cannot know by itself: `CODEACT_LSP_EDITOR` of `docs/command-line.md`. */
export interface FromEditor {
  readonly folders: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly approved: readonly string[];
}

/** The cell that the cursor is in. */
export function cellAtCursor(): Cell | undefined {
  const book = vscode.window.activeNotebookEditor;
  if (book !== undefined) {
    const cell = book.notebook.cellAt(book.selection.start);
    return { uri: cell.document.uri.toString(), line: 1 };
  }
  const editor = vscode.window.activeTextEditor;
  return editor === undefined
    ? undefined
    : { uri: editor.document.uri.toString(), line: editor.selection.active.line + 1 };
}

export async function runCell(launch: Launch, cell: Cell, above: boolean, given: FromEditor): Promise<void> {
  const place = await saved(vscode.Uri.parse(cell.uri), cell.line);
  if (place === undefined) {
    void vscode.window.showWarningMessage("A cell runs from its file: save it first.");
    return;
  }
  const { file, at } = place;
  const folder = vscode.workspace.getWorkspaceFolder(file);
  const task = new vscode.Task(
    { type: "codeact-lsp", file: file.fsPath, at, above },
    folder ?? vscode.TaskScope.Workspace,
    `${path.basename(file.fsPath)}:${at}`,
    "codeact-lsp",
    new vscode.ProcessExecution(
      launch.command,
      [...launch.arguments, "run", "--at", String(at), ...(above ? ["--above"] : []), file.fsPath],
      {
        cwd: folder?.uri.fsPath ?? path.dirname(file.fsPath),
        // Not in an argument and not in a file: secrets are in it.
        env: { CODEACT_LSP_EDITOR: JSON.stringify(given) },
      },
    ),
    [],
  );
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    // One terminal for all cells; one more where it is busy.
    panel: vscode.TaskPanelKind.Shared,
    clear: true,
    echo: false,
  };
  await vscode.tasks.executeTask(task);
}

/** The file that a cell is in, with all changes in it, and which of its cells that is. */
async function saved(uri: vscode.Uri, line: number): Promise<{ file: vscode.Uri; at: number } | undefined> {
  const book = vscode.workspace.notebookDocuments.find((open) => numberOf(open, uri) > 0);
  const document = book ?? (await vscode.workspace.openTextDocument(uri));
  if (document.isUntitled || document.uri.scheme !== "file" || !(await document.save())) {
    return undefined;
  }
  return { file: document.uri, at: book === undefined ? line : numberOf(book, uri) };
}

/** The number of a cell among the code cells of a notebook, from 1; 0 where it is none of them. */
function numberOf(book: vscode.NotebookDocument, uri: vscode.Uri): number {
  const code = book.getCells().filter(({ kind }) => kind === vscode.NotebookCellKind.Code);
  return code.findIndex(({ document }) => document.uri.toString() === uri.toString()) + 1;
}
