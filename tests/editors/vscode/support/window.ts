// One window of the editor, by what a person sees and does.

import { expect, type Locator, type Page } from "@playwright/test";
import type { Editor } from "./editor.ts";
import type { Workspace } from "./workspace.ts";

export class Window {
  readonly page: Page;
  readonly workspace: Workspace;
  /** The file on screen. */
  shown = "";
  readonly suggestions: Locator;
  readonly suggestionDetails: Locator;
  readonly hover: Locator;
  readonly signature: Locator;
  readonly fixes: Locator;
  readonly dialog: Locator;
  readonly notifications: Locator;
  readonly status: Locator;
  readonly tree: Locator;

  constructor(page: Page, workspace: Workspace) {
    this.page = page;
    this.workspace = workspace;
    this.suggestions = page.locator(".suggest-widget.visible .monaco-list-row");
    this.suggestionDetails = page.locator(".suggest-details-container .suggest-details");
    this.hover = page.locator(".monaco-hover:not(.hidden) .monaco-hover-content");
    this.signature = page.locator(".parameter-hints-widget.visible");
    this.fixes = page.locator(".action-widget .monaco-list-row");
    this.dialog = page.locator(".monaco-dialog-box");
    this.notifications = page.locator(".notifications-toasts .notification-list-item");
    this.status = page.locator('[id="codeact-lsp.codeact-lsp.codeact-lsp"]');
    this.tree = page.locator(".pane-body .monaco-list-row[role=treeitem]");
  }

  /** Opens the folder, and `file` of it in an editor. */
  static async open(page: Page, editor: Editor, workspace: Workspace, file?: string): Promise<Window> {
    const window = new Window(page, workspace);
    const address = new URL(editor.url);
    address.searchParams.set("folder", workspace.folder);
    if (file !== undefined) {
      const target = `vscode-remote://${address.host}${workspace.path(file)}`;
      address.searchParams.set("payload", JSON.stringify([["openFile", target]]));
    }
    await page.goto(address.href);
    await page.locator(".monaco-workbench").waitFor();
    if (file !== undefined) {
      window.shown = file;
      await window.focusEditor();
    }
    return window;
  }

  async focusEditor(): Promise<void> {
    await this.page.locator(".editor-instance .view-line").first().waitFor();
    await this.page.locator(".editor-instance .view-lines").first().click();
  }

  /** Waits until the status bar says `text`, such as `1/9` for a server with nine tools. */
  async ready(text: string | RegExp = /MCP: \d+\/[1-9]/): Promise<void> {
    await expect(this.status).toContainText(text, { timeout: 45_000 });
    await expect(this.status.locator(".codicon-loading")).toHaveCount(0);
  }

  /** As when somebody was in another program and comes back. */
  async comeBack(): Promise<void> {
    await this.page.evaluate(() => {
      const focused = (value: boolean): void => {
        document.hasFocus = () => value;
        window.dispatchEvent(new FocusEvent(value ? "focus" : "blur"));
      };
      focused(false);
      setTimeout(focused, 100, true);
    });
  }

  /** Runs an entry of the command palette by its title. */
  async command(title: string): Promise<void> {
    await this.quickInput("F1", `>${title}`);
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    await row.click();
  }

  /** Puts the cursor at a 1-based line and column. */
  async goTo(line: number, column: number): Promise<void> {
    await this.quickInput("Control+g", `:${line}:${column}`);
    const widget = this.page.locator(".quick-input-widget");
    await expect(async () => {
      // A key that comes before the input has understood its text is lost.
      if (await widget.isVisible()) {
        await this.page.keyboard.press("Enter");
      }
      await expect(widget).toBeHidden({ timeout: 3_000 });
    }).toPass({ timeout: 20_000 });
  }

  /** Puts the cursor where `¦` stood in the file that was written last. */
  async toCursor(): Promise<void> {
    await this.goTo(this.workspace.cursor.line, this.workspace.cursor.column);
  }

  async closeEditors(): Promise<void> {
    const dirty = this.page.locator(".tab.dirty");
    await expect(async () => {
      if ((await dirty.count()) > 0) {
        await this.press("Control+s");
      }
      await expect(dirty).toHaveCount(0, { timeout: 2_000 });
    }).toPass({ timeout: 20_000 });
    await this.command("View: Close All Editors");
    await expect(this.page.locator(".tab")).toHaveCount(0);
  }

  /** Shows the Tools view. */
  async showTools(): Promise<void> {
    await this.command("MCP Tools: Focus on Tools View");
    await this.tree.first().waitFor();
  }

  /** Opens a branch of the tree. */
  async expand(text: string | RegExp): Promise<void> {
    const row = this.row(text).first();
    await row.waitFor();
    if ((await row.getAttribute("aria-expanded")) === "false") {
      await row.locator(".monaco-tl-twistie").click();
    }
    await expect(row).toHaveAttribute("aria-expanded", "true");
  }

  /** Asks for suggestions; the key is lost where the window is still busy with the one before. */
  async suggest(): Promise<void> {
    await expect(async () => {
      if (!(await this.suggestions.first().isVisible())) {
        await this.press("Control+Space");
      }
      await expect(this.suggestions.first()).toBeVisible({ timeout: 2_000 });
    }).toPass({ timeout: 20_000 });
  }

  /** Opens the details of the suggestion in focus; there are none before they are resolved. */
  async showDetails(): Promise<void> {
    await expect(async () => {
      if (!(await this.suggestionDetails.isVisible())) {
        await this.press("Control+Space");
      }
      await expect(this.suggestionDetails).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 20_000 });
  }

  /** Shows the hover at the cursor; asks again where a server was not ready yet. */
  async showHover(text: string | RegExp = /./): Promise<void> {
    await expect(async () => {
      await this.press("Escape");
      await this.command("Show or Focus Hover");
      await expect(this.hover.first()).toContainText(text, { timeout: 4_000 });
    }).toPass({ timeout: 60_000 });
  }

  /** Opens another file of the folder. */
  async openFile(name: string): Promise<void> {
    await expect(async () => {
      // A file that was just written is found a moment later.
      await this.quickInput("Control+p", name);
      const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: name });
      await expect(row.first()).toBeVisible({ timeout: 2_000 });
    }).toPass({ timeout: 20_000 });
    await this.page.keyboard.press("Enter");
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text, { delay: 10 });
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.page.keyboard.press(key);
    }
  }

  /** Saves the file and gives the text on disk. */
  async saved(): Promise<string> {
    await this.press("Control+s");
    await expect(this.page.locator(".tab.active.dirty")).toHaveCount(0);
    return this.workspace.read(this.shown);
  }

  suggestion(label: string): Locator {
    return this.page.locator(`.suggest-widget.visible .monaco-list-row[aria-label^="${label}"]`);
  }

  /** The parts of the hover: one for each server that answers, without the problems of the place. */
  get hoverParts(): Locator {
    return this.hover.locator(".hover-row-contents");
  }

  notification(text: string | RegExp): Locator {
    return this.notifications.filter({ hasText: text });
  }

  row(text: string | RegExp): Locator {
    return this.tree.filter({ hasText: text });
  }

  /** Opens a quick input; the key does nothing while the window is still coming up, so it is pressed again. */
  private async quickInput(key: string, text: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input");
    await expect(async () => {
      if (!(await input.isVisible())) {
        await this.page.keyboard.press(key);
      }
      await expect(input).toBeVisible({ timeout: 1_000 });
    }).toPass({ timeout: 30_000 });
    await input.fill("");
    await input.fill(text);
  }
}
