// The fixtures of every test here.

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
  open: async ({ page, editor }, use) => {
    const workspaces: Workspace[] = [];
    await use(async (files, shown) => {
      const workspace = new Workspace(files);
      workspaces.push(workspace);
      return Window.open(page, editor, workspace, shown);
    });
    // The window goes first: a folder that vanishes under it is another story.
    await page.close();
    for (const workspace of workspaces) {
      workspace.remove();
    }
  },
});

export { expect } from "@playwright/test";
