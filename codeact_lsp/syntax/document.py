"""One version of one text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from codeact_lsp.syntax.expressions import Expression, Node, Span
from codeact_lsp.syntax.lines import Encoding, LineIndex
from codeact_lsp.syntax.statements import Statement


@dataclass(slots=True)
class Work:
    """How much was analysed; a document shares it with those made from it by edits."""

    lines_lexed: int = 0
    lines_parsed: int = 0
    blocks_built: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """One content change: `start` and `end` are (line, character); both None replaces all the text."""

    text: str
    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """An immutable text with its analysis, which is done when it is first asked for."""

    text: str
    lines: LineIndex
    work: Work = field(default_factory=Work)

    @staticmethod
    def parse(text: str) -> Document:
        """A document from its whole text."""
        raise NotImplementedError

    def edit(self, changes: Iterable[Change], encoding: Encoding) -> Document:
        """The next version: the changes applied one after the other, as LSP says."""
        raise NotImplementedError


def statements(document: Document, span: Span | None = None) -> Sequence[Statement]:
    """The statements that touch `span` (default: all of the text), in text order."""
    raise NotImplementedError


def path_at(document: Document, offset: int) -> tuple[Node, ...]:
    """The nodes that hold the cursor, outermost first; empty outside any expression."""
    raise NotImplementedError


def expression_at(document: Document, offset: int) -> Expression | None:
    """The innermost expression that touches `offset`; at an edge, the one that ends there."""
    raise NotImplementedError
