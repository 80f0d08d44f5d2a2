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
    children,
)

_REST: Final = re.compile(r"\w+(?:-\w+)+")


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


def raw_names(document: Document, span: Span | None = None) -> tuple[RawName, ...]:
    """The hyphenated words of the statements that touch `span` (default: the whole text)."""
    return tuple(
        found
        for statement in statements(document, span)
        for expression in statement.expressions
        for found in _raw_names(document.text, expression)
    )


def _raw_names(text: str, node: Node) -> Iterator[RawName]:
    if isinstance(node, Operation) and node.operator == "-":
        left = node.operands[0]
        while isinstance(left, Await):
            left = left.value
        if isinstance(left, Attribute) and left.name and left.span.end == node.operator_span.start:
            word = _REST.match(text, left.name_span.start)
            if word is not None:
                called = word.end() if text.startswith("(", word.end()) else None
                yield RawName(left.value, word.group(), Span(*word.span()), called)
    for child in children(node):
        yield from _raw_names(text, child)
