"""What can be hovered, wherever it stands: what is marked, and the first line that is said of it."""

from __future__ import annotations

import pytest

from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.prose import plain
from tests.support.cells import IMPORT, cell, view
from tests.support.forms import CALL, MADE, R


def said(marked: str, head: str = "") -> tuple[str, str]:
    """(what hover stands over, all that it says) at the marker of a cell behind `head`."""
    at = cell(head + marked)
    found = hover(view(at.text, MADE), at.offset)
    assert found.value is not None, found.empty
    span = found.value.span
    return at.text[span.start : span.end], plain(found.value.blocks)


MODULE = "codeact_lsp.tools\n\nbindings module: 7 servers, 15 tools"
MCP = "mcp\n\nMCP servers as modules: 7 servers, 13 tools"
NOTION = 'mcp.notion\n\nMCP server "notion"'
DASHED = 'mcp.my_server\n\nMCP server "my-server"\n\nconfigured as "my-server"; a hyphen is'
SEARCH = "async def search(\n    *,\n    query: str"
MY_TOOL = (
    'async def my_tool(\n    *,\n    q: str = ...,\n) -> str:\n\nlisted as "my-tool"; a hyphen is'
)
NO_NAME = "`import` is a Python keyword: reach it with `getattr(mcp.redis, "


@pytest.mark.parametrize(
    ("marked", "over", "first"),
    [
        pytest.param("from codeact_lsp.to‸ols import mcp", "tools", MODULE, id="the bindings module"),
        pytest.param("from __dsh__.to‸ols import mcp", "tools", "__dsh__.tools\n\nbindings module", id="its other name"),
        pytest.param("import codeact_lsp.tools as ‸t", "t", MODULE, id="its alias"),
        pytest.param("from codeact_lsp import too‸ls", "tools", MODULE, id="imported from its package"),
        pytest.param("import codeact_lsp.tools\ncodeact_lsp.to‸ols", "tools", MODULE, id="as an attribute"),
        pytest.param(f"{IMPORT}m‸cp", "mcp", MCP, id="mcp"),
        pytest.param("from codeact_lsp.tools import m‸cp", "mcp", MCP, id="mcp, imported"),
        pytest.param("from codeact_lsp.tools import mcp as ‸m", "m", MCP, id="its alias, imported"),
        pytest.param("from codeact_lsp.tools.m‸cp import web", "mcp", MCP, id="mcp in a path"),
        pytest.param(f"{IMPORT}mcp.no‸tion", "notion", NOTION, id="a server"),
        pytest.param(f"{IMPORT}mcp.notion‸.search", "notion", NOTION, id="the end of a server"),
        pytest.param("from codeact_lsp.tools.mcp import no‸tion", "notion", NOTION, id="a server, imported"),
        pytest.param("import codeact_lsp.tools.mcp.no‸tion", "notion", NOTION, id="a server as a module"),
        pytest.param(f"{IMPORT}‸n = mcp.notion", "n", NOTION, id="an alias of a server"),
        pytest.param(f"{IMPORT}getattr(mcp, 'not‸ion')", "'notion'", NOTION, id="a server by its raw name"),
        pytest.param(f"{IMPORT}mcp.my-ser‸ver.ping()", "my-server", DASHED, id="a server read as a subtraction"),
        pytest.param("from codeact_lsp.tools.mcp import my-ser‸ver", "my-server", DASHED, id="a raw name, imported"),
        pytest.param("from codeact_lsp.tools.mcp.my‸-server import ping", "my-server", DASHED, id="a raw name in a path"),
        pytest.param("import codeact_lsp.tools.mcp.my-ser‸ver as s", "my-server", DASHED, id="a raw name as a module"),
        pytest.param(f"{IMPORT}?mcp.no‸tion", "notion", NOTION, id="a query of a server"),
        pytest.param(f"{IMPORT}mcp.notion.sea‸rch", "search", SEARCH, id="a tool"),
        pytest.param("from codeact_lsp.tools.mcp.notion import sea‸rch", "search", SEARCH, id="a tool, imported"),
        pytest.param("from codeact_lsp.tools.mcp.notion import ping, (sea‸rch", "search", SEARCH, id="an unfinished import"),
        pytest.param("from codeact_lsp.tools.mcp.notion import search as ‸s", "s", SEARCH, id="its alias"),
        pytest.param("from codeact_lsp.tools.mcp.notion import *\nsea‸rch", "search", SEARCH, id="a tool that a star brought"),
        pytest.param("from codeact_lsp.tools import native_‸note", "native_note", "async def native_note(", id="a tool without a server"),
        pytest.param(f"{IMPORT}f = mcp.notion.search\nf‸()", "f", SEARCH, id="an alias"),
        pytest.param(f"{IMPORT}def f(): return mcp.notion.sea‸rch", "search", SEARCH, id="in a function"),
        pytest.param(f"{IMPORT}class A:\n    x = mcp.notion.sea‸rch", "search", SEARCH, id="in a class"),
        pytest.param(f"{IMPORT}getattr(mcp.notion, 'sea‸rch')", "'search'", SEARCH, id="a tool by its raw name"),
        pytest.param(f"{IMPORT}mcp.redis.my-‸tool(q=1)", "my-tool", MY_TOOL, id="a tool read as a subtraction"),
        pytest.param("from codeact_lsp.tools.mcp.redis import my-‸tool", "my-tool", MY_TOOL, id="a tool's raw name, imported"),
        pytest.param(f"{IMPORT}mcp.notion.sea‸rch?", "search", SEARCH, id="a query"),
        pytest.param(f"{IMPORT}mcp.notion.sea‸rch??", "search", SEARCH, id="a long query"),
        pytest.param(f"{IMPORT}?mcp.notion.sea‸rch", "search", SEARCH, id="a query before"),
        pytest.param(f"{IMPORT}??mcp.notion.sea‸rch", "search", SEARCH, id="a long query before"),
        pytest.param("from codeact_lsp.tools import ToolCall‸Error", "ToolCallError", "class ToolCallError(Exception)", id="the error"),
    ],
)  # fmt: skip
def test_modules_servers_and_tools(marked: str, over: str, first: str) -> None:
    shown_over, text = said(marked)
    assert shown_over == over
    assert text.startswith(first)


