"""Where a text changes what a list or dict holds that a name stands for."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from codeact_lsp.syntax.expressions import (
    ArgumentKind,
    Attribute,
    Call,
    Display,
    Expression,
    Name,
    Slice,
    Starred,
    Subscript,
    bare,
    walk,
)
from codeact_lsp.syntax.statements import Statement, StatementKind


class ChangeKind(enum.Enum):
    """What happens to the list or dict."""

    ITEM = "item"
    """`value` is one of its items from then on."""
    ITEMS = "items"
    """So are the items of `value`, or if it is a dict, its entries."""
    ENTRY = "entry"
    """`value` stands at `key`."""
    NESTED = "nested"
    """`value` is an item of a list that stands at `key`."""
    ORDER = "order"
    """What it holds stands in other places, or not any more."""
    UNKNOWN = "unknown"
    """It is given to a function, which may put anything into it."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of what `name` stands for."""

    name: Name
    kind: ChangeKind
    value: Expression | None = None
    key: Expression | None = None


METHODS: Final = {
    "add": (ChangeKind.ITEM, 0),
    "append": (ChangeKind.ITEM, 0),
    "appendleft": (ChangeKind.ITEM, 0),
    "insert": (ChangeKind.ITEM, 1),
    "extend": (ChangeKind.ITEMS, 0),
    "extendleft": (ChangeKind.ITEMS, 0),
    "update": (ChangeKind.ITEMS, 0),
    "clear": (ChangeKind.ORDER, 0),
    "pop": (ChangeKind.ORDER, 0),
    "popleft": (ChangeKind.ORDER, 0),
    "remove": (ChangeKind.ORDER, 0),
    "reverse": (ChangeKind.ORDER, 0),
    "rotate": (ChangeKind.ORDER, 0),
    "sort": (ChangeKind.ORDER, 0),
}
"""Methods that change a list, dict or set, and which argument counts."""


CHANGING: Final = frozenset({*METHODS, "setdefault"})
"""Methods after whose call a list or dict may hold something else."""
_HARMLESS: Final = frozenset(
    """
    Counter all any bool choice create_task deepcopy dict display dumps ensure_future enumerate
    filter float format gather get hasattr id int isinstance iter join len list map max min next
    pprint print range repr reversed round run set sorted str sum tuple type wait wait_for zip
    """.split()
)


def leaves_alone(function: str) -> bool:
    """Whether a function of this name is taken to put nothing into what it is given."""
    return function in _HARMLESS


def changes_of(statement: Statement) -> Iterator[Change]:
    """The changes that one statement makes, whatever the names in it stand for."""
    yield from stored_by(statement)
    for expression in statement.expressions:
        for node in walk(expression):
            if isinstance(node, Call):
                yield from made_by(node)


def stored_by(statement: Statement) -> Iterator[Change]:
    """Those that it makes by itself: `x[key] = value`, `del x[key]`."""
    kind = statement.kind
    if kind is StatementKind.ASSIGNMENT and statement.expressions:
        *targets, value = statement.expressions
        for target in targets:
            yield from _stored(target, value)
    elif kind is StatementKind.AUGMENTED:
        yield from _stored(statement.expressions[0], None)
    elif kind is StatementKind.DELETE:
        for target in statement.expressions:
            for change in _stored(target, None):
                yield Change(change.name, ChangeKind.ORDER)


def _stored(target: Expression, value: Expression | None) -> Iterator[Change]:
    """`x[key] = value`, also where it is one of several targets."""
    target = bare(target)
    match target:
        case Display(_, _, items):
            for item in items:
                yield from _stored(item, None)
        case Starred(_, inner):
            yield from _stored(inner, None)
        case Subscript(_, Name() as name, Slice()):
            yield Change(name, ChangeKind.ITEMS, value)
        case Subscript(_, Name() as name, key):
            yield Change(name, ChangeKind.ENTRY, value, key)
        case _:
            return


def made_by(call: Call) -> Iterator[Change]:
    """Those that a call makes, or may make: `x.append(value)`, `fill(x)`."""
    function = bare(call.function)
    values = [one.value for one in call.arguments if one.kind is ArgumentKind.POSITIONAL]
    called = function.name if isinstance(function, Name | Attribute) else ""
    if called not in METHODS and not leaves_alone(called):
        for given in map(bare, values):
            if isinstance(given, Name):
                yield Change(given, ChangeKind.UNKNOWN)
    if not isinstance(function, Attribute):
        return
    holder = bare(function.value)
    if function.name == "setdefault" and isinstance(holder, Name) and len(values) > 1:
        yield Change(holder, ChangeKind.ENTRY, values[1], values[0])
    if function.name not in METHODS:
        return
    kind, at = METHODS[function.name]
    item = values[at] if at < len(values) else None
    match holder:
        case Name():
            for argument in call.arguments:
                if argument.name is not None and function.name == "update":
                    yield Change(holder, ChangeKind.ENTRY, argument.value)
            yield Change(holder, kind if item or not call.arguments else ChangeKind.ORDER, item)
        case Subscript(_, Name() as name, key) if kind is ChangeKind.ITEM:
            yield Change(name, ChangeKind.NESTED, item, key)
        case Call(_, Attribute(_, Name() as name, "setdefault"), (first, *_)) if (
            kind is ChangeKind.ITEM
        ):
            yield Change(name, ChangeKind.NESTED, item, first.value)
        case _:
            return
