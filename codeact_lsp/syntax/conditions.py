"""Which conditions hold at a place, because they were asked on the way to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from codeact_lsp.syntax.bodies import subject
from codeact_lsp.syntax.document import Document, path_at
from codeact_lsp.syntax.expressions import (
    Comprehension,
    Conditional,
    Display,
    Expression,
    Lambda,
    Missing,
    Node,
    Operation,
    Span,
)
from codeact_lsp.syntax.flow import is_left
from codeact_lsp.syntax.logical import Clause, Item
from codeact_lsp.syntax.origins import Test
from codeact_lsp.syntax.places import Level, Place, place_of
from codeact_lsp.syntax.statements import Statement

_SCOPES: Final = frozenset({"class", "def"})
_ASKING: Final = frozenset({"elif", "if", "while"})


class Condition(NamedTuple):
    """What was asked, and the answer.

    Attributes:
        asked: the test of an `if` and the like, or with `tests` the subject of a `match`.
        holds: whether it was true.
        tests: what a `case` asks of its subject.

    """

    asked: Expression
    holds: bool
    tests: tuple[Test, ...] = ()


def conditions_at(document: Document, offset: int) -> Iterator[Condition]:
    """The conditions of its own function that hold at a place, nearest first.

    A name in one of them may have got another value since.
    """
    path = path_at(document, offset)
    for at in range(len(path) - 1, -1, -1):
        if isinstance(path[at], Lambda):
            return  # it runs later
        yield from _inside(path[at], offset)
    if not document.text:
        return
    place = place_of(document, offset)
    reader = _Reader(document, place)
    for depth in range(len(place.levels) - 1, -1, -1):
        level = place.levels[depth]
        if level.owner is None or level.owner.line.word != "match":
            yield from reader.before(level.items[: level.index])
        if level.owner is None:
            yield from _in_module(document, place)
        elif level.owner.line.word in _SCOPES:
            return
        else:
            yield from reader.entered(level, place.levels[depth - 1])


def _in_module(document: Document, place: Place) -> Iterator[Condition]:
    """What the top-level statements before the one that the place is in leave."""
    for base, top in reversed(tuple(document.top_levels(Span(0, place.base)))):
        if base < place.base and top.lines[0].word in {"assert", "if"}:
            yield from _Reader(document, replace(place, base=base)).before(top.items)


def _inside(node: Node, offset: int) -> Iterator[Condition]:
    """The conditions that an expression sets for the part of it that holds `offset`."""
    match node:
        case Conditional(_, body, test, orelse):
            if body.span.touches(offset):
                yield Condition(test, holds=True)
            elif orelse.span.touches(offset):
                yield Condition(test, holds=False)
        case Operation(_, ("and" | "or") as operator, _, operands):
            for operand in reversed(operands):
                if operand.span.end < offset:
                    yield Condition(operand, holds=operator == "and")
        case Comprehension(_, elements, clauses):
            in_element = any(element.span.touches(offset) for element in elements)
            for clause in reversed(clauses):
                for condition in reversed(clause.conditions):
                    if in_element or condition.span.end < offset:
                        yield Condition(condition, holds=True)
        case _:
            return


class _Reader:
    """Reads the conditions of the blocks around a place."""

    def __init__(self, document: Document, place: Place) -> None:
        self.document = document
        self.place = place

    def before(self, items: Sequence[Item]) -> Iterator[Condition]:
        """What holds behind statements of the block: of those that leave it, and `assert`s."""
        for item in reversed(items):
            if item.line.word == "assert" and not item.clauses:
                for statement in self._statements(item):
                    yield from _asserted(statement)
            elif item.line.word == "if":
                yield from self._passed(item.clauses)

    def _passed(self, clauses: Sequence[Clause]) -> Iterator[Condition]:
        """What holds behind an `if` some of whose branches end the block."""
        left = [is_left(clause) for clause in clauses]
        asked = [self._test(clause) for clause in clauses if clause.line.word in _ASKING]
        if all(left[: len(asked)]) and not all(left[len(asked) :] or [False]):
            for test in reversed(asked):
                yield from _told(test, holds=False)
        elif left == [False, True]:
            yield from _told(asked[0], holds=True)

    def entered(self, level: Level, around: Level) -> Iterator[Condition]:
        """What holds in clause number `level.clause` of the statement whose body it is."""
        assert level.owner is not None  # the caller stops at the module
        if level.owner.line.word == "case":
            yield from self._case(around)
            return
        clauses = level.owner.clauses[: level.clause + 1]
        if clauses[-1].line.word in _ASKING and self._is_behind_header(clauses[-1]):
            yield from _told(self._test(clauses[-1]), holds=True)
        for clause in reversed(clauses[:-1]):
            if clause.line.word in {"if", "elif"}:
                yield from _told(self._test(clause), holds=False)

    def _case(self, around: Level) -> Iterator[Condition]:
        if around.owner is None or around.owner.line.word != "match":
            return
        asked = subject(self.document, self.place.base, around.owner)
        if asked is None:
            return
        cases = [self._statements(item)[:1] for item in around.items[: around.index + 1]]
        for statement in cases[-1]:
            if statement.tests:
                yield Condition(asked, holds=True, tests=statement.tests)
        for earlier in reversed(cases[:-1]):
            for statement in earlier:
                if statement.exact and statement.tests:
                    yield Condition(asked, holds=False, tests=statement.tests)

    def _test(self, clause: Clause) -> Expression | None:
        start = self.place.base + clause.start
        found = clause.line.statements(start, self.document.work)
        return found[0].expressions[0] if found and found[0].expressions else None

    def _statements(self, item: Item) -> tuple[Statement, ...]:
        return item.line.statements(self.place.base + item.start, self.document.work)

    def _is_behind_header(self, clause: Clause) -> bool:
        """Whether the place is no part of the header itself."""
        start = self.place.base + clause.start
        found = clause.line.statements(start, self.document.work)
        return bool(found) and found[0].span.end <= self.place.offset


def _told(test: Expression | None, *, holds: bool) -> Iterator[Condition]:
    if test is not None:
        yield Condition(test, holds)


def _asserted(statement: Statement) -> Iterator[Condition]:
    for expression in statement.expressions:
        if isinstance(expression, Missing):
            continue
        # `assert test, message` reads like a tuple.
        is_pair = isinstance(expression, Display) and expression.open is None and expression.items
        yield Condition(
            expression.items[0] if is_pair and isinstance(expression, Display) else expression,
            holds=True,
        )
        return
