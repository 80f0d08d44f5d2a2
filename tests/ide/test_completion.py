from __future__ import annotations

import pytest

from codeact_lsp.bindings.model import NO_BINDINGS
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.ide.completion.items import tool_index
from codeact_lsp.ide.model import Empty, ItemKind, ItemList, Settings
from tests.support.cells import (
    BINDINGS,
    IMPORT,
    SERVERS,
    STRING,
    bindings,
    tool,
)
from tests.support.offers import answer, chosen, labels, listed, named


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("from code‸", ["codeact_lsp"], id="the first part"),
        pytest.param("from codeact_lsp.‸", ["tools"], id="on the way"),
        pytest.param("import codeact_lsp.‸", ["tools"], id="import on the way"),
        pytest.param("from codeact_lsp.tools.‸", ["mcp"], id="the root"),
        pytest.param(
            "from codeact_lsp.tools.mcp.‸",
            ["my_server", "notion", "redis", "shell", "web"],
            id="servers as modules",
        ),
        pytest.param("import codeact_lsp.tools.mcp.no‸", ["notion"], id="import a server"),
        pytest.param("from codeact_lsp import ‸", ["tools"], id="after import, on the way"),
        pytest.param(
            "from codeact_lsp.tools import ‸",
            ["mcp", "native_note", "ToolCallError"],
            id="the root's names",
        ),
        pytest.param("from codeact_lsp.tools.mcp import no‸", ["notion"], id="a server"),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import ‸",
            ["API_patch_page", "ping", "search"],
            id="tools",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import API-pa‸", ["API_patch_page"], id="a raw name"
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import ping, ‸",
            ["API_patch_page", "search"],
            id="not those that are there",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.redis import ‸",
            ["my_tool", "open as redis_open", "type as redis_type"],
            id="an alias for what a bare name would hide",
        ),
    ],
)
def test_imports(marked: str, expected: list[str]) -> None:
    assert labels(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("mcp.‸", ["my_server", "notion", "redis", "shell", "web"], id="servers"),
        pytest.param("mcp.no‸", ["notion"], id="a server's start"),
        pytest.param("mcp.my-s‸", ["my_server"], id="a server's raw name"),
        pytest.param("mcp.notion.‸", ["API_patch_page", "ping", "search"], id="tools"),
        pytest.param("mcp.notion.API-pa‸", ["API_patch_page"], id="a raw name"),
        pytest.param("mcp.notion.API-patch-page‸()", ["API_patch_page"], id="a whole raw name"),
        pytest.param("mcp.notion.pa‸", ["API_patch_page"], id="a word inside"),
        pytest.param("n = mcp.notion\nn.se‸", ["search"], id="an alias"),
        pytest.param(
            "mcp.redis.‸", ["a.b", "import", "my_tool", "open", "type"], id="what has no name, too"
        ),
        pytest.param("x = [t for t in mcp.notion.se‸]", ["search"], id="a comprehension"),
        pytest.param("f = lambda: mcp.notion.se‸", ["search"], id="a lambda"),
        pytest.param("@mcp.notion.se‸\ndef f(): ...", ["search"], id="a decorator"),
        pytest.param("print(f'{mcp.notion.se‸}')", ["search"], id="an f-string"),
        pytest.param("print(f'{mcp.notion.se‸')", ["search"], id="an open f-string"),
    ],
)
def test_after_a_dot(marked: str, expected: list[str]) -> None:
    assert labels(IMPORT + marked) == expected


def test_a_name_replaces_the_whole_word() -> None:
    assert chosen(IMPORT + "mcp.notion.API-pa‸", "API_patch_page") == (
        IMPORT + "mcp.notion.API_patch_page"
    )
    assert chosen(IMPORT + "mcp.notion.se‸arch()", "search") == IMPORT + "mcp.notion.search()"


def test_a_tool_without_a_name_is_written_as_getattr() -> None:
    assert chosen(IMPORT + "x = await mcp.redis.a‸", "a.b") == (
        IMPORT + 'x = await getattr(mcp.redis, "a.b")'
    )


