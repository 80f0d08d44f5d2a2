// The fixtures of every test here.

import fs from "node:fs";
import path from "node:path";
import { test as base } from "@playwright/test";
import { Editor, type Options } from "./editor.ts";
import { Window } from "./window.ts";
import { Workspace } from "./workspace.ts";

interface ForTest {
  /** Opens a folder with these files, one of them on screen. */
  readonly open: (files: Readonly<Record<string, string>>, shown?: string) => Promise<Window>;
}

interface ForWorker {
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
  open: async ({ page, editor }, use, testInfo) => {
    const workspaces: Workspace[] = [];
    await use(async (files, shown) => {
      const workspace = new Workspace(files);
      workspaces.push(workspace);
      return Window.open(page, editor, workspace, shown);
    });
    if (testInfo.status !== testInfo.expectedStatus) {
      for (const log of logs(editor.home)) {
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

/** The output channels of the extension in the newest window. */
function logs(home: string): readonly string[] {
  const folder = path.join(home, "data", "logs");
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /codeact-lsp[^/]*\.log$/.test(name)).map((name) => path.join(folder, name));
}

export { expect } from "@playwright/test";
