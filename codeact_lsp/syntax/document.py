"""One version of one text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from codeact_lsp.syntax import paging
from codeact_lsp.syntax.expressions import (
    Argument,
    Clause,
    Entry,
    Expression,
    Node,
    ParameterNode,
    Span,
    children,
)
from codeact_lsp.syntax.lines import Encoding, LineIndex
from codeact_lsp.syntax.logical import LogicalLine, TopLevel, Work
from codeact_lsp.syntax.statements import Statement


@dataclass(frozen=True, slots=True)
class Change:
    """One content change: `start` and `end` are (line, character); both None replaces all the text."""

    text: str
    start: tuple[int, int] | None = None
    end: tuple[int, int] | None = None


class PlacedLine(NamedTuple):
    """A logical line with the offset at which it starts."""

    start: int
    line: LogicalLine


class PlacedTopLevel(NamedTuple):
    """A top-level statement with the offset at which it starts.

    `top` is the same object in the next version while its text stays the same, wherever it moves: what
    is derived from it can be kept by its identity.
    """

    start: int
    top: TopLevel


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """An immutable text with its analysis, most of which is done when it is first asked for.

    `derived` is for what others work out of the document and ask for again while it lives: each has
    a key of its own.
    """

    text: str
    lines: LineIndex
    pages: tuple[paging.Page, ...]
    page_starts: tuple[int, ...]
    work: Work
    derived: dict[object, object] = field(default_factory=dict, repr=False)

    @staticmethod
    def parse(text: str) -> Document:
        """A document from its whole text."""
        work = Work()
        return _document(text, LineIndex.of(text), paging.read(text, work), work)

    def edit(self, changes: Iterable[Change], encoding: Encoding) -> Document:
        """The next version: the changes applied one after the other, as LSP says.

        Positions outside the text are clamped, a range whose ends are swapped is put right.
        """
        document = self
        for change in changes:
            if change.start is None or change.end is None:
                start, end, text = _difference(document.text, change.text)
            else:
                ends = [
                    document.lines.offset(document.text, *position, encoding)
                    for position in (change.start, change.end)
                ]
                start, end, text = min(ends), max(ends), change.text
            document = document.replaced(start, end, text)
        return document

    def replaced(self, start: int, end: int, inserted: str) -> Document:
        """The next version, with `text[start:end]` replaced."""
        text = self.text[:start] + inserted + self.text[end:]
        lines = self.lines.edited(text, start, end, len(inserted))
        edit = paging.Edit(text, start, end, len(inserted))
        pages = paging.edited(self.pages, self.page_starts, edit, self.work)
        return _document(text, lines, pages, self.work)

    def top_levels(self, span: Span | None = None) -> Iterator[PlacedTopLevel]:
        """The top-level statements that touch `span` (default: all), in text order."""
        low, high = span or (0, len(self.text))
        first = max(bisect_right(self.page_starts, low) - 2, 0)
        for start, page in zip(self.page_starts[first:], self.pages[first:], strict=False):
            if start > high:
                return
            for offset, top in zip(page.starts, page.tops, strict=False):
                if start + offset <= high and start + offset + top.length >= low:
                    yield PlacedTopLevel(start + offset, top)

    def line_at(self, offset: int) -> PlacedLine | None:
        """The logical line that holds a cursor; None behind the last terminator."""
        if not self.pages or (offset >= len(self.text) and not self._ends_open()):
            return None
        placed = self.top_at(min(offset, len(self.text) - 1))
        index = bisect_right(placed.top.starts, offset - placed.start) - 1
        index = min(index, len(placed.top.lines) - 1)
        return PlacedLine(placed.start + placed.top.starts[index], placed.top.lines[index])

    def top_at(self, offset: int) -> PlacedTopLevel:
        """The top-level statement that holds an offset; the text must not be empty."""
        number = min(bisect_right(self.page_starts, offset) - 1, len(self.pages) - 1)
        page, start = self.pages[number], self.page_starts[number]
        index = min(bisect_right(page.starts, offset - start) - 1, len(page.tops) - 1)
        return PlacedTopLevel(start + page.starts[index], page.tops[index])

    def _ends_open(self) -> bool:
        return self.pages[-1].tops[-1].lines[-1].unfinished


def _document(text: str, lines: LineIndex, pages: tuple[paging.Page, ...], work: Work) -> Document:
    starts = (0, *accumulate(page.length for page in pages))
    return Document(text, lines, pages, starts, work)


def _difference(old: str, new: str) -> tuple[int, int, str]:
    """The one replacement that turns `old` into `new`: what they share at both ends is left alone."""
    shorter = min(len(old), len(new))
    head = bisect_right(range(1, shorter + 1), 0, key=lambda n: old[:n] != new[:n])
    tail = bisect_right(range(1, shorter - head + 1), 0, key=lambda n: old[-n:] != new[-n:])
    return head, len(old) - tail, new[head : len(new) - tail]


def statements_of(document: Document, placed: PlacedTopLevel) -> tuple[Statement, ...]:
    """The statements of one of the document's top-level statements, in text order."""
    return tuple(
        statement
        for start, line in zip(placed.top.starts, placed.top.lines, strict=False)
        for statement in line.statements(placed.start + start, document.work)
    )


def statements_naming(document: Document, name: str) -> tuple[Statement, ...]:
    """The statements that may mention a name, in text order; no other is parsed for it."""
    return tuple(
        statement
        for placed in document.top_levels()
        for start, line in zip(placed.top.starts, placed.top.lines, strict=False)
        # Python spells some letters in several ways, but ASCII ones in ASCII text in one only.
        if name in line.text or not line.text.isascii()
        for statement in line.statements(placed.start + start, document.work)
    )


def statements(document: Document, span: Span | None = None) -> tuple[Statement, ...]:
    """The statements that touch `span` (default: all of the text), in text order."""
    wanted = span or Span(0, len(document.text))
    return tuple(
        statement
        for placed in document.top_levels(wanted)
        for start, line in zip(placed.top.starts, placed.top.lines, strict=False)
        if placed.start + start <= wanted.end
        and placed.start + start + len(line.text) >= wanted.start
        for statement in line.statements(placed.start + start, document.work)
        if statement.span.start <= wanted.end and statement.span.end >= wanted.start
    )


def statement_at(document: Document, offset: int) -> Statement | None:
    """The statement that the cursor is in or behind, on the same logical line."""
    placed = document.line_at(offset)
    if placed is None:
        return None
    found = placed.line.statements(placed.start, document.work)
    before = [statement for statement in found if statement.span.start <= offset]
    return before[-1] if before else None


def path_at(document: Document, offset: int) -> tuple[Node, ...]:
    """The nodes that hold the cursor, outermost first; empty outside any expression.

    Where two meet, the one that ends at the cursor wins over the one that starts there.
    """
    statement = statement_at(document, offset)
    if statement is None:
        return ()
    path: list[Node] = []
    level: tuple[Node, ...] = statement.expressions
    while (found := _nearest(level, offset)) is not None:
        path.append(found)
        level = children(found)
    return tuple(path)


def _nearest(nodes: tuple[Node, ...], offset: int) -> Node | None:
    touching = [node for node in nodes if node.span.touches(offset)]
    for node in touching:
        if node.span.start < offset:
            return node
    return touching[0] if touching else None


def expression_at(document: Document, offset: int) -> Expression | None:
    """The innermost expression that touches `offset`; at an edge, the one that ends there."""
    for node in reversed(path_at(document, offset)):
        if not isinstance(node, Argument | Entry | Clause | ParameterNode):
            return node
    return None