def test_a_private_name_is_written_as_getattr_inside_a_class() -> None:
    made = bindings({"s": [tool("__run")], "__srv": [tool("t")]})
    head = IMPORT + "class C:\n    async def m(self):\n        return await "
    assert chosen(head + "mcp.s.__r‸", "__run", made) == head + 'getattr(mcp.s, "__run")'
    assert chosen(head + "mcp.__s‸", "__srv", made) == head + 'getattr(mcp, "__srv")'
    assert chosen(IMPORT + "await mcp.s.__r‸", "__run", made) == IMPORT + "await mcp.s.__run"
    assert answer(head + "__r‸", made) is Empty.NOTHING_MATCHES
    assert labels(IMPORT + "await __r‸", made) == ["__run"]
    within = "class C:\n    from codeact_lsp.tools.mcp.s import __r‸"
    assert answer(within, made) is Empty.NOTHING_MATCHES


def test_a_renamed_tool_shows_its_raw_name() -> None:
    item = named(listed(IMPORT + "mcp.notion.‸"), "API_patch_page")
    assert item.description == "API-patch-page"
    assert item.filter_text == "API_patch_page API-patch-page"
    raw = named(listed(IMPORT + "mcp.notion.API-‸"), "API_patch_page")
    assert raw.filter_text == "API-patch-page API_patch_page"


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        pytest.param(
            "pin‸",
            "from codeact_lsp.tools.mcp.notion import ping\nping",
            id="at the head",
        ),
        pytest.param(
            '"""Doc."""\nimport os\n\npin‸',
            '"""Doc."""\nimport os\nfrom codeact_lsp.tools.mcp.notion import ping\n\nping',
            id="behind the imports",
        ),
        pytest.param(
            '"""Doc."""\nx = 1\npin‸',
            '"""Doc."""\nfrom codeact_lsp.tools.mcp.notion import ping\nx = 1\nping',
            id="behind the docstring",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import search\npin‸",
            "from codeact_lsp.tools.mcp.notion import search, ping\nping",
            id="in the import that is there",
        ),
        pytest.param(
            "x = 1\r\npin‸",
            "from codeact_lsp.tools.mcp.notion import ping\r\nx = 1\r\nping",
            id="the text's own line ending",
        ),
        pytest.param(
            "%%time\npin‸",
            "%%time\nfrom codeact_lsp.tools.mcp.notion import ping\nping",
            id="behind a cell magic",
        ),
    ],
)
def test_a_bare_name_brings_its_import(marked: str, after: str) -> None:
    made = bindings({"notion": SERVERS["notion"]})
    assert chosen(marked, "ping", made) == after


def test_a_bare_name_never_hides_a_builtin() -> None:
    assert chosen("typ‸", "redis_type") == (
        "from codeact_lsp.tools.mcp.redis import type as redis_type\nredis_type"
    )


@pytest.mark.parametrize(
    ("name", "label"),
    [("match", "s_match"), ("case", "s_case"), ("_", "s__"), ("open", "s_open"), ("find", "find")],
)
def test_names_that_would_hide_something_get_an_alias(name: str, label: str) -> None:
    made = bindings({"s": [tool(name)]})
    assert named(
        listed(f"from codeact_lsp.tools.mcp.s import {name}‸", made),
        label if label == name else f"{name} as {label}",
    )


def test_the_alias_of_a_tool_without_a_server() -> None:
    made = bindings({}, (tool("open"),))
    assert labels("from codeact_lsp.tools import op‸", made) == ["open as native_open"]


@pytest.mark.parametrize(
    "marked",
    [
        "print(pin‸)",
        "f(x=pin‸)",
        "x = [pin‸]",
        "await pin‸",
        "mcp.web.search(query=await pin‸)",
        "if pin‸:",
        "f'{pin‸}'",
    ],
)
def test_a_bare_name_may_stand_in_any_expression(marked: str) -> None:
    assert "ping" in labels(IMPORT + marked)


