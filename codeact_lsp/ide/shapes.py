"""Steps through the type model: what a key, an item or a place of a value can be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from codeact_lsp.ide.refs import Path
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Field,
    Json,
    ObjectType,
    Scalar,
    ScalarType,
    Shape,
    Type,
    UnionType,
    extra_types,
)

Shapes = Mapping[str, Shape]
ANY = AnyType()


def variants(of: Type) -> tuple[Type, ...]:
    """The members of a union, or the type alone."""
    return of.members if isinstance(of, UnionType) else (of,)


def union(types: Iterator[Type] | tuple[Type, ...]) -> Type | None:
    """One type for several, flat and without duplicates; None for none."""
    flat = tuple(dict.fromkeys(member for one in types for member in variants(one)))
    if not flat:
        return None
    return flat[0] if len(flat) == 1 else UnionType(flat)


def object_shapes(of: Type, shapes: Shapes) -> tuple[Shape, ...]:
    """The shapes of every object that `of` can be."""
    return tuple(
        shapes[one.shape]
        for one in variants(of)
        if isinstance(one, ObjectType) and one.shape in shapes
    )


def fields(of: Type, shapes: Shapes, given: Mapping[str, Json] | None = None) -> tuple[Field, ...]:
    """Every key that an object of this type can have, the first variant's order first.

    A key is required where every variant requires it. Variants that contradict a `given` literal
    (their enum does not hold it) are left out, unless that would leave none.
    """
    all_shapes = object_shapes(of, shapes)
    fitting = tuple(shape for shape in all_shapes if fits(shape, given or {})) or all_shapes
    merged: dict[str, Field] = {}
    for shape in fitting:
        for field in shape.fields:
            known = merged.get(field.raw)
            if known is None:
                merged[field.raw] = field
            else:
                both = union((known.type, field.type)) or known.type
                merged[field.raw] = replace(known, type=both)
    return tuple(
        replace(
            field,
            required=all(
                any(one.raw == field.raw and one.required for one in shape.fields)
                for shape in fitting
            ),
        )
        for field in merged.values()
    )


def fits(shape: Shape, given: Mapping[str, Json]) -> bool:
    """Whether no literal of `given` contradicts an enum of `shape`."""
    return all(
        json.dumps(given[field.raw], ensure_ascii=False) in field.type.members
        or json.dumps(given[field.raw]) in field.type.members
        for field in shape.fields
        if field.raw in given and isinstance(field.type, EnumType)
    )


def member(of: Type, key: str, shapes: Shapes) -> Type | None:
    """The type behind a key of an object; None where there is no such key."""
    return union(tuple(found for one in variants(of) for found in _member(one, key, shapes)))


def _member(of: Type, key: str, shapes: Shapes) -> Iterator[Type]:
    match of:
        case ObjectType(shape) if shape in shapes:
            known = shapes[shape]
            field = next((field for field in known.fields if field.raw == key), None)
            if field is not None:
                yield field.type
            else:
                # A server's expression is never run over a person's text: it may take for ever.
                yield from extra_types(known)
        case DictType():
            yield from extra_types(of)
        case AnyType():
            yield of
        case _:
            return


def item(of: Type, position: int | None = None) -> Type | None:
    """The type of a list's item, at a position where it is known; None where `of` is no list."""
    found: list[Type] = []
    for one in variants(of):
        if isinstance(one, ArrayType):
            if position is not None and 0 <= position < len(one.prefix):
                found.append(one.prefix[position])
            elif position is None:
                found.extend((*one.prefix, one.item))
            else:
                found.append(one.item)
        elif isinstance(one, AnyType):
            found.append(one)
    return union(tuple(found))


def at(of: Type, path: Path, shapes: Shapes) -> Type | None:
    """The type at a path of keys and positions; None where there is no such place."""
    for step in path:
        stepped = member(of, step, shapes) if isinstance(step, str) else item(of, step)
        if stepped is None:
            return None
        of = stepped
    return of


def field_at(of: Type, path: Path, shapes: Shapes) -> Field | None:
    """What the schema says of the key that `path` ends in; None where it names no known key."""
    *above, last = path
    holder = at(of, tuple(above), shapes)
    if holder is None or not isinstance(last, str):
        return None
    return next((field for field in fields(holder, shapes) if field.raw == last), None)


def literals(of: Type) -> tuple[str, ...]:
    """JSON texts of every value that the type names: enum members, booleans, null."""
    found: list[str] = []
    for one in variants(of):
        match one:
            case EnumType(members):
                found.extend(members)
            case ScalarType(Scalar.BOOLEAN):
                found.extend(("true", "false"))
            case ScalarType(Scalar.NULL):
                found.append("null")
            case _:
                pass
    return tuple(dict.fromkeys(found))
