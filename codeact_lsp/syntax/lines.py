"""Lines and positions: the only place where LSP positions and offsets are converted."""

from __future__ import annotations

from typing import Literal, TypeAlias

Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]


class LineIndex:
    """Where the lines of a text start.

    Lines end at `\\n`, `\\r\\n` and `\\r` and nowhere else (LSP 3.18, Text Documents). Offsets are
    code points into the text; a character counts code units of the encoding.
    """

    __slots__ = ()

    @staticmethod
    def of(text: str) -> LineIndex:
        """The index of a text."""
        raise NotImplementedError

    def offset(self, text: str, line: int, character: int, encoding: Encoding) -> int:
        """The offset of a position, clamped: behind a line to its end (before its terminator),
        behind the last line to the end of the text, inside a surrogate pair to before the character.
        """
        raise NotImplementedError

    def position(self, text: str, offset: int, encoding: Encoding) -> tuple[int, int]:
        """(line, character) of an offset. Between CR and LF it is the end of the line before CR."""
        raise NotImplementedError
