"""The logical lines of a text in pages, so that an edit touches a page and not the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from codeact_lsp.syntax.logical import (
    LogicalLine,
    TopLevel,
    Work,
    grouped,
    read_line,
    starts_top_level,
)

_PAGE: Final = 64


@dataclass(slots=True, eq=False)
class Page:
    """A run of top-level statements.

    Attributes:
        starts: where each starts, from the start of the page; one more than there are statements.
        reach: how many code points behind the page were looked at.

    """

    tops: tuple[TopLevel, ...]
    starts: tuple[int, ...]
    reach: int
    _names: frozenset[str] | None = None
    _declared: frozenset[str] | None = None

    @property
    def length(self) -> int:
        """Its length in code points."""
        return self.starts[-1]

    @property
    def names(self) -> frozenset[str]:
        """The names that its statements may bind at the top level."""
        if self._names is None:
            self._names = frozenset().union(*(top.names for top in self.tops))
        return self._names

    @property
    def declared(self) -> frozenset[str]:
        """The names that its functions declare `global`."""
        if self._declared is None:
            self._declared = frozenset().union(*(top.declared for top in self.tops))
        return self._declared


class Edit(NamedTuple):
    """`text` came about by replacing `old[start:end]` with `inserted` code points."""

    text: str
    start: int
    end: int
    inserted: int

    @property
    def change(self) -> int:
        """How far everything behind the edit moved."""
        return self.inserted - (self.end - self.start)


def read(text: str, work: Work) -> tuple[Page, ...]:
    """The pages of a whole text; none for an empty one."""
    lines: list[LogicalLine] = []
    position = 0
    while position < len(text):
        lines.append(read_line(text, position, work))
        position += len(lines[-1].text)
    return _pages(grouped(lines, work))


def _pages(tops: Sequence[TopLevel]) -> tuple[Page, ...]:
    return tuple(_page(tops[at : at + _PAGE]) for at in range(0, len(tops), _PAGE))


def _page(tops: Sequence[TopLevel]) -> Page:
    starts = (0, *accumulate(top.length for top in tops))
    reach = max(end + top.reach for end, top in zip(starts[1:], tops, strict=True))
    return Page(tuple(tops), starts, max(reach - starts[-1], 0))


def edited(
    pages: tuple[Page, ...], starts: tuple[int, ...], edit: Edit, work: Work
) -> tuple[Page, ...]:
    """The pages after an edit: lines that it did not touch are the same objects.

    Args:
        pages: the pages before it.
        starts: where each of them started, and where the last ended.
        edit: what happened.
        work: counts the lines that are read again.

    """
    if not pages:
        return read(edit.text, work)
    first = _first_touched_page(pages, starts, edit.start)
    old = _OldLines(pages, starts, first, edit.end)
    top, line = _first_touched_line(pages[first], edit.start - starts[first])
    position = starts[first] + pages[first].starts[top] + pages[first].tops[top].starts[line]
    lines = list(pages[first].tops[top].lines[:line])
    while position < len(edit.text) and not (
        position >= edit.start + edit.inserted and old.starts_at(position - edit.change)
    ):
        lines.append(read_line(edit.text, position, work))
        position += len(lines[-1].text)
    rest = _Rest(len(pages), 0, ()) if position >= len(edit.text) else old.rest()
    return _joined(pages, (first, top), lines, rest, work)


class _Rest(NamedTuple):
    """What stays behind the lines that were read again: lines, then statements `top…` of `page`."""

    page: int
    top: int
    lines: tuple[LogicalLine, ...]


def _joined(
    pages: tuple[Page, ...],
    touched: tuple[int, int],
    lines: list[LogicalLine],
    rest: _Rest,
    work: Work,
) -> tuple[Page, ...]:
    first, top = touched
    lines.extend(rest.lines)
    page, following = rest.page, rest.top
    # A decorator takes in the untouched statement behind it; the first statement of a text may have
    # no first line of its own.
    while page < len(pages) and lines and _goes_on(lines, pages[page].tops[following].lines[0]):
        lines.extend(pages[page].tops[following].lines)
        page, following = _next_top(pages, page, following)
    tops = [*pages[first].tops[:top], *grouped(lines, work)]
    if page < len(pages) and following:
        tops.extend(pages[page].tops[following:])
        page += 1
    return (*pages[:first], *_pages(tops), *pages[page:])


def _goes_on(lines: list[LogicalLine], following: LogicalLine) -> bool:
    decorated = next((line.word == "@" for line in reversed(lines) if line.word), False)
    return not following.word or not starts_top_level(following, decorated=decorated)


def _next_top(pages: tuple[Page, ...], page: int, top: int) -> tuple[int, int]:
    return (page, top + 1) if top + 1 < len(pages[page].tops) else (page + 1, 0)


def _first_touched_page(pages: tuple[Page, ...], starts: tuple[int, ...], start: int) -> int:
    for index, page in enumerate(pages):
        if starts[index + 1] + page.reach >= start:
            # The statement before may take in a line that stops starting one.
            return index if start > starts[index] + page.tops[0].length else max(index - 1, 0)
    return len(pages) - 1


def _first_touched_line(page: Page, start: int) -> tuple[int, int]:
    """Statement and line, in the page, from which to read again."""
    top = 0
    for index, candidate in enumerate(page.tops):
        top = index
        if page.starts[index + 1] + candidate.reach >= start:
            break
    tops = page.tops[top]
    line = 0
    for index, candidate_line in enumerate(tops.lines):
        line = index
        if page.starts[top] + tops.starts[index + 1] + candidate_line.reach >= start:
            break
    if line == 0 and top:
        return top - 1, len(page.tops[top - 1].lines) - 1
    return top, line


class _OldLines:
    """The lines before the edit, asked in ascending order where they start."""

    def __init__(
        self, pages: tuple[Page, ...], starts: tuple[int, ...], first: int, end: int
    ) -> None:
        self.pages = pages
        self.starts = starts
        self.lines = self._from(first, end)
        self.place: tuple[int, int, int, int] | None = next(self.lines, None)

    def _from(self, first: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        first = max(first, bisect_right(self.starts, end) - 2, 0)
        for page in range(first, len(self.pages)):
            for number, top in enumerate(self.pages[page].tops):
                begin = self.starts[page] + self.pages[page].starts[number]
                if begin + top.length >= end:
                    for line in range(len(top.lines)):
                        if begin + top.starts[line] >= end:
                            yield begin + top.starts[line], page, number, line

    def starts_at(self, offset: int) -> bool:
        """Whether a line that the edit left alone starts there."""
        while self.place is not None and self.place[0] < offset:
            self.place = next(self.lines, None)
        return self.place is not None and self.place[0] == offset

    def rest(self) -> _Rest:
        """Everything from the line that was last found to start somewhere."""
        assert self.place is not None  # `starts_at` found it
        _, page, top, line = self.place
        if line == 0:
            return _Rest(page, top, ())
        lines = self.pages[page].tops[top].lines[line:]
        return _Rest(*_next_top(self.pages, page, top), lines)
