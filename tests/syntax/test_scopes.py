from __future__ import annotations

import pytest

from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.origins import (
    Assigned,
    Augmented,
    Binding,
    Captured,
    Defined,
    Enter,
    Imported,
    Iterate,
    Key,
    Opaque,
    Origin,
    Parameter,
    Rest,
    Step,
    Unpack,
)
from codeact_lsp.syntax.scopes import lookup, visible_names
from tests.syntax.cursor import at_cursor


def look_up(snippet: str, *before: str) -> tuple[tuple[Binding, ...], list[Document]]:
    document, offset = at_cursor(snippet)
    start = offset
    while start and (document.text[start - 1].isidentifier() or document.text[start - 1].isdigit()):
        start -= 1
    chain = [*map(Document.parse, before), document]
    return lookup(chain, document.text[start:offset], offset), chain


def lines_of(snippet: str, *before: str) -> list[str]:
    """The lines on which the name before the cursor may have been bound, nearest first."""
    found, chain = look_up(snippet, *before)
    lines = []
    for binding in found:
        document = chain[binding.document]
        line = document.lines.line_at(binding.span.start)
        end = document.lines.end(document.text, line)
        lines.append(document.text[document.lines.start(line) : end].strip())
    return lines


def origins_of(snippet: str) -> list[Origin]:
    return [binding.origin for binding in look_up(snippet)[0]]


@pytest.mark.parametrize(
    ("snippet", "origin"),
    [
        ("import a\na‸", Imported("a")),
        ("import a.b.c\na‸", Imported("a", submodule="a.b.c")),
        ("import a.b as c\nc‸", Imported("a.b")),
        ("from a.b import c\nc‸", Imported("a.b", "c")),
        ("from a import b, c as d\nd‸", Imported("a", "c")),
        ("from a import (\n    b,\n    c as d,\n)\nd‸", Imported("a", "c")),
        ("from . import a\na‸", Imported("", "a", 1)),
        ("from ...x.y import a\na‸", Imported("x.y", "a", 3)),
        ("from a import *\nb‸", Imported("a", "b", star=True)),
        ("def a(): pass\na‸", Defined(is_class=False)),
        ("class a: pass\na‸", Defined(is_class=True)),
    ],
)
def test_imports_and_definitions(snippet: str, origin: Origin) -> None:
    assert origins_of(snippet) == [origin]


@pytest.mark.parametrize(
    ("snippet", "value", "steps"),
    [
        ("r = await f(x)\nr‸", "await f(x)", ()),
        ("a = b = f()\na‸", "f()", ()),
        ("r: dict = f()\nr‸", "f()", ()),
        ("a, b = f()\nb‸", "f()", (Unpack(1, 2),)),
        ("a, b = f(), g()\nb‸", "g()", ()),
        ("(a, [b, c]) = f()\nc‸", "f()", (Unpack(1, 2), Unpack(1, 2))),
        ("a, *b, c = f()\nb‸", "f()", (Rest(1, 1),)),
        ("a, *b, c = f()\nc‸", "f()", (Unpack(-1, 3),)),
        ("for x in xs:\n    x‸", "xs", (Iterate(),)),
        ("async for x in xs:\n    x‸", "xs", (Iterate(asynchronous=True),)),
        ("for k, v in d.items():\n    v‸", "d.items()", (Iterate(), Unpack(1, 2))),
        ("with f() as x:\n    x‸", "f()", (Enter(),)),
        ("async with f() as (a, b):\n    b‸", "f()", (Enter(asynchronous=True), Unpack(1, 2))),
        ("with (\n    f() as x,\n    g() as y,\n):\n    y‸", "g()", (Enter(),)),
        ("with (f()) as x:\n    x‸", "(f())", (Enter(),)),
        ("if (x := f()):\n    x‸", "f()", ()),
        ("[x‸ for x in xs]", "xs", (Iterate(),)),
        ("{k: v‸ for k, v in d.items()}", "d.items()", (Iterate(), Unpack(1, 2))),
        ("[y‸ for x in xs for y in x]", "x", (Iterate(),)),
        ("[x for x in xs if x‸]", "xs", (Iterate(),)),
    ],
)
def test_how_a_name_gets_its_value(snippet: str, value: str, steps: tuple[object, ...]) -> None:
    document, _ = at_cursor(snippet)
    (origin,) = origins_of(snippet)
    assert isinstance(origin, Assigned)
    span = origin.value.span
    assert (document.text[span.start : span.end], origin.steps) == (value, steps)


