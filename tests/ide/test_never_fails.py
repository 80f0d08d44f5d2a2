"""Broken text gives a smaller answer, never an exception, and every empty answer has a reason."""

from __future__ import annotations

import random

import pytest

from codeact_lsp.ide.code_actions import code_actions, fix_all
from codeact_lsp.ide.completion import complete
from codeact_lsp.ide.definition import definition
from codeact_lsp.ide.describe import describe
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.inlay_hints import inlay_hints
from codeact_lsp.ide.model import Answer, TextEdit
from codeact_lsp.ide.occurrences import highlights, occurrences
from codeact_lsp.ide.prose import markdown, plain
from codeact_lsp.ide.run_cells import run_cells
from codeact_lsp.ide.signature_help import signature_help
from codeact_lsp.syntax.expressions import Span
from tests.support.cells import applied, view

CELL = '''\
%%time
"""Doc."""
import asyncio
from functools import partial
from codeact_lsp.tools import mcp, ToolCallError
from codeact_lsp.tools.mcp.redis import type as redis_type, open
from codeact_lsp.tools.mcp.notion import *

n = mcp.notion
p = partial(mcp.web.search, query="a")
args = {"max-results": 1, **more}

async def work(page, *, mcp2=None):
    r = await n.search(query=f"{page!r:>{10}} {n.search(query='x')}")
    for item in r["items"]:
        print(item["page-id"], item.title, r.get("next"))
    return [x["title"] async for x in r["items"] if (y := x)]

await mcp.web.search(query="a", max-results=3, from="b", **{"from": 1, "page[size]": [1, {"a": -2}]})
await mcp.notion.API-patch-page(page_id="x", parent={"database_id": None}, children=[{}, {"type": "page"}])
a, *b = await asyncio.gather(p(order="ascc"), *[n.ping() for _ in range(3)], getattr(mcp.redis, "a.b")())
search = await search(query="x")
match a:
    case {"k": [type, *_]} if type > 1:
        mcp.shell.run(command="ls").exit_code
'''


def ask_everything(text: str, offset: int) -> None:
    """Every answer at a place, and that an applied fix is an edit of this text."""
    seen = view(text)
    answers: tuple[Answer[object], ...] = (
        complete(seen, offset),
        hover(seen, offset),
        signature_help(seen, offset),
        definition(seen, offset),
        highlights(seen, offset),
    )
    assert all((one.value is None) != (one.empty is None) for one in answers)
    found = complete(seen, offset).value
    if found is not None:
        assert found.span.start <= offset <= found.span.end
        for item in found.items[:3]:
            applied(text, (TextEdit(found.span, item.text), *item.edits))
            if item.target is not None:
                blocks = describe(seen.bindings, item.target)
                assert markdown(blocks)
                assert plain(blocks)
    code_actions(seen, Span(offset, offset), ())


def ask_of_the_whole(text: str) -> None:
    seen = view(text)
    for one in diagnose(seen):
        assert 0 <= one.span.start <= one.span.end <= len(text)
        for fix in one.fixes:
            applied(text, fix.edits)
    action = fix_all(seen)
    if action is not None:
        applied(text, action.edits)
    occurrences(seen)
    inlay_hints(seen, Span(0, len(text)))
    run_cells(seen)


def test_every_place_of_a_cell() -> None:
    for offset in range(0, len(CELL) + 1, 4):
        ask_everything(CELL, offset)


def test_every_prefix_of_a_cell() -> None:
    for end in range(0, len(CELL), 6):
        ask_everything(CELL[:end], end)
        if end % 24 == 0:
            ask_of_the_whole(CELL[:end])


@pytest.mark.parametrize("seed", range(4))
def test_damaged_cells(seed: int) -> None:
    chance = random.Random(seed)
    pieces = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        '"""',
        "\\",
        "\n",
        "\r\n",
        ",",
        ".",
        "=",
        "**",
    ]
    pieces += [
        "await ",
        "from ",
        "import ",
        "lambda:",
        "f'{",
        "é",
        "😋",
        "\x00",
        "\ud800",
        "-",
        " ",
    ]
    for _ in range(20):
        text = CELL
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(text))
            gone = chance.choice((0, 0, 1, 3, 30))
            text = text[:at] + chance.choice(pieces) + text[at + gone :]
        ask_of_the_whole(text)
        for _ in range(4):
            ask_everything(text, chance.randrange(len(text) + 1))