def test_bare_names_stand_below_what_the_file_defines() -> None:
    assert all(item.sort_text.startswith("~") for item in listed("pin‸").items)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param(
            "web.search(‸)",
            ["query=", "max_results=", "from_=", "order=", '**{"page[size]": …}'],
            id="required first, then the schema's order",
        ),
        pytest.param(
            'web.search(query="x", ‸)',
            ["max_results=", "from_=", "order=", '**{"page[size]": …}'],
            id="unfilled only",
        ),
        pytest.param(
            'web.search(query="x", max-results=1, ‸)',
            ["from_=", "order=", '**{"page[size]": …}'],
            id="a raw keyword fills, too",
        ),
        pytest.param(
            'web.search(**{"from": 1}, ‸)',
            ["query=", "max_results=", "order=", '**{"page[size]": …}'],
            id="a dict key fills, too",
        ),
        pytest.param("web.search(max-r‸)", ["max_results="], id="a raw name"),
        pytest.param("web.search(from‸)", ["from_="], id="a keyword"),
        pytest.param("web.search(fro‸=1)", ["from_="], id="before an equals sign"),
        pytest.param("web.search(page‸)", ['**{"page[size]": …}'], id="an unspelled one"),
        pytest.param("web.search(que‸", ["query="], id="unfinished"),
        pytest.param("f(web.search(que‸", ["query="], id="nested"),
        pytest.param('web.search(query="a"\n  ord‸\n)', ["order="], id="a missing comma"),
        pytest.param("print(f'{await web.search(que‸)}')", ["query="], id="in an f-string"),
        pytest.param(
            "from functools import partial\np = partial(web.search, query='a')\np(‸)",
            ["max_results=", "from_=", "order=", '**{"page[size]": …}'],
            id="partial fills, too",
        ),
        pytest.param(
            "from functools import partial\npartial(web.search, ord‸)", ["order="], id="in partial"
        ),
    ],
)
def test_keywords(marked: str, expected: list[str]) -> None:
    web = "from codeact_lsp.tools.mcp import web\n"
    found = listed(web + marked)
    assert [item.label for item in found.items if item.kind is ItemKind.PARAMETER] == expected


@pytest.mark.parametrize(
    "marked",
    ["web.search(obj.na‸)", "web.search(query=a + ‸)", "web.search(query=d[‸])"],
)
def test_no_keyword_in_the_middle_of_another_expression(marked: str) -> None:
    found = answer("from codeact_lsp.tools.mcp import web\n" + marked)
    items = found.items if isinstance(found, ItemList) else ()
    assert not any(item.kind is ItemKind.PARAMETER for item in items)


def test_a_keyword_adds_an_equals_sign_only_where_there_is_none() -> None:
    web = "from codeact_lsp.tools.mcp import web\n"
    assert chosen(web + 'web.search(qu‸ery="x")', "query=") == web + 'web.search(query="x")'
    assert chosen(web + "web.search(que‸ = 1)", "query=") == web + "web.search(query = 1)"
    assert chosen(web + "web.search(max-r‸)", "max_results=") == web + "web.search(max_results=)"


def test_keyword_details() -> None:
    found = listed("from codeact_lsp.tools.mcp import web\nweb.search(‸)")
    query = named(found, "query=")
    assert (query.detail, query.description) == (": str", "required")
    order = named(found, "order=")
    assert (order.detail, order.description) == (': Literal["asc", "desc"]', "optional")


def test_the_whole_call() -> None:
    made = bindings({"s": [tool("t", {"a": STRING, "b c": STRING, "d": STRING}, ("a", "b c"))]})
    found = listed(IMPORT + "mcp.s.t(‸)", made)
    whole = next(item for item in found.items if item.kind is ItemKind.CALL)
    assert whole.text == 'a=, **{"b c": }'
    assert whole.snippet == 'a=$1, **{"b c": $2\\}'


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("web.search(order=‸)", ['"asc"', '"desc"'], id="with quotes"),
        pytest.param('web.search(order="‸")', ["asc", "desc"], id="between quotes"),
        pytest.param("web.search(order='a‸')", ["asc"], id="between single quotes"),
        pytest.param('web.search(order="a‸', ['asc"'], id="an open string is closed"),
        pytest.param("web.search(max_results=‸)", ["10"], id="the default"),
        pytest.param("mcp.notion.API_patch_page(archived=‸)", ["True", "False"], id="booleans"),
        pytest.param(
            'mcp.notion.API_patch_page(parent={"type": ‸})', ['"page"', '"base"'], id="nested"
        ),
    ],
)
def test_values(marked: str, expected: list[str]) -> None:
    found = listed(IMPORT + "web = mcp.web\n" + marked)
    assert [item.text for item in found.items] == expected


