"""What can be typed at a place inside a call's parentheses."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import Final

from codeact_lsp.syntax.document import Document, PlacedLine
from codeact_lsp.syntax.expressions import (
    Argument,
    ArgumentKind,
    Call,
    Constant,
    Dict,
    Display,
    DisplayKind,
    Entry,
    Expression,
    Missing,
    Name,
    Span,
    String,
    bare,
    literal_text,
)
from codeact_lsp.syntax.parser import KEYWORDS
from codeact_lsp.syntax.tokens import Token, TokenKind

_WORD: Final = re.compile(r"[^\W\d][\w-]*")
_OPENINGS: Final = frozenset({"(", "[", "{", ","})


class SlotKind(enum.Enum):
    """What can be typed at a place inside a call's parentheses."""

    KEYWORD_NAME = "keyword-name"
    VALUE = "value"
    UNSPELLED_KEY = "unspelled-key"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class KeyStep:
    """Into the value of a key of a dict display; `key` is None where it is no string literal."""

    key: str | None


@dataclass(frozen=True, slots=True)
class IndexStep:
    """Into element `index` of a list, tuple or set display."""

    index: int


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """The cursor stands where a key of a dict display is typed.

    Attributes:
        given: the keys that the display has already, the one under the cursor left out.
        colon: whether a colon follows, so that only the key is to be written.

    """

    given: tuple[str, ...]
    colon: bool


@dataclass(frozen=True, slots=True)
class Slot:
    """What can be typed at the cursor.

    Attributes:
        argument: index of the argument that the cursor is in; None between arguments.
        parameter: for VALUE, the keyword as spelled in the text; None in a positional or `*`
            argument and for UNSPELLED_KEY. For a value inside `**{"raw": …}` it is the raw key and
            `unspelled` is true.
        path: for VALUE, the steps from the argument's value into nested displays.
        key: set where a dict key is typed: always for UNSPELLED_KEY; for VALUE, inside a nested dict.
        prefix: the text from the start of `span` to the cursor.
        span: what a completion replaces: the whole word, the inside of the string, or nothing.
        string: the string literal that the cursor is in, if any; `span` is then its content.
        equals: for KEYWORD_NAME, whether `=` follows the word (spaces allowed between).
        expression: for VALUE, the expression that stands there now (`Missing` if none does).

    """

    kind: SlotKind
    span: Span
    prefix: str = ""
    argument: int | None = None
    parameter: str | None = None
    unspelled: bool = False
    path: tuple[KeyStep | IndexStep, ...] = ()
    key: KeyPlace | None = None
    string: String | None = None
    equals: bool = False
    expression: Expression | None = None


def slot_of(document: Document, call: Call, offset: int) -> Slot:
    """The slot of a call that the cursor is in."""
    for index, argument in enumerate(call.arguments):
        if argument.span.start <= offset <= max(argument.span.end, argument.value.span.end):
            return replace(_in_argument(document, argument, offset), argument=index)
    last = last_token(document.line_at(offset), offset)
    if last is not None and last.text in {"(", ","}:
        return Slot(SlotKind.KEYWORD_NAME, Span(offset, offset))
    before = sum(argument.span.end < offset for argument in call.arguments)
    if not before:
        return _nowhere(offset)
    name = call.arguments[before - 1].name
    return replace(_nowhere(offset), argument=before - 1, parameter=name)


def last_token(placed: PlacedLine | None, offset: int) -> Token | None:
    """The last token of the line that ends at or before `offset`, comments left out."""
    if placed is None:
        return None
    for token in reversed(placed.line.tokens):
        if placed.start + token.end <= offset and token.kind is not TokenKind.COMMENT:
            return token
    return None


def _in_argument(document: Document, argument: Argument, offset: int) -> Slot:
    text = document.text
    match argument.kind:
        case ArgumentKind.KEYWORD:
            assert argument.name_span is not None  # keywords have one
            if offset <= argument.name_span.end:
                span = argument.name_span
                prefix = text[span.start : offset]
                return Slot(SlotKind.KEYWORD_NAME, span, prefix, equals=True)
            if text.find("=", argument.name_span.end, offset) < 0:
                return _nowhere(offset)
            return replace(_in_value(document, argument.value, offset), parameter=argument.name)
        case ArgumentKind.DOUBLE_STAR:
            return _in_unspelled(document, argument.value, offset)
        case ArgumentKind.STAR:
            return _nowhere(offset)
        case ArgumentKind.POSITIONAL:
            word = _WORD.match(text, argument.span.start)
            whole = word is not None and word.end() >= argument.span.end
            if word is not None and whole:
                span = Span(*word.span())
                return Slot(SlotKind.KEYWORD_NAME, span, text[span.start : offset])
            return _in_value(document, argument.value, offset)


def _nowhere(offset: int) -> Slot:
    return Slot(SlotKind.NONE, Span(offset, offset))


