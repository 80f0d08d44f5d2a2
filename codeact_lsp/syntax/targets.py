"""Targets: which names an assignment gives, and how each gets its value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codeact_lsp.syntax.expressions import (
    Display,
    DisplayKind,
    Expression,
    Lambda,
    Name,
    Node,
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
from codeact_lsp.syntax.statements import Statement


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
    return replace(statement, bindings=(*statement.bindings, *found), walruses=found)


def _walruses(expression: Expression) -> Iterator[Walrus]:
    stack: list[Node] = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Walrus):
            yield node
        if not isinstance(node, Lambda):
            stack.extend(reversed(children(node)))
