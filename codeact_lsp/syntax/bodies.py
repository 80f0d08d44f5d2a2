"""What the functions of a text give back, and what the `match` around a `case` is asked about."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from codeact_lsp.syntax.document import Document, path_at
from codeact_lsp.syntax.expressions import Expression, Lambda, Missing, Node, Yield, children
from codeact_lsp.syntax.flow import is_left
from codeact_lsp.syntax.logical import Clause, Item, LogicalLine
from codeact_lsp.syntax.places import place_of
from codeact_lsp.syntax.statements import Statement, StatementKind

_SCOPES: Final = frozenset({"class", "def"})


@dataclass(frozen=True, slots=True)
class Body:
    """One `def` of a text.

    Attributes:
        asynchronous: it is an `async def`.
        decorators: what stands behind each `@`.
        returns: the operands of its `return`s; None for one without.
        yields: the operands of its `yield`s.
        ends: it may come to its end, and so give None.

    """

    asynchronous: bool
    decorators: tuple[Expression, ...]
    returns: tuple[Expression | None, ...]
    yields: tuple[Yield, ...]
    ends: bool


def body_of(document: Document, offset: int) -> Body | None:
    """The function whose header holds `offset`; None where it is no header of one."""
    base, top = document.top_at(offset)
    found = _item_at(top.items, offset - base)
    if found is None or found[0][found[1]].line.word != "def":
        return None
    items, index = found
    clause = items[index].clauses[0]
    inside = tuple(_own_statements(document, base, clause))
    values = (one.expressions[0] for one in inside if one.kind is StatementKind.RETURN)
    expressions = (expression for one in inside for expression in one.expressions)
    return Body(
        _is_async(clause.line),
        tuple(_decorators(document, base, items, index)),
        tuple(None if isinstance(value, Missing) else value for value in values),
        tuple(node for expression in expressions for node in _yields(expression)),
        ends=not is_left(clause),
    )


def may_await(document: Document, offset: int) -> bool:
    """Whether `await` compiles at a place: in an `async def`, or in no function or class at all."""
    if any(
        isinstance(node, Lambda) and node.body.span.touches(offset)
        for node in path_at(document, offset)
    ):
        return False
    for level in reversed(place_of(document, offset).levels):
        if level.owner is not None and level.owner.line.word in _SCOPES:
            return _is_async(level.owner.line)
    return True


def subject_of(document: Document, offset: int) -> Expression | None:
    """What is matched by the `case` whose header holds `offset`."""
    place = place_of(document, offset)
    for level in reversed(place.levels):
        if level.owner is not None and level.owner.line.word == "match":
            return subject(document, place.base, level.owner)
    return None


def subject(document: Document, base: int, match: Item) -> Expression | None:
    """What the `match` statement is asked about, in a top-level statement that starts at `base`."""
    found = match.line.statements(base + match.start, document.work)
    return found[0].expressions[0] if found and found[0].expressions else None


def _item_at(items: tuple[Item, ...], offset: int) -> tuple[tuple[Item, ...], int] | None:
    """The block and the number in it of the statement whose first line holds `offset`."""
    while items:
        index = max(bisect_right(items, offset, key=_start) - 1, 0)
        item = items[index]
        if offset < item.start + len(item.line.text):
            return (items, index) if item.clauses else None
        items = next((c.body for c in reversed(item.clauses) if c.start <= offset), ())
    return None


def _start(item: Item) -> int:
    return item.start


def _is_async(line: LogicalLine) -> bool:
    return bool(line.tokens) and line.tokens[0].text == "async"


def _decorators(
    document: Document, base: int, items: Sequence[Item], index: int
) -> Iterator[Expression]:
    while index and items[index - 1].line.word == "@":
        index -= 1
        for one in items[index].line.statements(base + items[index].start, document.work):
            yield from one.expressions


def _own_statements(document: Document, base: int, clause: Clause) -> Iterator[Statement]:
    """The statements of a body that may return or yield, those of functions in it left out."""
    yield from _telling(document, base + clause.start, clause.line)[1:]
    for item in clause.body:
        if not item.clauses:
            yield from _telling(document, base + item.start, item.line)
        elif item.line.word not in _SCOPES:
            for inner in item.clauses:
                yield from _telling(document, base + inner.start, inner.line)[:1]
                yield from _own_statements(document, base, inner)


def _telling(document: Document, start: int, line: LogicalLine) -> tuple[Statement, ...]:
    tells = "return" in line.text or "yield" in line.text
    return line.statements(start, document.work) if tells else ()


def _yields(expression: Expression) -> Iterator[Yield]:
    stack: list[Node] = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Yield):
            yield node
        if not isinstance(node, Lambda):
            stack.extend(reversed(children(node)))
