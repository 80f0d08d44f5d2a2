"""Inside a long function or class, only the lines are diagnosed again that an edit can concern."""

from __future__ import annotations

import random
from typing import Final

import pytest

from codeact_lsp.ide.diagnostics import diagnose_again, reuse
from codeact_lsp.ide.model import View
from codeact_lsp.syntax.document import Document
from tests.ide.test_diagnosed_again import LINES, fresh, random_edit
from tests.support.cells import BINDINGS, IMPORT

HEADERS: Final = (
    "def main():\n",
    "async def main(n, m=mcp.web):\n",
    "class C:\n",
    "while True:\n",
    "for q in z:\n",
    "if x:\n",
    "with x as y:\n",
)
INSIDE: Final = (
    "return n\n",
    "raise E\n",
    "break\n",
    "if m:\n    return\n",
    "while True:\n    n = m\n",
    "else:\n    n = mcp.web\n",
    "if r['next'] is None:\n    continue\n",
)


def indented(line: str, levels: int) -> str:
    return "".join("    " * levels + one + "\n" for one in line.rstrip("\n").split("\n"))


def body(dice: random.Random) -> str:
    chosen = dice.sample([*LINES, *INSIDE], 14)
    return dice.choice(HEADERS) + "".join(
        indented(one, dice.choice((1, 1, 1, 2))) for one in chosen
    )


@pytest.mark.parametrize("seed", range(6))
def test_any_edits_leave_what_a_fresh_diagnosis_finds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reuse, "LONG", 1)
    dice = random.Random(seed)
    lines = [*LINES, *INSIDE, *(indented(one, 1) for one in (*LINES, *INSIDE) for _ in range(3))]
    document = Document.parse("".join([*dice.sample(LINES, 6), IMPORT, body(dice), body(dice)]))
    earlier = Document.parse("".join(dice.sample(LINES, 6)))
    kept = None
    for _ in range(30):
        document = random_edit(document, lines, dice)
        if dice.random() < 0.2:
            earlier = random_edit(earlier, LINES, dice)
        seen = View(BINDINGS, (earlier, document) if seed % 2 else (document,))
        found, kept = diagnose_again(seen, kept)
        assert found == fresh(seen), document.text


FUNCTION: Final = "async def main():\n" + "".join(
    f"    r{n} = await mcp.notion.search(query='{n}')\n    print(r{n}['items'], {n})\n"
    for n in range(2_500)
)
CLASS: Final = "class C:\n" + "".join(
    f"    async def m{n}(self, query):\n"
    "        page = await mcp.notion.search(query=query)\n"
    "        for item in page['items']:\n"
    f"            print(item['title'], {n})\n"
    "        return page\n"
    for n in range(1_000)
)


@pytest.mark.parametrize("text", [FUNCTION, CLASS], ids=["function", "class"])
def test_a_character_in_5000_lines_of_one_statement(text: str) -> None:
    before = Document.parse(IMPORT + text + "mcp.web.serch\n")
    offset = before.text.index("\n", before.text.index(", 500)")) - 1
    _, kept = diagnose_again(View(BINDINGS, (before,)), None)
    for typed in ("x", ", y", "(", "\n"):
        done = before.work.lines_lexed, before.work.lines_parsed
        document = before.replaced(offset, offset, typed)
        found, after = diagnose_again(View(BINDINGS, (document,)), kept)
        assert after.diagnosed <= 6
        assert document.work.lines_lexed - done[0] <= 8
        assert document.work.lines_parsed - done[1] <= 60
        assert "unknown-tool" in {one.code for one in found}


def test_a_name_that_is_given_another_value_concerns_its_uses() -> None:
    text = IMPORT + FUNCTION[:9_000].rpartition("\n")[0].replace("r7['items']", "r7.items_")
    document = Document.parse(text)
    found, kept = diagnose_again(View(BINDINGS, (document,)), None)
    assert [one.code for one in found] == ["result-attribute"]
    start = text.index("await mcp.notion.search(query='7')")
    document = document.replaced(
        start, start + len("await mcp.notion.search(query='7')"), "other()"
    )
    found, kept = diagnose_again(View(BINDINGS, (document,)), kept)
    assert found == ()
    assert kept.diagnosed <= 3


def test_a_fix_in_another_line_stays_at_its_place() -> None:
    document = Document.parse(f"{IMPORT}r = mcp.notion.search(query='a')\nx = 1\nprint(r)\n")
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    start = document.text.index("x = 1")
    seen = View(BINDINGS, (document.replaced(start, start, "y = 1\n"),))
    found, _ = diagnose_again(seen, kept)
    assert found == fresh(seen)


def test_a_line_between_two_blocks_concerns_those_of_the_nearer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reuse, "LONG", 1)
    text = f"""{IMPORT}
async def f():
    def g():
        return 1
     r = await mcp.notion.search(query='a')
    print(r.next)
"""
    document = Document.parse(text)
    found, kept = diagnose_again(View(BINDINGS, (document,)), None)
    assert [one.code for one in found] == ["result-attribute"]
    start, end = text.index("await"), text.index("\n    print")
    seen = View(BINDINGS, (document.replaced(start, end, "other()"),))
    assert diagnose_again(seen, kept)[0] == fresh(seen) == ()
