"""What functions put into lists and dicts of others is diagnosed again only when it may differ."""

from __future__ import annotations

from typing import Final

import pytest

from codeact_lsp.ide.diagnostics import diagnose_again
from codeact_lsp.ide.model import View
from codeact_lsp.syntax.document import Document
from tests.ide.test_diagnosed_again import fresh
from tests.support.cells import BINDINGS, IMPORT

USES: Final = 40
CELL: Final = (
    f"{IMPORT}found = []\n"
    "async def keep(query):\n"
    "    page = await mcp.notion.search(query=query)\n"
    "    found.append(page)\n"
    "    return page\n"
    + "".join(f"r{n} = await keep('{n}')\nprint(found[0].wrong, r{n})\n" for n in range(USES))
)


def test_an_edit_elsewhere_costs_no_use_of_what_a_function_fills() -> None:
    document = Document.parse(CELL)
    found, kept = diagnose_again(View(BINDINGS, (document,)), None)
    assert [one.code for one in found] == ["result-attribute"] * USES
    for typed in "x = 1":
        document = document.replaced(len(document.text), len(document.text), typed)
        again, kept = diagnose_again(View(BINDINGS, (document,)), kept)
        assert again == found
        assert kept.diagnosed <= 1


FILL: Final = "def fill(x):\n    found.append(x)\n"
ONE: Final = f"{IMPORT}found = []\nfound.append(await mcp.notion.search(query='a'))\n"
CALLED: Final = f"{IMPORT}found = []\npage = await mcp.notion.search(query='a')\n"
USE: Final = "first = found[0]\nfirst.wrong\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((ONE + USE,), (ONE + USE + FILL,)),
        ((ONE + USE + FILL,), (ONE + USE,)),
        ((ONE + FILL + USE,), (ONE + FILL.replace("(x)\n", "(1)\n") + USE,)),
        ((ONE, USE), (ONE, FILL + USE)),
        ((ONE + FILL, USE), (ONE, USE)),
        ((ONE, FILL, USE), (ONE, FILL.replace("found", "other"), USE)),
        (
            (f"{IMPORT}found = []\npage = 1\ndef f():\n    found.append(page)\n{USE}",),
            (f"{CALLED}def f():\n    found.append(page)\n{USE}",),
        ),
        (
            (f"{CALLED.removeprefix(IMPORT)}def f():\n    found.append(page)\n{USE}",),
            (f"{CALLED}def f():\n    found.append(page)\n{USE}",),
        ),
        (
            (f"def f():\n    found[0].wrong\n{ONE}",),
            (f"def f():\n    found[0].wrong\n{ONE}{FILL}",),
        ),
        # The same use again, behind the function.
        (
            (f"{CALLED}found[0].wrong\ndef f():\n    found.append(page)\n",),
            (f"{CALLED}found[0].wrong\ndef f():\n    found.append(page)\nfound[0].wrong\n",),
        ),
    ],
)
def test_what_a_function_fills_is_diagnosed_again(
    before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    old = tuple(map(Document.parse, before))
    _, kept = diagnose_again(View(BINDINGS, old), None)
    new = tuple(
        one if one.text == text else one.replaced(0, len(one.text), text)
        for one, text in zip(old, after, strict=True)
    )
    seen = View(BINDINGS, new)
    assert diagnose_again(seen, kept)[0] == fresh(seen)
