// Restricted Mode.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";
import { Workspace, demoServer, snapshot } from "./support/workspace.ts";

test.use({ options: { trust: true, settings: { "security.workspace.trust.startupPrompt": "never" } } });

test("in Restricted Mode nothing starts and snapshots serve names; trust brings the question", async ({ open, editor }) => {
  const elsewhere = new Workspace();
  const [grow, ran] = [elsewhere.path("grow"), elsewhere.path("ran")];
  const window = await open(
    {
      ...snapshot("pages"),
      ".mcp.json": JSON.stringify({ mcpServers: { desk: demoServer(grow) } }),
      // Programs that the folder brings must not run either.
      ".venv/bin/python": `#!/bin/sh\n: >'${ran}'\nexit 1\n`,
      "own-python": `#!/bin/sh\n: >'${ran}'\nexit 1\n`,
      ".vscode/settings.json": JSON.stringify({ "codeact-lsp.interpreter": "${workspaceFolder}/own-python" }),
      "cell.py": "from codeact_lsp.tools import mcp\n\nawait mcp.pages.¦\n",
    },
    "cell.py",
  );
  await window.ready("MCP: 1/6");
  await expect(window.status.locator(".codicon-shield")).toBeVisible();
  await window.toCursor();
  await window.type("API");
  await expect(window.suggestion("API_patch_page")).toBeVisible();
  await window.press("Escape");
  await expect(window.dialog).toBeHidden();
  expect(processes(editor, grow)).toEqual([]);
  expect(processes(editor, "codeact_lsp.catalogue")).toEqual([]);
  expect(fs.existsSync(ran)).toBe(false);

  // The folder's settings must not keep the server from starting once they count.
  window.workspace.write(".vscode/settings.json", "{}");
  await window.command("Workspaces: Manage Workspace Trust");
  await window.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
  await expect(window.dialog).toContainText(`--grow-when ${grow}`);
  expect(processes(editor, grow)).toEqual([]);
  // A trusted folder's environment is asked: the mark would have been seen.
  expect(fs.existsSync(ran)).toBe(true);
  elsewhere.remove();
});

test("in Restricted Mode a cell does not run, by no way", async ({ open, editor }) => {
  fs.writeFileSync(
    path.join(editor.home, "data", "User", "keybindings.json"),
    JSON.stringify([{ key: "ctrl+alt+j", command: "codeact-lsp.runCell" }]),
  );
  const files = { ...snapshot(), "cell.py": "import codeact_lsp\nopen('ran', 'w')\n" };
  const window = await open(files, "cell.py");
  await window.ready("MCP: 1/6");
  const notice = window.notification("Cells run only in a trusted folder");
  await expect(async () => {
    await window.press("Control+Alt+j");
    await expect(notice.first()).toBeVisible({ timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  await expect(window.page.locator(".terminal-wrapper")).toHaveCount(0);
  expect(fs.existsSync(window.workspace.path("ran"))).toBe(false);
  await window.press("F1");
  await window.page.locator(".quick-input-widget input.input").fill(">Run Cell with codeact-lsp");
  const entries = window.page.locator(".quick-input-list .monaco-list-row");
  await expect(entries.filter({ hasText: "Explain" })).toHaveCount(1);
  await expect(entries.filter({ hasText: "Run Cell with codeact-lsp" })).toHaveCount(0);
});
