// Cells are run in a terminal.

import fs from "node:fs";
import path from "node:path";
import type { Locator } from "@playwright/test";
import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";
import type { Window } from "./support/window.ts";
import { Workspace, demoServer, snapshot } from "./support/workspace.ts";

test.use({ options: { settings: { "terminal.integrated.gpuAcceleration": "off", "terminal.integrated.fontFamily": "monospace" } } });

const SECTIONS = `from codeact_lsp.tools import mcp
print("never")
desk = mcp.desk
# %%
pages = await desk.search(query="list")
# %%
limit = 1
[page["title"] for page in (await desk.search(query="minutes"))["results"]]
# %%
pages["results"]
`;

function lens(window: Window, title: string): Locator {
  return window.page.locator(".codelens-decoration a", { hasText: title });
}

test("a cell runs with the names above it, after approval, with the inputs that were given", async ({ open, editor, page }, testInfo) => {
  const elsewhere = new Workspace();
  const grow = elsewhere.path("grow");
  const server = { ...demoServer(grow), type: "stdio", env: { DESK_TOKEN: "${input:desk-token}" } };
  const inputs = [{ type: "promptString", id: "desk-token", description: "The token of the desk", password: true }];
  const files = { ".vscode/mcp.json": JSON.stringify({ servers: { desk: server }, inputs }), "cell.py": SECTIONS };
  const window = await open(files, "cell.py");
  const box = page.locator(".quick-input-widget");

  // Nobody is asked for a secret before the program that would get it is approved.
  await expect(window.dialog).toContainText(`Runs in: ${window.workspace.folder}`);
  await expect(window.dialog).toContainText("Environment: DESK_TOKEN");
  await expect(box).toBeHidden();
  await page.screenshot({ path: testInfo.outputPath("approval.png") });
  await window.dialog.getByRole("button", { name: "Allow Once" }).click();
  await expect(box).toContainText("The token of the desk");
  await box.locator("input[type=password]").fill("a secret word");
  await window.press("Enter");
  await window.ready("MCP: 1/6");

  await lens(window, "Run cell with codeact-lsp").nth(2).click();
  const terminal = page.locator(".terminal-wrapper.active .xterm-rows");
  await expect(terminal).toContainText("['Minutes of the meeting']");
  await expect(terminal).not.toContainText("never");
  await expect(terminal).toContainText("press any key to close it");
  await page.screenshot({ path: testInfo.outputPath("result.png") });
  await expect(window.dialog).toBeHidden();

  // The same terminal, by another cell.
  await lens(window, "Run cell with codeact-lsp").nth(3).click();
  await expect(terminal).toContainText("NameError: name 'pages' is not defined");
  await expect(terminal).toContainText("which did not run");
  await expect(terminal).not.toContainText("Minutes");
  await page.screenshot({ path: testInfo.outputPath("error.png") });

  await lens(window, "Run above and this").nth(2).click();
  await expect(terminal).toContainText("[{'page-id': 'p-2', 'title': 'Shopping list'}]");
  await expect(terminal).toContainText("never");
  await page.screenshot({ path: testInfo.outputPath("above.png") });

  expect(processes(editor, "a secret word")).toEqual([]);
  expect(holding(editor.home, "a secret word")).toEqual([]);
  elsewhere.remove();
});

/** The files below a folder that hold a text. */
function holding(folder: string, text: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => fs.readFileSync(file).includes(text));
}

test("a cell of a notebook runs", async ({ open, page }, testInfo) => {
  const cells = ["import asyncio\nwords = ['a', 'b']", "await asyncio.sleep(0)\n'|'.join(words)"];
  const book = {
    cells: cells.map((source, index) => ({ cell_type: "code", execution_count: null, id: `c${index}`, metadata: {}, outputs: [], source })),
    metadata: { language_info: { name: "python" } },
    nbformat: 4,
    nbformat_minor: 5,
  };
  const files = { ...snapshot(), "codeact-lsp.toml": 'snapshots = ["tools.json"]\nprelude = "from codeact_lsp.tools import mcp"\n', "book.ipynb": JSON.stringify(book), "cell.py": "" };
  const window = await open(files, "cell.py");
  await window.ready("MCP: 1/6");
  await window.openFile("book.ipynb");
  await page.locator(".notebookOverlay .code-cell-row .monaco-editor").nth(1).click();
  await page.screenshot({ path: testInfo.outputPath("notebook.png") });
  await window.command("codeact-lsp: Run Cell with codeact-lsp");
  const terminal = page.locator(".terminal-wrapper.active .xterm-rows");
  await expect(terminal).toContainText("a|b");
  await page.screenshot({ path: testInfo.outputPath("notebook-run.png") });
});

test("a cell that is running is seen and can be answered", async ({ open, page }, testInfo) => {
  const text = "import codeact_lsp\nprint('hello ' + input('who? '))\n";
  const window = await open({ ...snapshot(), "cell.py": text }, "cell.py");
  await window.ready("MCP: 1/6");
  await lens(window, "Run cell with codeact-lsp").click();
  const terminal = page.locator(".terminal-wrapper.active .xterm-rows");
  await expect(terminal).toContainText("who?");
  await lens(window, "Run cell with codeact-lsp").click();
  await expect(window.notification("is already active")).toBeVisible();
  await page.locator(".terminal-wrapper.active .xterm").click();
  await window.type("me\n");
  await expect(terminal).toContainText("hello me");
  await page.screenshot({ path: testInfo.outputPath("input.png") });
});
