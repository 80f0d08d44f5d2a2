// What a person sees while typing a cell.

import { expect, test } from "./support/fixtures.ts";
import { snapshot } from "./support/workspace.ts";

const IMPORT = "from codeact_lsp.tools import mcp\n\n";

test("completion offers servers and tools, with details", async ({ open }) => {
  const window = await open({ ...snapshot(), "cell.py": `${IMPORT}page = await mcp.desk.\n` }, "cell.py");
  await window.ready();
  await window.goTo(3, 23);
  await window.press("Control+Space");
  await expect(window.suggestion("API_patch_page")).toBeVisible();
});
