"""A fix that renames what later cells use changes those cells along with its own."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.syntax.lines import LineIndex
from tests.support.notebooks import Book
from tests.support.session import Conversation

Json = dict[str, Any]
TYPE = "from codeact_lsp.tools.mcp.redis import type\n"
FIXED = "from codeact_lsp.tools.mcp.redis import type as redis_type\n"


async def fixed(*texts: str, cell: int = 0) -> list[str] | None:
    """The cells after the first fix of the first diagnostic of one; None where it has no fix."""
    talk, book = Conversation(), Book(*texts)
    talk.tell("notebookDocument/didOpen", book.opened())
    uri = book.cells[cell].uri
    [problem] = await talk.diagnostics(uri)
    params = {
        "textDocument": {"uri": uri},
        "range": problem["range"],
        "context": {"diagnostics": [], "only": ["quickfix"]},
    }
    actions = await talk.ask("textDocument/codeAction", params)
    if not actions:
        return None
    changes = actions[0]["edit"]["documentChanges"]
    versions = {
        change["textDocument"]["uri"]: change["textDocument"]["version"] for change in changes
    }
    assert versions == dict.fromkeys(versions, 1)
    edits = {change["textDocument"]["uri"]: change["edits"] for change in changes}
    return [applied(one.text, edits.get(one.uri, [])) for one in book.cells]


def applied(text: str, edits: list[Json]) -> str:
    lines = LineIndex.of(text)

    def offset(place: Json) -> int:
        return lines.offset(text, place["line"], place["character"], "utf-16")

    for edit in sorted(edits, key=lambda one: offset(one["range"]["start"]), reverse=True):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


@pytest.mark.parametrize(
    ("cells", "after"),
    [
        pytest.param(
            [TYPE, "await type(key=1)", "x = 1", "f(type, type)"],
            [FIXED, "await redis_type(key=1)", "x = 1", "f(redis_type, redis_type)"],
            id="every later cell",
        ),
        pytest.param(
            [TYPE, "type = 1\nprint(type)"], [FIXED, "type = 1\nprint(type)"], id="not where it is bound anew"
        ),
        pytest.param(
            [TYPE, "def f(type):\n    return type", "type"],
            [FIXED, "def f(type):\n    return type", "redis_type"],
            id="not what a parameter hides",
        ),
        pytest.param(
            [TYPE, f"{TYPE}type", "type"], [FIXED, f"{TYPE}type", "type"], id="not what is imported again"
        ),
        pytest.param([TYPE + "type"], [FIXED + "redis_type"], id="one cell alone"),
        pytest.param([TYPE, "%%bash\ntype ls"], [FIXED, "%%bash\ntype ls"], id="not another language"),
        pytest.param([TYPE, "# type\n'type'"], [FIXED, "# type\n'type'"], id="not a comment or a text"),
    ],
)  # fmt: skip
async def test_uses_in_later_cells_follow(cells: list[str], after: list[str]) -> None:
    assert await fixed(*cells) == after


async def test_a_place_that_ends_where_the_bindings_own_does_is_another_cells() -> None:
    # Both names stand at the same offsets, each in a cell of its own.
    head = "from codeact_lsp.tools.mcp.redis import "
    use = " " * len(head)
    assert await fixed(f"{head}type", f"({use[1:]}type)") == [
        f"{head}type as redis_type",
        f"({use[1:]}redis_type)",
    ]


@pytest.mark.parametrize(
    "later",
    [
        "if x:\n    type = 1\nprint(type)",
        "def f():\n    global type\n    type = 1\n",
    ],
)
async def test_no_fix_where_a_later_use_may_mean_something_else(later: str) -> None:
    assert await fixed(TYPE, later) is None


async def test_a_variable_that_overwrites_a_tool_is_renamed_in_later_cells() -> None:
    search = "from codeact_lsp.tools.mcp.notion import search\n"
    after = await fixed(search, "search = await search(query='a')\n", "search['items']", cell=1)
    assert after == [search, "search_result = await search(query='a')\n", "search_result['items']"]