@pytest.mark.parametrize(
    ("snippet", "kind"),
    [
        ("def f(a): return a‸", Parameter),
        ("def f(a):\n    return a‸", Parameter),
        ("def f(*, a: int = 1):\n    a‸", Parameter),
        ("def f(**a):\n    a‸", Parameter),
        ("lambda a: a‸", Parameter),
        ("lambda *a, b=1: a‸", Parameter),
        ("a += 1\na‸", Augmented),
        ("try: pass\nexcept E as a:\n    a‸", Opaque),
        ("try: pass\nexcept* (E, F) as a: a‸", Opaque),
        ("match x:\n    case {'k': a, **rest}:\n        rest‸", Opaque),
        ("match x:\n    case {K: a}:\n        a‸", Opaque),
        ("match x:\n    case C(k=a) | D(a):\n        a‸", Opaque),
        ("match x:\n    case {'a': a} | {'b': a}:\n        a‸", Opaque),
        ("type a = int\na‸", Opaque),
        ("def f[a](x):\n    a‸", Opaque),
        ("a = !ls\na‸", Opaque),
        ("a = %magic x\na‸", Opaque),
    ],
)
def test_names_whose_value_is_not_followed(snippet: str, kind: type) -> None:
    assert [type(origin) for origin in origins_of(snippet)] == [kind]


@pytest.mark.parametrize(
    ("pattern", "steps"),
    [
        ("a", ()),
        ("(a)", ()),
        ("(1 | 2) as a", ()),
        ("{} as a", ()),
        ("str(a)", ()),
        ("dict() as a", ()),
        ("a, b", (Unpack(0, 2),)),
        ("a,", (Unpack(0, 1),)),
        ("[a]", (Unpack(0, 1),)),
        ("[_, *_, a]", (Unpack(-1, 3),)),
        ("_, *a", (Rest(1, 0),)),
        ("{'k': a}", (Key("k"),)),
        ("{'x': 1, 'k': [{'l': a}, _]}", (Key("k"), Unpack(0, 2), Key("l"))),
        ("{'k': str() as a}", (Key("k"),)),
        ("{'k': str(a), **rest}", (Key("k"),)),
    ],
)
def test_what_a_pattern_captures(pattern: str, steps: tuple[Step, ...]) -> None:
    assert origins_of(f"match x:\n    case {pattern}:\n        a‸") == [Captured(steps)]


@pytest.mark.parametrize(
    ("pattern", "tests", "exact"),
    [
        ("'a'", [((), ("a",))], True),
        ("'a' 'b' | None", [((), ("ab", None))], True),
        ("1", [((), (1,))], True),
        ("-1", [], False),
        ("1.5", [], False),
        ("1 + 2j", [], False),
        ("C.a", [], False),
        ("_", [], True),
        ("{'k': 'a'}", [((Key("k"),), ("a",))], True),
        ("{'k': 'a' | 'b', 'x': x}", [((Key("k"),), ("a", "b"))], True),
        ("{'k': 'a'} | {'k': 'b'}", [((Key("k"),), ("a", "b"))], True),
        ("{'k': 'a'} | {'l': 'b'}", [], False),
        ("{'k': 'a', 'l': True}", [((Key("k"),), ("a",)), ((Key("l"),), (True,))], False),
        ("{'k': 'a', 'l': []}", [((Key("k"),), ("a",))], False),
        ("'a' if x", [((), ("a",))], False),
        ("str('a')", [((), ("a",))], False),
        ("C('a')", [], False),
    ],
)
def test_what_a_pattern_asks_for(pattern: str, tests: list[object], exact: bool) -> None:  # noqa: FBT001 - a column of the table
    found = list(statements(Document.parse(f"match x:\n    case {pattern}:\n        a")))[1]
    assert ([(one.steps, one.values) for one in found.tests], found.exact) == (tests, exact)


@pytest.mark.parametrize(
    "snippet",
    [
        "a‸",
        "a‸ = 1",
        "a = a‸",
        "a‸\na = 1",
        "a = 1\ndel a\na‸",
        "class C:\n    a = 1\n    def f(self):\n        a‸",
        "def f():\n    a = 1\na‸",
        "[a for a in b]\na‸",
        "(lambda a: a)(a‸)",
        "match x:\n    case C.a:\n        a‸",
        "match x:\n    case C(a=1):\n        a‸",
        "a = 1\ndef f():\n    a‸\n    a = 2",
        "import x.a\na‸",
        "import b as c\nb‸",
        "for x in [a‸ for b in c]: a = 1",
        "b.a = 1\na‸",
        "b[a] = 1\na‸",
        "f(a=1)\na‸",
    ],
)
def test_unbound(snippet: str) -> None:
    assert lines_of(snippet) == []