def test_a_value_is_escaped_for_the_quotes_around_it() -> None:
    made = bindings({"s": [tool("t", {"q": {"enum": ["it's", 'a"b', "c\\d"]}})]})
    between = [item.text for item in listed(IMPORT + "mcp.s.t(q='‸')", made).items]
    assert between == ["it\\'s", 'a"b', "c\\\\d"]
    alone = [item.text for item in listed(IMPORT + "mcp.s.t(q=‸)", made).items]
    assert alone == ['"it\'s"', '"a\\"b"', '"c\\\\d"']
    raw = [item.text for item in listed(IMPORT + 'mcp.s.t(q=r"‸")', made).items]
    assert raw == ["it's"]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("parent={‸}", ['"database-id": ', '"type": ', '"note": '], id="keys"),
        pytest.param('parent={"‸"}', ["database-id", "type", "note"], id="between quotes"),
        pytest.param(
            'parent={"note": 1, "‸"}', ["database-id", "type", "note"], id="unfilled ones first"
        ),
        pytest.param('parent={"‸": 1}', ["database-id", "type", "note"], id="a colon is there"),
        pytest.param("children=[{‸}]", ['"database-id": ', '"type": ', '"note": '], id="in a list"),
        pytest.param('children=[{}, {"data‸"}]', ["database-id"], id="later in a list"),
    ],
)
def test_keys_of_an_object(marked: str, expected: list[str]) -> None:
    found = listed(f"{IMPORT}mcp.notion.API_patch_page({marked})")
    assert [item.text for item in found.items] == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param(
            "web.search(**{‸})",
            ['"page[size]": ', '"query": ', '"max-results": ', '"from": ', '"order": '],
            id="those without a name first",
        ),
        pytest.param(
            'web.search(**{"‸"})',
            ["page[size]", "query", "max-results", "from", "order"],
            id="between quotes",
        ),
        pytest.param(
            'web.search(query="a", **{"‸"})',
            ["page[size]", "max-results", "from", "order"],
            id="unfilled only",
        ),
    ],
)
def test_keys_of_a_call(marked: str, expected: list[str]) -> None:
    found = listed(IMPORT + "web = mcp.web\n" + marked)
    assert [item.text for item in found.items] == expected
    marks = [item.description for item in found.items]
    assert marks[0] == "optional"
    assert all(mark.startswith("has a name: ") for mark in marks[1:])


R = IMPORT + "r = await mcp.notion.search(query='a')\n"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param('r["‸"]', ["items", "next"], id="a subscript"),
        pytest.param("r[‸]", ['"items"', '"next"'], id="without quotes"),
        pytest.param('r["‸', ['items"', 'next"'], id="an open string"),
        pytest.param('r.get("‸")', ["items", "next"], id="get"),
        pytest.param('for x in r["items"]:\n    x["‸"]', ["page-id", "title"], id="an item"),
        pytest.param("print(f'{r[\"‸\"]}')", ["items", "next"], id="in an f-string"),
    ],
)
def test_keys_of_a_result(marked: str, expected: list[str]) -> None:
    assert [item.text for item in listed(R + marked).items] == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('getattr(mcp.redis, "‸")', ["a.b", "import", "my-tool", "open", "type"]),
        ('getattr(mcp.redis, "my‸', ['my-tool"']),
        ('getattr(mcp, "my‸")', ["my-server"]),
    ],
)
def test_raw_names_in_getattr(marked: str, expected: list[str]) -> None:
    assert [item.text for item in listed(IMPORT + marked).items] == expected


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("# mcp.no‸", Empty.IN_COMMENT),
        ("'mcp.no‸'", Empty.IN_STRING),
        ("f'mcp.no‸'", Empty.IN_STRING),
        ("f'{{mcp.no‸}}'", Empty.IN_STRING),
        ("!ls mcp.no‸", Empty.NOT_PYTHON),
        ("x.‸", Empty.NO_BINDING_HERE),
        ("mcp.nope.‸", Empty.UNKNOWN_SERVER),
        ("mcp.notion.nope.‸", Empty.UNKNOWN_TOOL),
        ("mcp.notion.nope(‸)", Empty.UNKNOWN_TOOL),
        ("other(‸)", Empty.NO_BINDING_HERE),
        ("from codeact_lsp.tools.mcp.nope import ‸", Empty.UNKNOWN_SERVER),
        ("from somewhere import ‸", Empty.NO_BINDING_HERE),
        ("mcp.notion.zzz‸", Empty.NOTHING_MATCHES),
        ("mcp.notion.ping(‸)", Empty.ALL_PARAMETERS_GIVEN),
        ("mcp.web.search(query=‸)", Empty.NO_KNOWN_VALUES),
        ("mcp.web.search(nope=‸)", Empty.NO_PARAMETER_HERE),
        ("r = await mcp.web.search(query='a')\nr['‸']", Empty.RESULT_UNTYPED),
    ],
)
def test_every_empty_answer_has_a_reason(marked: str, why: Empty) -> None:
    assert answer(IMPORT + marked) is why


