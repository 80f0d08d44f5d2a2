"""The look at all names changes how much is looked up, never what is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from codeact_lsp.ide import resolve as resolving
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.model import View
from codeact_lsp.ide.names_held import names_held
from codeact_lsp.ide.refs import External, Other
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.expressions import Name, walk
from codeact_lsp.syntax.origins import Binding
from codeact_lsp.syntax.scopes import lookup
from tests.support.cells import IMPORT, view


def meanings(seen: View) -> list[tuple[int, str, list[str]]]:
    """(offset, name, what of the catalogue it may be) for every name of the document."""
    found = []
    for statement in statements(seen.document):
        for expression in statement.expressions:
            for node in walk(expression):
                if isinstance(node, Name):
                    refs = [
                        ref for ref in resolve(seen, node) if not isinstance(ref, Other | External)
                    ]
                    found.append((node.span.start, node.name, [repr(ref) for ref in refs]))
    return found


@pytest.mark.parametrize(
    "body",
    [
        "n = mcp.notion\nn.search",
        "n.search\nn = mcp.notion",
        "n = mcp.notion\ndef f(n):\n    n.search",
        "n = mcp.notion\ndef f():\n    n.search",
        "def f():\n    n.search\nn = mcp.notion",
        "n = mcp.notion\n[n.search for n in x]\nn",
        "n = mcp.notion\nf = lambda n: n.search\nn",
        "n = mcp.notion\ndel n\nn.search",
        "def f():\n    global n\n    n = 1\nn = mcp.notion\nn.search",
        "def f():\n    global n\nn = mcp.notion\nn.search",
        "class C:\n    n = mcp.notion\n    def f(self):\n        n.search\nn",
        "if x:\n    n = mcp.notion\nn.search",
        "if x: n = mcp.notion\nn.search",
        "for n in [mcp.notion]:\n    pass\nn.search",
        "n: object\nn = mcp.notion\nn.search",
        "n = n\nn = mcp.notion\nn = n\nn",
        "args = {'query': 'a'}\nmore = {**args}\nmcp.web.search(**more)",
        "r = await mcp.notion.search(query='a')\nfor x in r['items']:\n    y = x['title']\ny",
        "import functools\np = functools.partial(mcp.web.search)\np()",
        "with x as n:\n    n\nn = mcp.notion\nn",
        "try:\n    n = mcp.notion\nexcept E as n:\n    n\nn",
        "match x:\n    case n:\n        n\nn = mcp.notion\nn",
        "(n := mcp.notion)\nn.search",
        "from numpy import *\nmcp.notion",
        "from codeact_lsp.tools.mcp.notion import *\nsearch\nping = 1\nping",
        "def mcp(): ...\nmcp.notion",
        "def f():\n    return mcp.notion\nf().search\nx = f()\nx",
        "def f(n=mcp.notion):\n    n.search",
        "async def f():\n    yield mcp.notion\nasync for n in f():\n    n.search",
        "import contextlib\n@contextlib.contextmanager\ndef f():\n    yield mcp.notion\nwith f() as n:\n    n",
        "g = lambda: mcp.notion\nn = g()\nn",
        "f = []\nf.append(mcp.notion)\nn = f[0]\nn\nfor m in f:\n    m",
        "d = {}\nd['a'] = mcp.notion\nn = d['a']\nn",
        "d = []\nd += [mcp.notion]\nd[0]",
        "fs = [mcp.notion]\nfill(fs)\nfs[0]\nsorted(fs, key=lambda n: n.search)",
        "r = await mcp.notion.search(query='a')\nr['items'] = 1\nx = r['items']\nx",
        "r = await mcp.notion.search(query='a')\nmatch r:\n    case {'items': [x, *xs]}:\n        x, xs",
        "r = await mcp.notion.search(query='a')\nsorted(r['items'], key=lambda i: i['title'])",
        "class C:\n    def f(self):\n        return mcp.notion\n    def g(self):\n        return f",
    ],
)
def test_the_same_is_found(body: str) -> None:
    plain = view(IMPORT + body)
    quick = replace(view(IMPORT + body), names=names_held(plain))
    assert meanings(quick) == meanings(plain)


def test_the_same_is_found_across_cells() -> None:
    plain = view("n.search\nmcp\nn = 1\nn", before=(IMPORT, "n = mcp.notion"))
    quick = replace(
        view("n.search\nmcp\nn = 1\nn", before=(IMPORT, "n = mcp.notion")), names=names_held(plain)
    )
    assert meanings(quick) == meanings(plain)


def test_a_text_that_reaches_no_bindings_module_has_no_carriers() -> None:
    held = names_held(view("import asyncio\nx = {}\nx"))
    assert held is not None
    assert held.carriers == frozenset()


def test_carriers() -> None:
    held = names_held(view(IMPORT + "import asyncio, os\na = mcp.web\nb = [a for c in d]\ne = 1"))
    assert held is not None
    assert held.carriers == {"mcp", "asyncio", "a", "b"}


def test_a_star_import_of_bindings_leaves_every_name_open() -> None:
    assert names_held(view("from codeact_lsp.tools.mcp.web import *")) is None


def test_a_name_that_is_bound_once_is_never_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counting(chain: Sequence[Document], name: str, offset: int) -> tuple[Binding, ...]:
        asked.append(name)
        return lookup(chain, name, offset)

    monkeypatch.setattr(resolving, "lookup", counting)
    body = "".join(
        f"r{n} = await mcp.notion.search(query='a')\nother{n}(r{n})\n" for n in range(200)
    )
    assert diagnose(view(IMPORT + body)) == ()
    assert asked == []
