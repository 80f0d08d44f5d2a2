// A machine without Python.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import { snapshot } from "./support/workspace.ts";

test.use({ options: { programs: {} } });

test("a missing Python is said once, with what to do, and found by whoever comes back with one", async ({ open, editor }) => {
  const window = await open({ ...snapshot(), "cell.py": "x = 1\n" }, "cell.py");
  await expect(window.notifications).toHaveCount(1);
  await expect(window.notifications).toContainText("codeact-lsp needs Python 3.11 or newer, and found none.");
  await expect(window.notifications.getByRole("button", { name: "Get Python" })).toBeVisible();
  await expect(window.status).toContainText("stopped");

  await window.command("Notifications: Clear All Notifications");
  await expect(window.notifications).toHaveCount(0);
  const python3 = editor.program("python3");
  fs.writeFileSync(python3, '#!/bin/sh\n: >"${0%/*}/asked"\nexit 1\n', { mode: 0o755 });
  await window.comeBack();
  await expect.poll(() => fs.existsSync(editor.program("asked"))).toBe(true);
  fs.rmSync(python3);
  fs.symlinkSync(path.join(PROJECT, ".venv/bin/python"), python3);
  await window.comeBack();
  await window.ready("MCP: 1/6");
  await expect(window.notifications).toHaveCount(0);
});
