"""After an edit only what it can concern is diagnosed, and what is found is what a fresh look finds."""

from __future__ import annotations

import random

import pytest

from codeact_lsp.ide.diagnostics import diagnose, diagnose_again
from codeact_lsp.ide.diagnostics.reuse import Kept
from codeact_lsp.ide.model import Diagnostic, Settings, Severity, View
from codeact_lsp.syntax.document import Document
from tests.support.cells import BINDINGS, IMPORT, SERVERS, bindings

LINES = [
    "from codeact_lsp.tools import mcp\n",
    "from codeact_lsp.tools.mcp.redis import type, open\n",
    "from codeact_lsp.tools.mcp.notion import *\n",
    "from codeact_lsp.tools.mcp.web import search\n",
    "import asyncio\n",
    "n = mcp.notion\n",
    "n = mcp.web\n",
    "n, m = m, n\n",
    "m = n\n",
    "m = mcp.redis; n = m\n",
    "del n\n",
    "ｎ = mcp.redis  # the same name as n\n",
    "if x:\n    n = mcp.redis\n",
    "for n in (mcp.web, mcp.notion):\n    await n.search(nope=1)\n    m = n\n",
    "try:\n    n = mcp.web\nexcept E as n:\n    m = n\n",
    "with x as m:\n    n = m\n",
    "def f(n):\n    n.nope\n    m.nope\n",
    "def f():\n    r = m.search(query=1)\n    return n.search\n",
    "class C:\n    n = mcp.web\n    def f(self):\n        n.nope\n",
    "async def h():\n    search(1)\n    await r.nope\n",
    "@m.nope\ndef k(a=n.nope): m.nope\n",
    "n.nope\n",
    "m.nope(query=key)\n",
    "search = await search(query='a')\n",
    "r = await n.search(query='a', max_results=nope)\n",
    "print(r.items, [n.nope for n in r['items']], (lambda m: m.nope + n.nope))\n",
    "r['items'][0].nope\n",
    "key = 'my-tool'\n",
    "key = 'nope'\n",
    "getattr(mcp.redis, key)(q=1)\n",
    "args = {'max-results': 1, 'query': 'a'}\n",
    "args['from'] = 1\n",
    "await mcp.web.search(**args)\n",
    "mcp.web.search(query=1, nope=2)  # codeact: ignore[unknown-parameter]\n",
    "await mcp.notion.API-patch-page(page_id=1, parent={'database_id': 1})\n",
    "fs = [n]\n",
    "fs.append(m)\n",
    "fs[0] = mcp.web\n",
    "fs += [m, n]\n",
    "fill(fs)\n",
    "fs[0].nope\n",
    "for f in fs:\n    f.nope\n",
    "def g(p=n):\n    return n if p else m\n",
    "def g():\n    return f().nope\n",
    "def k():\n    fs.append(n)\n",
    "g().nope\n",
    "x = g()\n",
    "x.nope\n",
    "match r:\n    case {'items': [m, *_]}:\n        m.nope\n    case n: n.nope\n",
    "r['items'] = n\n",
    "r['items'].nope\n",
    "if r['next'] is None:\n    raise E\n",
    "assert r['next']\n",
    "r['next'].nope\n",
    "# é\n",
    "\n",
]
WIDE = ["def g():\n    global n\n    n = mcp.web\n", "x = '''\n", "(\n", "%%time\n"]
"""Lines that concern all others."""
PIECES = [*"\n ().'\"#nm:", "    ", "n = ", "await ", ", ", ".search", ".nope", "\\\n"]


def random_edit(document: Document, lines: list[str], dice: random.Random) -> Document:
    """One of `lines` put in, or a few characters replaced, or some text taken out."""
    text = document.text
    if dice.random() < 0.6:
        starts = [0, *(at + 1 for at, one in enumerate(text) if one == "\n")]
        start = end = dice.choice(starts)
        return document.replaced(start, end, dice.choice(lines))
    start = dice.randrange(len(text) + 1)
    longest = 60 if len(text) > 900 or dice.random() < 0.2 else 2
    end = min(len(text), start + dice.randrange(longest))
    return document.replaced(start, end, dice.choice(PIECES) if dice.random() < 0.7 else "")


