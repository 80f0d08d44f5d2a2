// The pictures of the documentation, taken from the real editor: `PICTURES=1 tests/editors/vscode/run pictures` keeps them.

import fs from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import type { Window } from "./support/window.ts";
import { snapshot } from "./support/workspace.ts";

const IMPORT = "from codeact_lsp.tools import mcp\n\n";
const SIZE = { width: 1120, height: 440 };
const THEMES = { light: "Default Light Modern", dark: "Default Dark Modern" } as const;

interface Subject {
  readonly cell: string;
  /** As the status bar counts them. */
  readonly errors: number;
  /** Shown in the extension's walkthrough too. */
  readonly walkthrough: boolean;
  readonly arrange: (window: Window) => Promise<void>;
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  tools: {
    cell: 'page = await mcp.desk.API_patch_page(page_id="p-1")¦\n',
    errors: 0,
    walkthrough: true,
    arrange: async (window) => {
      await window.showTools();
      await window.expand(/^desk/);
      await window.expand("API-patch-page → API_patch_page");
      await window.page.mouse.move(SIZE.width - 40, 200);
    },
  },
  hover: {
    cell: 'page = await mcp.desk.API_patch_page(page_id="p-1", fr¦om_="2026-01-01")\n',
    errors: 0,
    walkthrough: false,
    arrange: (window) => window.showHover("sent as"),
  },
  completion: {
    cell: "page = await mcp.desk.API_patch_page(¦)\n",
    errors: 1,
    walkthrough: true,
    arrange: async (window) => {
      await window.suggest();
      await window.suggestion("page_id=").waitFor();
      await window.press("ArrowDown");
      await window.showDetails();
    },
  },
  fix: {
    cell: 'page = await mcp.desk.API_patch_page(page-id="p-1", fr¦om="2026-01-01")\n',
    errors: 2,
    walkthrough: true,
    arrange: async (window) => {
      await window.page.locator(".squiggly-error").first().waitFor();
      await window.press("Control+.");
      await expect(window.fixes.filter({ hasText: "from_" })).toBeVisible();
    },
  },
};

for (const [name, theme] of Object.entries(THEMES)) {
  test(`pictures, ${name}`, async ({ open, page }, testInfo) => {
    test.setTimeout(180_000);
    await page.setViewportSize(SIZE);
    const settings = JSON.stringify({ "workbench.colorTheme": theme });
    const window = await open({ ...snapshot(), ".vscode/settings.json": settings, "cell.py": "" }, "cell.py");
    await expect(page.locator(`.monaco-workbench.vs${name === "dark" ? "-dark" : ""}`)).toBeVisible();
    await window.ready("MCP: 1/6");
    for (const [subject, { cell, errors, walkthrough, arrange }] of Object.entries(SUBJECTS)) {
      await window.press("Escape", "Escape");
      // The next one starts where this one ends.
      await window.goTo(1, 1);
      await window.closeEditors();
      window.workspace.write("cell.py", IMPORT + cell);
      await window.openFile("cell.py");
      // The lens moves the text down when it comes.
      await page.locator(".codelens-decoration").first().waitFor();
      await expect(page.locator('[id="status.problems"]')).toHaveText(`${errors} 0`);
      await window.toCursor();
      await arrange(window);
      const file = `${subject}-${name}.png`;
      const picture = await shoot(page, testInfo.outputPath(file));
      if (process.env["PICTURES"] !== undefined) {
        for (const folder of ["docs/images", ...(walkthrough ? ["editors/vscode/media/walkthrough"] : [])]) {
          fs.mkdirSync(path.join(PROJECT, folder), { recursive: true });
          fs.writeFileSync(path.join(PROJECT, folder, file), picture);
        }
      }
      if (subject === "tools") {
        // The others need the room.
        await window.command("View: Close Primary Side Bar");
      }
    }
  });
}

/** A picture once two in a row are the same: nothing moves any more. */
async function shoot(page: Page, file: string): Promise<Buffer> {
  await expect(async () => {
    const first = await page.screenshot({ caret: "hide", animations: "disabled" });
    const second = await page.screenshot({ caret: "hide", animations: "disabled", path: file });
    expect(first.equals(second)).toBe(true);
  }).toPass();
  return fs.readFileSync(file);
}
