// Parts that need no editor.

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "@playwright/test";
import ts from "typescript";
import { PROJECT } from "./support/editor.ts";

/** A module of the extension; its package is CommonJS, which these tests are not. */
async function load<T>(name: string): Promise<T> {
  const source = fs.readFileSync(path.join(PROJECT, "editors/vscode/src", `${name}.ts`), "utf8");
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(source, { compilerOptions });
  return (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)) as T;
}

const { label, plain, visible } = await load<typeof import("../../../editors/vscode/src/text.ts")>("text");

test("text of others is no link, and has no control characters", () => {
  expect(plain("[a](command:b) [c]\u202e(d)\n[e]\u0007(https://f)")).toBe("[a] (command:b) [c] (d) [e] (https://f)");
  expect(label("$(trash) a\u200bb")).toBe("\\$(trash) a b");
  expect(visible("run [a](b)\n\u001b[31m\u202e")).toBe("run [a](b)\n\ufffd[31m\ufffd");
});
