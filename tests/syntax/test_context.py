from __future__ import annotations

import pytest

from codeact_lsp.syntax.context import (
    AttributeName,
    BareName,
    ImportName,
    InCall,
    KeyRoute,
    ModulePath,
    NothingHere,
    Silence,
    StringKey,
    context_at,
)
from tests.syntax.cursor import at_cursor


@pytest.mark.parametrize(
    ("snippet", "value", "name", "raw"),
    [
        ("mcp.‸", "mcp", "", ""),
        ("mcp.no‸tion", "mcp", "notion", "notion"),
        ("x = mcp.n.‸\ny = 2", "mcp.n", "", ""),
        ("await mcp.n.‸\n\nfor x in y:\n    pass", "mcp.n", "", ""),
        ("await mcp.n.API-pa‸", "mcp.n", "API", "API-pa"),
        ("await mcp.n.API-‸", "mcp.n", "API", "API-"),
        ("mcp.n.API-patch-pa‸ge(x=1)", "mcp.n", "API", "API-patch-page"),
        ("mcp.n.get-fr‸om(x=1)", "mcp.n", "get", "get-from"),
        ("f(mcp.n‸)", "mcp", "n", "n"),
        ("f(a=mcp.‸)", "mcp", "", ""),
        ("f(mcp.‸, b=1)", "mcp", "", ""),
        ("x = [mcp.‸ for y in z]", "mcp", "", ""),
        ("x = {'a': mcp.‸}", "mcp", "", ""),
        ("if mcp.‸:\n    pass", "mcp", "", ""),
        ("if mcp.‸\n    pass", "mcp", "", ""),
        ("for x in mcp.‸\n    pass", "mcp", "", ""),
        ("def f():\n    mcp.‸\n\nx = 1", "mcp", "", ""),
        ("@mcp.‸\ndef f(): pass", "mcp", "", ""),
        ("lambda x: x.‸", "x", "", ""),
        ('f"{mcp.‸}"', "mcp", "", ""),
        ('f"{mcp.‸"', "mcp", "", ""),
        ('f"{mcp.‸', "mcp", "", ""),
        ('print(f"{mcp.‸")', "mcp", "", ""),
        ("f'''\n{mcp.‸}\n'''", "mcp", "", ""),
        ("f'{x:>{w.‸}}'", "w", "", ""),
        ("f'{r[\"k\"].‸}'", 'r["k"]', "", ""),
        ("mcp.n.‸.x", "mcp.n", "", ""),
        ("(await f()).‸", "(await f())", "", ""),
        ("mcp.‸?", "mcp", "", ""),
        ("?mcp.‸", "mcp", "", ""),
        ("%time mcp.‸", "mcp", "", ""),
        ("%%time\nmcp.‸", "mcp", "", ""),
        ("x: mcp.‸ = 1", "mcp", "", ""),
        ("a; mcp.‸; b", "mcp", "", ""),
        ("'''\n%s\n'''; mcp.‸", "mcp", "", ""),
        ("x = (10\n %3); mcp.‸", "mcp", "", ""),
    ],
)
def test_attributes(snippet: str, value: str, name: str, raw: str) -> None:
    document, offset = at_cursor(snippet)
    found = context_at(document, offset)
    assert isinstance(found, AttributeName)
    spans = (found.value.span, found.span, found.raw_span if "-" in raw else found.span)
    assert [document.text[span.start : span.end] for span in spans] == [value, name, raw]


@pytest.mark.parametrize(
    ("snippet", "parent", "part", "is_from", "imports"),
    [
        ("import ‸", "", "", False, False),
        ("import a‸", "", "a", False, False),
        ("import a.b‸", "a", "b", False, False),
        ("import a.b.‸", "a.b", "", False, False),
        ("import x, a.‸", "a", "", False, False),
        ("import a‸.b", "", "a", False, False),
        ("from ‸", "", "", True, False),
        ("from a.‸", "a", "", True, False),
        ("from a.‸\nx = 1", "a", "", True, False),
        ("from a.b‸ import c", "a", "b", True, True),
        ("from .‸", "", "", True, False),
    ],
)
def test_module_paths(
    snippet: str, parent: str, part: str, *, is_from: bool, imports: bool
) -> None:
    document, offset = at_cursor(snippet)
    found = context_at(document, offset)
    assert isinstance(found, ModulePath)
    text = document.text[found.span.start : found.span.end]
    assert (found.parent, text) == (parent, part)
    assert (found.is_from, found.imports) == (is_from, imports)


@pytest.mark.parametrize(
    ("snippet", "module", "prefix", "given"),
    [
        ("from a.b import ‸", "a.b", "", ()),
        ("from a.b import c‸", "a.b", "c", ()),
        ("from a import b, c‸, d", "a", "c", ("b", "d")),
        ("from a import (b,\n  ‸\n)", "a", "", ("b",)),
        ("from a import (‸", "a", "", ()),
        ("from a import (b, ‸\nx = 1", "a", "", ("b",)),
        ("from . import ‸", "", "", ()),
    ],
)
def test_imported_names(snippet: str, module: str, prefix: str, given: tuple[str, ...]) -> None:
    found = context_at(*at_cursor(snippet))
    assert isinstance(found, ImportName)
    assert (found.module, found.prefix, found.given) == (module, prefix, given)


