from __future__ import annotations

import pytest

from codeact_lsp.ide.model import Settings
from codeact_lsp.ide.refs import (
    ErrorClass,
    External,
    Many,
    Mcp,
    Other,
    Package,
    Pending,
    Ref,
    Root,
    Row,
    ServerRef,
    ToolRef,
    UnknownServer,
    UnknownTool,
    Value,
)
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.document import statements
from codeact_lsp.syntax.expressions import Name, walk
from tests.support.cells import view


def shown(ref: Ref) -> str:
    """A reference as a short text, so that a table of them is readable."""
    match ref:
        case Other():
            return "?"
        case External(path):
            return f"python {path}"
        case Package(path):
            return f"package {path}"
        case Root():
            return "root"
        case Mcp():
            return "mcp"
        case ErrorClass():
            return "error"
        case ServerRef(server):
            return f"server {server.raw}"
        case ToolRef(tool):
            return f"tool {tool.server or ''}/{tool.raw}"
        case UnknownServer(name):
            return f"no server {name}"
        case UnknownTool(_, name):
            return f"no tool {name}"
        case Pending(value):
            return f"pending {' | '.join(map(shown, value))}"
        case Value(tool, _, path):
            return ".".join(("result " + tool.raw, *map(str, path)))
        case Row(items):
            return f"({', '.join(' | '.join(map(shown, item)) for item in items)})"
        case Many(item):
            return f"[{' | '.join(map(shown, item))}]"
        case _:
            return type(ref).__name__


def last(cell: str, *before: str, settings: Settings | None = None) -> set[str]:
    """What the last expression of the cell is."""
    seen = view(cell, before=before) if settings is None else view(cell, settings=settings)
    expression = list(statements(seen.document))[-1].expressions[-1]
    return set(map(shown, resolve(seen, expression)))


SEARCH = "tool notion/search"


@pytest.mark.parametrize(
    "cell",
    [
        "from codeact_lsp.tools import mcp\nmcp.notion.search",
        "from codeact_lsp.tools import mcp as m\nm.notion.search",
        "from codeact_lsp import tools\ntools.mcp.notion.search",
        "from codeact_lsp import tools as t\nt.mcp.notion.search",
        "import codeact_lsp.tools\ncodeact_lsp.tools.mcp.notion.search",
        "import codeact_lsp.tools as T\nT.mcp.notion.search",
        "import codeact_lsp.tools.mcp.notion as n\nn.search",
        "import codeact_lsp.tools.mcp.notion\ncodeact_lsp.tools.mcp.notion.search",
        "from codeact_lsp.tools.mcp import notion\nnotion.search",
        "from codeact_lsp.tools.mcp import notion as n\nn.search",
        "from codeact_lsp.tools.mcp.notion import search\nsearch",
        "from codeact_lsp.tools.mcp.notion import search as s\ns",
        "from codeact_lsp.tools.mcp.notion import *\nsearch",
        "from codeact_lsp.tools import *\nmcp.notion.search",
        "from __dsh__.tools import mcp\nmcp.notion.search",
        "if TYPE_CHECKING:\n    from codeact_lsp.tools import mcp\nmcp.notion.search",
        "def f():\n    from codeact_lsp.tools import mcp\n    mcp.notion.search",
    ],
)
def test_every_form_of_import(cell: str) -> None:
    assert last(cell) == {SEARCH}