def test_why_a_server_offers_nothing() -> None:
    hidden = bindings({"notion": []}, state=ServerState.NOT_APPROVED)
    assert answer(IMPORT + "mcp.notion.‸", hidden) is Empty.SERVER_NOT_APPROVED
    assert answer(IMPORT + "mcp.notion.‸", bindings({"notion": []})) is Empty.SERVER_HAS_NO_TOOLS
    assert answer(IMPORT + "mcp.‸", NO_BINDINGS) is Empty.CATALOGUE_EMPTY


MANY = bindings({"big": [tool(f"tool-{number}") for number in range(10_000)]})


def test_a_long_list_is_cut_and_says_so() -> None:
    found = listed(IMPORT + "mcp.big.‸", MANY)
    assert len(found.items) == Settings().limit
    assert found.incomplete


def test_a_short_rest_of_a_long_list_is_complete() -> None:
    found = listed(IMPORT + "mcp.big.tool_999‸", MANY)
    assert found.items[0].label == "tool_999"
    assert len(found.items) == 11
    assert not found.incomplete


def test_names_are_indexed_once_for_a_listing() -> None:
    server = MANY.servers[0]
    assert tool_index(server) is tool_index(server)


def test_sort_texts_keep_the_order() -> None:
    found = listed(IMPORT + "mcp.web.search(‸)")
    texts = [item.sort_text for item in found.items]
    assert texts == sorted(texts)
    assert len(set(texts)) == len(texts)
    # Before those of other servers: ty's start with a space and a digit, Pyright's with a digit.
    assert all(text < " 0" for text in texts)


def test_a_name_that_looks_like_another_is_shown_escaped() -> None:
    made = bindings({"s": [tool("read_file"), tool("re\u0430d_file")]})
    assert labels(IMPORT + "mcp.s.‸", made) == ["read_file", "re\\u0430d_file"]
    assert chosen(IMPORT + "mcp.s.‸", "re\\u0430d_file", made).endswith("mcp.s.re\u0430d_file")


def test_the_alias_of_an_earlier_cell() -> None:
    assert labels("r = w.sea‸\n", BINDINGS, "from codeact_lsp.tools.mcp import web as w\n") == [
        "search"
    ]


WEB = "from codeact_lsp.tools.mcp import web\n"


@pytest.mark.parametrize(
    "marked",
    [
        "%pip install x\n!ls -la {path}\nfiles = !ls\nweb.search?\n??web\nx = 10 %3\nweb.sea‸\n",
        "%%time\nweb.sea‸\n",
        "# %% first\nx = 1\n# %% second\nweb.sea‸\n",
        's = "😋😋"; web.sea‸\n',
        "a = 1\x0cb = 2\nweb.sea‸\n",
        "a = 1\r\nweb.sea‸\r\n",
        'x = "unclosed\nweb.sea‸\n',
        "def f(:\n    pass\nweb.sea‸\n",
    ],
)
def test_magics_odd_lines_and_broken_code_around(marked: str) -> None:
    assert labels(marked, BINDINGS, WEB) == ["search"]


def test_a_cell_in_another_language_is_not_python() -> None:
    assert answer("%%bash\nweb.search(‸\n", BINDINGS, WEB) is Empty.NOT_PYTHON


def test_names_beyond_ascii() -> None:
    made = bindings({"s": [tool("获取天气", {"城市": STRING}, ("城市",))]})
    assert labels(IMPORT + "mcp.s.获‸", made) == ["获取天气"]
    assert labels(IMPORT + "mcp.s.获取天气(城‸)", made) == ["城市="]


def test_names_that_may_look_like_others_are_shown_escaped_and_written_as_they_are() -> None:
    made = bindings({"s": [tool("read_file"), tool("re\u0430d_file"), tool("read\uff3ffile")]})
    assert labels(IMPORT + "mcp.s.‸", made) == [
        "read_file",
        "read\\uff3ffile",
        "re\\u0430d_file",
    ]
    assert chosen(IMPORT + "mcp.s.‸", "re\\u0430d_file", made) == IMPORT + "mcp.s.re\u0430d_file"
    assert chosen(IMPORT + "mcp.s.‸", "read\\uff3ffile", made) == (
        IMPORT + 'getattr(mcp.s, "read\uff3ffile")'
    )
