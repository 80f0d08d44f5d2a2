from __future__ import annotations

import pytest

from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.model import Empty
from codeact_lsp.ide.prose import plain
from tests.support.cells import IMPORT, bindings, cell, tool, view

R = "r = await mcp.notion.search(query='a')\n"


def said(marked: str) -> tuple[str, str]:
    """(what hover stands over, its first line) at the marker."""
    at = cell(IMPORT + marked)
    found = hover(view(at.text), at.offset)
    assert found.value is not None, found.empty
    span = found.value.span
    return at.text[span.start : span.end], plain(found.value.blocks).splitlines()[0]


TOOL = "async def search("


@pytest.mark.parametrize(
    ("marked", "over", "first"),
    [
        pytest.param("mcp.notion.sea‸rch", "search", TOOL, id="a tool"),
        pytest.param("mcp.notion.search‸(", "search", TOOL, id="the end of a tool"),
        pytest.param("mcp.not‸ion.search", "notion", "mcp.notion", id="a server"),
        pytest.param("mc‸p.notion.search", "mcp", "mcp", id="mcp"),
        pytest.param("f = mcp.notion.search\n‸f()", "f", TOOL, id="an alias"),
        pytest.param("‸f = mcp.notion.search", "f", TOOL, id="where the alias is bound"),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import sea‸rch", "search", TOOL, id="an import"
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import search as ‸s", "s", TOOL, id="its alias"
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.not‸ion import search",
            "notion",
            "mcp.notion",
            id="an imported server",
        ),
        pytest.param(
            "from codeact_lsp.to‸ols import mcp",
            "tools",
            "codeact_lsp.tools",
            id="the bindings module",
        ),
        pytest.param(
            "import codeact_lsp.tools.mcp.not‸ion as n", "notion", "mcp.notion", id="a module"
        ),
        pytest.param(
            'getattr(mcp.redis, "a.‸b")', '"a.b"', "async def tool() -> str:", id="a raw name"
        ),
        pytest.param(
            "mcp.redis.my-‸tool(q='a')", "my-tool", "async def my_tool(", id="a subtraction"
        ),
        pytest.param("mcp.notion.sea‸rch?", "search", TOOL, id="a query"),
        pytest.param("?mcp.notion.sea‸rch", "search", TOOL, id="a query before"),
        pytest.param("mcp.web.search(que‸ry='a')", "query", "query: str", id="a keyword"),
        pytest.param("mcp.web.search(fr‸om_='a')", "from_", "from_: str = ...", id="a renamed one"),
        pytest.param("mcp.web.search(fr‸om='a')", "from", "from_: str = ...", id="its raw key"),
        pytest.param(
            'mcp.web.search(**{"page[‸size]": 1})',
            '"page[size]"',
            '**{"page[size]": int}',
            id="an unspelled one",
        ),
        pytest.param(
            "mcp.web.search(order='a‸sc')", "'asc'", 'the value `"asc"`', id="an enum member"
        ),
        pytest.param(
            "mcp.notion.API_patch_page(parent={'database‸-id': 1})",
            "'database-id'",
            '"database-id": str',
            id="a nested key",
        ),
        pytest.param(
            "mcp.notion.API_patch_page(children=[{}, {'no‸te': 1}])",
            "'note'",
            '"note": str',
            id="a nested key in a list",
        ),
        pytest.param(R + "r['it‸ems']", "'items'", '"items":', id="a key of a result"),
        pytest.param(R + "r.get('ne‸xt')", "'next'", '"next": str | None', id="get"),
        pytest.param(
            R + "for x in r['items']:\n    x['page‸-id']",
            "'page-id'",
            '"page-id": str',
            id="a key of an item",
        ),
        pytest.param(R + "‸r", "r", "NotionSearchOutput", id="a result"),
        pytest.param(
            "from codeact_lsp.tools import ToolCall‸Error",
            "ToolCallError",
            "class ToolCallError(Exception)",
            id="the error",
        ),
    ],
)
def test_hover(marked: str, over: str, first: str) -> None:
    shown_over, shown_first = said(marked)
    assert shown_over == over
    assert shown_first.startswith(first)


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("# mcp.not‸ion", Empty.IN_COMMENT),
        ("'mcp.not‸ion'", Empty.IN_STRING),
        ("x‸ = 1", Empty.NO_BINDING_HERE),
        ("pri‸nt(1)", Empty.NO_BINDING_HERE),
        ("mcp.web.search(nope‸=1)", Empty.NO_BINDING_HERE),
        ("mcp.no‸pe", Empty.UNKNOWN_SERVER),
        ("mcp.notion.no‸pe", Empty.UNKNOWN_TOOL),
        ("mcp.web.search(query='pl‸ain')", Empty.IN_STRING),
        ("‸", Empty.NO_BINDING_HERE),
    ],
)
def test_nothing_to_say_has_a_reason(marked: str, why: Empty) -> None:
    at = cell(IMPORT + marked)
    assert hover(view(at.text), at.offset).empty is why


def test_a_name_of_an_earlier_cell() -> None:
    found = hover(view("f()", before=(IMPORT, "f = mcp.notion.search")), 0)
    assert found.value is not None
    assert plain(found.value.blocks).startswith(TOOL)


def test_both_tools_that_a_name_may_hold_are_shown() -> None:
    at = cell(IMPORT + "f = mcp.notion.search if x else mcp.web.search\n‸f")
    found = hover(view(at.text), at.offset)
    assert found.value is not None
    text = plain(found.value.blocks)
    assert text.count(TOOL) == 2
    assert 'server "web"' in text


@pytest.mark.parametrize("offset", range(0, 200, 7))
def test_hover_never_fails(offset: int) -> None:
    text = IMPORT + 'await mcp.web.search(query=[{"a": (**, f"{x[", **{"page'
    hover(view(text), min(offset, len(text)))


def test_a_tool_that_only_has_odd_parameters() -> None:
    made = bindings({"s": [tool("t", {"StartTime<": {"type": "string"}})]})
    at = cell(IMPORT + 'mcp.s.t(**{"Start‸Time<": "x"})')
    found = hover(view(at.text, made), at.offset)
    assert found.value is not None
    assert '"StartTime<" cannot be written as a Python name' in plain(found.value.blocks)
