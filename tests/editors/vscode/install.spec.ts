// No server fits: one button installs one.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT, type Editor } from "./support/editor.ts";
import { processes } from "./support/processes.ts";
import { snapshot } from "./support/workspace.ts";

// A Python as Debian packs it, until the package with the rest of it is there.
const python = fs.realpathSync(path.join(PROJECT, ".venv/bin/python"));
const python3 = `#!/bin/bash
if [[ "$*" == *"-m venv"* && ! -e "$HOME/programs/complete" ]]; then
  echo "The virtual environment was not created successfully because ensurepip is not available."
  echo "    apt install python3.11-venv"
  exit 1
fi
exec -a "$0" '${python}' "$@"
`;

test.use({ options: { programs: { python3 } } });

function installed(editor: Editor): string {
  return path.join(editor.home, "data/User/globalStorage/codeact-lsp.codeact-lsp/server");
}

test("the button of the message installs the server, starts it, and mends it", async ({ open, editor }) => {
  test.setTimeout(240_000);
  // As where the copy that comes with the extension does not fit.
  const settings = JSON.stringify({ "codeact-lsp.server": "environment" });
  const window = await open({ ...snapshot(), ".vscode/settings.json": settings, "cell.py": "x = 1\n" }, "cell.py");
  const message = window.notification("codeact-lsp has no server for Python");
  await expect(window.notifications).toHaveCount(1);
  await message.getByRole("button", { name: "Install Server" }).click();

  const hint = window.notification("the package python3.11-venv is missing");
  await expect(hint).toBeVisible();
  await expect(window.notifications).toHaveCount(1);
  fs.writeFileSync(editor.program("complete"), "");
  await hint.getByRole("button", { name: "Try Again" }).click();
  await expect(window.status).toContainText("MCP: 1/6", { timeout: 200_000 });
  expect(processes(editor, "-I -m codeact_lsp serve --stdio")).toHaveLength(1);
  await expect(window.notifications).toHaveCount(0);

  // A package of it is lost, and the window opened another time.
  const [version = ""] = fs.readdirSync(path.join(installed(editor), "lib"));
  fs.rmSync(path.join(installed(editor), "lib", version, "site-packages/click"), { recursive: true });
  await window.page.reload();
  const failure = window.notification("The codeact-lsp server does not start: ModuleNotFoundError: No module named 'click'");
  await expect(failure).toBeVisible();
  await expect(window.notifications).toHaveCount(1);
  await expect(window.status).toContainText("stopped");
  await failure.getByRole("button", { name: "Install Server" }).click();
  await expect(window.status).toContainText("MCP: 1/6", { timeout: 200_000 });
  await expect(window.notifications).toHaveCount(0);
});
