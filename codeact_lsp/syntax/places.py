"""Where a cursor stands among the blocks of its document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.logical import Item
from codeact_lsp.syntax.statements import Statement


@dataclass(frozen=True, slots=True)
class Level:
    """One block around the place.

    Attributes:
        items: its statements.
        index: how many of them lie before the place.
        owner: the compound statement whose clause number `clause` it is the body of; None at the top.
        in_header: the place is in the header of that clause.

    """

    items: tuple[Item, ...]
    index: int
    owner: Item | None = None
    clause: int = 0
    in_header: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor among blocks.

    Attributes:
        base: where the top-level statement starts that the items count from.
        levels: the blocks around it, outermost first.
        before: the statements on the same line that ran before, in the same block.
        statement: the one that the cursor is in, if any.

    """

    offset: int
    base: int
    levels: tuple[Level, ...]
    before: tuple[Statement, ...] = ()
    statement: Statement | None = None


def place_of(document: Document, offset: int) -> Place:
    """The place of a cursor. On a blank line, the column says which block it is in."""
    if not document.text:
        return Place(offset, 0, (Level((), 0),))
    placed = document.line_at(offset)
    if placed is None or not placed.line.word:
        base, top = document.top_at(min(offset, len(document.text) - 1))
        levels = _blank_levels(top.items, offset - base, _column(document.text, offset))
        return Place(offset, base, tuple(levels))
    base, top = document.top_at(placed.start)
    levels, header = _code_levels(top.items, placed.start - base)
    found = placed.line.statements(placed.start, document.work)
    index = max((i for i, item in enumerate(found) if item.span.start <= offset), default=0)
    before = found[:index]
    if header is not None and (index or header[1]):
        levels.append(Level((), 0, *header, in_header=index == 0))
        before = before[1:]
    return Place(offset, base, tuple(levels), before, found[index] if found else None)


def _code_levels(
    items: tuple[Item, ...], start: int
) -> tuple[list[Level], tuple[Item, int] | None]:
    """The blocks around the line that starts at `start`; if it is a header, of which clause."""
    levels: list[Level] = []
    owner: Item | None = None
    number = 0
    while True:
        index = max(bisect_right(items, start, key=_start) - 1, 0)
        levels.append(Level(items, index, owner, number))
        owner = items[index]
        if not owner.clauses:
            return levels, None
        number = _clause_before(owner, start + 1)
        if owner.clauses[number].start == start:
            return levels, (owner, number)
        items = owner.clauses[number].body


def _blank_levels(items: tuple[Item, ...], offset: int, column: int) -> list[Level]:
    """The blocks around a blank line: those whose header stands left of the cursor."""
    levels: list[Level] = []
    owner: Item | None = None
    number = 0
    while True:
        index = bisect_left(items, offset, key=_start)
        last = items[index - 1] if index else None
        if last is None or not last.clauses:
            break
        inside = _clause_before(last, offset)
        if column <= last.clauses[inside].line.columns:
            break
        levels.append(Level(items, index - 1, owner, number))
        owner, number = last, inside
        items = last.clauses[inside].body
    levels.append(Level(items, index, owner, number))
    return levels


def _start(item: Item) -> int:
    return item.start


def _clause_before(item: Item, offset: int) -> int:
    return max((n for n, clause in enumerate(item.clauses) if clause.start < offset), default=0)


def _column(text: str, offset: int) -> int:
    """The column of the cursor, or of the first thing on its line that is no blank."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[start:offset].expandtabs(8)
    return len(before) - len(before.lstrip())
