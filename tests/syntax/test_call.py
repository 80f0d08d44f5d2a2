from __future__ import annotations

import pytest

from codeact_lsp.syntax.call import (
    CallSite,
    IndexStep,
    KeyPlace,
    KeyStep,
    SlotKind,
    call_at,
    calls,
    literal_keys,
)
from codeact_lsp.syntax.document import Document
from tests.syntax.cursor import at_cursor

KEYWORD, VALUE, NONE = SlotKind.KEYWORD_NAME, SlotKind.VALUE, SlotKind.NONE


def site_at(snippet: str) -> CallSite:
    site = call_at(*at_cursor(snippet))
    assert site is not None
    return site


def texts(snippet: str) -> tuple[str, str]:
    """The text before the cursor and all of the text that a completion would replace."""
    document, offset = at_cursor(snippet)
    site = call_at(document, offset)
    assert site is not None
    span = site.slot.span
    return document.text[span.start : offset], document.text[span.start : span.end]


@pytest.mark.parametrize(
    ("snippet", "replaced", "equals"),
    [
        ("f(‸)", "", False),
        ("f(‸", "", False),
        ("f(a‸)", "a", False),
        ("f(a=1,‸)", "", False),
        ("f(a=1, ‸", "", False),
        ("f(qu‸ery='x')", "query", True),
        ("f(que‸ = 1)", "que", True),
        ("f(a=1, ‸b=2)", "b", True),
        ("f(a=1, file-p‸)", "file-p", False),
        ("f(file-‸", "file-", False),
        ("f(file-pa‸th=1)", "file-path", True),
        ("f(from‸", "from", False),
        ("f(fro‸m=1)", "from", True),
        ("f(class-na‸me=1)", "class-name", True),
        ("f(\n    a=1,\n    ‸\n)\n", "", False),
        ("f(\n    a=1,\n    ‸\ny = 2\n", "", False),
        ("f(\n    a=1,  # why, (really)\n    b‸\n)\n", "b", False),
        ("f(**d, ‸)", "", False),
        ("f(*d, b‸)", "b", False),
        ("f(a=1)(‸)", "", False),
        ("f(a=1 b‸)", "b", False),
        ("if f(‸:\n    pass", "", False),
        ("for x in f(‸\n    pass", "", False),
        ("x = {'a': f(‸", "", False),
        ("print(f'{f(‸)}')", "", False),
        ("@f(‸)\ndef g(): pass", "", False),
        ("def g(a=f(‸)): pass", "", False),
        ("class C(f(‸)): pass", "", False),
        ("lambda: f(‸)", "", False),
        ("[f(‸) for x in y]", "", False),
        ("%time f(‸)", "", False),
        ("import a; f(‸", "", False),
        ("x: f(‸) = 1", "", False),
        ("return f(‸", "", False),
        ("del x[f(‸)]", "", False),
        ("assert f(‸), x", "", False),
        ("with f(‸ as x:\n    pass", "", False),
    ],
)
def test_where_a_keyword_may_be_typed(snippet: str, replaced: str, *, equals: bool) -> None:
    slot = site_at(snippet).slot
    assert (slot.kind, texts(snippet)[1], slot.equals) == (KEYWORD, replaced, equals)


@pytest.mark.parametrize(
    "snippet",
    [
        "f(obj.na‸)",
        "f(obj.‸)",
        "f(a=x + ‸)",
        "f(a=d[‸])",
        "f(a=1 ‸)",
        "f(a='x' ‸)",
        "f(que ‸= 1)",
        "f(*‸)",
        "f(**‸)",
        "f(-‸)",
        "f(a=-‸)",
        "f(a if ‸)",
        "f(lambda: ‸)",
        "f(x for y in ‸)",
        "f(a=f'{x}‸')",
        "f(a=not ‸)",
        "f(a={**‸})",
        "f(a={'k' ‸: 1})",
    ],
)
def test_the_middle_of_another_expression(snippet: str) -> None:
    assert site_at(snippet).slot.kind is NONE


@pytest.mark.parametrize("snippet", ["f(a=x + ‸)", "f(a=1 ‸)", "f(b=2, a=d[‸])", "f(a=g(1)‸)"])
def test_the_argument_is_known_also_in_the_middle_of_it(snippet: str) -> None:
    assert site_at(snippet).slot.parameter == "a"


@pytest.mark.parametrize(
    ("snippet", "parameter", "replaced", "in_string"),
    [
        ("f(a=‸)", "a", "", False),
        ("f(a=‸", "a", "", False),
        ("f(a=‸, b=1)", "a", "", False),
        ("f(a= ‸ , b=1)", "a", "", False),
        ("f(a=‸\ny = 2\nfor x in y:\n    pass", "a", "", False),
        ("f(file-path=‸)", "file-path", "", False),
        ("f(from=‸)", "from", "", False),
        ("f(page[size]=‸)", "page[size]", "", False),
        ("f(order=as‸)", "order", "as", False),
        ("f(n=Tru‸e)", "n", "True", False),
        ("f(n=1‸)", "n", "1", False),
        ('f(order="‸")', "order", "", True),
        ("f(order='a‸sc')", "order", "asc", True),
        ('f(order="a‸', "order", "a", True),
        ('f(order="a‸\nx = 1\n', "order", "a", True),
        ('f(order="""a‸""")', "order", "a", True),
        ("f(order=(‸))", "order", "", False),
        ("f('‸')", None, "", True),
        ("f(1‸)", None, "1", False),
    ],
)
def test_a_value(snippet: str, parameter: str | None, replaced: str, *, in_string: bool) -> None:
    slot = site_at(snippet).slot
    assert (slot.kind, slot.parameter, texts(snippet)[1]) == (VALUE, parameter, replaced)
    assert (slot.string is not None, slot.key, slot.path) == (in_string, None, ())