def _in_unspelled(document: Document, value: Expression, offset: int) -> Slot:
    slot = _in_value(document, value, offset)
    if slot.key is None and not slot.path:
        return _nowhere(offset)
    if not slot.path:
        return replace(slot, kind=SlotKind.UNSPELLED_KEY)
    first = slot.path[0]
    raw = first.key if isinstance(first, KeyStep) else None
    return replace(slot, parameter=raw, unspelled=True, path=slot.path[1:])


def _in_value(
    document: Document, value: Expression, offset: int, path: tuple[KeyStep | IndexStep, ...] = ()
) -> Slot:
    """The slot in a value: the whole of it, or a place in nested displays."""
    value = bare(value)
    if isinstance(value, Dict):
        return _in_dict(document, value, offset, path)
    if isinstance(value, Display):
        return _in_display(document, value, offset, path)
    return _typed(document, value, offset, path)


def _typed(
    document: Document,
    value: Expression,
    offset: int,
    path: tuple[KeyStep | IndexStep, ...],
    key: KeyPlace | None = None,
) -> Slot:
    """The slot where a word, a number or a string is being typed, or nothing is yet."""
    string: String | None = None
    keyword = None if key is None else _keyword_for_key(document, offset)
    match value:
        case _ if keyword is not None:
            span = keyword
        case Missing():
            span = Span(offset, offset)
        case Name() | Constant() if value.span.touches(offset):
            span = value.span
        case String() if value.content.touches(offset) and not value.fields:
            span, string = value.content, value
        case _:
            return replace(_nowhere(offset), path=path, expression=value)
    prefix = document.text[span.start : offset]
    return Slot(SlotKind.VALUE, span, prefix, path=path, key=key, string=string, expression=value)


def _inside(value: Dict | Display, offset: int) -> bool:
    opened = value.open is not None and value.open < offset
    return opened and (value.close is None or offset <= value.close)


def _in_dict(
    document: Document, value: Dict, offset: int, path: tuple[KeyStep | IndexStep, ...]
) -> Slot:
    if not _inside(value, offset):
        return replace(_nowhere(offset), path=path, expression=value)
    for entry in value.entries:
        if not entry.span.start <= offset <= max(entry.span.end, entry.value.span.end):
            continue
        if entry.key is None:
            return _nowhere(offset)
        if entry.colon is not None and offset > entry.colon:
            step = KeyStep(literal_text(entry.key))
            return _in_value(document, entry.value, offset, (*path, step))
        place = KeyPlace(_keys(value, entry), colon=entry.colon is not None)
        return _typed(document, bare(entry.key), offset, path, place)
    return _between(document, value, offset, path, KeyPlace(_keys(value, None), colon=False))


def _keys(value: Dict, without: Entry | None) -> tuple[str, ...]:
    keys = (
        literal_text(entry.key)
        for entry in value.entries
        if entry is not without and entry.key is not None
    )
    return tuple(key for key in keys if key is not None)


def _in_display(
    document: Document, value: Display, offset: int, path: tuple[KeyStep | IndexStep, ...]
) -> Slot:
    if not _inside(value, offset):
        return replace(_nowhere(offset), path=path, expression=value)
    is_set = value.kind is DisplayKind.SET
    for index, item in enumerate(value.items):
        if item.span.touches(offset):
            if is_set:  # the first key of a dict looks like this until its colon is typed
                given = tuple(map(literal_text, value.items[:index]))
                place = KeyPlace(tuple(key for key in given if key is not None), colon=False)
                return _typed(document, item, offset, path, place)
            return _in_value(document, item, offset, (*path, IndexStep(index)))
    if value.kind is DisplayKind.TUPLE and not value.items:
        return _between(
            document, value, offset, path, None
        )  # `(` rather groups than starts a tuple
    before = sum(item.span.end < offset for item in value.items)
    return _between(document, value, offset, (*path, IndexStep(before)), None)


def _between(
    document: Document,
    value: Dict | Display,
    offset: int,
    path: tuple[KeyStep | IndexStep, ...],
    key: KeyPlace | None,
) -> Slot:
    """The slot between two entries or items, where the next one would be typed."""
    last = last_token(document.line_at(offset), offset)
    opens = last is not None and last.text in _OPENINGS
    if not opens and (key is None or _keyword_for_key(document, offset) is None):
        return replace(_nowhere(offset), path=path, expression=value)
    nothing = Missing(Span(offset, offset))
    return _typed(document, nothing, offset, path, key)


def _keyword_for_key(document: Document, offset: int) -> Span | None:
    """The keyword of Python that ends at the cursor and stands alone where a key would start."""
    placed = document.line_at(offset)
    last = last_token(placed, offset)
    if placed is None or last is None or last.text not in KEYWORDS:
        return None
    span = Span(placed.start + last.start, placed.start + last.end)
    before = last_token(placed, span.start)
    return span if span.end == offset and before and before.text in {"{", ","} else None
