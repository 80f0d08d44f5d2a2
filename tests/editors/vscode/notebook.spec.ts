// Notebooks and `# %%` sections.

import { expect, test } from "./support/fixtures.ts";

function notebook(...cells: readonly string[]): string {
  return JSON.stringify({
    cells: cells.map((source, index) => ({
      cell_type: "code",
      execution_count: null,
      id: `cell-${index}`,
      metadata: {},
      outputs: [],
      source,
    })),
    metadata: { language_info: { name: "python" }, kernelspec: { name: "python3", language: "python", display_name: "Python 3" } },
    nbformat: 4,
    nbformat_minor: 5,
  });
}

test("a notebook's cells share their names", async ({ desk }) => {
  const book = notebook("from codeact_lsp.tools import mcp", "page = await mcp.desk.");
  const window = await desk.cell(book, ".ipynb");
  const second = window.page.locator(".notebookOverlay .code-cell-row .monaco-editor").nth(1);
  await second.locator(".view-line").click();
  await window.press("End");
  await window.type("API");
  await window.suggest();
  await expect(window.suggestion("API_patch_page")).toBeVisible();
  await window.press("Enter");
  await expect(second).toContainText("mcp.desk.API_patch_page");
});

test("each section that uses the bindings can be run", async ({ desk }) => {
  const window = await desk.cell("# %%\nfrom codeact_lsp.tools import mcp\n\n# %%\nawait mcp.desk.search(query='x')\n");
  await expect(window.page.locator(".codelens-decoration", { hasText: "Run cell with codeact-lsp" })).toHaveCount(2);
});

test("a Python file without bindings has nothing to run", async ({ desk }) => {
  const window = await desk.cell("# %%\nimport os\n¦");
  await window.type("o");
  await expect(window.page.locator(".tab.active.dirty")).toHaveCount(1);
  await expect(window.page.locator(".codelens-decoration")).toHaveCount(0);
});
