// How things stand: status bar, language status, states in the Tools view, logs, settings.

import { expect, test } from "./support/fixtures.ts";
import { snapshot } from "./support/workspace.ts";

const SERVERS = {
  // Starts, and never says a word.
  silent: { command: process.execPath, args: ["-e", "setInterval(() => undefined, 1000)"] },
  unset: { command: "run", env: { TOKEN: "${SOME_VARIABLE_THAT_NOBODY_SETS}" } },
  off: { command: "run", disabled: true },
  refused: { command: "run", args: ["--all"] },
};

test("each state of a server has its icon, and loading shows everywhere", async ({ open, page }, testInfo) => {
  const files = { ...snapshot("pages"), ".mcp.json": JSON.stringify({ mcpServers: SERVERS }), "cell.py": "x = 1\n" };
  const window = await open(files, "cell.py");
  await expect(window.dialog).toContainText('"silent"');
  await window.dialog.getByRole("button", { name: "Allow Once" }).click();
  await expect(window.dialog).toContainText('"refused"');
  await window.dialog.getByRole("button", { name: "Never" }).click();
  await expect(window.dialog).toBeHidden();

  await expect(window.status.locator(".codicon-loading")).toBeVisible();
  await window.showTools();
  const icons = { silent: "loading", unset: "error", off: "circle-slash", refused: "shield", pages: "archive" };
  for (const [server, icon] of Object.entries(icons)) {
    await expect(window.row(new RegExp(`^${server}`)).locator(`.custom-view-tree-node-item-icon.codicon-${icon}`)).toBeVisible();
  }
  await expect(window.row(/^unset/)).toContainText("0 tools, failed");
  await window.row(/^unset/).hover();
  await expect(window.hover.first()).toContainText("the environment variable SOME_VARIABLE_THAT_NOBODY_SETS is not set");
  await page.screenshot({ path: testInfo.outputPath("states.png") });

  // Never is not for ever, where somebody asks for it.
  const refused = window.row(/^refused/);
  await refused.hover();
  await refused.getByRole("button", { name: "Approve…" }).click();
  await expect(window.dialog).toContainText('"refused"');
  await window.dialog.getByRole("button", { name: "Cancel" }).click();
});

test("the menu of a tool has what the view promises", async ({ desk }, testInfo) => {
  const window = await desk.cell("x = 1\n");
  await window.showTools();
  await window.expand(/^desk/);
  await window.row("move-file → move_file").click({ button: "right" });
  const items = window.page.locator(".monaco-menu .action-menu-item");
  for (const name of ["Insert Call at the Cursor", "Copy as Call", "Open Stub", "Copy Raw Name"]) {
    await expect(items.filter({ hasText: name })).toHaveCount(1);
  }
  await window.page.screenshot({ path: testInfo.outputPath("menu.png") });
  await window.press("Escape");
});

test("the language status says how many servers and tools there are", async ({ desk }, testInfo) => {
  const window = await desk.cell("x = 1\n");
  await window.page.locator('[id="status.languageStatus"]').hover();
  const language = window.page.locator(".hover-language-status", { hasText: "MCP: 1/6" });
  await expect(language).toContainText("1 server, 6 tools");
  await window.page.screenshot({ path: testInfo.outputPath("language-status.png") });
});

test("settings, commands and the walkthrough are there to be read", async ({ desk }, testInfo) => {
  const window = await desk.cell("x = 1\n");
  const { page } = window;
  await window.command("Preferences: Open Settings (UI)");
  await page.locator(".settings-editor .suggest-input-container").click();
  await window.type("@ext:codeact-lsp.codeact-lsp");
  await expect(page.locator(".settings-editor .setting-item").first()).toContainText("Config files of other MCP clients");
  await page.screenshot({ path: testInfo.outputPath("settings.png") });

  await window.press("F1");
  await page.locator(".quick-input-widget input.input").fill(">codeact-lsp: ");
  await expect(page.locator(".quick-input-list .monaco-list-row").nth(10)).toBeVisible();
  await page.screenshot({ path: testInfo.outputPath("commands.png") });
  await window.press("Escape");

  await window.command("codeact-lsp: Open Walkthrough");
  const picture = page.locator(".gettingStartedContainer img.full-walkthrough, .gettingStartedContainer img");
  await page.locator(".gettingStartedContainer .getting-started-step", { hasText: "Look at the tools" }).click();
  await expect.poll(() => picture.last().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(100);
  await page.screenshot({ path: testInfo.outputPath("walkthrough.png") });
});

test("logs and the trace open in their channels", async ({ desk }, testInfo) => {
  const window = await desk.cell("x = 1\n");
  const channel = window.page.getByLabel("Output Section").locator("option:checked");
  await window.command("codeact-lsp: Show Logs…");
  await expect(channel).toHaveText("codeact-lsp");
  await window.command("codeact-lsp: Show Trace");
  await expect(channel).toHaveText("codeact-lsp Trace");
  await window.page.screenshot({ path: testInfo.outputPath("trace.png") });
  await window.command("View: Toggle Panel Visibility");
});
