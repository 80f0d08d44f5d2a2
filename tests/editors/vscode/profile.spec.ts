// The MCP servers of the user's own profile.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";
import { Workspace, demoServer } from "./support/workspace.ts";

test("the profile's mcp.json is read, and asked about like any other, until the setting says no", async ({ open, editor }) => {
  const elsewhere = new Workspace();
  const grow = elsewhere.path("grow");
  const profile = path.join(editor.home, "data/User/mcp.json");
  fs.writeFileSync(profile, JSON.stringify({ servers: { mine: { type: "stdio", ...demoServer(grow) } } }));
  const window = await open({ "cell.py": "from codeact_lsp.tools import mcp\n\nawait mcp.mine.¦\n" }, "cell.py");
  await expect(window.dialog).toContainText(`--grow-when ${grow}`);
  await expect(window.dialog).toContainText(profile);
  expect(processes(editor, grow)).toEqual([]);
  await window.dialog.getByRole("button", { name: "Allow Once" }).click();
  await window.ready("MCP: 1/6");
  await window.toCursor();
  await window.suggest();
  await expect(window.suggestion("search")).toBeVisible();
  await window.press("Escape");

  const settings = path.join(editor.home, "data/User/settings.json");
  const now = JSON.parse(fs.readFileSync(settings, "utf8")) as Record<string, unknown>;
  fs.writeFileSync(settings, JSON.stringify({ ...now, "codeact-lsp.user-mcp-servers": false }));
  await window.page.reload();
  await expect(window.status).toContainText("MCP: 0/0");
  await expect(window.dialog).toBeHidden();
  await expect.poll(() => processes(editor, grow)).toEqual([]);
  elsewhere.remove();
});
