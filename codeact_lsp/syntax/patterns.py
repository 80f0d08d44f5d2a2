"""What a `case` pattern captures, and which literals it asks for.

https://docs.python.org/3/reference/compound_stmts.html#patterns
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.literals import STRING_KINDS, constant, strings
from codeact_lsp.syntax.origins import (
    Binding,
    Captured,
    Key,
    Literal,
    Opaque,
    OpaqueReason,
    Rest,
    Step,
    Test,
    Unpack,
)
from codeact_lsp.syntax.parser import KEYWORDS, expression, normalised
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind

_CONSTANTS: Final = {"None": None, "True": True, "False": False}
_ENDS: Final = frozenset({":", "if", ";", ""})
_ITSELF: Final = frozenset(
    "bool bytearray bytes dict float frozenset int list set str tuple".split()
)
"""The classes whose one positional pattern is matched against the whole subject."""


class Pattern(NamedTuple):
    """A pattern read.

    Attributes:
        bindings: the names that it captures.
        tests: what is surely true of the subject where it matches.
        exact: where it does not match, that is because the one test fails.

    """

    bindings: tuple[Binding, ...]
    tests: tuple[Test, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class _Name:
    """A capture; `name` is "_" where nothing is bound."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class _Value:
    value: Literal


@dataclass(frozen=True, slots=True)
class _Row:
    items: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Star:
    target: _Name


@dataclass(frozen=True, slots=True)
class _Keys:
    entries: tuple[tuple[str | None, _Node], ...]


@dataclass(frozen=True, slots=True)
class _Either:
    items: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Both:
    """Patterns that all match the same subject: `pattern as name`."""

    items: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Hidden:
    """What depends on something that is not followed: a class, the value of a dotted name."""

    inner: tuple[_Node, ...] = ()


_Node: TypeAlias = _Name | _Value | _Row | _Star | _Keys | _Either | _Both | _Hidden


def pattern(stream: Stream) -> Pattern:
    """Read a pattern up to its guard or colon, whatever stands there."""
    found = _open(stream)
    while stream.text not in _ENDS:
        stream.advance()
    return _told(found, ())


def _open(stream: Stream, closer: str = "") -> _Node:
    """One pattern, or several with commas, up to `closer`."""
    items: list[_Node] = []
    commas = False
    while stream.text != closer and stream.text not in _ENDS:
        before = stream.index
        if stream.accept(","):
            commas = True
            continue
        items.append(_as(stream))
        if stream.index == before:
            items.pop()
            stream.advance()
    starred = any(isinstance(item, _Star) for item in items)
    return items[0] if len(items) == 1 and not (commas or starred) else _Row(tuple(items))


def _as(stream: Stream) -> _Node:
    if stream.too_deep():
        return _Hidden()
    stream.depth += 1
    found = [_closed(stream)]
    while stream.accept("|"):
        found.append(_closed(stream))
    stream.depth -= 1
    node = found[0] if len(found) == 1 else _Either(tuple(found))
    if stream.accept("as") and stream.kind is TokenKind.NAME:
        return _Both((node, _name(stream)))
    return node


def _closed(stream: Stream) -> _Node:
    text, kind = stream.text, stream.kind
    if kind in STRING_KINDS:
        value = strings(stream, expression).value
        return _Hidden() if value is None else _Value(value)
    if kind is TokenKind.NUMBER:
        number = constant(text, stream.take()).value
        plain = isinstance(number, int) and stream.text not in {"+", "-"}
        return _Value(number) if plain and isinstance(number, int) else _Hidden()
    if text == "-":
        stream.advance()
        return _Hidden((_closed(stream),)) if stream.kind is TokenKind.NUMBER else _Hidden()
    if kind is TokenKind.NAME and text in _CONSTANTS:
        stream.advance()
        return _Value(_CONSTANTS[text])
    if kind is TokenKind.NAME and text not in KEYWORDS:
        return _named(stream)
    if text == "*":
        stream.advance()
        return _Star(_name(stream)) if stream.kind is TokenKind.NAME else _Hidden()
    if text == "{":
        return _mapping(stream)
    if text in {"(", "["}:
        stream.advance()
        inner = _open(stream, ")" if text == "(" else "]")
        stream.accept(")" if text == "(" else "]")
        return inner if text == "(" or isinstance(inner, _Row) else _Row((inner,))
    return _Hidden()


