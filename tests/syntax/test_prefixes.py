"""Cells while they are typed: every prefix, alone and with the rest of the cell behind it."""

from __future__ import annotations

from typing import Final

import pytest

from codeact_lsp.syntax.call import call_at, calls
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Call
from codeact_lsp.syntax.scopes import lookup

CELLS: Final = {
    "straight": """from tools import mcp

page = await mcp.notion.API_patch_page(page_id="1", archived=True, **{"a b": [1, {"k": "v"}]})
title = page["properties"]["title"].get("text", "")
print(f"found {title!r:>{width}} in {mcp.notion.search(query=title)} {{items}}")
""",
    "blocks": """from tools import mcp as m
import asyncio

async def fetch(keys, *, limit=10):
    results = []
    for key in keys:
        try:
            found = await m.web.search(query=key, max_results=limit)
        except ValueError as error:
            print(error)
            continue
        else:
            results.extend(item["name"] for item in found["items"] if item.get("name"))
    return results

async def main():
    first, second = await asyncio.gather(fetch(["a"]), fetch(["b"], limit=3))
    match first:
        case [name, *rest]:
            print(name, len(rest))
        case _:
            pass
    with open("x") as out, m.files.lock(path="y") as held:
        out.write(str(second))
""",
    "several lines": """from tools import mcp

answer = await mcp.jira.create_issue(
    project="P",
    fields={
        "summary": "s",
        "labels": ["a", "b"],
    },
    # why
    from_=lambda x: x + 1,
)
rows = [
    (await mcp.db.query(sql=f"select {n}"))["rows"]
    for n in range(3)
]
mcp.jira.close(
    key=answer["key"],
)
""",
    "ipython": """%pip install x
from tools import mcp
files = !ls
mcp.web.search?
%time r = await mcp.web.search(query="q")
r["items"]
""",
}
DAMAGE_ENDS: Final = "\nafter = 1\nif after:\n    inside = 2\nlast = 3\n"


def around(finished: tuple[Call, ...], offset: int) -> int | None:
    """Where the innermost call that holds the offset opens."""
    opens = [call.open for call in finished if call.open < offset <= (call.close or 0)]
    return opens[-1] if opens else None


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS.keys())
def test_the_call_around_the_cursor_is_the_one_of_the_finished_cell(cell: str) -> None:
    tried = same = 0
    finished = calls(Document.parse(cell))
    for offset in range(len(cell) + 1):
        for rest in ("", DAMAGE_ENDS):
            site = call_at(Document.parse(cell[:offset] + rest), offset)
            tried += 1
            same += (site.call.open if site else None) == around(finished, offset)
    print(f"call around the cursor: {same} of {tried} ({same / tried:.1%})")
    assert same == tried


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS.keys())
def test_what_was_bound_before_the_damage_is_still_found(cell: str) -> None:
    root = "m" if "as m" in cell else "mcp"
    begin = cell.index("\n", cell.index("from tools")) + 1
    tried = found = 0
    for offset in range(begin, len(cell) + 1):
        for rest in ("", DAMAGE_ENDS):
            text = cell[:offset] + rest
            tried += 1
            found += bool(lookup([Document.parse(text)], root, len(text)))
    print(f"bindings before the damage: {found} of {tried} ({found / tried:.1%})")
    assert found == tried


@pytest.mark.parametrize("cell", CELLS.values(), ids=CELLS.keys())
def test_what_is_bound_behind_the_damage_is_found_too(cell: str) -> None:
    tried = found = 0
    for offset in range(len(cell) + 1):
        text = cell[:offset] + DAMAGE_ENDS
        document = Document.parse(text)
        for name in ("after", "inside", "last"):
            tried += 1
            found += bool(lookup([document], name, len(text)))
    print(f"bindings behind the damage: {found} of {tried} ({found / tried:.1%})")
    assert found == tried
