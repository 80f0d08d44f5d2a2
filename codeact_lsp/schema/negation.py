"""`not`: the JSON types and values that it refuses, where it refuses nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from codeact_lsp.schema.build import MAX_DEPTH, NEVER, Build
from codeact_lsp.schema.keywords import ANNOTATIONS, BOUNDS_OF, SCALARS
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

_WRITTEN: Final = ("string", "number", "boolean", "array", "object", "null")
_ALL: Final = frozenset({*SCALARS, "array", "object"})
_KIND_OF: Final = {scalar: kind for kind, scalar in SCALARS.items()}
_TELLS_VALUES_APART: Final = frozenset(("enum", "const", "oneOf", "$dynamicRef", "$recursiveRef"))


@dataclass(frozen=True, slots=True)
class Refused:
    """JSON types, `integer` alone where other numbers are left, and values."""

    kinds: frozenset[str] = frozenset()
    values: tuple[Json, ...] = ()


def whole_kinds(build: Build, place: Place) -> frozenset[str]:
    """The JSON types of which the schema at `place` accepts every value, as far as is easily told."""
    schema = place.schema
    if schema is True:
        return _ALL
    if not isinstance(schema, dict):
        return frozenset()
    known = build.whole_kinds.get(id(schema))
    if known is None:
        # A schema that refers to itself accepts nothing by that.
        build.whole_kinds[id(schema)] = frozenset()
        known = _whole_kinds(build, inside(place, schema), place.dialect.known(schema))
        build.whole_kinds[id(schema)] = known
    return known


def _whole_kinds(build: Build, place: Place, schema: dict[str, Json]) -> frozenset[str]:
    if not _TELLS_VALUES_APART.isdisjoint(schema) or place.depth > MAX_DEPTH:
        return frozenset()
    if "if" in schema and ("then" in schema or "else" in schema):
        return frozenset()
    found = _ALL
    if "$ref" in schema:
        target = follow(place, schema, "$ref")
        found = whole_kinds(build, target) if target is not None else frozenset()
        if place.dialect.ref_stands_alone:
            return found
    if "type" in schema:
        listed = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        found &= {word for word in listed if isinstance(word, str)}
    if "not" in schema:
        found -= _possible_kinds(schema["not"])
    found -= {kind for kind, words in BOUNDS_OF.items() if not words.isdisjoint(schema)}
    for keyword in ("allOf", "anyOf"):
        parts = schema.get(keyword, [])
        kinds = [
            whole_kinds(build, child(place, part, keyword, number))
            for number, part in enumerate(parts if isinstance(parts, list) else ())
        ]
        if kinds:
            join = frozenset.intersection if keyword == "allOf" else frozenset.union
            found &= join(*kinds)
    return found


def _possible_kinds(schema: Json) -> frozenset[str]:
    """The JSON types of which `schema` may accept a value."""
    if not isinstance(schema, dict):
        return frozenset() if schema is False else _ALL
    declared = schema.get("type", list(_ALL))
    listed = declared if isinstance(declared, list) else [declared]
    words = frozenset(word for word in listed if isinstance(word, str)) & _ALL
    # No other number is an integer, and no integer is not a number.
    return words | (words & {"integer"} and {"number"}) | (words & {"number"} and {"integer"})


def refused(build: Build, place: Place) -> Refused:
    """What `not` with the schema at `place` refuses for certain."""
    values: list[Json] = []
    for one in _parts(place, set()):
        schema = one.schema
        if isinstance(schema, dict) and schema.keys() - ANNOTATIONS == {"const"}:
            values.append(schema["const"])
        elif isinstance(schema, dict) and schema.keys() - ANNOTATIONS == {"enum"}:
            values += schema["enum"] if isinstance(schema["enum"], list) else []
    return Refused(whole_kinds(build, place), tuple(values))


def doubled(place: Place) -> Iterator[Place]:
    """The places of schemas that `not` with the schema at `place` asks for."""
    for one in _parts(place, set()):
        if isinstance(one.schema, dict) and one.schema.keys() - ANNOTATIONS == {"not"}:
            yield child(inside(one, one.schema), one.schema["not"], "not")


def _parts(place: Place, seen: set[int]) -> Iterator[Place]:
    """The schema at `place`, or those of which it accepts whatever one of them accepts."""
    schema = place.schema
    if not isinstance(schema, dict) or id(schema) in seen:
        return
    seen.add(id(schema))
    place = inside(place, schema)
    words = schema.keys() - ANNOTATIONS
    if words == {"anyOf"} and isinstance(schema["anyOf"], list):
        for number, part in enumerate(schema["anyOf"]):
            yield from _parts(child(place, part, "anyOf", number), seen)
    elif words == {"$ref"}:
        target = follow(place, schema, "$ref")
        if target is not None:
            yield from _parts(target, seen)
    else:
        yield place


def without(build: Build, type_: Type, refused: Refused, pointer: str) -> Type:
    """`type_` without `refused`, or as much wider as cannot be helped."""
    if not refused.kinds and not refused.values:
        return type_
    if isinstance(type_, AnyType):
        kinds = refused.kinds | _listed_kinds(refused.values)
        if kinds.isdisjoint(_WRITTEN):
            return type_
        return union(
            build, (_every(build, kind, pointer) for kind in _WRITTEN if kind not in kinds), pointer
        )
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    return union(build, (_left(build, one, refused, pointer) for one in members), pointer)


def _listed_kinds(values: tuple[Json, ...]) -> frozenset[str]:
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
        case ScalarType(Scalar.NULL) if "null" in _listed_kinds(refused.values):
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
