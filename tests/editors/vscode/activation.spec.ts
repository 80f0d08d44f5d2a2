// What the extension costs a window.

import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";

const MOST_MILLISECONDS = 100;
const MOST_ROUNDS = 10;

test.use({ options: { extensions: ["witness"] } });

test("where no Python file is open nothing is activated or started", async ({ open, editor }) => {
  const window = await open({ "notes.txt": "hello\n", "cell.py": "x = 1\n" }, "notes.txt");
  const witness = window.page.locator('[id="codeact-lsp-tests.witness.witness"]');
  await expect(witness).toHaveText("look 1: not active");
  expect(processes(editor, "codeact_lsp")).toEqual([]);
  await expect(window.status).toHaveCount(0);

  await window.openFile("cell.py");
  await window.status.waitFor();
  await window.command("Witness: Look");
  await expect(witness).toHaveText("look 2: active");
});

test(`activation takes less than ${MOST_MILLISECONDS} ms`, async ({ open }) => {
  test.setTimeout(180_000);
  const window = await open({ "cell.py": "x = 1\n" }, "cell.py");
  // High enough for the whole list: only what is on screen is there.
  await window.page.setViewportSize({ width: 1280, height: 2400 });
  const entry = window.page.locator(".runtime-extensions-editor .extension", { hasText: "codeact-lsp: MCP tools" });
  const times: number[] = [];
  // The best of several: others use this machine too.
  while (times.length < MOST_ROUNDS && !times.some((time) => time < MOST_MILLISECONDS)) {
    await window.page.reload();
    await window.status.waitFor();
    await window.command("Developer: Show Running Extensions");
    const time = entry.locator(".activation-time");
    await expect(time).toContainText("ms");
    times.push(Number(/(\d+)ms/.exec(await time.innerText())?.[1]));
    await window.command("View: Close Editor");
  }
  console.log(`    activation: ${times.join(", ")} ms`);
  expect(Math.min(...times)).toBeLessThan(MOST_MILLISECONDS);
});