def fresh(view: View) -> tuple[Diagnostic, ...]:
    """What is found in the same texts by who never saw them before."""
    chain = tuple(Document.parse(document.text) for document in view.chain)
    return diagnose(View(view.bindings, chain, view.settings))


@pytest.mark.parametrize("seed", range(9))
def test_any_edits_leave_what_a_fresh_diagnosis_finds(seed: int) -> None:
    dice = random.Random(seed)
    lines = LINES + WIDE if seed % 3 == 0 else LINES
    cells = [
        Document.parse("".join(dice.sample(lines, count)))
        for count in dice.choice([(20,), (4, 16)])
    ]
    kept = None
    reused = 0
    for _ in range(40):
        at = dice.randrange(len(cells)) if dice.random() < 0.2 else -1
        cells[at] = random_edit(cells[at], lines, dice)
        seen = View(BINDINGS, tuple(cells))
        found, kept = diagnose_again(seen, kept)
        assert found == fresh(seen), cells[-1].text
        reused += len(kept.found) - kept.diagnosed
    assert reused > 100 or lines is not LINES


def blocks(lines: int) -> str:
    """A cell of functions that call tools."""
    block = (
        "async def block_{0}(query, limit=10):\n"
        "    page = await mcp.notion.search(query=query, limit=limit)\n"
        "    for item in page['items']:\n"
        "        print(item['title'], limit)\n"
        "\n"
    )
    return IMPORT + "".join(block.format(number) for number in range(lines // 5))


@pytest.fixture(scope="module")
def long_cell() -> tuple[Document, Kept]:
    document = Document.parse(blocks(5_000) + "mcp.web.serch\n")
    return document, diagnose_again(View(BINDINGS, (document,)), None)[1]


@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_a_character_in_5000_lines_diagnoses_the_statement_that_it_is_in(
    where: str, long_cell: tuple[Document, Kept]
) -> None:
    document, kept = long_cell
    text = document.text
    offset = {
        "first": len(IMPORT) + text[len(IMPORT) :].index("limit"),
        "middle": text.index("title", len(text) // 2),
        "last": len(text) - 2,
    }[where]
    assert kept.diagnosed == 1_002
    seen = View(BINDINGS, (document.replaced(offset, offset, "x"),))
    _, kept = diagnose_again(seen, kept)
    assert kept.diagnosed == 1


def test_a_line_above_moves_what_was_found() -> None:
    document = Document.parse(IMPORT + "await mcp.web.serch()\n")
    (before,), kept = diagnose_again(View(BINDINGS, (document,)), None)
    moved = document.replaced(0, 0, "# more\n")
    (after,), kept = diagnose_again(View(BINDINGS, (moved,)), kept)
    assert kept.diagnosed == 1  # the comment
    assert after.span.start == before.span.start + len("# more\n")
    assert after.fixes[0].edits[0].span == after.span


@pytest.mark.parametrize(
    ("text", "old", "new", "count"),
    [
        ("n = mcp.web\nn.nope\nm = 1\nm\n", "web", "redis", 2),
        ("n = mcp.web\nm = n\nm.nope\nx = 1\n", "web", "redis", 3),
        ("n = mcp.web\nn = 1\nn.nope\n", "web", "redis", 2),
        ("n = mcp.web\nn.nope\nn = 1\n", "n = 1", "n = 2", 1),
        ("n = mcp.web\nn = [n]\nn[0].nope\n", "web", "redis", 3),
        ("def f():\n    n.nope\nn.nope\nn = mcp.web\n", "web", "redis", 2),
        ("if x:\n    n = mcp.web\nn.nope\n", "web", "redis", 2),
        ("n = mcp.web\ndef f():\n    return n\nf().nope\nx = 1\n", "web", "redis", 3),
        ("def f():\n    return n\ndef g():\n    return f()\nn = mcp.web\ng().nope\n", "web", "redis", 4),
        ("n = [mcp.web]\nn.append(mcp.notion)\nn[0].nope\nx = 1\n", "notion", "web", 2),
        ("n = [mcp.web]\nn[1] = mcp.notion\nn[0].nope\nx = 1\n", "notion", "web", 2),
    ],
    ids=[
        "a use",
        "through an alias",
        "bound again",
        "bound below",
        "made of itself",
        "a function above",
        "perhaps",
        "through a function",
        "through two functions",
        "put in",
        "put at a place",
    ],
)  # fmt: skip
def test_who_sees_a_binding_is_diagnosed_with_it(text: str, old: str, new: str, count: int) -> None:
    document = Document.parse(IMPORT + text)
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    start = document.text.index(old)
    seen = View(BINDINGS, (document.replaced(start, start + len(old), new),))
    found, kept = diagnose_again(seen, kept)
    assert kept.diagnosed == count
    assert found == fresh(seen)


def test_a_name_in_another_spelling_is_the_same_name() -> None:
    document = Document.parse(IMPORT + "n = mcp.web\nｎ.nope\n")
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    start = document.text.index("web")
    (found,), _ = diagnose_again(
        View(BINDINGS, (document.replaced(start, start + 3, "redis"),)), kept
    )
    assert '"redis"' in found.message


def test_a_name_behind_digits_is_a_name_too() -> None:
    cell = f"{IMPORT}m = 1\nz[0m.wrong\n"
    before = Document.parse(cell)
    _, kept = diagnose_again(View(BINDINGS, (before,)), None)
    after = before.replaced(cell.index("m = 1"), len(f"{IMPORT}m = 1"), "m = mcp.redis")
    seen = View(BINDINGS, (after,))
    assert [one.code for one in fresh(seen)] == ["unknown-tool"]
    assert diagnose_again(seen, kept)[0] == fresh(seen)


def test_another_catalogue_and_other_settings_diagnose_everything() -> None:
    document = Document.parse(IMPORT + "mcp.web.nope\n")
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    others = bindings({raw: tools for raw, tools in SERVERS.items() if raw != "web"})
    (found,), kept = diagnose_again(View(others, (document,)), kept)
    assert (found.code, kept.diagnosed) == ("unknown-server", 2)
    settings = Settings(rules={"unknown-server": Severity.HINT})
    (found,), kept = diagnose_again(View(others, (document,), settings), kept)
    assert (found.severity, kept.diagnosed) == (Severity.HINT, 2)


def test_an_import_that_binds_nothing_yet_is_checked_whatever_stands_below() -> None:
    document = Document.parse("from codeact_lsp.tools.mcp.nope\n")
    (found,), kept = diagnose_again(View(BINDINGS, (document,)), None)
    assert found.code == "unknown-server"
    end = len(document.text)
    again, _ = diagnose_again(View(BINDINGS, (document.replaced(end, end, IMPORT),)), kept)
    assert again == (found,)


def test_a_fix_that_renames_elsewhere_is_worked_out_anew() -> None:
    document = Document.parse("from codeact_lsp.tools.mcp.redis import type\nx = 1\n")
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    seen = View(BINDINGS, (document.replaced(len(document.text), len(document.text), "type\n"),))
    (found,), _ = diagnose_again(seen, kept)
    assert len(found.fixes[0].edits) == 2


def test_what_a_function_assigns_for_all_is_seen_everywhere() -> None:
    document = Document.parse(IMPORT + "n.nope\ndef f():\n    global n\n    n = mcp.web\n")
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    start = document.text.index("web")
    seen = View(BINDINGS, (document.replaced(start, start + 3, "redis"),))
    found, kept = diagnose_again(seen, kept)
    assert found == fresh(seen)
    without = View(
        BINDINGS, (document.replaced(document.text.index("def"), len(document.text), ""),)
    )
    assert diagnose_again(without, kept)[0] == fresh(without)
