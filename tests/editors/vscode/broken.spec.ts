// Installations that are broken: the next best server runs, or one message says what to do.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "./support/fixtures.ts";
import { processes } from "./support/processes.ts";
import { OLD, environment, remains } from "./support/pythons.ts";
import { snapshot, type Workspace } from "./support/workspace.ts";

const CELL = { ...snapshot(), "cell.py": "x = 1\n" };

/** What is wrong with the folder's `.venv`. */
const BROKEN: Readonly<Record<string, (workspace: Workspace) => void>> = {
  "metadata without the module": (workspace) => remains(environment(workspace.path(".venv"))),
  "a module without the packages that it needs": (workspace) =>
    remains(environment(workspace.path(".venv")), "import a_package_that_is_not_there\n"),
  "a server that ends at once": (workspace) => remains(environment(workspace.path(".venv")), "raise SystemExit(0)\n"),
  "an interpreter that was deleted": (workspace) => {
    fs.mkdirSync(workspace.path(".venv/bin"), { recursive: true });
    fs.symlinkSync("/nowhere/python3", workspace.path(".venv/bin/python"));
  },
  "an interpreter that does not run": (workspace) => workspace.write(".venv/bin/python", "words\n"),
  "an interpreter that says something else": (workspace) => workspace.write(".venv/bin/python", "#!/bin/sh\necho hello\n"),
  "a Python that is too old": (workspace) => workspace.write(".venv/bin/python", OLD),
};

for (const [what, breakIt] of Object.entries(BROKEN)) {
  test(`the copy that comes with the extension runs beside ${what}`, async ({ open, editor }) => {
    const window = await open(CELL, "cell.py", breakIt);
    await window.ready("MCP: 1/6");
    expect(processes(editor, "bundled/run.py")).toHaveLength(1);
    await expect(window.notifications).toHaveCount(0);
  });
}

test("an environment that is deleted under its server is done without", async ({ open, editor }) => {
  const window = await open(CELL, "cell.py", (workspace) => void environment(workspace.path(".venv")));
  await window.ready("MCP: 1/6");
  const [first] = processes(editor, "serve --stdio");
  expect(first?.command).toContain(window.workspace.path(".venv/bin/python"));
  fs.rmSync(window.workspace.path(".venv"), { recursive: true });
  process.kill(first?.pid ?? 0, "SIGKILL");
  await expect(window.notification("stopped unexpectedly and was started again")).toBeVisible();
  await window.ready("MCP: 1/6");
  expect(processes(editor, "serve --stdio")).toHaveLength(1);
  expect(processes(editor, window.workspace.folder)).toEqual([]);
});

test("a server that keeps ending is given up, until somebody asks for another try", async ({ open, editor }) => {
  const window = await open(CELL, "cell.py");
  await window.ready("MCP: 1/6");
  const end = (): void => {
    for (const { pid } of processes(editor, "serve --stdio")) {
      process.kill(pid, "SIGKILL");
    }
  };
  for (let crash = 1; crash < 5; crash += 1) {
    end();
    await expect(window.notification("stopped unexpectedly and was started again")).toBeVisible();
    await window.command("Notifications: Clear All Notifications");
    await expect(window.notifications).toHaveCount(0);
  }
  end();
  const givenUp = window.notification("The server stopped 5 times in 3 minutes and is not started again by itself.");
  await expect(givenUp).toBeVisible();
  await expect(window.notifications).toHaveCount(1);
  await expect(window.status).toContainText("stopped");
  expect(processes(editor, "serve --stdio")).toEqual([]);
  await givenUp.getByRole("button", { name: "Restart" }).click();
  await window.ready("MCP: 1/6");
});

test("a working directory that was deleted is made again", async ({ open, editor }) => {
  const window = await open(CELL, "cell.py");
  await window.ready("MCP: 1/6");
  fs.rmSync(path.join(editor.home, "data/User/globalStorage/codeact-lsp.codeact-lsp"), { recursive: true });
  const [first] = processes(editor, "serve --stdio");
  await window.command("codeact-lsp: Restart Language Server");
  await expect.poll(() => processes(editor, "serve --stdio").some(({ pid }) => pid !== first?.pid)).toBe(true);
  await window.ready("MCP: 1/6");
  await expect(window.notifications).toHaveCount(0);
});

test("a setting that names a Python that is too old is said once", async ({ open }) => {
  const settings = JSON.stringify({ "codeact-lsp.interpreter": "${workspaceFolder}/old/python" });
  const window = await open({ ...CELL, ".vscode/settings.json": settings, "old/python": OLD }, "cell.py");
  await expect(window.notification('/old/python", which is Python 3.8.')).toBeVisible();
  await expect(window.notifications).toHaveCount(1);
  await expect(window.status).toContainText("stopped");
  await expect(window.notifications.getByRole("button", { name: "Open Setting" })).toBeVisible();
});
