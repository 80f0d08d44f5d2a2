"""`not`: the JSON types and values that it refuses, where it refuses nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from codeact_lsp.schema.build import NEVER, Build
from codeact_lsp.schema.keywords import SCALARS
from codeact_lsp.schema.places import Place, child, follow, inside
from codeact_lsp.schema.scalars import canonical
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Json,
    ObjectType,
    Scalar,
    ScalarType,
    Type,
    UnionType,
)
from codeact_lsp.schema.unions import enumeration, union

KINDS: Final = ("string", "number", "boolean", "array", "object", "null")
_KIND_OF: Final = {scalar: kind for kind, scalar in SCALARS.items()}
_SAYS_NOTHING: Final = frozenset(
    """title description default examples deprecated readOnly writeOnly $comment $schema""".split()
)
_MAX_CHAIN: Final = 16


@dataclass(frozen=True, slots=True)
class Refused:
    """JSON types, with `integer` among them only where `number` is not, and values."""

    kinds: frozenset[str] = frozenset()
    values: tuple[Json, ...] = ()


def refused(place: Place, schema: Json) -> Refused:
    """What `not` with `schema` refuses for certain; `place` is where the `not` stands."""
    kinds: set[str] = set()
    values: list[Json] = []
    for plain in _plain(place, schema):
        if plain.keys() == {"type"}:
            listed = plain["type"] if isinstance(plain["type"], list) else [plain["type"]]
            kinds.update(word for word in listed if isinstance(word, str))
        elif plain.keys() == {"const"}:
            values.append(plain["const"])
        elif plain.keys() == {"enum"} and isinstance(plain["enum"], list):
            values += plain["enum"]
        elif not plain:
            kinds.update(KINDS)
    return Refused(frozenset(kinds), tuple(values))


def _plain(place: Place, schema: Json, depth: int = 0) -> Iterator[dict[str, Json]]:
    """The schemas of which none may fit, as the keywords in them that say something."""
    if schema is True:
        yield {}
    if not isinstance(schema, dict) or depth > _MAX_CHAIN:
        return
    place = inside(place, schema)
    plain = {
        key: value for key, value in place.dialect.known(schema).items() if key not in _SAYS_NOTHING
    }
    if plain.keys() == {"anyOf"} and isinstance(plain["anyOf"], list):
        for part in plain["anyOf"]:
            yield from _plain(place, part, depth + 1)
    elif plain.keys() == {"$ref"}:
        target = follow(place, plain, "$ref")
        if target is not None:
            yield from _plain(target, target.schema, depth + 1)
    else:
        yield plain


def doubled(place: Place, schema: Json) -> Iterator[Place]:
    """The places of schemas that `not` with a `not` in it asks for."""
    for plain in _plain(place, schema):
        if plain.keys() == {"not"}:
            yield child(place, plain["not"], "not", "not")


def without(build: Build, type_: Type, refused: Refused, pointer: str) -> Type:
    """`type_` without `refused`, or as much wider as cannot be helped."""
    if not refused.kinds and not refused.values:
        return type_
    if isinstance(type_, AnyType):
        kinds = refused.kinds | _whole_kinds(refused.values)
        if kinds.isdisjoint(KINDS):
            return type_
        return union(
            build, (_every(build, kind, pointer) for kind in KINDS if kind not in kinds), pointer
        )
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    return union(build, (_left(build, one, refused, pointer) for one in members), pointer)


def _whole_kinds(values: tuple[Json, ...]) -> frozenset[str]:
    """JSON types of which every value is among `values`."""
    known = {canonical(value) for value in values}
    found = {"null"} if "null" in known else set()
    return frozenset(found | ({"boolean"} if {"true", "false"} <= known else set()))


def _every(build: Build, kind: str, pointer: str) -> Type:
    """All values of a JSON type."""
    if kind == "array":
        return build.intern(ArrayType(build.any(pointer)))
    if kind == "object":
        return build.intern(DictType(build.any(pointer)))
    return build.intern(ScalarType(SCALARS[kind]))


def _left(build: Build, type_: Type, refused: Refused, pointer: str) -> Type:
    """What is left of a type that is no union."""
    match type_:
        case EnumType(members):
            gone = {canonical(value) for value in refused.values}
            kept = [
                value
                for value in map(json.loads, members)
                if canonical(value) not in gone and _kinds_of(value).isdisjoint(refused.kinds)
            ]
            return enumeration(build, kept, pointer) if kept else build.intern(NEVER)
        case ScalarType(Scalar.BOOLEAN) if "boolean" not in refused.kinds:
            kept = [value for value in (True, False) if value not in _booleans(refused)]
            if len(kept) == 2:
                return type_
            return enumeration(build, kept, pointer) if kept else build.intern(NEVER)
        case ScalarType(Scalar.NULL) if "null" in _whole_kinds(refused.values):
            return build.intern(NEVER)
        case ScalarType(scalar):
            kinds = {_KIND_OF[scalar], "number"} if scalar is Scalar.INTEGER else {_KIND_OF[scalar]}
            return type_ if kinds.isdisjoint(refused.kinds) else build.intern(NEVER)
        case ArrayType(implied=False) if "array" in refused.kinds:
            return build.intern(NEVER)
        case DictType(implied=False) if "object" in refused.kinds:
            return build.intern(NEVER)
        case ObjectType(key) if "object" in refused.kinds:
            shape = build.shapes.get(key)
            return type_ if shape is None or shape.implied else build.intern(NEVER)
    return type_


def _booleans(refused: Refused) -> list[bool]:
    return [value for value in refused.values if isinstance(value, bool)]


def _kinds_of(value: Json) -> frozenset[str]:
    match value:
        case None:
            return frozenset({"null"})
        case bool():
            return frozenset({"boolean"})
        case int():
            return frozenset({"integer", "number"})
        case float():
            return frozenset({"integer", "number"} if value.is_integer() else {"number"})
        case str():
            return frozenset({"string"})
        case list():
            return frozenset({"array"})
    return frozenset({"object"})
