"""The call under the cursor, and every call of a text, also where the code is unfinished."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp.syntax.document import Document, path_at, statements
from codeact_lsp.syntax.expressions import (
    Argument,
    Await,
    Call,
    Dict,
    Node,
    Span,
    bare,
    literal_text,
    walk,
)
from codeact_lsp.syntax.slots import IndexStep, KeyPlace, KeyStep, Slot, SlotKind, slot_of

__all__ = [
    "CallSite",
    "IndexStep",
    "KeyPlace",
    "KeyStep",
    "Slot",
    "SlotKind",
    "call_at",
    "calls",
    "literal_keys",
]


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
    site: CallSite | None = None
    parent: Node | None = None
    for node in path_at(document, offset):
        if isinstance(node, Call) and _holds(node, offset):
            awaited = isinstance(parent, Await)
            site = CallSite(node, slot_of(document, node, offset), awaited, site)
        parent = node
    return site


def _holds(call: Call, offset: int) -> bool:
    return call.open < offset and (call.close is None or offset <= call.close)


def calls(document: Document, span: Span | None = None) -> tuple[Call, ...]:
    """Every call of the statements that touch `span` (default: the whole text).

    In the order in which their parentheses open.
    """
    found = [
        call
        for statement in statements(document, span)
        for expression in statement.expressions
        for call in walk(expression)
        if isinstance(call, Call)
    ]
    return tuple(sorted(found, key=lambda call: call.open))


def literal_keys(argument: Argument) -> tuple[tuple[str, Span], ...]:
    """The string keys of `**{…}` with where they are written, quotes included."""
    value = bare(argument.value)
    if not isinstance(value, Dict):
        return ()
    keys = ((literal_text(e.key), e.key.span) for e in value.entries if e.key is not None)
    return tuple((key, span) for key, span in keys if key is not None)
