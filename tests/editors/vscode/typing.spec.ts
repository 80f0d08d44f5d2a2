// What a person sees while typing a cell.

import { expect, test } from "./support/fixtures.ts";

const IMPORT = "from codeact_lsp.tools import mcp\n\n";

test("completion offers the tools of a server, with details", async ({ desk }) => {
  const window = await desk.cell(`${IMPORT}page = await mcp.desk.¦\n`);
  await window.suggest();
  for (const name of ["API_patch_page", "search", "move_file", "run_script", "type"]) {
    await expect(window.suggestion(name)).toBeVisible();
  }
  await window.type("API");
  await window.showDetails();
  await expect(window.suggestionDetails).toContainText("Change a page.");
  await expect(window.suggestionDetails).toContainText("page_id: str");
});

test("typing the raw name inserts the spelling that Python accepts", async ({ desk }) => {
  const window = await desk.cell(`${IMPORT}page = await mcp.desk.¦\n`);
  await window.type("API-pat");
  await expect(window.suggestion("API_patch_page")).toBeVisible();
  await window.press("Enter");
  expect(await window.saved()).toContain("await mcp.desk.API_patch_page");
});

test("accepting a tool that is not imported yet adds the import", async ({ desk }) => {
  const window = await desk.cell("import asyncio\n\n¦\n");
  await window.type("API_pat");
  await window.suggestion("API_patch_page").click();
  const text = await window.saved();
  expect(text).toMatch(/^import asyncio\nfrom codeact_lsp\.tools\.mcp\.desk import API_patch_page\n/);
  expect(text.split("\n").at(-2)).toMatch(/^API_patch_page/);
});

test("inside a call the parameters are offered, required ones first", async ({ desk }) => {
  const window = await desk.cell(`${IMPORT}await mcp.desk.API_patch_page(¦)\n`);
  await window.suggest();
  await expect(window.suggestion("page_id=")).toContainText("required");
  await expect(window.suggestion("from_=")).toBeVisible();
  await expect(window.suggestion("archived=")).toContainText("bool");
});

test("hover says why a parameter is spelled otherwise", async ({ desk }) => {
  const cell = `${IMPORT}await mcp.desk.API_patch_page(page_id="p-1", fr¦om_="2026-01-01")\n`;
  const window = await desk.cell(cell);
  await window.showHover();
  await expect(window.hover.first()).toContainText(
    'sent as "from"; from is a Python keyword, so it is spelled from_ here',
    { ignoreCase: true },
  );
});

test("signature help follows the call", async ({ desk }) => {
  const window = await desk.cell(`${IMPORT}await mcp.desk.search¦\n`);
  await window.type("(");
  await expect(window.signature).toContainText("query: str");
  await expect(window.signature.locator(".parameter.active")).toContainText("query");
  await window.type('query="x", max_results=');
  await expect(window.signature.locator(".parameter.active")).toContainText("max_results");
});

test("a keyword that is not Python is underlined, and one key respells it", async ({ desk }) => {
  const cell = `${IMPORT}await mcp.desk.API_patch_page(page-id="p-1", fr¦om="2026-01-01")\n`;
  const window = await desk.cell(cell);
  await expect(window.page.locator(".squiggly-error").first()).toBeVisible();
  await window.press("Control+.");
  await expect(window.fixes.filter({ hasText: "from_" })).toBeVisible();
  await window.press("Enter");
  await expect(window.page.locator(".view-lines")).toContainText("from_=");
  expect(await window.saved()).toBe(
    `${IMPORT}await mcp.desk.API_patch_page(page-id="p-1", from_="2026-01-01")\n`,
  );
});

test("go to definition opens a read-only stub", async ({ desk }) => {
  const window = await desk.cell(`${IMPORT}await mcp.desk.mo¦ve_file()\n`);
  await window.press("F12");
  const stub = window.page.locator(".tab.active", { hasText: ".pyi" });
  await expect(stub).toBeVisible();
  await expect(window.page.locator(".view-lines").last()).toContainText("move_file");
  await window.type("x");
  await expect(window.page.locator(".tab.active.dirty")).toHaveCount(0);
});

test("text of a server is shown, never obeyed", async ({ open }) => {
  const description =
    "A [link](command:workbench.action.closeWindow), ![picture](https://example.invalid/x.png), <b onclick=alert(1)>bold</b>";
  const tools = [{ name: "trap", description, inputSchema: { type: "object", properties: {} } }];
  const window = await open(
    {
      "codeact-lsp.toml": 'snapshots = ["tools.json"]\n',
      "tools.json": JSON.stringify({ version: 1, servers: { desk: { tools } } }),
      "cell.py": `${IMPORT}await mcp.desk.tr¦ap()\n`,
    },
    "cell.py",
  );
  await window.ready();
  await window.toCursor();
  await window.showHover();
  const hover = window.hover.first();
  await expect(hover).toContainText("[link](command:workbench.action.closeWindow)");
  await expect(hover).toContainText("<b onclick=alert(1)>bold</b>");
  await expect(hover.locator('a[href^="command:"], a[data-href^="command:"], img[src*="example"], b')).toHaveCount(0);
});
