"""The call under the cursor, and every call of a text, also where the code is unfinished."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Argument, Call, Expression, Span, String


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


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call, and where the cursor is in it.

    Attributes:
        call: the call with its callee, parentheses and arguments.
        slot: what can be typed at the offset that was asked for.
        enclosing: the call whose parentheses this one stands in, with its own slot; None outermost.
        awaited: whether `await` stands directly before the call.

    """

    call: Call
    slot: Slot
    awaited: bool = False
    enclosing: CallSite | None = None


def call_at(document: Document, offset: int) -> CallSite | None:
    """The innermost call whose parentheses hold the cursor; None outside any."""
    raise NotImplementedError


def calls(document: Document, span: Span | None = None) -> tuple[Call, ...]:
    """Every call of the statements that touch `span` (default: the whole text), in text order."""
    raise NotImplementedError


def literal_keys(argument: Argument) -> tuple[tuple[str, Span], ...]:
    """The string keys of `**{…}` with where they are written, quotes included."""
    raise NotImplementedError