@pytest.mark.parametrize(
    ("marked", "over"),
    [
        (f"{IMPORT}await mcp.redis.im‸port(file='a')", "import"),
        ("from codeact_lsp.tools.mcp.redis import imp‸ort", "import"),
        (f"{IMPORT}getattr(mcp.redis, 'imp‸ort')", "'import'"),
    ],
)
def test_a_tool_whose_raw_name_is_a_keyword_says_how_it_is_reached(marked: str, over: str) -> None:
    shown_over, text = said(marked)
    assert shown_over == over
    assert NO_NAME in text


MODE = 'mode: Literal["fast", "it\'s", 3, True] | None\n\n- required'
PAGE = '**{"page[size]": Literal[10, 20]}\n\n"page[size]" cannot be written as a Python name'
INNER = '"in-ner": FormsFormArgsDeepInNer\n\n- optional'
FLAG = (
    '"flag": bool\n\n- optional\n\na key inside an argument, never respelled, of `mcp.forms.form`'
)


@pytest.mark.parametrize(
    ("marked", "over", "first"),
    [
        pytest.param("form(mo‸de=1)", "mode", MODE, id="a keyword"),
        pytest.param("form(‸mode=1)", "mode", MODE, id="its start"),
        pytest.param("form(mode‸=1)", "mode", MODE, id="its end"),
        pytest.param("form(kind=1, mo‸de=", "mode", MODE, id="unfinished"),
        pytest.param("other(form(mo‸de=1))", "mode", MODE, id="nested"),
        pytest.param("form(mode=form(ki‸nd=1))", "kind", 'kind: Literal["only"] = ...', id="in a value"),
        pytest.param("from functools import partial\npartial(form, mo‸de=1)", "mode", MODE, id="in partial"),
        pytest.param("form(**{'mo‸de': 1})", "'mode'", MODE, id="a key that has a name"),
        pytest.param("form(**{'page‸[size]': 1})", "'page[size]'", PAGE, id="a key that has none"),
        pytest.param("form(deep={'in‸-ner': {}})", "'in-ner'", INNER, id="a key of an object"),
        pytest.param("form(deep={'in-ner': {'fl‸ag': 1}})", "'flag'", FLAG, id="a nested key"),
        pytest.param("form(deep={'list': [{}, {'fl‸ag': 1}]})", "'flag'", FLAG, id="a key in a list"),
        pytest.param("form(deep={'list': [{'fl‸ag'", "'flag'", FLAG, id="an unfinished one"),
        pytest.param("form(mode='fa‸st')", "'fast'", 'the value `"fast"`\n\nmode: ', id="a text of an enum"),
        pytest.param("form(mode=‸3)", "3", "the value `3`\n\nmode: ", id="a number of an enum"),
        pytest.param("form(mode=Tr‸ue)", "True", "the value `true`\n\nmode: ", id="a boolean of an enum"),
        pytest.param("form(mode=No‸ne)", "None", "the value `null`\n\nmode: ", id="null"),
        pytest.param("form(kind='on‸ly')", "'only'", 'the value `"only"`\n\nkind: ', id="a const"),
        pytest.param("form(tags=['b', '‸a'])", "'a'", 'the value `"a"`\n\ntags: list[', id="an item of a list"),
        pytest.param("form(pair=['p', 'q‸'])", "'q'", 'the value `"q"`\n\npair: list[', id="an item at a position"),
        pytest.param("form(deep={'list': [{'k-k': '‸u'}]})", "'u'", 'the value `"u"`\n\n"k-k": Literal["u", "v"]', id="a value of a nested key"),
        pytest.param("form(deep={'in-ner': {'flag': Fal‸se}})", "False", 'the value `false`\n\n"flag": bool', id="a boolean"),
        pytest.param("form(**{'page[size]': ‸10})", "10", "the value `10`\n\n**{", id="a value without a name"),
        pytest.param("form(shape={'is': 'ro‸und'})", "'round'", 'the value `"round"`\n\n"is": ', id="which of several shapes"),
    ],
)  # fmt: skip
def test_parameters_keys_and_values(marked: str, over: str, first: str) -> None:
    shown_over, text = said(marked, CALL)
    assert shown_over == over
    assert text.startswith(first)


