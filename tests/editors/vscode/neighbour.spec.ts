// Beside a general Python server: Pyright, which Pylance and basedpyright are built on too.

import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { snapshot } from "./support/workspace.ts";

test.use({
  options: {
    extensions: [process.env["NEIGHBOUR"] ?? ""],
    settings: { "neighbour.server": path.join(import.meta.dirname, "node_modules/pyright/langserver.index.js") },
  },
});

test("the stub is offered once, silences the neighbour, and nothing is shown twice", async ({ open }) => {
  const cell = "from codeact_lsp.tools import mcp\n\nasync def main():\n    await mcp.desk.sea¦rch(query='x')\n";
  const window = await open({ ...snapshot(), "cell.py": cell }, "cell.py");
  await window.ready("MCP: 1/6");
  // An error; with a stub it is at most a warning that there is no source.
  const complaint = window.page.locator(".squiggly-error");
  await expect(complaint.first()).toBeVisible();
  const offer = window.notification("does not know the bindings module");
  await offer.getByRole("button", { name: "Add Stub" }).click();
  await expect(window.notification('A minimal stub is in "typings"')).toBeVisible();
  await window.command("Developer: Reload Window");
  await window.focusEditor();
  await window.ready("MCP: 1/6");

  await window.toCursor();
  await window.showHover();
  await expect(window.hover.first()).toContainText("Find pages by their words.");
  await window.press("Escape");
  await window.goTo(4, 20);
  await window.suggest();
  await expect(window.suggestion("search")).toHaveCount(1);
  await window.press("Escape");
  await expect(complaint).toHaveCount(0);
  await expect(offer).toHaveCount(0);
});
