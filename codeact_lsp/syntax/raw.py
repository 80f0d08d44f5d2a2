"""Raw tool names that somebody typed: `mcp.notion.API-patch-page(…)` reads as a subtraction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.expressions import (
    Attribute,
    Await,
    Expression,
    Node,
    Operation,
    Span,
    walk,
)
from codeact_lsp.syntax.statements import Statement

_REST: Final = re.compile(r"\w+(?:-\w+)+")
_HYPHENATED: Final = re.compile(r"\w+(?:-\w*)+")
_PIECE: Final = re.compile(r"[\w-]")


@dataclass(frozen=True, slots=True)
class RawName:
    """A hyphenated word behind a dot. Whether it is a name or a subtraction is for the caller to say.

    Attributes:
        value: what stands before the dot.
        raw: the whole word, hyphens included.
        span: where it is written.
        call_open: the offset of the parenthesis directly behind it, if there is one.

    """

    value: Expression
    raw: str
    span: Span
    call_open: int | None


def hyphenated_word(text: str, offset: int) -> Span | None:
    """The word around `offset` with the hyphenated parts that touch it; None where it has no hyphen."""
    start = offset
    while start and _PIECE.match(text, start - 1):
        start -= 1
    while start < offset and text[start] == "-":
        start += 1
    found = _HYPHENATED.match(text, start)
    return None if found is None or found.end() < offset else Span(*found.span())


def raw_names(document: Document, span: Span | None = None) -> tuple[RawName, ...]:
    """The hyphenated words of the statements that touch `span` (default: the whole text)."""
    return tuple(
        found
        for statement in statements(document, span)
        for found in raw_names_in(document.text, statement)
    )


def raw_names_in(text: str, statement: Statement) -> Iterator[RawName]:
    """The hyphenated words of one statement of `text`."""
    for expression in statement.expressions:
        yield from _raw_names(text, expression)


def _raw_names(text: str, expression: Expression) -> Iterator[RawName]:
    for node in walk(expression):
        attribute = _left(node) if isinstance(node, Operation) else None
        word = None if attribute is None else _REST.match(text, attribute.name_span.start)
        if attribute is not None and word is not None:
            called = word.end() if text.startswith("(", word.end()) else None
            yield RawName(attribute.value, word.group(), Span(*word.span()), called)


def hyphenated(node: Node) -> Attribute | None:
    """The attribute at the left end of `value.name-more-parts`, if the node is such a subtraction."""
    while isinstance(node, Operation) and node.operator == "-" and len(node.operands) == 2:
        found = _left(node)
        if found is not None:
            return found
        node = node.operands[0]
    return None


def _left(node: Operation) -> Attribute | None:
    """The attribute directly left of a hyphen that no blank surrounds."""
    left: Expression = node.operands[0]
    while isinstance(left, Await):
        left = left.value
    if node.operator != "-" or not isinstance(left, Attribute) or not left.name:
        return None
    return left if left.span.end == node.operator_span.start else None
