// Adds the import that an inserted call needs.

import * as vscode from "vscode";
import { importLine } from "./header";

/** Inserts `statement` below the imports at the head of the text, unless a line says it already. */
export async function addImport(editor: vscode.TextEditor, statement: string): Promise<void> {
  const lines = editor.document.getText().split(/\r\n|\r|\n/);
  if (lines.some((line) => line.trimEnd() === statement)) {
    return;
  }
  const number = importLine(lines);
  // Below a last line without a line break there is no line yet.
  const place = new vscode.Position(number, 0);
  const text = number < lines.length ? `${statement}\n` : `\n${statement}\n`;
  await editor.edit((builder) => builder.insert(place, text), { undoStopBefore: true, undoStopAfter: false });
}
