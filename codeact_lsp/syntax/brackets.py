"""What stands in brackets: arguments, subscripts, displays, comprehensions."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from codeact_lsp.syntax.expressions import (
    Argument,
    ArgumentKind,
    Call,
    Clause,
    Comprehension,
    Dict,
    Display,
    DisplayKind,
    Entry,
    Expression,
    Group,
    Missing,
    Slice,
    Span,
    Starred,
    String,
    Strings,
    Subscript,
)
from codeact_lsp.syntax.literals import Parse
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind

_STARS: Final = {"*": ArgumentKind.STAR, "**": ArgumentKind.DOUBLE_STAR}


class Grammar(NamedTuple):
    """The parts of the grammar that brackets hold.

    Attributes:
        expression: anything between two commas, walrus and yield included.
        condition: the same without `if … else`, walrus and lambda.
        target: what stands before `in`.
        argument: an expression, or a keyword alone: a name or a value that is being typed.

    """

    expression: Parse
    condition: Parse
    target: Parse
    argument: Parse


class _ItemParse(Protocol):
    def __call__(self, stream: Stream, grammar: Grammar, /) -> Expression: ...


def call(stream: Stream, grammar: Grammar, function: Expression) -> Call:
    """The arguments behind `function`; the stream is at the parenthesis."""
    opening = stream.take().start
    stream.closers.append(")")
    found: list[Argument] = []
    while not stream.ended():
        before = stream.index
        if not stream.accept(","):
            found.append(_argument(stream, grammar))
        if stream.index == before:
            found.pop()
            stream.advance()
    close = stream.close(")")
    span = _span(stream, function.span.start, close)
    return Call(span, function, tuple(found), opening, close)


def _argument(stream: Stream, grammar: Grammar) -> Argument:
    start = stream.start
    stars = _STARS.get(stream.text)
    if stars is not None:
        stream.advance()
        value = grammar.expression(stream)
        return Argument(stream.since(start), stars, value)
    name = keyword_name(stream)
    if name is None:
        value = _comprehension_or(stream, grammar, grammar.argument(stream))
        # What Python cannot read as a keyword (`filter[a]=1`) was meant as one by its raw name.
        if stream.text != "=" or isinstance(value, Missing):
            return Argument(stream.since(start), ArgumentKind.POSITIONAL, value)
        name = value.span
    stream.advance()
    value = grammar.argument(stream)
    span = stream.since(start)
    return Argument(span, ArgumentKind.KEYWORD, value, stream.source(name), name)


def keyword_name(stream: Stream) -> Span | None:
    """Step over `name` or `raw-name` before an `=`; None, and no step, where there is none."""
    if stream.kind is not TokenKind.NAME:
        return None
    if stream.next_text() == "=":
        return stream.take()
    first, start = stream.index, stream.start
    while stream.glued() and (stream.next_text() == "-" or stream.text == "-"):
        stream.advance()
    if stream.text in {"", "-"} or stream.next_text() != "=":
        stream.back(first)
        return None
    return Span(start, stream.take().end)


def subscript(stream: Stream, grammar: Grammar, value: Expression) -> Subscript:
    """The index behind `value`; the stream is at the bracket."""
    opening = stream.take().start
    stream.closers.append("]")
    start = stream.start
    items, commas = _items(stream, grammar, _slice)
    index = _tuple(stream, start, items, commas=commas)
    close = stream.close("]")
    return Subscript(_span(stream, value.span.start, close), value, index, opening, close)


def _slice(stream: Stream, grammar: Grammar) -> Expression:
    start = stream.start
    parts: list[Expression] = []
    if stream.text != ":":
        parts.append(_item(stream, grammar))
    if stream.text != ":":
        return parts[0]
    while stream.accept(":"):
        if stream.text not in {":", ","} and not stream.ended():
            parts.append(grammar.expression(stream))
    return Slice(stream.since(start), tuple(parts))


def parenthesised(stream: Stream, grammar: Grammar) -> Expression:
    """A group, a tuple or a generator."""
    start = stream.take().start
    stream.closers.append(")")
    items, commas = _items(stream, grammar, _item)
    if len(items) == 1 and not commas and isinstance(items[0], Comprehension):
        return _bracketed_comprehension(stream, items[0], start, ")")
    close = stream.close(")")
    span = _span(stream, start, close)
    if len(items) == 1 and not commas:
        return Group(span, items[0], start, close)
    return Display(span, DisplayKind.TUPLE, tuple(items), start, close)


def listed(stream: Stream, grammar: Grammar) -> Expression:
    """A list display or comprehension."""
    start = stream.take().start
    stream.closers.append("]")
    items, _ = _items(stream, grammar, _item)
    if len(items) == 1 and isinstance(items[0], Comprehension) and items[0].open is None:
        return _bracketed_comprehension(stream, items[0], start, "]")
    close = stream.close("]")
    return Display(_span(stream, start, close), DisplayKind.LIST, tuple(items), start, close)


def braced(stream: Stream, grammar: Grammar) -> Expression:
    """A dict or set, as display or comprehension."""
    start = stream.take().start
    stream.closers.append("}")
    entries: list[Entry | Expression] = []
    while not stream.ended():
        before = stream.index
        if not stream.accept(","):
            entries.append(_entry(stream, grammar))
        if stream.index == before:
            entries.pop()
            stream.advance()
    only = entries[0] if len(entries) == 1 else None
    if isinstance(only, Comprehension) and only.open is None:
        return _bracketed_comprehension(stream, only, start, "}")
    close = stream.close("}")
    span = _span(stream, start, close)
    if _is_set(entries):
        items = tuple(item for item in entries if not isinstance(item, Entry))
        return Display(span, DisplayKind.SET, items, start, close)
    return Dict(span, tuple(map(_as_entry, entries)), start, close)


def _entry(stream: Stream, grammar: Grammar) -> Entry | Expression:
    start = stream.start
    if stream.accept("**"):
        value = grammar.expression(stream)
        return Entry(stream.since(start), None, value, None)
    key = _item(stream, grammar)
    if stream.text != ":":
        return key
    colon = stream.take().start
    value = grammar.expression(stream)
    if stream.text in {"for", "async"}:
        return _clauses(stream, grammar, (key, value))
    return Entry(stream.since(start), key, value, colon)


def _is_set(entries: list[Entry | Expression]) -> bool:
    """No entry has a colon; one lone string is rather the first key of a dict being typed."""
    if not entries or any(isinstance(entry, Entry) for entry in entries):
        return False
    return len(entries) > 1 or not isinstance(entries[0], (String, Strings))


def _as_entry(item: Entry | Expression) -> Entry:
    if isinstance(item, Entry):
        return item
    end = item.span.end
    return Entry(item.span, item, Missing(Span(end, end)), None)


def _item(stream: Stream, grammar: Grammar) -> Expression:
    if stream.text == "*":
        start = stream.take().start
        value = grammar.condition(stream)
        return Starred(stream.since(start), value)
    return _comprehension_or(stream, grammar, grammar.expression(stream))


def _items(stream: Stream, grammar: Grammar, parse: _ItemParse) -> tuple[list[Expression], bool]:
    """Items up to the closer, and whether there was a comma."""
    items: list[Expression] = []
    commas = False
    while not stream.ended():
        before = stream.index
        if stream.accept(","):
            commas = True
            continue
        item = parse(stream, grammar)
        if stream.index == before:
            stream.advance()
        else:
            items.append(item)
    return items, commas


def _tuple(stream: Stream, start: int, items: list[Expression], *, commas: bool) -> Expression:
    if not items:
        return Missing(stream.gap())
    if len(items) == 1 and not commas:
        return items[0]
    return Display(stream.since(start), DisplayKind.TUPLE, tuple(items), None, None)


def _comprehension_or(stream: Stream, grammar: Grammar, element: Expression) -> Expression:
    if stream.text == "for" or (stream.text == "async" and stream.next_text() == "for"):
        return _clauses(stream, grammar, (element,))
    return element


def _clauses(stream: Stream, grammar: Grammar, elements: tuple[Expression, ...]) -> Comprehension:
    clauses: list[Clause] = []
    while stream.text in {"for", "async"}:
        start = stream.start
        asynchronous = stream.accept("async")
        stream.accept("for")
        target = targets(stream, grammar.target)
        iterable = grammar.condition(stream) if stream.accept("in") else Missing(stream.gap())
        conditions = []
        while stream.accept("if"):
            conditions.append(grammar.condition(stream))
        span = stream.since(start)
        clauses.append(Clause(span, target, iterable, tuple(conditions), asynchronous))
    span = stream.since(elements[0].span.start)
    return Comprehension(span, elements, tuple(clauses), None, None)


def targets(stream: Stream, target: Parse) -> Expression:
    """One target, or several as a tuple, up to `in` or `=`."""
    start = stream.start
    items: list[Expression] = []
    commas = False
    while not stream.ended() and stream.text not in {"in", "=", ":"}:
        before = stream.index
        if stream.accept(","):
            commas = True
            continue
        star = stream.start
        if stream.accept("*"):
            value = target(stream)
            items.append(Starred(stream.since(star), value))
        else:
            item = target(stream)
            if stream.index == before:
                break
            items.append(item)
        if stream.text != ",":
            break
    return _tuple(stream, start, items, commas=commas)


def _bracketed_comprehension(
    stream: Stream, inner: Comprehension, start: int, closer: str
) -> Comprehension:
    close = stream.close(closer)
    return Comprehension(_span(stream, start, close), inner.elements, inner.clauses, start, close)


def _span(stream: Stream, start: int, close: int | None) -> Span:
    """Up to the closer; without one, up to what ends the brackets, blanks included."""
    if close is not None:
        return Span(start, close + 1)
    stream.open_end = stream.start
    return Span(start, stream.start)
