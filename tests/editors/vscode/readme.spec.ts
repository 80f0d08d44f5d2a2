// What the documentation tells newcomers to do, done to the letter.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import { processes } from "./support/processes.ts";

// As after `export PATH="$PWD/.venv/bin:$PATH"`.
test.use({ options: { path: `${path.join(PROJECT, ".venv/bin")}:${process.env["PATH"] ?? ""}` } });

/** The first block of code in `language` that a page has. */
function block(page: string, language: string): string {
  const text = fs.readFileSync(path.join(PROJECT, page), "utf8");
  const found = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\``, "m").exec(text);
  const [, indent = "", code = ""] = found ?? [];
  return code.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

test("the five minutes of the README and of the editor's page", async ({ open, editor }) => {
  const window = await open({ ".mcp.json": block("README.md", "json"), "cell.py": "" }, "cell.py");
  await expect(window.dialog).toContainText("-m codeact_lsp.demo.server --grow-after 60");
  expect(processes(editor, "codeact_lsp.demo.server")).toEqual([]);
  await window.dialog.getByRole("button", { name: "Allow Once" }).click();
  await window.ready(/MCP: 1\/[6-9]/);
  const [line, , call] = block("docs/editors/vscode.md", "python").split("\n");
  expect(line).toBe("from codeact_lsp.tools import mcp");
  expect(call).toBe("await mcp.");
  await window.focusEditor();
  await window.type(line ?? "");
  // Return would take what is offered.
  await window.press("Escape", "Enter", "Enter");
  await window.type(call ?? "");
  await expect(window.suggestion("my_desk")).toBeVisible();
});
