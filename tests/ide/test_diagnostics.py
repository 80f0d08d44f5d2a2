from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from codeact_lsp.bindings.model import NO_BINDINGS, Bindings
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.diagnostics.rules import RULES
from codeact_lsp.ide.model import Diagnostic, Settings, Severity
from tests.support.cells import BINDINGS, IMPORT, SERVERS, STRING, applied, bindings, tool, view


def found(body: str, made: Bindings = BINDINGS, *before: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a cell behind the import of `mcp`."""
    return diagnose(view(IMPORT + body, made, before=before))


def marked(body: str, made: Bindings = BINDINGS, *before: str) -> list[str]:
    """Each diagnostic as `code: the text that it stands over`."""
    text = IMPORT + body
    return [
        f"{one.code}: {text[one.span.start : one.span.end]}" for one in found(body, made, *before)
    ]


def fixed(body: str, made: Bindings = BINDINGS, *before: str) -> str:
    """The cell after the first fix of its only diagnostic."""
    (one,) = found(body, made, *before)
    return applied(IMPORT + body, one.fixes[0].edits).removeprefix(IMPORT)


def severities(body: str, made: Bindings = BINDINGS) -> list[Severity]:
    return [one.severity for one in found(body, made)]


@pytest.mark.parametrize(
    ("body", "over", "after"),
    [
        pytest.param(
            'await mcp.web.search(query="a", **{"max-results": 1})',
            'raw-key: "max-results"',
            'await mcp.web.search(query="a", max_results=1)',
            id="the only key",
        ),
        pytest.param(
            'await mcp.web.search(query="a", **{"max-results": 1, "page[size]": 2})',
            'raw-key: "max-results"',
            'await mcp.web.search(query="a", max_results=1, **{"page[size]": 2})',
            id="one of two",
        ),
        pytest.param(
            'await mcp.web.search(query="a", **{"page[size]": 2, "from": "b"})',
            'raw-key: "from"',
            'await mcp.web.search(query="a", from_="b", **{"page[size]": 2})',
            id="the last of two",
        ),
        pytest.param(
            'await mcp.web.search(query="a", max-results=1)',
            "raw-keyword: max-results",
            'await mcp.web.search(query="a", max_results=1)',
            id="a hyphen",
        ),
        pytest.param(
            'await mcp.web.search(query="a", from="b")',
            "raw-keyword: from",
            'await mcp.web.search(query="a", from_="b")',
            id="a keyword",
        ),
        pytest.param(
            'x = await mcp.redis.my-tool(q="x")',
            "raw-tool-name: mcp.redis.my-tool",
            'x = await mcp.redis.my_tool(q="x")',
            id="a tool's hyphen",
        ),
        pytest.param(
            "await mcp.redis.import(file='x')",
            "raw-tool-name: mcp.redis.import",
            "await getattr(mcp.redis, \"import\")(file='x')",
            id="a tool that is a keyword",
        ),
        pytest.param(
            "await mcp.redis.a.b()",
            "raw-tool-name: mcp.redis.a.b",
            'await getattr(mcp.redis, "a.b")()',
            id="a tool's dot",
        ),
        pytest.param(
            'await getattr(mcp.redis, "my-tool")(q="x")',
            'needless-getattr: getattr(mcp.redis, "my-tool")',
            'await mcp.redis.my_tool(q="x")',
            id="getattr",
        ),
        pytest.param(
            'await mcp.web.search(query="a", from_="b", **{"from": "c"})',
            'name-conflict: "from"',
            'await mcp.web.search(query="a", from_="b")',
            id="name and key",
        ),
        pytest.param(
            "await mcp.wbe.search(query='a')",
            "unknown-server: wbe",
            "await mcp.web.search(query='a')",
            id="a server",
        ),
        pytest.param(
            "await mcp.notion.API_path_page(page_id='a')",
            "unknown-tool: API_path_page",
            "await mcp.notion.API_patch_page(page_id='a')",
            id="a tool",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import serch",
            "unknown-tool: serch",
            "from codeact_lsp.tools.mcp.notion import search",
            id="an imported tool",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notoin import search",
            "unknown-server: notoin",
            "from codeact_lsp.tools.mcp.notion import search",
            id="an imported server",
        ),
        pytest.param(
            "import codeact_lsp.tools.mcp.notoin as n",
            "unknown-server: notoin",
            "import codeact_lsp.tools.mcp.notion as n",
            id="a server as a module",
        ),
        pytest.param(
            "from functools import partial\npartial(mcp.notion.API_patch_page, archivd=True)",
            "unknown-parameter: archivd",
            "from functools import partial\npartial(mcp.notion.API_patch_page, archived=True)",
            id="a parameter of partial",
        ),
        pytest.param(
            'await getattr(mcp.redis, "a.c")()',
            'unknown-tool: "a.c"',
            'await getattr(mcp.redis, "a.b")()',
            id="a raw name",
        ),
        pytest.param(
            "await mcp.notion.API_patch_page(page_id='a', archivd=True)",
            "unknown-parameter: archivd",
            "await mcp.notion.API_patch_page(page_id='a', archived=True)",
            id="a parameter",
        ),
        pytest.param(
            "await mcp.web.search()",
            "missing-argument: mcp.web.search",
            "await mcp.web.search(query=...)",
            id="no argument",
        ),
        pytest.param(
            "await mcp.web.search(order='asc')",
            "missing-argument: mcp.web.search",
            "await mcp.web.search(order='asc', query=...)",
            id="another argument",
        ),
        pytest.param(
            "await mcp.shell.run('ls')",
            "positional-argument: 'ls'",
            "await mcp.shell.run(command='ls')",
            id="a position",
        ),
        pytest.param(
            "mcp.notion.ping()",
            "not-awaited: mcp.notion.ping()",
            "await mcp.notion.ping()",
            id="dropped",
        ),
        pytest.param(
            "x = mcp.notion.search(query='a')['next']",
            "not-awaited: mcp.notion.search(query='a')",
            "x = (await mcp.notion.search(query='a'))['next']",
            id="used",
        ),
        pytest.param(
            "r = mcp.notion.search(query='a')\nprint(r)",
            "not-awaited: r",
            "r = await mcp.notion.search(query='a')\nprint(r)",
            id="used through a name",
        ),
        pytest.param(
            "await mcp.web.search(query='a', order='ascc')",
            "argument-type: 'ascc'",
            "await mcp.web.search(query='a', order=\"asc\")",
            id="a member",
        ),
        pytest.param(
            "await mcp.notion.API_patch_page(page_id='a', parent={'database-id': 'b', 'nota': 'c'})",
            "argument-type: 'nota'",
            "await mcp.notion.API_patch_page(page_id='a', parent={'database-id': 'b', \"note\": 'c'})",
            id="a nested key",
        ),
        pytest.param(
            "await mcp.notion.API_patch_page(page_id='a', parent={'note': 'c'})",
            "argument-type: {'note': 'c'}",
            "await mcp.notion.API_patch_page(page_id='a', "
            "parent={'note': 'c', \"database-id\": ...})",
            id="a missing nested key",
        ),
        pytest.param(
            "await mcp.notion.API_patch_page(page_id='a', parent={'database_id': 'c'})",
            "renamed-nested-key: 'database_id'",
            "await mcp.notion.API_patch_page(page_id='a', parent={\"database-id\": 'c'})",
            id="a respelled nested key",
        ),
        pytest.param(
            "await mcp.notion.API_patch_page(page_id='a', children=[{'database_id': 'c'}])",
            "renamed-nested-key: 'database_id'",
            "await mcp.notion.API_patch_page(page_id='a', children=[{\"database-id\": 'c'}])",
            id="a respelled key in a list",
        ),
        pytest.param(
            "r = await mcp.shell.run(command='ls')\nr.exit_code",
            "result-attribute: exit_code",
            "r = await mcp.shell.run(command='ls')\nr[\"exit-code\"]",
            id="a result's key",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.redis import type\nawait type(key='a')",
            "soft-keyword-shadowing: type",
            "from codeact_lsp.tools.mcp.redis import type as redis_type\nawait redis_type(key='a')",
            id="a soft keyword imported",
        ),
        pytest.param(
            "type = mcp.redis.type\nawait type(key='a')",
            "soft-keyword-shadowing: type",
            "redis_type = mcp.redis.type\nawait redis_type(key='a')",
            id="a soft keyword assigned",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import search as match\nawait match(query='a')",
            "soft-keyword-shadowing: match",
            "from codeact_lsp.tools.mcp.notion import search as notion_search\n"
            "await notion_search(query='a')",
            id="a soft keyword as an alias",
        ),
        pytest.param(
            "for _ in [mcp.notion.ping]:\n    await _()",
            "soft-keyword-shadowing: _",
            "for notion_ping in [mcp.notion.ping]:\n    await notion_ping()",
            id="a soft keyword in a loop",
        ),
        pytest.param(
            "if (case := mcp.notion.ping):\n    await case()",
            "soft-keyword-shadowing: case",
            "if (notion_ping := mcp.notion.ping):\n    await notion_ping()",
            id="a soft keyword in a walrus",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.redis import open\nawait open(path='a')",
            "builtin-shadowing: open",
            "from codeact_lsp.tools.mcp.redis import open as redis_open\nawait redis_open(path='a')",
            id="a builtin",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.notion import search\n"
            "search = await search(query='a')\nsearch['next']",
            "binding-overwritten: search",
            "from codeact_lsp.tools.mcp.notion import search\n"
            "search_result = await search(query='a')\nsearch_result['next']",
            id="overwritten",
        ),
    ],
)
def test_a_diagnostic_and_its_fix(body: str, over: str, after: str) -> None:
    assert marked(body) == [over]
    assert fixed(body) == after


@pytest.mark.parametrize(
    ("body", "over"),
    [
        pytest.param(
            'args = {"max-results": 1}\nawait mcp.web.search(query="a", **args)',
            ["raw-key: args"],
            id="through a variable",
        ),
        pytest.param(
            'await mcp.web.search(**dict(rows, **{"max-results": 1}))',
            ['raw-key: dict(rows, **{"max-results": 1})'],
            id="beside unknown content",
        ),
        pytest.param(
            'await mcp.web.search(query="a", **dict({"max-results": 1}))',
            ['raw-key: dict({"max-results": 1})'],
            id="through dict()",
        ),
        pytest.param(
            'args = {"from": 1}\nawait mcp.web.search(query="a", from_="b", **args)',
            ["name-conflict: args"],
            id="a conflict through a variable",
        ),
        pytest.param(
            'kw = {"from": 1}\nkw["order"] = "asc"\nawait mcp.web.search(query="a", **kw)',
            ["raw-key: kw"],
            id="a variable to which more is added",
        ),
        pytest.param(
            'kw = {"order": "asc"}\nfor x in kw.items():\n    await mcp.web.search(**kw)',
            ["missing-argument: mcp.web.search"],
            id="a variable that is only read",
        ),
        pytest.param(
            'await mcp.web.search(query="a", **{"query": "b"})',
            ['name-conflict: "query"'],
            id="the same key twice",
        ),
        pytest.param(
            'await mcp.web.search(query="a", page[size]=1)',
            ["raw-keyword: page[size]"],
            id="brackets in a keyword",
        ),
    ],
)  # fmt: skip
def test_more_ways_to_give_a_key(body: str, over: list[str]) -> None:
    assert marked(body) == over


def test_a_key_of_a_dict_variable_is_respelled_where_it_stands() -> None:
    body = 'args = {"max-results": 1}\nawait mcp.web.search(query="a", **args)'
    assert fixed(body) == 'args = {"max_results": 1}\nawait mcp.web.search(query="a", **args)'
    (one,) = found(body + "\nargs.items()")
    assert one.fixes == ()
    several = 'args = {**more, "order": "asc", "max-results": 1}\nawait mcp.web.search(**args)'
    assert fixed(several) == several.replace("max-results", "max_results")


@pytest.mark.parametrize(
    ("keyword", "said"),
    [
        ("from", "`from` is a Python keyword: this parameter is spelled `from_` here"),
        (
            "max-results",
            "`max-results=` is not Python: this parameter is spelled `max_results` here",
        ),
        (
            "page[size]",
            '`page[size]=` is not Python: pass this parameter as a dict key, `**{"page[size]": ...}`',
        ),
        ("class", "`class` is a Python keyword, and no parameter has this name"),
    ],
)
def test_what_is_said_of_a_raw_keyword(keyword: str, said: str) -> None:
    (one,) = found(f"await mcp.web.search(query='a', {keyword}=x)")
    assert (one.code, one.message) == ("raw-keyword", said)


@pytest.mark.parametrize("keyword", ["from", "file-path"])
def test_a_raw_keyword_that_names_nothing_is_said_once(keyword: str) -> None:
    closed = tool("search", {"query": STRING}, additionalProperties=False)
    body = f"await mcp.web.search({keyword}='a')"
    assert marked(body, bindings({"web": [closed]})) == [f"raw-keyword: {keyword}"]


def test_what_a_star_import_brought_can_be_overwritten() -> None:
    body = "from codeact_lsp.tools.mcp.web import *\nsearch = await search(query='a')"
    assert marked(body) == ["binding-overwritten: search"]


@pytest.mark.parametrize(
    ("call", "after"),
    [
        ('(**{"from": 1}, from_=2, query="a")', '(from_=2, query="a")'),
        ('(query="a", **{"from": 1}, from_=2)', '(query="a", from_=2)'),
        ('(query="a", from_=2, **{"from": 1})', '(query="a", from_=2)'),
        ('(query="a", from_=2, **{"from": 1},)', '(query="a", from_=2, )'),
        (
            '(query="a", from_=2, **{"from": 1, "page[size]": 3})',
            '(query="a", from_=2, **{"page[size]": 3})',
        ),
        (
            '(query="a", from_=2, **{"page[size]": 3, "from": 1})',
            '(query="a", from_=2, **{"page[size]": 3})',
        ),
        (
            '(\n    query="a",\n    from_=2,\n    **{"from": 1}\n)',
            '(\n    query="a",\n    from_=2\n)',
        ),
    ],
)
def test_what_is_taken_out_takes_its_comma_along(call: str, after: str) -> None:
    (one,) = found(f"await mcp.web.search{call}")
    assert one.code == "name-conflict"
    assert fixed(f"await mcp.web.search{call}") == f"await mcp.web.search{after}"


@pytest.mark.parametrize(
    ("call", "said", "after"),
    [
        pytest.param(
            "(query='a', from=1, from_=2)",
            '`from_` and the raw key "from" are the same parameter: give one',
            "(query='a', from_=2)",
            id="the name stays, not the raw keyword before it",
        ),
        pytest.param(
            "(query='a', **{'from_': 1}, from_=2)",
            '"from" is given twice',
            "(query='a', from_=2)",
            id="the keyword stays, not the key of that name",
        ),
        pytest.param(
            "(query='a', **{'from': 1}, **{'from': 2})",
            '"from" is given twice',
            "(query='a', **{'from': 1})",
            id="two keys",
        ),
        pytest.param(
            "(query='a', **{'query': 'b'})",
            '"query" is given twice',
            "(query='a')",
            id="a parameter that was not renamed",
        ),
    ],
)
def test_which_of_two_stays(call: str, said: str, after: str) -> None:
    (one,) = [one for one in found(f"await mcp.web.search{call}") if one.code == "name-conflict"]
    assert one.message == said
    text = IMPORT + f"await mcp.web.search{call}"
    assert applied(text, one.fixes[0].edits) == IMPORT + f"await mcp.web.search{after}"


def test_one_keyword_twice_is_left_to_python() -> None:
    assert marked("await mcp.web.search(query='a', query='b')") == []


def test_the_title_of_a_fix_is_one_short_line() -> None:
    holder = "(\n    mcp\n    .redis\n)" + " " * 80
    (one,) = found(f"await getattr({holder}, 'my-tool')()")
    assert "\n" not in one.fixes[0].title
    value = '"""' + "a\n" * 100 + '"""'
    made = bindings({"s": [tool("t", {"a b": STRING})]})
    (one,) = found(f"await mcp.s.t(a_b={value})", made)
    assert len(one.fixes[0].title) < 80
    assert "\n" not in one.fixes[0].title


@pytest.mark.parametrize(
    ("body", "after"),
    [
        pytest.param(
            "from codeact_lsp.tools.mcp import match",
            "from codeact_lsp.tools.mcp import match as mcp_match",
            id="a server",
        ),
        pytest.param(
            "type = getattr(mcp.match, 'import')",
            "match_tool = getattr(mcp.match, 'import')",
            id="a tool without a name",
        ),
        pytest.param(
            "from codeact_lsp import tools\ntype = getattr(tools, 'type')",
            "from codeact_lsp import tools\nnative_tool = getattr(tools, 'type')",
            id="a native tool",
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.match import find, find as case",
            "from codeact_lsp.tools.mcp.match import find, find as match_find",
            id="an alias beside a plain name",
        ),
    ],
)
def test_the_name_that_hides_nothing(body: str, after: str) -> None:
    made = bindings({"match": [tool("import"), tool("find")]}, (tool("type"),))
    assert fixed(body, made) == after


def test_no_renaming_where_a_use_may_mean_something_else() -> None:
    body = (
        "if x:\n    from codeact_lsp.tools.mcp.redis import type\nelse:\n    type = other\n"
        "await type(key='a')"
    )
    (one,) = found(body)
    assert (one.code, one.fixes) == ("soft-keyword-shadowing", ())


def test_a_keyword_in_letters_that_python_normalises_is_a_hint() -> None:
    (one,) = found('await mcp.web.search(query="a", 𝓯𝓻𝓸𝓶="b")')
    assert (one.code, one.severity) == ("raw-key", Severity.HINT)
    assert one.fixes[0].edits[0].text == "from_"


def test_a_required_dict_key_is_named_as_it_is_passed() -> None:
    made = bindings({"s": [tool("t", {"Share Name": STRING}, ("Share Name",))]})
    (one,) = found("await mcp.s.t()", made)
    assert '**{"Share Name": ...}' in one.message
    assert fixed("await mcp.s.t()", made) == 'await mcp.s.t(**{"Share Name": ...})'
    assert found('await mcp.s.t(**{"Share Name": "x"})', made) == ()


def test_what_is_given_by_one_name_does_not_stand_for_another() -> None:
    made = bindings({"s": [tool("t", {"$filter": STRING, "filter": STRING}, ("$filter",))]})
    assert marked("await mcp.s.t(filter='x')", made) == ["missing-argument: mcp.s.t"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("await mcp.web.search(query='a')", id="a plain call"),
        pytest.param("await mcp.web.search(**kwargs)", id="unknown content may give it"),
        pytest.param("await mcp.web.search(**{key: 1})", id="a computed key may give it"),
        pytest.param("await mcp.web.search(**{**more})", id="nested unknown content"),
        pytest.param("await mcp.web.search(*args)", id="a star may be empty"),
        pytest.param("mcp.web.search(", id="unfinished"),
        pytest.param("await mcp.web.search(query='a', **{'page[size]': 1})", id="a dict key"),
        pytest.param("await mcp.web.search(query=f'{x}', max_results=n)", id="values unknown"),
        pytest.param("t = mcp.web.search(query='a')\nawait t", id="awaited later"),
        pytest.param("import asyncio\nawait asyncio.gather(mcp.web.search(query='a'))", id="gathered"),
        pytest.param("import asyncio\nt = asyncio.create_task(mcp.web.search(query='a'))\nt.done()", id="a task"),
        pytest.param("async def f():\n    return mcp.web.search(query='a')", id="returned"),
        pytest.param("from functools import partial\np = partial(mcp.web.search, query='a')\nawait p()", id="partial"),
        pytest.param("from functools import partial\nq = partial(mcp.web.search)", id="bound later"),
        pytest.param("import asyncio\nasyncio.gather(mcp.notion.ping())", id="gather runs anyway"),
        pytest.param("kw = {}\nif x:\n    kw['query'] = 'a'\nawait mcp.web.search(**kw)", id="a key that is added"),
        pytest.param("kw = {}\nkw.update(query='a')\nawait mcp.web.search(**kw)", id="update"),
        pytest.param("kw = dict(order='asc')\nfill(kw)\nawait mcp.web.search(**kw)", id="a dict that is passed on"),
        pytest.param("kw = {}\nother = kw\nother['query'] = 1\nawait mcp.web.search(**kw)", id="another name of it"),
        pytest.param("kw = {'from': 1}\ndel kw['from']\nawait mcp.web.search(query='a', **kw)", id="a key that is deleted"),
        pytest.param("kw = {'from': 1}\nkw.pop('from')\nawait mcp.web.search(query='a', **kw)", id="a key that is popped"),
        pytest.param("kw = {}\nkw |= {'query': 1}\nawait mcp.web.search(**kw)", id="augmented"),
        pytest.param("print(mcp.web.__doc__, mcp.__name__)", id="dunders"),
        pytest.param("c = mcp.notion.ping()\nif c is None:\n    pass\nawait c", id="identity of a coroutine"),
        pytest.param(
            "import asyncio\nrs = await asyncio.gather(mcp.shell.run(command='a'), return_exceptions=True)\nrs[0].args",
            id="exceptions among the results",
        ),
        pytest.param("f = mcp.web.search\nawait f(query='a')", id="an alias"),
        pytest.param("try:\n    from codeact_lsp.tools.mcp.web import search\nexcept ImportError:\n    search = None", id="a fallback"),
        pytest.param("getattr(mcp.redis, 'a.b')", id="the only route"),
        pytest.param("getattr(mcp.redis, 'zzz', None)", id="a default"),
        pytest.param("type(x)", id="the builtin itself"),
        pytest.param("from codeact_lsp.tools.mcp.redis import *\ntype(x)", id="a star brings no soft keyword"),
        pytest.param("await mcp.redis.type(key='k')", id="an attribute hides nothing"),
        pytest.param("for _ in range(3):\n    pass", id="no tool in it"),
        pytest.param("r = await mcp.shell.run(command='ls')\nr.get('exit-code')\nr.items()", id="dict methods"),
        pytest.param("r = await mcp.web.search(query='a')\nr.upper()", id="a text result"),
        pytest.param("mcp.web.search.__doc__", id="an attribute of a binding"),
        pytest.param("def mcp_like(mcp):\n    mcp.anything.goes(1, b=2)", id="a parameter hides it"),
        pytest.param("mcp = other()\nmcp.anything.goes(1)", id="rebound"),
    ],
)  # fmt: skip
def test_what_is_fine(body: str) -> None:
    assert marked(body) == []


def test_a_function_of_the_name_of_a_tool_is_not_renamed() -> None:
    body = "from codeact_lsp.tools.mcp.web import search\ndef search(): ..."
    assert marked(body) == ["binding-overwritten: search"]
    assert found(body)[0].fixes == ()


def test_partial_of_nothing_is_left_alone() -> None:
    assert found("from functools import partial\npartial()") == ()


def test_across_cells() -> None:
    over = marked(
        "search = await search(query='a')", BINDINGS, "from codeact_lsp.tools.mcp.web import search"
    )
    assert over == ["binding-overwritten: search"]


def test_a_stale_or_partial_listing_gives_hints() -> None:
    for made in (
        bindings(SERVERS, stale=True),
        bindings(SERVERS, state=ServerState.LISTING),
        bindings({"web": []}, state=ServerState.NOT_APPROVED),
    ):
        assert severities("mcp.web.nope", made) == [Severity.HINT]
    assert severities("mcp.web.nope") == [Severity.ERROR]
    stale = bindings(SERVERS, stale=True)
    body = "await mcp.notion.API_patch_page(page_id='a', zzz=1)"
    assert severities(body, stale) == [Severity.HINT]
    assert severities(body) == [Severity.ERROR]


def test_an_undeclared_key_of_an_open_schema_is_a_warning() -> None:
    assert severities("await mcp.web.search(query='a', zzz=1)") == [Severity.WARNING]


def test_a_declared_open_schema_takes_any_key() -> None:
    made = bindings({"s": [tool("t", {}, additionalProperties=True)]})
    assert found("await mcp.s.t(anything=1)", made) == ()


def test_before_anything_was_read_nothing_is_said() -> None:
    assert found("mcp.nope.nope(1)", NO_BINDINGS) == ()


def test_rules_change_a_severity() -> None:
    settings = Settings(rules=MappingProxyType({"unknown-tool": Severity.INFORMATION}))
    (one,) = diagnose(view(IMPORT + "mcp.web.nope", settings=settings))
    assert one.severity is Severity.INFORMATION
    settings = Settings(rules=MappingProxyType({"unknown-tool": Severity.OFF}))
    assert diagnose(view(IMPORT + "mcp.web.nope", settings=settings)) == ()


@pytest.mark.parametrize(
    ("comment", "silenced"),
    [
        ("# codeact: ignore[unknown-tool]", True),
        ("# codeact: ignore", True),
        ("# why  # codeact: ignore[raw-key, unknown-tool]", True),
        ("# codeact: ignore[raw-key]", False),
        ("", False),
        ("; '# codeact: ignore'", False),
    ],
)
def test_a_comment_silences(comment: str, silenced: bool) -> None:  # noqa: FBT001 - a table's column
    assert (found(f"mcp.web.nope {comment}") == ()) is silenced


def test_a_comment_silences_its_own_lines_only() -> None:
    assert len(found("mcp.web.nope\n# codeact: ignore\nmcp.web.nope")) == 2


def test_every_code_has_a_page() -> None:
    from pathlib import Path

    pages = Path(__file__).parents[2] / "docs" / "diagnostics"
    assert all((pages / f"{code}.md").is_file() for code in RULES)
    index = (pages / "README.md").read_text("utf-8")
    assert all(f"]({code}.md)" in index for code in RULES)


def either(**schema: Any) -> Bindings:
    variants = [
        {"type": "object", "properties": {"id": STRING}, "required": ["id"], **schema},
        {
            "type": "object",
            "properties": {"slug": STRING, "my-lang": STRING},
            "required": ["slug", "my-lang"],
            **schema,
        },
    ]
    return bindings({"s": [tool("node", anyOf=variants)]})


@pytest.mark.parametrize(
    "call", ["mcp.s.node()", "mcp.s.node(my_lang='b')", "mcp.s.node(slug='b')"]
)
def test_arguments_that_fit_no_variant(call: str) -> None:
    (one,) = found(f"await {call}", either())
    assert one.code == "missing-argument"
    assert one.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("call", "over"),
    [
        ("node(id=3)", "argument-type: 3"),
        ("node(slug='a', my_lang=3)", "argument-type: 3"),
        ("node(slug=3, **more)", "argument-type: 3"),
        ("node(id=3, **{'slug': 4, **more})", "argument-type: 3"),
    ],
)
def test_an_argument_that_no_variant_accepts(call: str, over: str) -> None:
    assert over in marked(f"await mcp.s.{call}", either(additionalProperties=False))


@pytest.mark.parametrize(
    "call",
    [
        "node(id=3, **more)",
        "node(id=3, slug='a', my_lang='b')",
        "node(id=x)",
        "node(slug=3, id='a')",
    ],
)
def test_an_argument_that_some_variant_may_accept(call: str) -> None:
    assert marked(f"await mcp.s.{call}", either()) == []


def test_a_wrong_type_where_the_other_variant_lacks_something() -> None:
    (one,) = found("await mcp.s.node(id=3)", either())
    assert (one.code, one.message) == ("argument-type", '"id": expected str')


def test_arguments_of_two_closed_variants() -> None:
    (one,) = found(
        "await mcp.s.node(id='a', slug='b', my_lang='c')", either(additionalProperties=False)
    )
    assert one.message == ('"id": not taken together with the rest (fits none of the alternatives)')
    body = IMPORT + "await mcp.s.node(id='a', slug='b', my_lang='c')"
    assert body[one.span.start : one.span.end] == "id"


def tagged() -> Bindings:
    variants = [
        {
            "type": "object",
            "properties": {"kind": {"const": kind}, "size": {"type": type_}},
            "required": ["kind", *required],
            "additionalProperties": False,
        }
        for kind, type_, required in (("a", "integer", ["size"]), ("b", "string", []))
    ]
    return bindings({"s": [tool("put", oneOf=variants)]})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("put(kind='a', size=1)", []),
        ("put(kind='b')", []),
        ("put(kind=x, size='1')", []),
        ("put(kind='b', size=1)", ["argument-type: 1"]),
        ("put(kind='c', size=1)", ["argument-type: 'c'"]),
        ("put(kind='a', size=None)", ["argument-type: None"]),
        ("put(kind='a')", ["missing-argument: mcp.s.put"]),
        ("put()", ["missing-argument: mcp.s.put"]),
        ("put(kind='a', size=1, more=2)", ["unknown-parameter: more"]),
    ],
)
def test_variants_told_apart_by_a_tag(call: str, expected: list[str]) -> None:
    assert marked(f"await mcp.s.{call}", tagged()) == expected


def test_how_many_arguments_are_taken() -> None:
    made = bindings({"s": [tool("t", {"a": {}, "b": {}}, minProperties=1, maxProperties=1)]})
    assert marked("await mcp.s.t(a=1)", made) == []
    assert marked("await mcp.s.t(**more)", made) == []
    (one,) = found("await mcp.s.t()", made)
    assert (one.code, one.message) == ("argument-type", "`mcp.s.t` must have at least 1 argument")
    (one,) = found("await mcp.s.t(a=1, b=2)", made)
    assert one.message == "`mcp.s.t` must have at most 1 argument"


@pytest.mark.parametrize(
    ("schema", "call", "expected"),
    [
        ({"additionalProperties": {"type": "integer"}}, "(x=1)", []),
        ({"additionalProperties": {"type": "integer"}}, "(x='a')", ["argument-type: 'a'"]),
        (
            {"additionalProperties": {"type": "integer"}},
            "(**{'a b': 'a', 'c d': 1})",
            ["argument-type: 'a'"],
        ),
        ({"additionalProperties": {"type": "integer"}}, "(x='a', **more)", ["argument-type: 'a'"]),
        (
            {"patternProperties": {"^x_": {"type": "integer"}}, "additionalProperties": False},
            "(x_a='a', x_b=1, y=2)",
            ["argument-type: 'a'", "unknown-parameter: y"],
        ),
        ({"patternProperties": {"^x_": {"type": "integer"}}}, "(x_a='a')", ["argument-type: 'a'"]),
        (
            {
                "patternProperties": {"^x_": {"type": "integer"}},
                "additionalProperties": {"type": "string"},
            },
            "(x_a=1, y='b', z=3)",
            ["argument-type: 3"],
        ),
        (
            {"unevaluatedProperties": {"type": "integer"}},
            "(x='a', y=1)",
            ["argument-type: 'a'"],
        ),
        ({"unevaluatedProperties": False}, "(x='a')", ["unknown-parameter: x"]),
        (
            {"propertyNames": {"pattern": "^x"}, "additionalProperties": {"type": "integer"}},
            "(xa=1)",
            [],
        ),
        ({"patternProperties": {r"^\p{L}$": {"type": "integer"}}}, "(x='a')", []),
    ],
)
def test_extra_arguments(schema: dict[str, Any], call: str, expected: list[str]) -> None:
    made = bindings({"s": [tool("t", {"p": STRING}, **schema)]})
    assert marked(f"await mcp.s.t{call}", made) == expected


def test_what_each_variant_wants_is_said() -> None:
    (one,) = found("await mcp.s.node(slug='b')", either())
    assert one.message == "missing arguments: give `id`, or `my_lang`"


@pytest.mark.parametrize(
    "call", ["mcp.s.node(id='a')", "mcp.s.node(slug='a', my_lang='b')", "mcp.s.node(**more)"]
)
def test_arguments_that_fit_a_variant(call: str) -> None:
    assert marked(f"await {call}", either()) == []


def test_of_a_key_twice_the_last_counts() -> None:
    made = bindings({"s": [tool("t", {"p": {"additionalProperties": STRING}})]})
    assert marked("await mcp.s.t(p={'a': 1, 'a': 'b'})", made) == []
    assert marked("await mcp.s.t(p={'a': 'b', 'a': 1})", made) == ["argument-type: 1"]


def private() -> Bindings:
    tools = [tool("__run", {"__x": STRING}), tool("_C__held", {}), tool("__doc__")]
    return bindings({"s": tools, "__srv": [tool("t")]})


IN_CLASS = "class C:\n    async def m(self):\n        return "


@pytest.mark.parametrize(
    ("body", "over", "after"),
    [
        ("await mcp.s.__run()", "unknown-tool: __run", 'await getattr(mcp.s, "__run")()'),
        ("await mcp.__srv.t()", "unknown-server: __srv", 'await getattr(mcp, "__srv").t()'),
    ],
)
def test_python_reads_private_names_in_a_class_as_others(body: str, over: str, after: str) -> None:
    assert marked(IN_CLASS + body, private()) == [over]
    assert fixed(IN_CLASS + body, private()) == IN_CLASS + after
    assert marked(IN_CLASS + after, private()) == []
    assert marked(body, private()) == []


def test_what_is_said_of_a_private_name_in_a_class() -> None:
    (one,) = found(IN_CLASS + "await mcp.s.__run()", private())
    assert (
        one.message == "inside a class Python reads `__run` as `_C__run`: reach it with `getattr`"
    )


@pytest.mark.parametrize(
    "body",
    [
        "await getattr(mcp.s, '__run')(__x='a')",
        "await mcp.s.__held()",
        "await mcp.s._C__held()",
    ],
)
def test_what_works_in_a_class_as_it_is_written(body: str) -> None:
    codes = [code for code in marked(IN_CLASS + body, private()) if "needless" not in code]
    assert codes == []


def test_bare_private_names_in_a_class() -> None:
    imported = "from codeact_lsp.tools.mcp.s import __run\n"
    assert marked(imported + IN_CLASS + "await __run()", private()) == ["unknown-tool: __run"]
    assert marked(imported + "await __run()", private()) == []
    own = "class C:\n    async def m(self):\n        __f = getattr(mcp.s, '__run')\n"
    assert marked(own + "        await __f(__x=1)", private()) == ["argument-type: 1"]
    assert marked("__x = 1\nclass C:\n    y = __x", private()) == []
    within = "class C:\n    from codeact_lsp.tools.mcp.s import __run\n"
    assert marked(within, private()) == ["unknown-tool: __run"]


def test_getattr_is_needed_for_a_private_name_in_a_class() -> None:
    assert marked(IN_CLASS + "getattr(mcp.s, '__run')", private()) == []
    assert marked("x = getattr(mcp.s, '__run')", private()) == [
        "needless-getattr: getattr(mcp.s, '__run')"
    ]


def test_what_partial_may_have_given_is_not_missing() -> None:
    head = "from functools import partial\np = partial(mcp.s.node, **more)\n"
    assert marked(head + "await p()", either()) == []
    assert marked(head + "await p(id=3)", either()) == []
    known = "from functools import partial\np = partial(mcp.s.node, slug=x, my_lang=y)\n"
    assert marked(known + "await p()", either()) == []
    assert marked(known + "await p(id=3)", either()) == []
