"""Values as far as code shows them, against types.

What is not known fits everything, and so does every value that the schema itself accepts: a
mismatch is only ever reported where the value cannot be right.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from codeact_lsp import text
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.scalars import canonical, counted, matches, refusal
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Limits,
    NeverType,
    ObjectType,
    ScalarType,
    Schemas,
    Shape,
    Type,
    UnionType,
)
from codeact_lsp.schema.values import (
    SCALAR_KINDS,
    Items,
    Kind,
    Known,
    Members,
    Unknown,
    Value,
    kind_of,
    may_equal,
    whole_json,
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a value cannot be right.

    Attributes:
        path: keys and indexes to the place. For a missing key, to the object that lacks it; for an
            unknown one, to the key itself.
        keyword: the JSON Schema keyword: `type`, `enum`, `required`, `additionalProperties`, …
        message: one line for people.
        allowed: for `enum` the members as JSON text; for `additionalProperties` the keys that
            exist; for `required` the key that is missing.

    """

    path: tuple[str | int, ...]
    keyword: str
    message: str
    allowed: tuple[str, ...] = ()


_NUMBERS: Final = frozenset({Kind.INTEGER, Kind.NUMBER})


def check(value: Value, type_: Type, shapes: Mapping[str, Shape]) -> tuple[Mismatch, ...]:
    """Why `value` cannot be a `type_`; empty when it is one or may be one."""
    return _Checker(shapes).check(value, type_)


def check_arguments(
    given: Mapping[str, Value], schemas: Schemas, *, complete: bool
) -> tuple[Mismatch, ...]:
    """Why a call with the raw keys `given` cannot be right.

    `complete` is false when there may be more arguments (`**unknown`), so none is called missing.
    """
    members = Members(tuple(given.items()), complete)
    return _Checker(schemas.shapes).shape(members, schemas.arguments)


@dataclass(slots=True)
class _Checker:
    """One check: each value is compared with each type once, however alternatives nest."""

    shapes: Mapping[str, Shape]
    known: dict[tuple[int, int], tuple[Mismatch, ...]] = field(default_factory=dict)
    # Ids are keys above, so what they belong to must live as long.
    kept: list[tuple[Value, Type]] = field(default_factory=list)

    def check(self, value: Value, type_: Type) -> tuple[Mismatch, ...]:
        if isinstance(value, Unknown) or isinstance(type_, AnyType):
            return ()
        key = (id(value), id(type_))
        known = self.known.get(key)
        if known is None:
            self.kept.append((value, type_))
            known = self.known[key] = tuple(self._mismatches(value, type_))
        return known

    def _mismatches(self, value: Value, type_: Type) -> Iterable[Mismatch]:
        match type_:
            case NeverType():
                return (Mismatch((), "false", "no value is accepted here"),)
            case UnionType(members):
                return self._union(value, type_, members)
            case EnumType(members):
                return self._enum(value, members)
            case ScalarType():
                return self._scalar(value, type_)
            case ArrayType():
                return self._array(value, type_)
            case DictType():
                return self._dict(value, type_)
            case ObjectType(key):
                return self.shape(value, self.shapes[key])
        return ()

    def _scalar(self, value: Value, type_: ScalarType) -> Iterator[Mismatch]:
        if isinstance(value, Known):
            refused = refusal(value.value, type_)
            if refused is not None:
                yield Mismatch((), refused.keyword, refused.message)
            return
        kind = kind_of(value)
        wanted = SCALAR_KINDS[type_.scalar]
        if kind is not wanted and not {kind, wanted} <= _NUMBERS:
            yield Mismatch((), "type", f"expected {type_.scalar}")

    def _enum(self, value: Value, members: tuple[str, ...]) -> Iterator[Mismatch]:
        if not any(may_equal(value, json.loads(member)) for member in members):
            shown = ", ".join(map(text.one_line, members[:10]))
            shown += ", …" if len(members) > 10 else ""
            yield Mismatch((), "enum", f"expected one of {shown}", members)

    def _array(self, value: Value, type_: ArrayType) -> Iterator[Mismatch]:
        if not isinstance(value, Items):
            yield from self._kind(value, Kind.ARRAY, type_, implied=type_.implied)
            return
        prefix = type_.prefix
        # With items of unknown number among these, none has a known position.
        somewhere = UnionType((*prefix, type_.item)) if prefix and not value.complete else None
        for index, item in enumerate(value.items):
            wanted = prefix[index] if index < len(prefix) else type_.item
            yield from _inside(index, self.check(item, somewhere or wanted))
        yield from _counted(value, type_.limits)

    def _dict(self, value: Value, type_: DictType) -> Iterator[Mismatch]:
        if not isinstance(value, Members):
            yield from self._kind(value, Kind.OBJECT, type_, implied=type_.implied)
            return
        others = Shape("", (), extra=type_.value, patterns=type_.patterns)
        for key, member in value.members:
            yield from self._extra(key, member, others)
        yield from _counted(value, type_.limits)

    def shape(self, value: Value, shape: Shape) -> tuple[Mismatch, ...]:
        """Why `value` cannot have `shape`."""
        if not isinstance(value, Members):
            expected = shape.name or "an object"
            if shape.implied or kind_of(value) is Kind.OBJECT:
                return ()
            return (Mismatch((), "type", f"expected {expected}, a dict"),)
        if shape.variants:
            return self._variants(value, shape)
        found = [*self._missing(value, shape)] if value.complete else []
        fields = {one.raw: one for one in shape.fields}
        for key, member in value.members:
            if key not in fields:
                found += self._extra(key, member, shape, tuple(fields))
            elif not fields[key].conditional:
                found += _inside(key, self.check(member, fields[key].type))
        found += _counted(value, shape.limits)
        return tuple(found)

    def _missing(self, value: Members, shape: Shape) -> Iterator[Mismatch]:
        given = {key for key, _ in value.members}
        for one in shape.fields:
            if one.required and one.raw not in given:
                yield Mismatch((), "required", f"missing key {text.json_key(one.raw)}", (one.raw,))

    def _extra(
        self, key: str, value: Value, of: Shape | DictType, keys: tuple[str, ...] = ()
    ) -> Iterator[Mismatch]:
        """What is wrong with a member that has no field; `keys` are those that have one."""
        told = [(matches(pattern, key), type_) for pattern, type_ in of.patterns]
        for matched, type_ in told:
            if matched:
                yield from _inside(key, self.check(value, type_))
        if any(matched is not False for matched, _ in told):
            # Where it cannot be told whether a pattern matches, the key may belong to it.
            return
        extra = of.extra if isinstance(of, Shape) else of.value
        if isinstance(extra, NeverType):
            said = f"unknown key {text.json_key(key)}"
            yield Mismatch((key,), "additionalProperties", said, keys)
        else:
            yield from _inside(key, self.check(value, extra))

    def _variants(self, value: Members, shape: Shape) -> tuple[Mismatch, ...]:
        tried = [self.shape(value, self.shapes[key]) for key in shape.variants]
        if not all(tried):
            return ()
        if len(tried) == 1:
            return tried[0]
        fields = {one.raw: one for one in shape.fields if not one.conditional}
        # What none of the alternatives that have the key says of it is to blame before all else.
        found = tuple(
            mismatch
            for key, member in value.members
            if key in fields
            for mismatch in _inside(key, self.check(member, fields[key].type))
        )
        return found or tuple(_as_alternative(one, fields) for one in min(tried, key=_distance))

    def _union(
        self, value: Value, type_: UnionType, members: tuple[Type, ...]
    ) -> tuple[Mismatch, ...]:
        tried = [(member, self.check(value, member)) for member in members]
        if not all(found for _, found in tried):
            return ()
        # Members of another kind than the value say nothing about what is wrong inside it.
        inner = [found for _, found in tried if not _is_other_kind(found)]
        if inner:
            return min(inner, key=_distance)
        expected = annotation(type_, self.shapes)
        return (Mismatch((), "type", f"expected {expected}"),)

    def _kind(
        self, value: Value, wanted: Kind, type_: Type, *, implied: bool
    ) -> Iterator[Mismatch]:
        if not implied and kind_of(value) is not wanted:
            yield Mismatch((), "type", f"expected {annotation(type_, self.shapes)}")