@pytest.mark.parametrize(
    "cell",
    [
        "n = mcp.notion\nn.search",
        "f = mcp.notion.search\nf",
        "m = mcp\nn = m.notion\nf = n.search\nf",
        'getattr(mcp.notion, "search")',
        'getattr(mcp, "notion").search',
        'name = "search"\ngetattr(mcp.notion, name)',
        'getattr(mcp.notion, "search", None)',
        'from codeact_lsp import tools\ngetattr(tools, "mcp__notion__search")',
        "from codeact_lsp.tools import mcp__notion__search\nmcp__notion__search",
        "from functools import partial\npartial(mcp.notion.search, query='a')",
        "import functools\nfunctools.partial(mcp.notion.search)",
        "fs = (mcp.web.search, mcp.notion.search)\nfs[1]",
        "fs = [mcp.web.search, mcp.notion.search]\nfs[-1]",
        "fs = {'a': mcp.notion.search}\nfs['a']",
        "fs = dict(a=mcp.notion.search)\nfs['a']",
        "fs = {'a': mcp.notion.search}\nfs.get('a')",
        "a, b = mcp.web.search, mcp.notion.search\nb",
        "for f in [mcp.notion.search]:\n    f",
        "(f := mcp.notion.search)",
        "(mcp.notion).search",
        "[f for f in [mcp.notion.search]][0]",
    ],
)
def test_aliases(cell: str) -> None:
    assert last(f"from codeact_lsp.tools import mcp\n{cell}") == {SEARCH}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('getattr(mcp.notion, "API-patch-page")', "tool notion/API-patch-page"),
        ("mcp.notion.API_patch_page", "tool notion/API-patch-page"),
        ('getattr(mcp.notion, "API_patch_page")', "tool notion/API-patch-page"),
        ('getattr(mcp.redis, "a.b")', "tool redis/a.b"),
        ('getattr(mcp.redis, "import")', "tool redis/import"),
        ("mcp.redis.type", "tool redis/type"),
        ("mcp.my_server.ping", "tool my-server/ping"),
        ('getattr(mcp, "my-server").ping', "tool my-server/ping"),
        ("mcp.nope", "no server nope"),
        ("mcp.notion.nope", "no tool nope"),
        ('getattr(mcp.notion, "nope")', "no tool nope"),
        ('getattr(mcp.notion, "nope", None)', "?"),
    ],
)
def test_names_and_raw_names(cell: str, expected: str) -> None:
    assert last(f"from codeact_lsp.tools import mcp\n{cell}") == {expected}


@pytest.mark.parametrize(
    "cell",
    [
        "mcp.notion.search",
        "mcp = 1\nmcp.notion.search",
        "from codeact_lsp.tools import mcp\nmcp = other()\nmcp.notion.search",
        "from codeact_lsp.tools import mcp\ndef f(mcp):\n    mcp.notion.search",
        "from codeact_lsp.tools import mcp\ndel mcp\nmcp.notion.search",
        "from other.tools import mcp\nmcp.notion.search",
        "from .codeact_lsp.tools import mcp\nmcp.notion.search",
        "from codeact_lsp.tools import mcp\ndef getattr(a, b): ...\ngetattr(mcp.notion, 'search')",
        "from codeact_lsp.tools import *\nmcp__notion__search",
        "from codeact_lsp.tools.mcp.redis import *\ntype",
        "x = x\nx",
        "x = [x]\nx[0]",
    ],
)
def test_what_is_no_binding(cell: str) -> None:
    assert SEARCH not in last(cell)
    assert all(one == "?" or one.startswith("python ") for one in last(cell))


def test_either_of_two_may_hold() -> None:
    both = "if x:\n    from codeact_lsp.tools.mcp.notion import search\n"
    both += "else:\n    from codeact_lsp.tools.mcp.web import search\nsearch"
    assert last(both) == {SEARCH, "tool web/search"}


def test_the_prelude_and_earlier_cells_ran_before() -> None:
    assert last("n.search", "from codeact_lsp.tools import mcp", "n = mcp.notion") == {SEARCH}


def test_more_bindings_modules_by_a_setting() -> None:
    settings = Settings(bindings_modules=("my.own.tools",))
    assert last("from my.own.tools import mcp\nmcp.notion.search", settings=settings) == {SEARCH}
    assert last("from codeact_lsp.tools import mcp\nmcp", settings=settings) == {
        "python codeact_lsp.tools.mcp"
    }