@pytest.mark.parametrize(
    ("snippet", "lines"),
    [
        ("a = 1\na = 2\na‸\na = 3", ["a = 2"]),
        ("a = 1; a = 2; a‸; a = 3", ["a = 1; a = 2; a; a = 3"]),
        ("a = 0\nif c:\n    a = 1\na‸", ["a = 1", "a = 0"]),
        ("if c:\n    a = 1\nelse:\n    a = 2\na‸", ["a = 2", "a = 1"]),
        ("a = 0\nif c:\n    a = 1\nelse:\n    a = 2\na‸", ["a = 2", "a = 1"]),
        ("a = 0\nif c:\n    a = 1\nelse:\n    a‸", ["a = 0"]),
        ("a = 0\nif c:\n    a = 1\n    raise X\na‸", ["a = 0"]),
        ("a = 0\nif c: a = 1; return\na‸", ["if c: a = 1; return", "a = 0"]),
        ("if c: raise X\nelse: a = 1\na‸", ["else: a = 1"]),
        ("a = 0\nfor x in y:\n    a = 1\na‸", ["a = 1", "a = 0"]),
        ("a = 0\nfor x in y:\n    a‸\n    a = 1", ["a = 1", "a = 0"]),
        ("for x in y:\n    a = 1\n    a‸\n    a = 2", ["a = 1"]),
        ("a = 0\nwhile c:\n    a = 1\nelse:\n    a‸", ["a = 1", "a = 0"]),
        ("a = 0\nfor x in y:\n    a = 1\nelse:\n    a = 2\na‸", ["a = 2"]),
        ("a = 0\nfor x in y:\n    a = 1\nelse:\n    b = 2\na‸", ["a = 1", "a = 0"]),
        ("a = 0\nfor x in y:\n    if z: break\nelse:\n    a = 2\na‸", ["a = 2", "a = 0"]),
        ("for a in y: pass\nelse: a = 2\na‸", ["else: a = 2"]),
        ("a = 0\nwhile x:\n    a = 1\nelse:\n    a = 2\na‸", ["a = 2"]),
        ("try:\n    import a\nexcept E:\n    a = None\na‸", ["import a", "a = None"]),
        ("a = 0\ntry:\n    a = 1\nexcept E:\n    a‸", ["a = 1", "a = 0"]),
        ("a = 0\ntry:\n    a = 1\nexcept E:\n    raise\na‸", ["a = 1"]),
        ("try:\n    a = 1\nfinally:\n    b = 2\na‸", ["a = 1"]),
        ("a = 0\ntry:\n    a = 1\nexcept E:\n    pass\nelse:\n    a‸", ["a = 1"]),
        ("a = 0\nwith f():\n    a = 1\na‸", ["a = 1"]),
        ("a = 0\nmatch x:\n    case 1:\n        a = 1\n    case _:\n        a = 2\na‸", ["a = 2", "a = 1"]),
        ("a = 0\nmatch x:\n    case 1:\n        a = 1\na‸", ["a = 1", "a = 0"]),
        ("if TYPE_CHECKING:\n    from m import a\na‸", ["from m import a"]),
        ("a = 0\nfrom m import *\na‸", ["from m import *", "a = 0"]),
        ("from m import *\na = 0\na‸", ["a = 0"]),
        ("a = 1\ndef f():\n    a‸\na = 2", ["a = 2", "a = 1"]),
        ("a = 1\ndef f(a=a‸): pass", ["a = 1"]),
        ("a = 1\n@a‸\ndef a(): pass", ["a = 1"]),
        ("def f():\n    a = 1\n    def g():\n        a‸", ["a = 1"]),
        ("a = 0\ndef f():\n    a = 1\n    class C:\n        def g(self): a‸", ["a = 1"]),
        ("a = 0\nclass C:\n    a‸\n    a = 1", ["a = 0"]),
        ("a = 0\nclass C:\n    a = 1\n    b = a‸", ["a = 1"]),
        ("a = 0\nclass C:\n    a = 1\n    def f(self): a‸", ["a = 0"]),
        ("a = 0\ndef f():\n    global a\n    a = 1\n    a‸", ["a = 1"]),
        ("def f():\n    global a\n    a = 1\na‸", ["a = 1"]),
        ("a = 0\ndef f():\n    a = 1\n    def g():\n        nonlocal a\n        a‸", ["a = 1"]),
        ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        a = 2\n        a‸", ["a = 2"]),
        ("def f():\n    a = 1\n    def g():\n        nonlocal a\n        a = 2\n    g()\n    a‸", ["a = 1", "a = 2"]),
        ("def f(a):\n    def g():\n        nonlocal a\n        a = 2\n    def h():\n        a‸", ["a = 2", "def f(a):"]),
        ("def f():\n    a = 1\n    def g():\n        def h():\n            nonlocal a\n            a = 2\n    a‸", ["a = 1", "a = 2"]),
        ("def f():\n    a = 1\n    def g():\n        a = 3\n        def h():\n            nonlocal a\n            a = 2\n    a‸", ["a = 1"]),
        ("def f():\n    a = 1\n    def g(a):\n        def h():\n            nonlocal a\n            a = 2\n    a‸", ["a = 1"]),
        ("a = 0\ndef f():\n    if x:\n        a = 1\n    a‸", ["a = 1"]),
        ("if (a := f()) and a‸: pass", ["if (a := f()) and a: pass"]),
        ("with f() as a, g(a‸): pass", ["with f() as a, g(a): pass"]),
        ("while (a := f()):\n    a‸", ["while (a := f()):"]),
        ("[b := x for x in y]\nb‸", ["[b := x for x in y]"]),
        ("def f():\n    a = 1\n    ‸", []),
        ("f'{a‸}'\na = 1", []),
        ("a = 1\nf'{a‸:>{w}}'", ["a = 1"]),
        ("a = 1\nx: a‸ = 2", ["a = 1"]),
        ("n𝒶me = 1\nname‸", ["n𝒶me = 1"]),
        ("%time a = f()\na‸", ["%time a = f()"]),
    ],
)  # fmt: skip
def test_the_bindings_that_may_hold(snippet: str, lines: list[str]) -> None:
    assert lines_of(snippet) == lines