K, L = KeyStep("k"), KeyStep("l")


@pytest.mark.parametrize(
    ("snippet", "path", "key"),
    [
        ("f(a={‸})", (), KeyPlace((), colon=False)),
        ("f(a={‸", (), KeyPlace((), colon=False)),
        ("f(a={'‸", (), KeyPlace((), colon=False)),
        ("f(a={'k‸'})", (), KeyPlace((), colon=False)),
        ("f(a={'k‸': 1})", (), KeyPlace((), colon=True)),
        ("f(a={'k': 1, ‸})", (), KeyPlace(("k",), colon=False)),
        ("f(a={'k': 1, 'l‸'})", (), KeyPlace(("k",), colon=False)),
        ("f(a={'k', 'l‸'})", (), KeyPlace(("k",), colon=False)),
        ("f(a={'k': ‸})", (K,), None),
        ("f(a={'k': 'v‸'})", (K,), None),
        ("f(a={'k': {‸}})", (K,), KeyPlace((), colon=False)),
        ("f(a={'k': {'l': ‸", (K, L), None),
        ("f(a=[‸])", (IndexStep(0),), None),
        ("f(a=[1, ‸", (IndexStep(1),), None),
        ("f(a=['x‸', 'y'])", (IndexStep(0),), None),
        ("f(a=[{}, {'k': 1, '‸'}])", (IndexStep(1),), KeyPlace(("k",), colon=False)),
        ("f(a={'k': [1, {‸}]})", (K, IndexStep(1)), KeyPlace((), colon=False)),
        ("f(a=({'k': ‸}))", (K,), None),
    ],
)
def test_inside_an_object_argument(
    snippet: str, path: tuple[object, ...], key: KeyPlace | None
) -> None:
    slot = site_at(snippet).slot
    assert (slot.kind, slot.parameter, slot.path, slot.key) == (VALUE, "a", path, key)


@pytest.mark.parametrize(
    ("snippet", "replaced", "given"),
    [
        ("f(**{‸})", "", ()),
        ("f(**{‸", "", ()),
        ('f(**{"‸', "", ()),
        ('f(**{"a b‸"})', "a b", ()),
        ("f(a=1, **{'x': 1, 'a‸': 2})", "a", ("x",)),
    ],
)
def test_the_key_of_an_unspelled_parameter(
    snippet: str, replaced: str, given: tuple[str, ...]
) -> None:
    slot = site_at(snippet).slot
    assert slot.kind is SlotKind.UNSPELLED_KEY
    assert slot.key is not None
    assert (texts(snippet)[1], slot.key.given) == (replaced, given)


def test_the_value_of_an_unspelled_parameter() -> None:
    slot = site_at("f(**{'a b': {'k': ‸}})").slot
    assert (slot.kind, slot.parameter, slot.unspelled, slot.path) == (VALUE, "a b", True, (K,))


def test_enclosing_calls() -> None:
    site = site_at("await f(b=1, a=g(x=‸), c=2)")
    assert (site.slot.parameter, site.awaited) == ("x", False)
    assert site.enclosing is not None
    assert (site.enclosing.slot.parameter, site.enclosing.awaited) == ("a", True)
    assert site.enclosing.enclosing is None


@pytest.mark.parametrize(
    "snippet", ["f‸(a)", "f(a)‸", "‸f(a)", "f(a)\n‸", "(‸)", "# f(‸)", "'f(‸)'"]
)
def test_outside_any_call(snippet: str) -> None:
    assert call_at(*at_cursor(snippet)) is None


def test_calls_of_finished_and_unfinished_code() -> None:
    text = (
        "a(b(1), c=d())\ne(f=\ng(2)\nfor x in h(\n    i()\nj(file-path=1, from=2, **{'a b': 3})\n"
    )
    found = calls(Document.parse(text))
    assert [text[call.function.span.start : call.open] for call in found] == list("abdeghij")
    names = [argument.name for argument in found[-1].arguments]
    assert names == ["file-path", "from", None]
    spans = [argument.name_span for argument in found[-1].arguments[:2]]
    assert [text[span.start : span.end] for span in spans if span] == ["file-path", "from"]
    ((key, span),) = literal_keys(found[-1].arguments[2])
    assert (key, text[span.start : span.end]) == ("a b", "'a b'")


@pytest.mark.parametrize(
    "blank", [" ", "\t", "   \t ", "\n    ", "  # c\n", "\\\n  ", "\u3000", "\f"]
)
@pytest.mark.parametrize("behind", ["", "\n", "\ny = 2", "\n\nfor x in y:\n    pass\n"])
@pytest.mark.parametrize("before", ["f(", "await f(a=1,", "x = [f(a,", "with g() as x, f(", "@f("])
def test_the_call_goes_on_behind_blanks(before: str, blank: str, behind: str) -> None:
    text = before + blank
    site = call_at(Document.parse(text + behind), len(text))
    assert site is not None
    assert site.call.open == text.index("f(") + 1
    assert site.slot.kind is SlotKind.KEYWORD_NAME