R = "from codeact_lsp.tools import mcp\nr = await mcp.notion.search(query='a')\n"


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("mcp.notion.search(query='a')", "pending result search"),
        ("await mcp.web.search(query='a')", "result search"),
        ("r['items']", "result search.items"),
        ("r.get('items')", "result search.items"),
        ("key = 'items'\nr[key]", "result search.items"),
        ("r['items'][0]", "result search.items.0"),
        ("r['items'][0]['page-id']", "result search.items.0.page-id"),
        ("r['items'][:2][0]['title']", "result search.items.0.title"),
        ("for x in r['items']:\n    x['title']", "result search.items.0.title"),
        ("for i, x in enumerate(r['items']):\n    x['title']", "result search.items.0.title"),
        ("[x['title'] for x in r['items']][0]", "result search.items.0.title"),
        ("a, b = r['items']\nb['title']", "result search.items.1.title"),
        ("first, *rest = r['items']\nrest[0]['title']", "result search.items.0.title"),
        ("sorted(r['items'], key=f)[0]['title']", "result search.items.0.title"),
        ("next(iter(r['items']))['title']", "result search.items.0.title"),
        ("(x := r['items'])", "result search.items"),
        ("x = r['items'][0]['title']\nx", "result search.items.0.title"),
        ("import asyncio\nt = asyncio.create_task(mcp.notion.search(query='a'))\n(await t)['next']",
         "result search.next"),
        (("import asyncio\n(await asyncio.gather(mcp.web.search(query='a'), "
         "mcp.notion.search(query='b')))[1]['next']"), "result search.next"),
        (("import asyncio\na, b = await asyncio.gather(mcp.web.search(query='a'), "
         "mcp.notion.search(query='b'))\nb['next']"), "result search.next"),
        (("import asyncio\nfor x in await asyncio.gather(*[mcp.notion.search(query=q) for q in qs]):"
         "\n    x['next']"), "result search.next"),
        ("import asyncio\nasyncio.run(mcp.notion.search(query='a'))['next']",
         "result search.next"),
    ],
)  # fmt: skip
def test_results_are_followed(cell: str, expected: str) -> None:
    assert last(R + cell) == {expected}


@pytest.mark.parametrize(
    "cell",
    ["r['nope']", "r[0]", "r.items", "r['items'].pop", "r + r", "len(r)", "(await r)", "r()"],
)
def test_what_a_result_does_not_give(cell: str) -> None:
    assert last(R + cell) == {"?"}


def test_a_default_may_hold_too() -> None:
    assert last(R + "r.get('next', 1)") == {"result search.next", "?"}


def test_a_chain_of_aliases_ends_somewhere() -> None:
    steps = "".join(f"a{n + 1} = a{n}\n" for n in range(3_000))
    assert last(f"from codeact_lsp.tools import mcp\na0 = mcp\n{steps}a3000") == {"?"}


def test_no_expression_is_followed_twice() -> None:
    # Without a memory each line would double the work of the one before.
    lines = "".join(f"a{n + 1} = (a{n}, a{n})[x] or a{n}\n" for n in range(40))
    cell = f"from codeact_lsp.tools import mcp\na0 = mcp\n{lines}a40"
    seen = view(cell)
    expression = list(statements(seen.document))[-1].expressions[-1]
    resolve(seen, expression)
    assert len(seen.resolved) < 400


@pytest.mark.parametrize(
    "loop",
    [
        "for x in y:\n    c = await b.notion.search()\n    for b in c['items']:\n        b",
        "while x:\n    b = (b.notion, b)[0]\n    c, b = b, c",
        "for x in y:\n    a, *rest, c = await f(a.x), 1, b, a\n    b, a = a, b",
    ],
)
def test_what_is_made_from_itself_is_the_same_whoever_asks_first(loop: str) -> None:
    text = f"from codeact_lsp.tools import mcp as b\n{loop}"
    document = view(text).document
    nodes = [
        node
        for statement in statements(document)
        for expression in statement.expressions
        for node in walk(expression)
        if isinstance(node, Name)
    ]
    for node in nodes:
        fresh = set(map(shown, resolve(view(text), node)))
        for first in nodes:
            seen = view(text)
            resolve(seen, first)
            assert set(map(shown, resolve(seen, node))) == fresh, (first, node)


def test_a_star_import_below_a_function_hides_nothing_above_it() -> None:
    cell = "from codeact_lsp import tools as search\ndef f():\n    return search\n"
    cell += "from codeact_lsp.tools.mcp.notion import *\nf()"
    assert last(cell) == {SEARCH, "root"}
