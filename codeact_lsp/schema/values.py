"""Values as far as code shows them, before it runs."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, TypeAlias

from codeact_lsp.schema.scalars import JsonScalar, canonical, scalar_of
from codeact_lsp.schema.types import Json, Scalar


class Kind(enum.StrEnum):
    """The JSON type of a value."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    NULL = "null"
    ARRAY = "array"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value of which nothing is known."""


@dataclass(frozen=True, slots=True)
class OfKind:
    """A value of which only the JSON type is known, such as an f-string."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Known:
    """A scalar literal."""

    value: JsonScalar


@dataclass(frozen=True, slots=True)
class Items:
    """A list or tuple; not `complete` when there may be more of them, anywhere."""

    items: tuple[Value, ...]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Members:
    """A dict by its literal keys, each once; not `complete` when there may be more of them."""

    members: tuple[tuple[str, Value], ...]
    complete: bool = True


Value: TypeAlias = Unknown | OfKind | Known | Items | Members

SCALAR_KINDS: Final = {
    Scalar.STRING: Kind.STRING,
    Scalar.INTEGER: Kind.INTEGER,
    Scalar.NUMBER: Kind.NUMBER,
    Scalar.BOOLEAN: Kind.BOOLEAN,
    Scalar.NULL: Kind.NULL,
}


def kind_of(value: Value) -> Kind | None:
    """The JSON type of `value`, None where it is not known."""
    match value:
        case Known(scalar):
            return _kind_of_json(scalar)
        case OfKind(kind):
            return kind
        case Items():
            return Kind.ARRAY
        case Members():
            return Kind.OBJECT
    return None


def whole_json(value: Value) -> tuple[Json] | None:
    """The only JSON value that `value` can be, in a tuple since it may be null; else None."""
    match value:
        case Known(scalar):
            return (scalar,)
        case Items(items, complete=True):
            listed = [known for item in items if (known := whole_json(item))]
            return ([one for (one,) in listed],) if len(listed) == len(items) else None
        case Members(members, complete=True):
            named = {key: known for key, item in members if (known := whole_json(item))}
            return (
                ({k: one for k, (one,) in named.items()},) if len(named) == len(members) else None
            )
        case _:
            return None


def _kind_of_json(value: object) -> Kind | None:
    if isinstance(value, list):
        return Kind.ARRAY
    if isinstance(value, dict):
        return Kind.OBJECT
    scalar = scalar_of(value)
    return None if scalar is None else SCALAR_KINDS[scalar]


def may_equal(value: Value, other: Json) -> bool:
    """Whether `value` may be what JSON Schema calls equal to `other`: 1 is 1.0 and not true."""
    match value:
        case Unknown():
            return True
        case OfKind(kind):
            found = _kind_of_json(other)
            return kind is found or (kind is Kind.NUMBER and found is Kind.INTEGER)
        case Known(scalar):
            return canonical(scalar) == canonical(other)
        case Items(items, complete):
            return isinstance(other, list) and _may_be_items(items, other, complete=complete)
        case Members(members, complete):
            return isinstance(other, dict) and _may_be_members(
                dict(members), other, complete=complete
            )


def _may_be_items(items: tuple[Value, ...], other: list[Json], *, complete: bool) -> bool:
    if complete:
        return len(items) == len(other) and all(map(may_equal, items, other))
    # With items of unknown number among these, none has a known position.
    return len(items) <= len(other) and all(
        any(may_equal(item, one) for one in other) for item in items
    )


def _may_be_members(members: dict[str, Value], other: dict[str, Json], *, complete: bool) -> bool:
    if complete and len(members) < len(other):
        return False
    return all(key in other and may_equal(member, other[key]) for key, member in members.items())