ITEMS = '"items": list[NotionSearchOutputItems]\n\n- required'
PAGE_ID = '"page-id": str\n\n- required\n\na key of the result of `mcp.notion.search`'


@pytest.mark.parametrize(
    ("marked", "over", "first"),
    [
        pytest.param("r['it‸ems']", "'items'", ITEMS, id="a key"),
        pytest.param("r.get('it‸ems', [])", "'items'", ITEMS, id="get"),
        pytest.param("r['items'][0]['page-‸id']", "'page-id'", PAGE_ID, id="a key of an item"),
        pytest.param("[x['page-‸id'] for x in r['items']]", "'page-id'", PAGE_ID, id="in a comprehension"),
        pytest.param("f'{r[\"items\"][0][\"page-‸id\"]}'", '"page-id"', PAGE_ID, id="in an f-string"),
        pytest.param("‸r", "r", "NotionSearchOutput\n", id="the result"),
        pytest.param("for ‸x in r['items']: ...", "x", "NotionSearchOutputItems\n", id="a variable of a loop"),
        pytest.param("t = mcp.web.search(query=1)\n‸t", "t", "a call of `mcp.web.search` that is not awaited yet", id="a coroutine"),
    ],
)  # fmt: skip
def test_results(marked: str, over: str, first: str) -> None:
    shown_over, text = said(marked, R)
    assert shown_over == over
    assert text.startswith(first)


@pytest.mark.parametrize(
    "around",
    [
        "f'{|}'", "f'{w:>{|}}'", "f'{f\"{|}\"}'", "@|\ndef f(): ...", "lambda: |", "[| for x in y]",
        "[x for x in |]", "async def f():\n    await |", "if |:\n    pass", "other(x=|)", "%time |",
        "x = %time |", "(y := |)", "match x:\n    case 1 if |:\n        pass", "def f(a=|): ...",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("inside", "over"),
    [
        ("mcp.notion.sea‸rch", "search"),
        ("form(mo‸de=1)", "mode"),
        ("form(kind='on‸ly')", "'only'"),
        ("form(deep={'in-‸ner': 1})", "'in-ner'"),
        ("r['it‸ems']", "'items'"),
    ],
)
def test_wherever_an_expression_stands(around: str, inside: str, over: str) -> None:
    assert said(around.replace("|", inside), f"{R}form = mcp.forms.form\n")[0] == over
