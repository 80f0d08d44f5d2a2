// Adds the import that an inserted call needs.

import * as vscode from "vscode";

/** Inserts `statement` below the imports at the head of the text, unless a line says it already. */
export async function addImport(editor: vscode.TextEditor, statement: string): Promise<void> {
  const lines = editor.document.getText().split(/\r\n|\r|\n/);
  if (lines.some((line) => line.trim() === statement)) {
    return;
  }
  const place = new vscode.Position(importLine(lines), 0);
  await editor.edit((builder) => builder.insert(place, `${statement}\n`), { undoStopBefore: true, undoStopAfter: false });
}

/** After the last import that begins a line before any other statement, else after the comments at the top. */
export function importLine(lines: readonly string[]): number {
  let after = 0;
  for (const [number, line] of lines.entries()) {
    if (/^(import|from)\s/.test(line)) {
      after = number + 1;
    } else if (line.trim() !== "" && !line.startsWith("#")) {
      break;
    } else if (line.startsWith("#") && after === number) {
      after = number + 1;
    }
  }
  return after;
}