def _is_other_kind(found: tuple[Mismatch, ...]) -> bool:
    return any(not one.path and one.keyword in ("type", "false") for one in found)


def _distance(found: tuple[Mismatch, ...]) -> tuple[int, ...]:
    """How far a value is from an alternative: another tag is further than a lack, than all else."""
    tags = sum(len(one.path) == 1 and one.keyword == "enum" for one in found)
    lacks = sum(not one.path and one.keyword == "required" for one in found)
    return (tags, lacks, len(found))


def _as_alternative(found: Mismatch, known: Container[object]) -> Mismatch:
    """A mismatch with the closest alternative, told as such."""
    said = found.message
    if found.keyword == "additionalProperties" and len(found.path) == 1 and found.path[0] in known:
        said = "not taken together with the rest"
    return replace(found, message=f"{said} (fits none of the alternatives)")


def _inside(step: str | int, found: Iterable[Mismatch]) -> list[Mismatch]:
    return [replace(one, path=(step, *one.path)) for one in found]


def _repeats(value: Items) -> bool:
    """Whether two items are surely equal."""
    whole = [canonical(*known) for item in value.items if (known := whole_json(item))]
    return len(set(whole)) < len(whole)


def _counted(value: Items | Members, limits: Limits) -> Iterator[Mismatch]:
    if isinstance(value, Items):
        if limits.unique_items and _repeats(value):
            yield Mismatch((), "uniqueItems", "must not hold an item twice")
        size, word, noun = len(value.items), "Items", "item"
        lowest, highest = limits.min_items, limits.max_items
    else:
        size, word, noun = len(dict(value.members)), "Properties", "key"
        lowest, highest = limits.min_properties, limits.max_properties
    if highest is not None and size > highest:
        yield Mismatch((), f"max{word}", f"must have at most {counted(highest, noun)}")
    if value.complete and lowest is not None and size < lowest:
        yield Mismatch((), f"min{word}", f"must have at least {counted(lowest, noun)}")
