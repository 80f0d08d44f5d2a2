// A machine without Python.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import { snapshot } from "./support/workspace.ts";

test.use({ options: { path: "/nowhere" } });

test("a missing Python is said once, with what to do, and found as soon as it is there", async ({ open, editor }) => {
  const window = await open({ ...snapshot(), "cell.py": "x = 1\n" }, "cell.py");
  await expect(window.notifications).toHaveCount(1);
  await expect(window.notifications).toContainText("codeact-lsp needs Python 3.11 or newer, and found none.");
  await expect(window.notifications.getByRole("button", { name: "Get Python" })).toBeVisible();
  await expect(window.status).toContainText("stopped");

  // Settings of the machine, which is a remote one for the window of a browser.
  const folder = path.join(editor.home, "data/Machine");
  const interpreter = path.join(PROJECT, ".venv/bin/python");
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "settings.json"), JSON.stringify({ "codeact-lsp.interpreter": interpreter }));
  await window.ready("MCP: 1/6");
});
