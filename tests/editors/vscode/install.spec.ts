// A Python that no packages are bundled for: one button installs the server.

import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";
import { snapshot } from "./support/workspace.ts";

test.use({ options: { path: "/usr/bin:/bin" } });

test("the button of the message installs the server and starts it", async ({ open, editor }) => {
  test.setTimeout(240_000);
  // As where the copy that comes with the extension does not fit.
  const settings = JSON.stringify({ "codeact-lsp.server": "environment" });
  const window = await open({ ...snapshot(), ".vscode/settings.json": settings, "cell.py": "x = 1\n" }, "cell.py");
  const message = window.notification("codeact-lsp has no server for Python");
  await expect(window.notifications).toHaveCount(1);
  await message.getByRole("button", { name: "Install Server" }).click();
  await expect(window.status).toContainText("MCP: 1/6", { timeout: 200_000 });
  expect(processes(editor, "-I -m codeact_lsp serve --stdio")).toHaveLength(1);
});
