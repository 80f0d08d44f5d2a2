"""What of the cells above a cell is run for it."""

from __future__ import annotations

import ast

import pytest

from codeact_lsp.cli.definitions import Definitions, Place


def taken(*cells: str) -> tuple[str, dict[str, Place]]:
    definitions = Definitions()
    trees = [definitions.of(ast.parse(cell), f"cell {i}") for i, cell in enumerate(cells, 1)]
    return "\n".join(map(ast.unparse, trees)), definitions.left_out


@pytest.mark.parametrize(
    "code",
    [
        "import os, a.b as c",
        "from codeact_lsp.tools import mcp",
        "from codeact_lsp.tools.mcp.desk import *",
        "desk = mcp.desk",
        "search = desk.search",
        "raw = getattr(mcp.desk, '2fa.verify')",
        "a, b = (1, 2)",
        "limit: int = 10",
        "QUERY = f'{limit} of them'",
        "async def find(word: str='x'):\n    return await search(query=word)",
        "class Page:\n    title: str = field()",
        "key = lambda page: page.title()",
        "if os.name == 'nt':\n    import winreg\nelse:\n    winreg = None",
        "try:\n    import orjson as json\nexcept ImportError:\n    import json",
    ],
)
def test_names_for_what_is_there_are_taken(code: str) -> None:
    assert taken(code) == (code, {})


@pytest.mark.parametrize(
    "code",
    [
        "page = await search(query='x')",
        "page = f()",
        "page: dict = f()",
        "page = getattr(f(), 'x')",
        "page = [f(x) for x in y]",
        "for page in pages:\n    pass",
        "with f() as page:\n    import os",
        "if (page := 1):\n    pass",
        "if f():\n    page = 1",
        "try:\n    page = f()\nexcept OSError:\n    pass",
        "try:\n    f()\nexcept OSError as page:\n    pass",
        "match x:\n    case {**page}:\n        pass",
        "page += 1",
    ],
)
def test_what_does_something_is_left_out_with_the_names_that_it_sets(code: str) -> None:
    text, left_out = taken(f"import first\n{code}")
    assert text == "import first"
    assert left_out["page"] == Place("cell 1", 2)


@pytest.mark.parametrize("code", ["print(1)", "page['a'] = 1", "page.a = 1", "del page", "f()"])
def test_what_sets_no_name_is_left_out(code: str) -> None:
    assert taken(code) == ("", {})


def test_what_needs_a_name_that_is_left_out_is_left_out_too() -> None:
    text, left_out = taken(
        "page = f()",
        "title = page\ndef show(p=page): ...\n@page\nclass A: ...\ndef use(): return page",
    )
    assert text.split("\n") == ["", "def use():", "    return page"]
    assert left_out == {
        "page": Place("cell 1", 1),
        "title": Place("cell 2", 1),
        "show": Place("cell 2", 2),
        "A": Place("cell 2", 4),
    }


def test_the_last_word_on_a_name_counts() -> None:
    assert taken("x = f()", "x = 1")[1] == {}
    assert taken("x = 1", "x = f()")[1] == {"x": Place("cell 2", 1)}
