// What can go wrong: the server dies, the settings change, the folder is not trusted.

import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import { processes } from "./support/processes.ts";
import { snapshot } from "./support/workspace.ts";

const CELL = { ...snapshot(), "cell.py": "from codeact_lsp.tools import mcp\n\nawait mcp.desk.search(¦)\n" };

test("a server that dies is started again, and that is said", async ({ open, editor }) => {
  const window = await open(CELL, "cell.py");
  await window.ready("MCP: 1/6");
  const [server] = processes(editor, "serve --stdio");
  process.kill(server?.pid ?? 0, "SIGKILL");
  await expect(window.notification("stopped unexpectedly and was started again")).toBeVisible();
  await window.ready("MCP: 1/6");
  expect(processes(editor, "serve --stdio").map(({ pid }) => pid)).not.toContain(server?.pid);
  await window.goTo(3, 16);
  await window.suggest();
  await expect(window.suggestion("search")).toBeVisible();
});

test("a changed rule applies at once, a changed interpreter by a restart", async ({ open, editor }) => {
  const window = await open(CELL, "cell.py");
  await window.ready("MCP: 1/6");
  const errors = window.page.locator(".squiggly-error");
  await expect(errors.first()).toBeVisible();
  const before = processes(editor, "serve --stdio");
  const off = { "codeact-lsp.rules": { "missing-argument": "off" } };
  window.workspace.write(".vscode/settings.json", JSON.stringify(off));
  await expect(errors).toHaveCount(0);
  expect(processes(editor, "serve --stdio")).toEqual(before);

  const interpreter = path.join(PROJECT, ".venv/bin/python");
  window.workspace.write(".vscode/settings.json", JSON.stringify({ "codeact-lsp.interpreter": interpreter }));
  await expect.poll(() => processes(editor, "-I -m codeact_lsp serve --stdio").length).toBe(1);
  await window.ready("MCP: 1/6");
  await expect(errors.first()).toBeVisible();
});

test("a setting that names no Python is said, with the setting one click away", async ({ open }) => {
  const settings = JSON.stringify({ "codeact-lsp.interpreter": "/nowhere/python" });
  const window = await open({ ...CELL, ".vscode/settings.json": settings }, "cell.py");
  const message = window.notification("codeact-lsp.interpreter names");
  await message.getByRole("button", { name: "Open Setting" }).click();
  await expect(window.page.locator(".settings-editor")).toContainText("Interpreter");
  await expect(window.notifications).toHaveCount(0);
});

test("the walkthrough, the catalogue, the report and the trace open", async ({ desk }) => {
  const window = await desk.cell("x = 1\n");
  await window.command("codeact-lsp: Show Catalogue");
  await expect(window.page.locator(".tab.active")).toContainText("catalogue.txt");
  await expect(window.page.locator(".editor-instance").last()).toContainText("desk (snapshot)");
  await window.command("codeact-lsp: Show Prompt Block");
  await expect(window.page.locator(".tab.active")).toContainText("prompt-block.py");
  await window.command("codeact-lsp: Report Versions and States");
  await expect(window.page.locator(".editor-instance").last()).toContainText("trusted: True");
  await window.command("codeact-lsp: Open Walkthrough");
  await expect(window.page.locator(".gettingStartedContainer")).toContainText("Call MCP tools from Python");
});

test("explains why nothing is offered", async ({ desk }) => {
  const window = await desk.cell("x = 1 + ¦2\n");
  await window.command("codeact-lsp: Explain: Why Is Nothing Offered Here?");
  await expect(window.notifications.first()).toContainText("Nothing here refers to a server or a tool.");
});
