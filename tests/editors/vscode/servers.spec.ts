// Live servers: approval, a tool that appears, inputs, logs.

import fs from "node:fs";
import { expect, test } from "./support/fixtures.ts";
import { until } from "./support/editor.ts";
import { environmentOf, processes } from "./support/processes.ts";
import { Workspace, demoServer } from "./support/workspace.ts";

const CELL = { "cell.py": "from codeact_lsp.tools import mcp\n\nawait mcp.desk.¦\n" };

test("nothing starts before it is approved, and a new tool is offered at once", async ({ open, editor }) => {
  const elsewhere = new Workspace();
  const grow = elsewhere.path("grow");
  const window = await open({ ...CELL, ".mcp.json": config({ desk: demoServer(grow) }) }, "cell.py");

  await expect(window.dialog).toContainText('Allow the MCP server "desk"?');
  await expect(window.dialog).toContainText(`-m codeact_lsp.demo.server --grow-when ${grow}`);
  await expect(window.dialog).toContainText(window.workspace.path(".mcp.json"));
  expect(processes(editor, grow)).toEqual([]);

  await window.dialog.getByRole("button", { name: "Allow Once" }).click();
  await window.ready("MCP: 1/6");
  expect(processes(editor, grow)).toHaveLength(1);

  await window.showTools();
  await window.expand(/^desk/);
  await expect(window.row("undo-last")).toHaveCount(0);
  fs.writeFileSync(grow, "");
  await expect(window.row("undo-last → undo_last")).toBeVisible();
  await expect(window.row("run-script → run_script")).toBeVisible();

  await window.focusEditor();
  await window.toCursor();
  await window.type("undo");
  await expect(window.suggestion("undo_last")).toBeVisible();
  elsewhere.remove();
});

test("a refused server stays away, and can be approved later from the Tools view, and started again there", async ({ open, editor }) => {
  const elsewhere = new Workspace();
  const grow = elsewhere.path("grow");
  const window = await open({ ...CELL, ".mcp.json": config({ desk: demoServer(grow) }) }, "cell.py");
  await window.dialog.waitFor();
  // The key of somebody who was typing allows nothing.
  await window.press("Enter");
  await expect(window.dialog).toBeHidden();
  await window.showTools();
  const row = window.row(/^desk/);
  await expect(row).toContainText("not approved");
  expect(processes(editor, grow)).toEqual([]);

  await row.hover();
  await row.getByRole("button", { name: "Approve…" }).click();
  await window.dialog.getByRole("button", { name: "Allow Once" }).click();
  await expect(row).toContainText("6 tools");

  const [first] = processes(editor, grow);
  await row.hover();
  await row.getByRole("button", { name: "Restart Server" }).click();
  await until(() => processes(editor, grow).every(({ pid }) => pid !== first?.pid), "the one before has ended");
  await expect(row).toContainText(/6 tools$/);
  expect(processes(editor, grow)).toHaveLength(1);

  await row.hover();
  await row.getByRole("button", { name: "Show Log" }).click();
  await expect(window.page.locator(".part.panel")).toContainText("Output");
  await expect(window.page.getByLabel("Output Section").locator("option:checked")).toHaveText("codeact-lsp: desk");
  elsewhere.remove();
});

test("an input is asked for once, and comes from the secret storage after that", async ({ open, editor, page }) => {
  const elsewhere = new Workspace();
  const grow = elsewhere.path("grow");
  const server = { ...demoServer(grow), type: "stdio", env: { DESK_TOKEN: "${input:desk-token}" } };
  const inputs = [{ type: "promptString", id: "desk-token", description: "The token of [the desk](command:codeact-lsp.showTrace)", password: true }];
  const window = await open({ ...CELL, ".vscode/mcp.json": JSON.stringify({ servers: { desk: server }, inputs }) }, "cell.py");
  const box = page.locator(".quick-input-widget");
  await window.dialog.getByRole("button", { name: "Always Allow" }).click();
  await expect(box).toContainText("The token of [the desk] (command:codeact-lsp.showTrace)");
  await box.locator("input[type=password]").fill("a secret word");
  await window.press("Enter");
  await window.ready("MCP: 1/6");
  const [first] = processes(editor, grow);
  expect(environmentOf(first?.pid ?? 0)).toContain("DESK_TOKEN=a secret word");

  await page.reload();
  await until(() => processes(editor, grow).some(({ pid }) => pid !== first?.pid), "it starts again");
  await window.ready("MCP: 1/6");
  await expect(box).toBeHidden();
  elsewhere.remove();
});

function config(mcpServers: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ mcpServers }, undefined, 2);
}
