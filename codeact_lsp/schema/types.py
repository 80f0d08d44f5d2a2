"""The type model: frozen values that every reader of a schema shares.

Nothing but the mapper walks raw JSON Schema. Signature, prompt block, stubs, hover, completion of
nested keys and argument checks all read these values. Recursion is by name: an `ObjectType` names a
`Shape` that the `Schemas` table of the same tool holds, so every value is finite.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


class Absent(enum.Enum):
    """The one value that stands for "the schema does not say", since null is a value."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class Scalar(enum.StrEnum):
    """The scalar JSON types; the value is the Python annotation."""

    STRING = "str"
    INTEGER = "int"
    NUMBER = "float"
    BOOLEAN = "bool"
    NULL = "None"


@dataclass(frozen=True, slots=True)
class Limits:
    """Validation keywords of one place (2020-12 Validation §6), None where not given."""

    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None


NO_LIMITS: Final = Limits()


class Why(enum.StrEnum):
    """Why a place is `Any`; docs/any.md tells people what each means and what to do about it."""

    SILENT = "silent"
    TRUE = "true"
    UNTYPED = "untyped"
    NOT_UNDERSTOOD = "not-understood"
    DANGLING_REFERENCE = "dangling-reference"
    CONTRADICTION = "contradiction"
    SELF_REFERENCE = "self-reference"
    LIMIT = "limit"
    NO_INPUT_SCHEMA = "no-input-schema"
    NO_OUTPUT_SCHEMA = "no-output-schema"
    NOT_AN_OBJECT = "not-an-object"
    UNSPELLED = "unspelled"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class AnyType:
    """Anything: `Any`.

    Attributes:
        why: the reason.
        detail: one line about it; "" where the reason says all.
        pointer: the place of the schema, as in `Note`; one that the schema lacks where it is silent.

    """

    why: Why = Why.SILENT
    detail: str = ""
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class NeverType:
    """Nothing fits: `Never`."""


@dataclass(frozen=True, slots=True)
class ScalarType:
    """One scalar JSON type within limits."""

    scalar: Scalar
    limits: Limits = NO_LIMITS


@dataclass(frozen=True, slots=True)
class EnumType:
    """`enum` or `const`: the members as JSON text, in the schema's order, duplicates removed.

    JSON text rather than values keeps the type hashable and keeps 1, 1.0 and true apart.
    """

    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array. `prefix` holds positional types (`prefixItems`); `item` the type of the rest.

    `implied`: the schema names no `type`, so by the letter of it other kinds of values fit too.
    """

    item: Type
    prefix: tuple[Type, ...] = ()
    limits: Limits = NO_LIMITS
    implied: bool = False


@dataclass(frozen=True, slots=True)
class DictType:
    """An object without named properties.

    Attributes:
        value: the type of every member whose key no pattern matches; NeverType where there is no
            such member.
        limits: `minProperties` and `maxProperties`.
        declared: `value` is written out in the schema.
        implied: as for `ArrayType`.
        patterns: as for `Shape`.

    """

    value: Type
    limits: Limits = NO_LIMITS
    declared: bool = False
    implied: bool = False
    patterns: tuple[tuple[str, Type], ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectType:
    """An object with named properties: the key of its `Shape` in the tool's `Schemas.shapes`."""

    shape: str


@dataclass(frozen=True, slots=True)
class UnionType:
    """One of several; flat, duplicates removed, `None` last, at least two members."""

    members: tuple[Type, ...]


Type: TypeAlias = (
    AnyType | NeverType | ScalarType | EnumType | ArrayType | DictType | ObjectType | UnionType
)


@dataclass(frozen=True, slots=True)
class Field:
    """A property of an object, or a parameter of a tool.

    Attributes:
        raw: the JSON key, never respelled.
        type: what it takes.
        required: whether it must be given.
        description: text of the server; "" where there is none.
        default: JSON text of `default`, or ABSENT.
        examples: JSON texts of `examples`.
        deprecated: the schema says so.
        conditional: it stands in one branch of `if` or `dependentSchemas` only, so no value of it
            can be called wrong without knowing the others.

    """

    raw: str
    type: Type
    required: bool = False
    description: str = ""
    default: str | Absent = ABSENT
    examples: tuple[str, ...] = ()
    deprecated: bool = False
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with named properties.

    Attributes:
        name: the class name in Python; within a tool, shapes that look the same to Python share it.
        fields: in the schema's order.
        extra: the type of every other member; NeverType where `additionalProperties` is false.
        extra_declared: `additionalProperties` is written out in the schema and not false.
        patterns: `patternProperties` as (regular expression, type): a member that has no field and
            whose key some of them match is of the types of all of those.
        description: text of the server.
        limits: `minProperties` and `maxProperties`.
        variants: keys of shapes of which a value must fit at least one (`anyOf`, `oneOf`); the
            fields above are then what those shapes have together. Empty: no alternatives.
        implied: as for `ArrayType`.
        identity: equal for shapes, of any tool, that look the same to Python.

    """

    name: str
    fields: tuple[Field, ...]
    extra: Type = AnyType()
    extra_declared: bool = False
    patterns: tuple[tuple[str, Type], ...] = ()
    description: str = ""
    limits: Limits = NO_LIMITS
    variants: tuple[str, ...] = ()
    implied: bool = False
    identity: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A place of a schema that costs something.

    Attributes:
        pointer: a JSON pointer into the tool's definition, such as `/inputSchema/properties/q`.
        message: one line: what is there and what became of it.
        kind: `schema` for a place that is not understood, `limit` for one that is cut.

    """

    pointer: str
    message: str
    kind: str = "schema"


@dataclass(frozen=True, slots=True)
class Schemas:
    """What one tool takes and gives.

    Attributes:
        arguments: the shape of the input: its fields are the tool's parameters.
        result: the type of the output schema; None where none is declared.
        shapes: shape key → shape, everything that `ObjectType`s in this value name.
        notes: places not understood or cut.
        nodes: how many places of the schemas were looked at.

    """

    arguments: Shape
    result: Type | None = None
    shapes: Mapping[str, Shape] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[Note, ...] = ()
    nodes: int = 0


def extra_types(of: DictType | Shape) -> tuple[Type, ...]:
    """The types of members without a field, as far as the schema writes them out.

    A mapping always has one: its members have no other.
    """
    found = [type_ for _, type_ in of.patterns if not isinstance(type_, NeverType)]
    if isinstance(of, Shape):
        return (*found, of.extra) if of.extra_declared else tuple(found)
    if isinstance(of.value, NeverType) or (found and not of.declared):
        return tuple(found) or (of.value,)
    return (*found, of.value)
