"""The project's own cells: those of its documents, its demo and its tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
DEMO_CATALOGUE: Final = _ROOT / "codeact_lsp" / "demo" / "catalogue.json"
_BLOCK: Final = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

WORK: Final = '''\
import asyncio, contextlib
from functools import partial
from codeact_lsp.tools import mcp, ToolCallError
from codeact_lsp.tools.mcp.redis import type as redis_type

n = mcp.notion
look_up = partial(mcp.web.search, order="asc")
tools = {"pages": n.search, "web": mcp.web.search}

async def titles(query, *, limit=10):
    """What the pages are called."""
    found = await n.search(query=query)
    names = []
    for page in found["items"][:limit]:
        if not page.get("title"):
            continue
        names.append(f"{page['title']!r:>{limit}}")
    return names

async def main():
    pages, hits = await asyncio.gather(n.search(query="a"), look_up(query="b", max_results=3))
    try:
        run = await mcp.shell.run(command=f"ls {pages['next']}")
    except ToolCallError as error:
        print(error, await titles("c"))
    else:
        match run:
            case {"exit-code": 0, "stdout": out}:
                print(out)
            case {"exit-code": code} if code > 1:
                raise SystemExit(code)
    ordered = sorted(pages["items"], key=lambda page: page["title"])
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(tools["pages"](query=one["page-id"])) for one in ordered]
    return {task.result()["next"]: task for task in tasks if task}

await n.API_patch_page(
    page_id="x",
    parent={"type": "page", "database-id": None},
    children=[{"database-id": "y"}, {}],
    archived=True,
)
await mcp.web.search(query=(await titles("d"))[0], **{"page[size]": 5}); await main()
'''


def _written() -> Iterator[tuple[str, str]]:
    """(where, text) of every block of Python in the documents."""
    pages = (_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md")))
    for page in pages:
        for number, block in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8"))):
            yield f"{page.relative_to(_ROOT)}-{number}", block


def is_valid(text: str) -> bool:
    """Whether it is a cell that Python takes, with `await` outside functions."""
    try:
        compile(text, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError:
        return False
    return True


def own_cells() -> dict[str, str]:
    """The cells, by where they stand."""
    cells = {where: text for where, text in _written() if is_valid(text)}
    demo = (_ROOT / "codeact_lsp" / "demo" / "cell.txt").read_text(encoding="utf-8")
    # What the demo shows is wrong on purpose: as the tour mends it.
    mended = demo.replace("API-patch-page", "API_patch_page").replace(
        "max-results=", "max_results="
    )
    return {**cells, "demo": mended.replace(" from=", " from_="), "work": WORK}