@pytest.mark.parametrize(
    ("cells", "lines"),
    [
        (("from tools import mcp", "mcp‸"), ["from tools import mcp"]),
        (("a = 1", "a = 2", "a‸"), ["a = 2"]),
        (("a = 1", "if c: a = 2", "a‸"), ["if c: a = 2", "a = 1"]),
        (("a = 1", "a = 2\na‸"), ["a = 2"]),
        (("a = 1", "def f(): a‸"), ["a = 1"]),
        (("a = 1", "del a\na‸"), []),
        (("a = 1", "for a in a‸: pass"), ["a = 1"]),
        (("def f():\n    a = 1", "a‸"), []),
        (("a = 1", "", "a‸"), ["a = 1"]),
    ],
)
def test_documents_before_this_one_have_run(cells: tuple[str, ...], lines: list[str]) -> None:
    assert lines_of(cells[-1], *cells[:-1]) == lines


def test_a_blank_line_is_in_the_block_that_its_column_says() -> None:
    document = Document.parse("def f(a):\n    b = 1\n    \n\nc = 2\n")
    inside, outside = 24, 25
    assert len(lookup([document], "a", inside)) == 1
    assert len(lookup([document], "b", inside)) == 1
    assert lookup([document], "a", outside) == ()


def test_a_broken_statement_hides_nothing_behind_it() -> None:
    text = "x = 1\nr = await mcp.n.f(a=\ny = 2\nfor z in f(\n    w = z\nmcp.\nv = 3\n"
    document = Document.parse(text)
    end = len(text)
    assert [len(lookup([document], name, end)) for name in "xrywv"] == [1, 1, 1, 1, 1]
    assert len(lookup([document], "z", text.index("w = z") + 5)) == 1


@pytest.mark.parametrize(
    "snippet",
    [
        "def f():\n    a = 1\n def g(): pass\na‸",
        "def f():\n  a = 1\n g()\na‸",
        "def f():\n    a = 1\n a‸",
        "def f():\n    if c:\n        def g():\n            a = 1\n      a‸",
    ],
)
def test_what_a_line_between_two_blocks_sees_of_the_one_further_away(snippet: str) -> None:
    assert lines_of(snippet) == []


@pytest.mark.parametrize("columns", [3, 4, 5, 6])
def test_a_line_between_two_blocks_is_in_the_nearer_one(columns: int) -> None:
    assert lines_of(f"def f():\n    if c:\n        a = 1\n{' ' * columns}a‸") == ["a = 1"]
    assert lines_of(f"def f():\n    def g():\n        a = 1\n{' ' * columns}a = 2\n    a‸") == [
        "a = 2"
    ]


def test_visible_names() -> None:
    chain = [Document.parse("import p"), Document.parse("a = 1\ndef f(b):\n    c = 2\n    \n")]
    assert visible_names(chain, len(chain[1].text) - 1) >= {"p", "a", "f", "b", "c"}
    assert not visible_names(chain, 0) & {"b", "c"}
