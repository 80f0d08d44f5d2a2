// The fixtures of every test here.

import fs from "node:fs";
import path from "node:path";
import { test as base } from "@playwright/test";
import { Editor, type Options } from "./editor.ts";
import { Window } from "./window.ts";
import { Workspace, snapshot } from "./workspace.ts";

interface ForTest {
  /** Opens a folder with these files and what `prepare` adds, one of them on screen. */
  readonly open: (
    files: Readonly<Record<string, string>>,
    shown?: string,
    prepare?: (workspace: Workspace) => void,
  ) => Promise<Window>;
}

interface Desk {
  /** Opens a cell in a window that other tests use too; the cursor is where `¦` stands. */
  readonly cell: (text: string, name?: string) => Promise<Window>;
}

interface ForWorker {
  readonly desk: Desk;
  readonly options: Options;
  readonly editor: Editor;
}

export const test = base.extend<ForTest, ForWorker>({
  options: [{}, { scope: "worker", option: true }],
  editor: [
    async ({ options }, use) => {
      const editor = await Editor.start(options);
      await use(editor);
      await editor.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  desk: [
    async ({ browser, editor }, use) => {
      const page = await browser.newPage({
        viewport: { width: 1280, height: 800 },
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const workspace = new Workspace({ ...snapshot(), "first.py": "" });
      const window = await Window.open(page, editor, workspace, "first.py");
      await window.ready("MCP: 1/6");
      let count = 0;
      await use({
        cell: async (text, suffix = ".py") => {
          count += 1;
          const name = `cell${count}${suffix}`;
          workspace.cursor = { line: 1, column: 1 };
          workspace.write(name, text);
          await window.press("Escape", "Escape");
          await window.closeEditors();
          await window.openFile(name);
          if (suffix === ".py") {
            await window.toCursor();
          }
          window.shown = name;
          return window;
        },
      });
      await page.close();
      workspace.remove();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  open: async ({ page, editor }, use, testInfo) => {
    const workspaces: Workspace[] = [];
    await use(async (files, shown, prepare) => {
      const workspace = new Workspace(files);
      workspaces.push(workspace);
      prepare?.(workspace);
      return Window.open(page, editor, workspace, shown);
    });
    if (testInfo.status !== testInfo.expectedStatus) {
      for (const log of logs(editor.home, testInfo.duration)) {
        await testInfo.attach(path.basename(log), { path: log, contentType: "text/plain" });
      }
    }
    // The window goes first: a folder that vanishes under it is another story.
    await page.close();
    for (const workspace of workspaces) {
      workspace.remove();
    }
  },
});

/** The output channels of the extension that have been written to in the last milliseconds. */
function logs(home: string, milliseconds: number): readonly string[] {
  const folder = path.join(home, "data", "logs");
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /codeact-lsp[^/]*\.log$/.test(name))
    .map((name) => path.join(folder, name))
    .filter((file) => fs.statSync(file).mtimeMs >= Date.now() - milliseconds);
}

export { expect } from "@playwright/test";
