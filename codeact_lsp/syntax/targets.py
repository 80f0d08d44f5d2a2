"""Targets: which names an assignment gives, and how each gets its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codeact_lsp.syntax.expressions import (
    Comprehension,
    Conditional,
    Display,
    DisplayKind,
    Expression,
    Group,
    Lambda,
    Name,
    Node,
    Operation,
    Span,
    Starred,
    Walrus,
    bare,
    children,
)
from codeact_lsp.syntax.origins import (
    Assigned,
    Binding,
    Opaque,
    OpaqueReason,
    Rest,
    Step,
    Unpack,
)
from codeact_lsp.syntax.statements import Statement, StatementKind


def bound(
    target: Expression,
    value: Expression,
    steps: tuple[Step, ...] = (),
    opaque: OpaqueReason | None = None,
) -> tuple[Binding, ...]:
    """The bindings of `target = value`, `value` being followed by `steps` first.

    With `opaque` the names are taken but their values are not followed.
    """
    target = bare(target)
    if isinstance(target, Name):
        origin = Assigned(value, steps) if opaque is None else Opaque(opaque)
        return (Binding(target.name, target.span, origin),)
    if isinstance(target, Starred):
        return bound(target.value, value, steps, opaque)
    if not isinstance(target, Display):
        return ()
    return tuple(
        binding
        for item, item_value, item_steps in _unpacked(target.items, value, steps)
        for binding in bound(item, item_value, item_steps, opaque)
    )


def _unpacked(
    items: tuple[Expression, ...], value: Expression, steps: tuple[Step, ...]
) -> Iterator[tuple[Expression, Expression, tuple[Step, ...]]]:
    source = bare(value)
    direct = (
        not steps
        and isinstance(source, Display)
        and source.kind is not DisplayKind.SET
        and len(source.items) == len(items)
        and not any(isinstance(item, Starred) for item in (*source.items, *items))
    )
    if direct and isinstance(source, Display):
        for item, part in zip(items, source.items, strict=True):
            yield item, part, ()
        return
    count = len(items)
    star = next((i for i, item in enumerate(items) if isinstance(item, Starred)), None)
    for index, item in enumerate(items):
        step: Step = Unpack(index, count)
        if star is not None and index == star:
            step = Rest(star, count - star - 1)
        elif star is not None and index > star:
            step = Unpack(index - count, count)
        yield item, value, (*steps, step)


def with_walruses(statement: Statement) -> Statement:
    """The statement with the names that its walruses bind in its own scope."""
    found = tuple(
        Binding(walrus.target.name, walrus.target.span, Assigned(walrus.value))
        for expression in statement.expressions
        for walrus in _walruses(expression)
    )
    # What is captured is captured before the guard; everything else is bound after it was evaluated.
    captures = statement.kind is StatementKind.CASE
    ordered = (*statement.bindings, *found) if captures else (*found, *statement.bindings)
    return replace(statement, bindings=ordered, walruses=found)


def may_not_run(statement: Statement, walrus: Binding, *, truth: bool = False) -> bool:
    """Whether the statement can run to its end without `walrus`, one of its `walruses`.

    `truth` is whether its expression is known to have been true, as behind an `if`.
    """
    place = walrus.span
    return any(
        _may_skip(expression, place, truth)
        for expression in statement.expressions
        if _holds(expression, place)
    )


def _holds(node: Node, place: Span) -> bool:
    return node.span.start <= place.start and place.end <= node.span.end


def _may_skip(node: Node, place: Span, truth: bool) -> bool:  # noqa: FBT001 - of a recursion
    inner = next((child for child in children(node) if _holds(child, place)), None)
    match node:
        case Operation(_, "and" | "or" as operator, _, operands) if inner is not operands[0]:
            if operator == "or" or not truth:
                return True
        case Conditional(_, body, _, orelse) if inner is body or inner is orelse:
            return True
        case Comprehension(_, _, clauses) if not _holds(clauses[0].iterable, place):
            return True
        case _:
            pass
    known = truth and (
        isinstance(node, Group) or (isinstance(node, Operation) and node.operator == "and")
    )
    return inner is not None and _may_skip(inner, place, known)


def _walruses(expression: Expression) -> Iterator[Walrus]:
    stack: list[Node] = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Walrus):
            yield node
        if not isinstance(node, Lambda):
            stack.extend(reversed(children(node)))
