r"""Lines and positions: the only place where LSP positions and offsets are converted.

Lines end at `\n`, `\r\n` and `\r` and nowhere else (LSP 3.18, "Text Documents").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]

_TERMINATOR: Final = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class LineIndex:
    """Where the lines of a text start, in code points.

    The starts from number `_moved` on are stored without `_shift`, so that an edit copies the list
    and adds up only what lies between it and the edit before it.
    """

    _starts: list[int]
    _moved: int = 0
    _shift: int = 0

    @staticmethod
    def of(text: str) -> LineIndex:
        """The index of a text."""
        return LineIndex([0, *(match.end() for match in _TERMINATOR.finditer(text))])

    @property
    def count(self) -> int:
        """The number of lines: one more than there are terminators."""
        return len(self._starts)

    def start(self, line: int) -> int:
        """Where a line starts; `line` is in `range(count)`."""
        return self._starts[line] + (self._shift if line >= self._moved else 0)

    def line_at(self, offset: int) -> int:
        """The line that holds an offset; the later one where two meet."""
        moved = self._moved
        if moved < len(self._starts) and offset >= self.start(moved):
            return bisect_right(self._starts, offset - self._shift, lo=moved) - 1
        return max(bisect_right(self._starts, offset, hi=moved) - 1, 0)

    def end(self, text: str, line: int) -> int:
        """Where the content of a line ends: before its terminator."""
        if line + 1 >= len(self._starts):
            return len(text)
        end = self.start(line + 1)
        return end - 2 if text[max(end - 2, self.start(line)) : end] == "\r\n" else end - 1

    def edited(self, text: str, start: int, end: int, inserted: int) -> LineIndex:
        """The index of `text`, which came from the indexed one by one replacement.

        Args:
            text: the text after the edit.
            start: where the replaced stretch started.
            end: where it ended, in the text before the edit.
            inserted: how many code points stand there now.

        """
        first, last = self.line_at(start), self.line_at(end)
        if first and self.start(first) == start:
            first -= 1  # a CR before the edit and an LF in it are one terminator
        change = inserted - (end - start)
        begin = self.start(first)
        at_end = last + 1 == len(self._starts)
        stop = len(text) if at_end else self.start(last + 1) + change
        starts = [begin, *(found.end() for found in _TERMINATOR.finditer(text, begin, stop))]
        if not at_end:
            starts.pop()
        moved, shift = self._moved, self._shift
        head = self._starts[:first]
        for line in range(moved, first):
            head[line] += shift
        tail = self._starts[last + 1 :]
        for line in range(max(moved - last - 1, 0)):
            tail[line] -= shift
        return LineIndex([*head, *starts, *tail], len(head) + len(starts), shift + change)

    def offset(self, text: str, line: int, character: int, encoding: Encoding) -> int:
        """The offset of a position, clamped.

        Behind the end of a line: its end, before the terminator. Behind the last line: the end of the
        text. Inside a surrogate pair or a UTF-8 sequence: before that character.
        """
        if line >= len(self._starts):
            return len(text)
        if line < 0:
            return 0
        start, end = self.start(line), self.end(text, line)
        wanted = min(start + max(character, 0), end)
        if encoding == "utf-32" or text[start:wanted].isascii():
            return wanted
        units = 0
        for place in range(start, end):
            units += _width(text[place], encoding)
            if units > character:
                return place
        return end

    def position(self, text: str, offset: int, encoding: Encoding) -> tuple[int, int]:
        """(line, character) of an offset; between CR and LF, that of the CR."""
        offset = min(max(offset, 0), len(text))
        line = self.line_at(offset)
        start = self.start(line)
        before = text[start : min(offset, self.end(text, line))]
        if encoding == "utf-32" or before.isascii():
            return line, len(before)
        return line, sum(_width(character, encoding) for character in before)


def _width(character: str, encoding: Encoding) -> int:
    """Code units of one code point; a lone surrogate counts as it would on the wire."""
    point = ord(character)
    if encoding == "utf-16":
        return 1 if point < 0x10000 else 2
    return 1 if point < 0x80 else 2 if point < 0x800 else 3 if point < 0x10000 else 4
