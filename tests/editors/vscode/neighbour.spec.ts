// Beside a general Python server: each shows what it knows, and nothing of a binding is shown twice.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import type { Window } from "./support/window.ts";
import { snapshot } from "./support/workspace.ts";

test.use({ options: { extensions: ["neighbour"] } });

const packages = path.join(import.meta.dirname, "node_modules");
/** Pyright is what Pylance and basedpyright are built on. */
const NEIGHBOURS: Readonly<Record<string, readonly string[]>> = {
  pyright: [process.execPath, path.join(packages, "pyright/langserver.index.js"), "--stdio"],
  basedpyright: [process.execPath, path.join(packages, "basedpyright/langserver.index.js"), "--stdio"],
  ty: [path.join(PROJECT, ".venv/bin/ty"), "server"],
};

const CELL = `import os

here = os.getcwd()
from codeact_lsp.tools import mcp

async def main():
    await mcp.desk.search(query='x')
`;

for (const [name, command] of Object.entries(NEIGHBOURS)) {
  test(`beside ${name} nothing is shown twice, and the stub that silences it is offered once`, async ({ open }) => {
    const settings = JSON.stringify({ "neighbour.command": command });
    const window = await open({ ...snapshot(), ".vscode/settings.json": settings, "cell.py": CELL }, "cell.py");
    await window.ready("MCP: 1/6");
    // An error; with a stub it is at most a warning that there is no source.
    const complaint = window.page.locator(".squiggly-error");
    await expect(complaint.first()).toBeVisible();
    const offer = window.notification("does not know the bindings module");
    await expect(offer).toHaveCount(1);
    await offer.getByRole("button", { name: "Add Stub" }).click();
    await expect(window.notification('A minimal stub is in "typings"')).toBeVisible();
    await again(window);
    await shownOnce(window);
    await expect(complaint).toHaveCount(0);

    // Whoever does not keep it is left alone.
    fs.rmSync(window.workspace.path("typings"), { recursive: true });
    await again(window);
    await expect(complaint.first()).toBeVisible();
    await shownOnce(window);
    await expect(offer).toHaveCount(0);
  });
}

async function again(window: Window): Promise<void> {
  await window.command("Developer: Reload Window");
  await window.focusEditor();
  await window.ready("MCP: 1/6");
}

async function shownOnce(window: Window): Promise<void> {
  // The neighbour is at work: this is what it alone knows.
  await window.goTo(3, 13);
  await expect(async () => {
    await window.press("Escape");
    await window.showHover();
    await expect(window.hover.first()).toContainText("getcwd", { timeout: 2_000 });
  }).toPass({ timeout: 40_000 });
  await expect(window.hoverParts).toHaveCount(1);
  await window.press("Escape");

  await window.goTo(7, 23);
  await window.showHover();
  await expect(window.hover.first()).toContainText("Find pages by their words.");
  await expect(window.hoverParts).toHaveCount(1);
  await window.press("Escape");

  await window.goTo(7, 20);
  await window.suggest();
  await expect(window.suggestion("search")).toHaveCount(1);
  await window.press("Escape");

  await window.goTo(7, 27);
  await window.command("Trigger Parameter Hints");
  await expect(window.signature).toContainText("query: str");
  await expect(window.signature.locator(".overloads")).toHaveText("");
  await window.press("Escape");
}