def _name(stream: Stream) -> _Name:
    text = normalised(stream.text)
    return _Name(text, stream.take())


def _named(stream: Stream) -> _Node:
    """A capture, the value of a dotted name, or a class with its patterns."""
    first = _name(stream)
    dotted = stream.text == "."
    while stream.accept("."):
        if stream.kind is TokenKind.NAME:
            stream.advance()
    if stream.text != "(":
        return _Hidden() if dotted else first
    stream.advance()
    inner: list[_Node] = []
    keywords = False
    while stream.text != ")" and stream.text not in _ENDS:
        before = stream.index
        if stream.next_text() == "=":
            keywords = True
            stream.advance()
        if stream.text in {",", "="}:
            stream.advance()
            continue
        inner.append(_as(stream))
        if stream.index == before:
            inner.pop()
            stream.advance()
    stream.accept(")")
    whole = len(inner) == 1 and not keywords and not dotted and first.name in _ITSELF
    return _Both((_Hidden(), inner[0])) if whole else _Hidden(tuple(inner))


def _mapping(stream: Stream) -> _Keys:
    stream.advance()
    entries: list[tuple[str | None, _Node]] = []
    while stream.text not in {"}", "", ";"}:
        before = stream.index
        if stream.accept("**"):
            entries.append((None, _Hidden((_closed(stream),))))
        elif not stream.accept(","):
            key = _closed(stream)
            known = key.value if isinstance(key, _Value) and isinstance(key.value, str) else None
            if stream.accept(":"):
                entries.append((known, _as(stream)))
        if stream.index == before:
            stream.advance()
    stream.accept("}")
    return _Keys(tuple(entries))


_NOTHING: Final = Pattern((), (), exact=True)
_UNSURE: Final = Pattern((), (), exact=False)


def _told(node: _Node, steps: tuple[Step, ...]) -> Pattern:
    """What a pattern says whose subject is reached by `steps`."""
    match node:
        case _Name(name, span):
            binding = Binding(name, span, Captured(steps))
            return _NOTHING if name == "_" else Pattern((binding,), (), exact=True)
        case _Value(value):
            return Pattern((), (Test(steps, (value,)),), exact=True)
        case _Row(items):
            rows = [_told(item, (*steps, step)) for item, step in _positions(items)]
            return _all(rows, exact=False)
        case _Star(target):
            return _told(target, steps)
        case _Keys(entries):
            return _all(
                [
                    _hidden(one) if key is None else _told(one, (*steps, Key(key)))
                    for key, one in entries
                ],
                exact=all(key is not None for key, _ in entries),
            )
        case _Either(items):
            return _either([_told(item, steps) for item in items])
        case _Both(items):
            return _all([_told(item, steps) for item in items], exact=True)
        case _Hidden(inner):
            return _all([_UNSURE, *map(_hidden, inner)], exact=False)


def _positions(items: tuple[_Node, ...]) -> list[tuple[_Node, Step]]:
    count = len(items)
    star = next((at for at, item in enumerate(items) if isinstance(item, _Star)), count)
    return [
        (item, Rest(at, count - at - 1) if at == star else Unpack(at if at < star else at - count, count))
        for at, item in enumerate(items)
    ]  # fmt: skip


def _hidden(node: _Node) -> Pattern:
    """The names of a pattern whose subject is not followed."""
    return _opaque(_told(node, ()))


def _opaque(told: Pattern) -> Pattern:
    names = (
        Binding(one.name, one.span, Opaque(OpaqueReason.MATCH)) for one in told.bindings
    )  # fmt: skip
    return Pattern(tuple(names), (), exact=False)


def _all(told: list[Pattern], *, exact: bool) -> Pattern:
    tests = tuple(test for one in told for test in one.tests)
    return Pattern(
        tuple(binding for one in told for binding in one.bindings),
        tests,
        exact and all(one.exact for one in told) and len(tests) <= 1,
    )


def _either(told: list[Pattern]) -> Pattern:
    """Alternatives that test the same place are one test; what they capture may be any of several."""
    tests = [one.tests for one in told]
    same = all(len(one) == 1 and one[0].steps == tests[0][0].steps for one in tests)
    bindings = tuple(binding for one in told for binding in _opaque(one).bindings)
    if not same:
        return Pattern(bindings, (), exact=False)
    values = tuple(value for one in tests for value in one[0].values)
    exact = all(one.exact for one in told)
    return Pattern(bindings, (Test(tests[0][0].steps, values),), exact)
