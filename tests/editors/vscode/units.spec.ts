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

const { importLine } = await load<typeof import("../../../editors/vscode/src/header.ts")>("header");
const { plain, visible } = await load<typeof import("../../../editors/vscode/src/text.ts")>("text");

const HEADS: Readonly<Record<string, string>> = {
  "an empty file": "¦",
  "no imports": "¦x = 1\n",
  "comments": "#!/usr/bin/env python\n\n# -*- coding: utf-8 -*-\n¦\nx = 1\n",
  "plain imports": "import os\nfrom a import b\n¦\nx = 1\nimport late\n",
  "no line break at the end": "import os¦",
  "parentheses": "from a import (\n    b,  # )\n    c,\n)\n¦\nx = 1\n",
  "parentheses and no line break": "from a import (\n    b,\n)¦",
  "backslash": "import os\nfrom a import b, \\\n    c\n¦x = 1\n",
  "a backslash in a comment": "import os  # \\\n¦x = 1\n",
  "docstring": '"""What it does."""\n¦x = 1\n',
  "docstring and future":
    '# note\n\'\'\'Says\nimport this\n\n"""(\\\'\'\'\n\'\'\'\n\nfrom __future__ import annotations\n\nimport os\n¦\nx = 1\n',
  "raw docstring": 'r"""\\"""" \\\n"more"\nfrom __future__ import (\n    annotations\n)\n¦x = 1\n',
  "a docstring over a backslash": '"one \\\nimport two"\n¦x = 1\n',
  "an import in a block": "import os\n¦try:\n    import a\nexcept ImportError:\n    pass\n",
  "more than an import on a line": "import os; x = [\n    1,\n]\n¦y = 1\n",
  "an import without an end": "import os\n¦from a import (\n    b,\n",
  "a string over lines elsewhere": 'import os\n¦x = """\nimport a\n"""\n',
};

for (const [name, head] of Object.entries(HEADS)) {
  test(`an import goes below the head: ${name}`, () => {
    const before = head.slice(0, head.indexOf("¦"));
    const expected = before.split("\n").length - 1 + (before === "" || before.endsWith("\n") ? 0 : 1);
    expect(importLine(head.replace("¦", "").split("\n"))).toBe(expected);
  });
}

test("text of others is no link, and has no control characters", () => {
  expect(plain("[a](command:b) [c]\u202e(d)\n[e]\u0007(https://f)")).toBe("[a] (command:b) [c] (d) [e] (https://f)");
  expect(visible("run [a](b)\n\u001b[31m\u202e")).toBe("run [a](b)\n\ufffd[31m\ufffd");
});
