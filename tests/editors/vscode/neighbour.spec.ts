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

const KNOWS_NOTHING = /^(\(\w+\) search: )?(Any|Unknown)$/;

const CELL = `import os

here = os.getcwd()
from codeact_lsp.tools import mcp

async def main():
    await mcp.desk.search(query='x')
`;

for (const name of ["pyright", "basedpyright"]) {
  test(`beside ${name} nothing is shown twice, and a stub that silences it is offered once`, async ({ open }) => {
    test.setTimeout(180_000);
    const window = await open(files(name), "cell.py");
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

test("beside ty nothing is shown twice, and no stub is offered, which ty would not read", async ({ open }) => {
  const window = await open(files("ty"), "cell.py");
  await expect(window.page.locator(".squiggly-error").first()).toBeVisible();
  await shownOnce(window);
  await expect(window.notifications).toHaveCount(0);
});

function files(neighbour: string): Record<string, string> {
  const settings = JSON.stringify({ "neighbour.command": NEIGHBOURS[neighbour] });
  // Not the strictest of all: basedpyright calls it an error that a stub has no source.
  const standard = JSON.stringify({ typeCheckingMode: "standard" });
  return { ...snapshot(), ".vscode/settings.json": settings, "pyrightconfig.json": standard, "cell.py": CELL };
}

async function again(window: Window): Promise<void> {
  await window.command("Developer: Reload Window");
  await window.focusEditor();
}

/** Hover, completion and signature of a binding come from one server, while the other one answers about the rest. */
async function shownOnce(window: Window): Promise<void> {
  await window.ready("MCP: 1/6");
  await window.goTo(3, 13);
  await window.showHover("getcwd");
  await expect(window.hoverParts).toHaveCount(1);
  await window.press("Escape");

  await window.goTo(7, 23);
  await window.showHover("Find pages by their words.");
  await expect(window.hoverParts.filter({ hasText: "Find pages" })).toHaveCount(1);
  // A neighbour may add that it knows nothing: no extension can keep it from that.
  await expect(window.hoverParts.filter({ hasNotText: "Find pages" }).filter({ hasNotText: KNOWS_NOTHING })).toHaveCount(0);
  await window.press("Escape");

  await window.goTo(7, 20);
  await window.suggest();
  await expect(window.suggestion("search")).toHaveCount(1);
  // What the neighbour knows of any object is not in the way.
  await expect(window.suggestions.first()).toContainText("2fa.verify");
  await window.press("Escape");

  await window.goTo(7, 27);
  await window.command("Trigger Parameter Hints");
  await expect(window.signature).toContainText("query: str");
  await expect(window.signature.locator(".overloads")).toHaveText("1/1");
  await window.press("Escape");
}
