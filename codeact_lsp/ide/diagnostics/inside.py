"""Which lines of a long top-level statement have to be diagnosed again after an edit.

What is found in a line follows from its text, from the shape of the blocks around it, and from the
lines that may bind, in the scopes that it sees, the names that it is made of. So each line gets a key
of its own. Nested functions are followed as one with the statement: whoever names one is diagnosed
again with every edit of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from codeact_lsp.syntax.document import PlacedTopLevel
from codeact_lsp.syntax.logical import STAR, LogicalLine

Mark: TypeAlias = Callable[..., object]
"""Gives the same object for equal parts, from version to version."""

# In a half-written `0name` Python reads a number and a name.
_BARE: Final = re.compile(r"(?<![\w.])[^\W\d]\w*|(?<=\.\.\.)[^\W\d]\w*|(?<=\d)[^\W\d]\w*")
_SHAPING: Final = frozenset(
    """
    @ break case continue elif else except finally for if match raise return try while with
    """.split()
)
_READ_WHOLE: Final = frozenset({"case", "match", "while"})
"""Headers whose text, and not only their place, says how the code around them runs."""
_CONTINUING: Final = frozenset({"elif", "else", "except", "finally"})
_TELLS_ALL: Final = frozenset({"global", "nonlocal"})
_SCOPES: Final = frozenset({"class", "def"})
_WIDEST: Final = 200
"""The most lines that one name is followed through."""


class Unit(NamedTuple):
    """A line with the offset at which it starts, and its key."""

    start: int
    line: LogicalLine
    key: tuple[object, ...]


@dataclass(slots=True, eq=False)
class _Scope:
    """A function, a class, or what is outside both.

    Attributes:
        slot: how many lines that shape the scope above stand before it.
        binders: name → numbers of the lines that may bind it here.
        shape: what says how the blocks of the scope run, in order.
        functions: the names of the functions and classes in it.
        mark: the same object for the same shapes of it and of those above.

    """

    above: _Scope | None
    slot: int
    binders: dict[str, list[int]] = field(default_factory=dict)
    shape: list[object] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)
    mark: object = None

    def around(self) -> Iterator[_Scope]:
        """It and those around it, innermost first."""
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.above


class _Line(NamedTuple):
    start: int
    line: LogicalLine
    words: frozenset[str]
    scope: _Scope
    slot: int


_Reached: TypeAlias = dict[tuple[int, str], frozenset[int] | None]


def words_of(line: LogicalLine) -> frozenset[str] | None:
    """The names that a line may mention; None where its letters do not tell."""
    return frozenset((*_BARE.findall(line.text), STAR)) if line.text.isascii() else None


def units(
    placed: PlacedTopLevel,
    outside: Callable[[str], object],
    mark: Mark,
    words: Callable[[LogicalLine], frozenset[str] | None],
) -> list[Unit] | None:
    """The lines of a top-level statement that hold code, with their keys.

    None where one of them tells something of all.

    Args:
        placed: the statement.
        outside: what a name follows from that is bound outside it.
        mark: see `Mark`.
        words: `words_of`, remembered.

    """
    lines = _lines(placed, words)
    if lines is None:
        return None
    every = {name: outside(name) for name in sorted({n for line in lines for n in line.words})}
    whole = mark(tuple(line.line.text for line in lines), *every.items())
    for line in lines:
        scope = line.scope
        if scope.mark is None:
            above = None if scope.above is None else scope.above.mark
            scope.mark = mark(above, scope.slot, tuple(scope.shape))
    reached: _Reached = {}
    found = []
    for number, line in enumerate(lines):
        numbers = _all_reached(lines, line, reached)
        depends: object = (whole, number)
        if numbers is not None:
            names = line.words.union(*(lines[one].words for one in numbers))
            depends = mark(
                *(_identity(lines[one]) for one in sorted(numbers)),
                *((name, every[name]) for name in sorted(names)),
                sum(one < number for one in numbers),
                number in numbers,
            )
        found.append(Unit(line.start, line.line, (*_identity(line), depends)))
    return found


def _identity(line: _Line) -> tuple[object, ...]:
    return line.line.text, line.slot, line.line.columns, line.scope.mark


def _lines(
    placed: PlacedTopLevel, words: Callable[[LogicalLine], frozenset[str] | None]
) -> list[_Line] | None:
    outermost = _Scope(None, 0)
    open_scopes: list[tuple[int, _Scope]] = [(-1, outermost)]
    columns: list[int] = []
    found: list[_Line] = []
    for start, line in zip(placed.top.starts, placed.top.lines, strict=False):
        if not line.word:
            continue
        held = words(line)
        if held is None or line.word in _TELLS_ALL or _is_between(line, columns):
            return None
        while line.columns <= open_scopes[-1][0]:
            open_scopes.pop()
        scope = open_scopes[-1][1]
        if not found or (found[-1].scope, found[-1].line.columns) != (scope, line.columns):
            # Any line that stands deeper than the one before it is a part of that.
            scope.shape.append((line.columns, found[-1].line.word if found else ""))
        for name in line.names:
            scope.binders.setdefault(name, []).append(len(found))
        found.append(_Line(placed.start + start, line, held, scope, len(scope.shape)))
        if line.word in _SCOPES:
            inner = _Scope(scope, len(scope.shape))
            inner.shape.append(line.text)
            scope.functions |= line.names
            scope.shape.append((line.columns, line.word, line.names))
            open_scopes.append((line.columns, inner))
        elif line.word in _SHAPING:
            plain = line.text.rstrip().endswith(":") and line.word not in _READ_WHOLE
            text = None if plain else line.text
            scope.shape.append((line.columns, line.word, text, _continued(found)))
    return found


def _is_between(line: LogicalLine, columns: list[int]) -> bool:
    """Whether a line is indented as none of the blocks around it, which end in `columns`."""
    deepest = not columns or columns[-1] < line.columns
    while columns and columns[-1] > line.columns:
        columns.pop()
    known = bool(columns) and columns[-1] == line.columns
    if deepest:
        columns.append(line.columns)
    return not deepest and not known


def _continued(found: list[_Line]) -> str:
    """What an `else` and the like at the end of `found` goes on with: the word before it in its block."""
    line = found[-1].line
    if line.word not in _CONTINUING:
        return ""
    before = (one.line.word for one in found[-2::-1] if one.line.columns <= line.columns)
    return next(before, "")


def _all_reached(lines: list[_Line], line: _Line, known: _Reached) -> frozenset[int] | None:
    """The lines that a line follows from by the names in it; None where those are too many."""
    numbers: frozenset[int] = frozenset()
    own = line.line.names if line.line.word in _SCOPES else frozenset[str]()
    for name in line.words:
        one = (
            _bound_again(lines, line, name, known)
            if name in own
            else _reached(lines, line.scope, name, known)
        )
        if one is None or len(numbers) > _WIDEST:
            return None
        numbers |= one
    return numbers


def _bound_again(
    lines: list[_Line], header: _Line, name: str, known: _Reached
) -> frozenset[int] | None:
    """What the lines follow from that bind the name of a function besides its header."""
    numbers: set[int] = set()
    for scope in header.scope.around():
        for number in scope.binders.get(name, ()):
            numbers.add(number)
            if lines[number].line.word in _SCOPES:
                continue
            for word in lines[number].words - {name}:
                one = _reached(lines, lines[number].scope, word, known)
                if one is None:
                    return None
                numbers |= one
    return frozenset(numbers)


def _reached(
    lines: list[_Line], scope: _Scope, name: str, known: _Reached
) -> frozenset[int] | None:
    place = (id(scope), name)
    if place in known:
        return known[place]
    waiting = [(scope, name)]
    seen = {place}
    numbers: set[int] = set()
    while waiting:
        here, wanted = waiting.pop()
        for one in here.around():
            if wanted in one.functions:
                known[place] = None
                return None
            for number in one.binders.get(wanted, ()):
                if number in numbers:
                    continue
                numbers.add(number)
                for word in lines[number].words:
                    following = (id(lines[number].scope), word)
                    if following not in seen:
                        seen.add(following)
                        waiting.append((lines[number].scope, word))
        if len(numbers) > _WIDEST:
            known[place] = None
            return None
    known[place] = frozenset(numbers)
    return known[place]
