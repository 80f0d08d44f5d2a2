// The pictures of the documentation, taken from the real editor: `PICTURES=1 tests/editors/vscode/run pictures` keeps them.

import fs from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "./support/fixtures.ts";
import { PROJECT } from "./support/editor.ts";
import type { Window } from "./support/window.ts";

const IMPORT = "from codeact_lsp.tools import mcp\n\n";
const SIZE = { width: 1120, height: 440 };
const WALKTHROUGH = new Set(["tools", "completion", "fix"]);
const THEMES = { light: "Light Modern", dark: "Dark Modern" } as const;

for (const [name, theme] of Object.entries(THEMES)) {
  test(`pictures, ${name}`, async ({ desk }, testInfo) => {
    const take = async (window: Window, subject: string): Promise<void> => {
      const file = `${subject}-${name}.png`;
      const picture = await shoot(window.page, testInfo.outputPath(file));
      if (process.env["PICTURES"] !== undefined) {
        const walkthrough = WALKTHROUGH.has(subject) ? ["editors/vscode/media/walkthrough"] : [];
        for (const folder of ["docs/images", ...walkthrough]) {
          fs.mkdirSync(path.join(PROJECT, folder), { recursive: true });
          fs.writeFileSync(path.join(PROJECT, folder, file), picture);
        }
      }
    };

    const cell = async (text: string): Promise<Window> => {
      const window = await desk.cell(IMPORT + text);
      // The lens moves the text down when it comes.
      await window.page.locator(".codelens-decoration").first().waitFor();
      return window;
    };

    let window = await desk.cell("x = 1\n");
    await window.command("Preferences: Color Theme");
    await window.page.locator(".quick-input-list .monaco-list-row", { hasText: theme }).first().click();
    await expect(window.page.locator(`.monaco-workbench.vs${name === "dark" ? "-dark" : ""}`)).toBeVisible();
    await window.page.setViewportSize(SIZE);
    await window.showTools();
    await window.expand(/^desk/);
    await window.expand("API-patch-page → API_patch_page");
    await window.page.mouse.move(SIZE.width - 40, 200);
    window = await cell(`page = await mcp.desk.API_patch_page(¦)\n`);
    await take(window, "tools");

    await window.command("View: Close Primary Side Bar");
    await window.toCursor();
    await window.suggest();
    await window.suggestion("page_id=").waitFor();
    await window.press("ArrowDown");
    await window.showDetails();
    await take(window, "completion");

    window = await cell(`page = await mcp.desk.API_patch_page(page_id="p-1", fr¦om_="2026-01-01")\n`);
    await window.showHover();
    await take(window, "hover");

    window = await cell(`page = await mcp.desk.API_patch_page(page-id="p-1", fr¦om="2026-01-01")\n`);
    await window.page.locator(".squiggly-error").first().waitFor();
    await window.press("Control+.");
    await window.fixes.first().waitFor();
    await take(window, "fix");
    await window.press("Escape");

    await window.page.setViewportSize({ width: 1280, height: 800 });
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