@pytest.mark.parametrize(
    ("snippet", "route", "value", "prefix"),
    [
        ('r["‸"]', KeyRoute.SUBSCRIPT, "r", ""),
        ('r["a‸', KeyRoute.SUBSCRIPT, "r", "a"),
        ('r["a‸\nx = 1', KeyRoute.SUBSCRIPT, "r", "a"),
        ("r['a']['‸']", KeyRoute.SUBSCRIPT, "r['a']", ""),
        ("r[‸]", KeyRoute.SUBSCRIPT, "r", ""),
        ('r.get("a‸", 1)', KeyRoute.GET, "r", "a"),
        ("r.get(‸)", KeyRoute.GET, "r", ""),
        ('getattr(mcp.s, "a-‸b")', KeyRoute.GETATTR, "mcp.s", "a-"),
        ("getattr(mcp.s, ‸", KeyRoute.GETATTR, "mcp.s", ""),
        ('getattr(mcp.s, "‸', KeyRoute.GETATTR, "mcp.s", ""),
        ('f(a=r["‸"])', KeyRoute.SUBSCRIPT, "r", ""),
        ("f\"{r['‸']}\"", KeyRoute.SUBSCRIPT, "r", ""),
        ('f"{r["‸"]}"', KeyRoute.SUBSCRIPT, "r", ""),
        ("f\"{r['‸", KeyRoute.SUBSCRIPT, "r", ""),
        ('(await f(x=1))["‸"]', KeyRoute.SUBSCRIPT, "(await f(x=1))", ""),
        ('for x in r["‸"]:', KeyRoute.SUBSCRIPT, "r", ""),
    ],
)
def test_string_keys(snippet: str, route: KeyRoute, value: str, prefix: str) -> None:
    document, offset = at_cursor(snippet)
    found = context_at(document, offset)
    assert isinstance(found, StringKey)
    span = found.value.span
    assert (found.route, document.text[span.start : span.end]) == (route, value)
    assert found.prefix == prefix


@pytest.mark.parametrize(
    ("snippet", "prefix"),
    [
        ("‸", ""),
        ("\n\n‸", ""),
        ("x‸", "x"),
        ("x = ‸", ""),
        ("x = ab‸", "ab"),
        ("return ‸", ""),
        ("if ‸", ""),
        ("await ‸", ""),
        ("not ‸", ""),
        ("x + ‸", ""),
        ("@‸", ""),
        ("for x in ‸:", ""),
        ("[y for y in ‸]", ""),
        ("{‸}", ""),
        ("x = {'a': ‸}", ""),
        ("d[na‸]", "na"),
        ('f"{‸}"', ""),
        ('f"{ab‸}"', "ab"),
        ("def f(a=‸): pass", ""),
        ("class A(‸): pass", ""),
        ("imp‸", "imp"),
        ("from a imp‸", "imp"),
        ("x; ‸", ""),
        ("if x:\n    ‸", ""),
        ("if x: ‸", ""),
        ("try: ‸", ""),
        ("f(a=b + ‸)", ""),
        ("x: ‸ = 1", ""),
    ],
)
def test_bare_names(snippet: str, prefix: str) -> None:
    found = context_at(*at_cursor(snippet))
    assert isinstance(found, BareName)
    assert found.prefix == prefix


@pytest.mark.parametrize(
    ("snippet", "reason"),
    [
        ("# a‸", Silence.COMMENT),
        ("f(a=1,  # b‸", Silence.COMMENT),
        ("x = 1  # mcp.‸", Silence.COMMENT),
        ("'a‸'", Silence.STRING),
        ("'mcp.‸", Silence.STRING),
        ('"""\nmcp.‸\n', Silence.STRING),
        ("f'a‸{x}'", Silence.STRING),
        ("f'{{mcp.‸}}'", Silence.STRING),
        ("f'{x:mcp.‸}'", Silence.STRING),
        ("f'{x}mcp.‸'", Silence.STRING),
        ("rb'mcp.‸'", Silence.STRING),
        ("print(f'{web.search(query=q)} items {{no‸t here}}')", Silence.STRING),
        ("%pip install ‸", Silence.MAGIC),
        ("!ls mcp.‸", Silence.MAGIC),
        ("x = !ls mcp.‸", Silence.MAGIC),
        ("x = %magic mcp.‸", Silence.MAGIC),
        ("%%bash\nmcp.‸\n", Silence.MAGIC),
        ("!ls \\\n  mcp.‸", Silence.MAGIC),
        ("x = 1‸", Silence.NUMBER),
        ("x ‸", Silence.OPERATOR),
        ("from a ‸", Silence.OPERATOR),
        ("import a ‸", Silence.OPERATOR),
        ("def f‸(a): pass", Silence.DEFINITION),
        ("def f(a‸): pass", Silence.DEFINITION),
        ("class A‸: pass", Silence.DEFINITION),
        ("import a as b‸", Silence.DEFINITION),
        ("from a import b as c‸", Silence.DEFINITION),
        ("lambda x‸: x", Silence.DEFINITION),
    ],
)
def test_nothing_is_completed(snippet: str, reason: Silence) -> None:
    found = context_at(*at_cursor(snippet))
    assert isinstance(found, NothingHere)
    assert found.reason is reason


@pytest.mark.parametrize(
    "snippet",
    [
        "f(‸",
        "f(a=‸)",
        "f(a='x‸')",
        "f(**{'‸'})",
        "f(a={'‸': 1})",
        'print(f"found {web.search(query=q, ‸)} items {{not here}}")',
        "f'''{f(‸)}'''",
        "x = 10 %3; f(‸",
    ],
)
def test_slots_of_calls(snippet: str) -> None:
    assert isinstance(context_at(*at_cursor(snippet)), InCall)
