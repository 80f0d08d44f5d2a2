// The Tools view.

import { expect, test } from "./support/fixtures.ts";

test("shows servers, tools and parameters, with both spellings of a name", async ({ desk }) => {
  const window = await desk.cell("x = 1\n");
  await window.showTools();
  await expect(window.row(/^desk/)).toContainText("6 tools");
  await window.expand(/^desk/);
  await window.expand("API-patch-page → API_patch_page");
  await expect(window.row("page-id → page_id")).toContainText("str, required");
  await expect(window.row("from → from_")).toBeVisible();
  await expect(window.row("filter[status] (no Python name)")).toBeVisible();
  await expect(window.row("2fa.verify (no Python name)")).toBeVisible();
});

test("finds a tool by either spelling", async ({ desk }) => {
  const window = await desk.cell("x = 1\n");
  for (const spelling of ["move-file", "move_file"]) {
    await window.command("codeact-lsp: Find Tool…");
    await window.page.locator(".quick-input-widget input.input").fill(spelling);
    const found = window.page.locator(".quick-input-list .monaco-list-row");
    await expect(found).toHaveCount(1);
    await expect(found).toContainText("move-file → move_file");
    await window.press("Enter");
    await expect(window.row("move-file → move_file")).toHaveClass(/selected/);
  }
});

test("inserts a call at the cursor, with its import, and copies one", async ({ desk }) => {
  const window = await desk.cell("import os\n\n¦\n");
  await window.showTools();
  await window.expand(/^desk/);
  const row = window.row(/search/).first();
  await row.hover();
  await row.getByRole("button", { name: "Copy as Call" }).click();
  await expect
    .poll(() => window.page.evaluate(() => navigator.clipboard.readText()))
    .toBe("await mcp.desk.search(query=…)");
  await row.getByRole("button", { name: "Insert Call at the Cursor" }).click();
  await expect(window.page.locator(".view-lines")).toContainText("await mcp.desk.search(query=");
  await window.press("Escape");
  expect(await window.saved()).toBe("import os\nfrom codeact_lsp.tools import mcp\n\nawait mcp.desk.search(query=…)\n");
});

test("an inserted call finds its import above it, wherever other imports are", async ({ desk }) => {
  const window = await desk.cell("import os\n¦\nimport re\nfrom codeact_lsp.tools import ToolCallError\n");
  await window.showTools();
  await window.expand(/^desk/);
  const row = window.row(/search/).first();
  await row.hover();
  await row.getByRole("button", { name: "Insert Call at the Cursor" }).click();
  await expect(window.page.locator(".view-lines")).toContainText("await mcp.desk.search(query=");
  await window.press("Escape");
  expect(await window.saved()).toBe(
    "import os\nfrom codeact_lsp.tools import mcp\nawait mcp.desk.search(query=…)\nimport re\nfrom codeact_lsp.tools import ToolCallError\n",
  );
});

test("inserts no call into a file that is not Python", async ({ desk }) => {
  const window = await desk.cell("words\n", ".txt");
  await window.showTools();
  await window.expand(/^desk/);
  const row = window.row(/search/).first();
  await row.hover();
  await row.getByRole("button", { name: "Insert Call at the Cursor" }).click();
  await expect(window.notification("Open the Python file")).toBeVisible();
  expect(await window.saved()).toBe("words\n");
});

test("opens the stub of a tool", async ({ desk }) => {
  const window = await desk.cell("x = 1\n");
  await window.showTools();
  await window.expand(/^desk/);
  await window.row("move-file → move_file").click({ button: "right" });
  const item = window.page.locator(".monaco-menu .action-menu-item", { hasText: "Open Stub" });
  await expect(async () => {
    // A menu that has just opened takes a click for the end of the one that opened it.
    await item.click({ timeout: 1_000 });
    await expect(item).toBeHidden({ timeout: 1_000 });
  }).toPass();
  await expect(window.page.locator(".tab.active", { hasText: ".pyi" })).toBeVisible();
});
