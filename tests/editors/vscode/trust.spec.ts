// Restricted Mode.

import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";
import { Workspace, demoServer, snapshot } from "./support/workspace.ts";

test.use({ options: { trust: true, settings: { "security.workspace.trust.startupPrompt": "never" } } });

test("in Restricted Mode nothing starts and snapshots serve names; trust brings the question", async ({ open, editor }) => {
  const elsewhere = new Workspace();
  const grow = elsewhere.path("grow");
  const window = await open(
    {
      ...snapshot("pages"),
      ".mcp.json": JSON.stringify({ mcpServers: { desk: demoServer(grow) } }),
      // A program that the folder brings must not run either.
      ".venv/bin/python": "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\n",
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

  await window.command("Workspaces: Manage Workspace Trust");
  await window.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
  await expect(window.dialog).toContainText(`--grow-when ${grow}`);
  expect(processes(editor, grow)).toEqual([]);
  elsewhere.remove();
});
