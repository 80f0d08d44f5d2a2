"""What the mapper keeps while it works on one tool: the budget, the shapes, the shared types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Final

from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Field,
    NeverType,
    Note,
    ObjectType,
    ScalarType,
    Shape,
    Type,
    UnionType,
    Why,
)

MAX_DEPTH: Final = 64
MAX_NODES: Final = 20_000
MAX_WRITTEN: Final = 2_000
"""Nodes of one type written out, named classes counted once."""
MAX_TOLD: Final = 2 * 1024 * 1024
"""Characters of all descriptions; a schema without references cannot hold more."""
MAX_NOTES: Final = 100
_CHARACTERS_A_NODE: Final = 64
_MEMBERS_A_NODE: Final = 16

ANY: Final = AnyType()
NEVER: Final = NeverType()


@dataclass(slots=True)
class Build:
    """The state of one run over one tool's schemas.

    Equal types are one object (`intern`), so they compare by identity: a type that is shared a
    thousand times is looked into once. Schemas are known by `id`; their documents outlive the run.

    Attributes:
        shapes: key → shape, names not given yet.
        notes: what people should know.
        nodes: places looked at and members merged so far.
        written: places that the types of all fields so far take when written out.
        told: characters of their descriptions.
        done: id of a schema → its type.
        pending: ids of the schemas that are being worked out.
        awaited: the key that stands for one of them meanwhile → id of the schema, and its pointer.
        whole_kinds: id of a schema → the JSON types of which it accepts every value.
        texts: id of a JSON value → its text.
        intersections: ids of two types → the type that is both.

    """

    shapes: dict[str, Shape] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    nodes: int = 0
    written: int = 0
    told: int = 0
    done: dict[int, Type] = field(default_factory=dict)
    pending: set[int] = field(default_factory=set)
    awaited: dict[str, tuple[int, str]] = field(default_factory=dict)
    whole_kinds: dict[int, frozenset[str]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)
    intersections: dict[tuple[int, int], Type] = field(default_factory=dict)
    _types: dict[object, Type] = field(default_factory=dict)
    _sizes: dict[int, int] = field(default_factory=dict)
    _keys: dict[int, str] = field(default_factory=dict)
    _costs: dict[int, tuple[Shape, int]] = field(default_factory=dict)
    _contents: dict[object, Type] = field(default_factory=dict)
    _shapes_at: dict[str, int] = field(default_factory=dict)
    _limits_noted: set[str] = field(default_factory=set)

    def await_(self, schema: int, pointer: str) -> Type:
        """What stands for a schema that is being worked out, given its id."""
        key = self._keys.setdefault(schema, f"~{len(self._keys)}")
        self.awaited.setdefault(key, (schema, pointer))
        return self.intern(ObjectType(key))

    def any(self, pointer: str, why: Why = Why.SILENT, detail: str = "") -> Type:
        """The type of a place that can be anything."""
        return self.intern(AnyType(why, detail, pointer))

    def unknown(self, pointer: str, message: str, why: Why = Why.NOT_UNDERSTOOD) -> Type:
        """The type of a place that is reported with `message`."""
        self.note(pointer, message)
        return self.any(pointer, why, message)

    def note(self, pointer: str, message: str) -> None:
        """Report a place that is not understood; a schema of nothing else is not all listed."""
        if len(self.notes) < MAX_NOTES:
            # More than one keyword is read twice.
            if (note := Note(pointer, message)) not in self.notes:
                self.notes.append(note)
        else:
            self.limit(pointer, "notes", f"over {MAX_NOTES} places are not understood")

    def limit(self, pointer: str, name: str, message: str, why: Why = Why.LIMIT) -> Type:
        """Report the first place that the limit `name` cuts, and give what stands there."""
        if name not in self._limits_noted:
            self._limits_noted.add(name)
            self.notes.append(Note(pointer, message, "limit"))
        return self.any(pointer, why, message)

    def has(self, nodes: int, pointer: str) -> bool:
        """Whether `nodes` more are within the limit; it is reported where they are not."""
        if self.nodes + nodes <= MAX_NODES:
            return True
        self._too_many(pointer)
        return False

    def spend(self, nodes: int, pointer: str) -> Type | None:
        """Count `nodes`; what stands at a place that is not looked at any more, else None."""
        if self.nodes + nodes > MAX_NODES:
            return self._too_many(pointer)
        self.nodes += nodes
        return None

    def _too_many(self, pointer: str) -> Type:
        message = f"the schema has over {MAX_NODES:,} places: the rest is Any"
        return self.limit(pointer, "nodes", message)

    def cost(self, shape: Shape) -> int:
        """What a copy of `shape` costs in nodes; a long key is many."""
        known = self._costs.get(id(shape))
        if known is None:
            cost = sum(1 + len(f.raw) // _CHARACTERS_A_NODE for f in shape.fields)
            # Its id is a key, so the shape must live as long.
            known = self._costs[id(shape)] = (shape, cost)
        return known[1]

    def fit(self, field_: Field, pointer: str) -> Field:
        """`field_` as one more field, without what would be too much to write out."""
        # The first place of each type is counted among the nodes.
        size = self.size(field_.type) - 1
        if self.written + size > MAX_NODES:
            message = f"the types take over {MAX_NODES:,} places to write out: the rest is Any"
            size, field_ = 0, replace(field_, type=self.limit(pointer, "written", message))
        self.written += size
        told = len(field_.description)
        if self.told + told > MAX_TOLD:
            message = f"the descriptions are over {MAX_TOLD:,} characters: the rest is left out"
            self.limit(pointer, "told", message)
            told, field_ = 0, replace(field_, description="")
        self.told += told
        return field_

    def add_shape(self, shape: Shape, pointer: str) -> Type:
        """Keep `shape` under a key made from `pointer`, or find an equal one that is kept."""
        content = _shallow_shape(shape)
        if (known := self._contents.get(content)) is not None:
            return known
        number = self._shapes_at.get(pointer, 0) + 1
        self._shapes_at[pointer] = number
        # A "~" that no pointer holds, since 0 or 1 follows one there.
        key = pointer if number == 1 else f"{pointer}~~{number}"
        self.shapes[key] = shape
        kept = self._contents[content] = self.intern(ObjectType(key))
        return kept

    def intern(self, type_: Type, pointer: str = "") -> Type:
        """The one object that stands for `type_`, whose parts are interned already."""
        key = _shallow(type_)
        known = self._types.get(key)
        if known is not None:
            return known
        size = self._measure(type_)
        if size > MAX_WRITTEN:
            message = f"the type takes over {MAX_WRITTEN:,} places to write out: it is Any"
            return self.limit(pointer, "type", message)
        if isinstance(type_, (EnumType, UnionType)):
            # Each is a copy of all of its members.
            spent = self.spend(len(type_.members) // _MEMBERS_A_NODE, pointer)
            if spent is not None:
                return spent
        self._types[key] = type_
        self._sizes[id(type_)] = size
        return type_

    def size(self, type_: Type) -> int:
        """Nodes of `type_` written out."""
        return self._sizes.get(id(type_), 1)

    def _measure(self, type_: Type) -> int:
        match type_:
            case ArrayType(item, prefix):
                return 1 + self.size(item) + self._total(prefix)
            case DictType(value, patterns=patterns):
                return 1 + self.size(value) + self._total(type_ for _, type_ in patterns)
            case UnionType(members):
                return self._total(members)
            case EnumType(members):
                return 1 + sum(map(len, members)) // _CHARACTERS_A_NODE
        return 1

    def _total(self, types: Iterable[Type]) -> int:
        return sum(map(self.size, types))


_of_field: Final = attrgetter(*(one.name for one in fields(Field) if one.name != "type"))
_of_shape: Final = attrgetter(
    *(one.name for one in fields(Shape) if one.name not in {"extra", "fields", "patterns"})
)


def _shallow_shape(shape: Shape) -> object:
    """A key that is equal for equal shapes, given that their types are interned."""
    listed = tuple((id(one.type), _of_field(one)) for one in shape.fields)
    return (listed, id(shape.extra), _shallow_patterns(shape.patterns), _of_shape(shape))


def _shallow_patterns(patterns: tuple[tuple[str, Type], ...]) -> object:
    return tuple((pattern, id(type_)) for pattern, type_ in patterns)


def _shallow(type_: Type) -> object:
    """A key that is equal for equal types, given that their parts are interned."""
    match type_:
        case ArrayType(item, prefix, limits, implied):
            return (ArrayType, id(item), tuple(map(id, prefix)), limits, implied)
        case DictType(value, limits, declared, implied, patterns):
            return (DictType, id(value), limits, declared, implied, _shallow_patterns(patterns))
        case UnionType(members):
            return (UnionType, *map(id, members))
        case AnyType(why, detail, pointer):
            return (AnyType, why, detail, pointer)
        case NeverType() | ScalarType() | EnumType() | ObjectType():
            return type_
