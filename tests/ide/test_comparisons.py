"""Completion of a text that is compared with a part of a result."""

from __future__ import annotations

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.completion import complete
from codeact_lsp.ide.model import Empty, Target
from tests.support.cells import STRING, bindings, cell, tool, view

ISSUE = {
    "type": "object",
    "properties": {"state": {"enum": ["open", "closed"]}, "title": STRING},
}
MADE: Bindings = bindings({"work": [tool("get", output=ISSUE)]})
BEFORE = "from codeact_lsp.tools import mcp\nr = await mcp.work.get()\n"


def offered(marked: str) -> list[str]:
    parts = cell(BEFORE + marked)
    found = complete(view(parts.text, MADE), parts.offset)
    return [] if found.value is None else [item.text for item in found.value.items]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('if r["state"] == "‸":\n    pass', ["open", "closed"]),
        ('if r["state"] == "‸', ['open"', 'closed"']),
        ('if r["state"] != "cl‸":\n    pass', ["closed"]),
        ('if "‸" == r["state"]:\n    pass', ["open", "closed"]),
        ('if x and r["state"] == "‸":\n    pass', ["open", "closed"]),
        ('print((await mcp.work.get())["state"] == "‸")', ["open", "closed"]),
        ('a = [x for x in y if r["state"] == "‸"]', ["open", "closed"]),
        ('if r["state"] in ("‸",):\n    pass', ["open", "closed"]),
        ('if r["state"] not in ["open", "‸"]:\n    pass', ["open", "closed"]),
        ('if "‸" in r["state"]:\n    pass', []),
        ('if r["title"] == "‸":\n    pass', []),
        ('if x == "‸":\n    pass', []),
        ('y = r["state"] + "‸"', []),
    ],
)
def test_the_values_of_the_other_side(marked: str, expected: list[str]) -> None:
    assert offered(marked) == expected


def test_an_item_is_described_as_the_part_of_the_result() -> None:
    parts = cell(BEFORE + 'r["state"] == "op‸"')
    found = complete(view(parts.text, MADE), parts.offset)
    assert found.value is not None
    (item,) = found.value.items
    assert item.target == Target("work", "get", ("state",), result=True, value='"open"')


def test_nothing_known_is_said_as_in_any_other_text() -> None:
    parts = cell(BEFORE + 'r["title"] == "‸"')
    assert complete(view(parts.text, MADE), parts.offset).empty is Empty.IN_STRING
