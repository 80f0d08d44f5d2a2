"""`propertyNames`: which keys an object can have, as the fields or the pattern that it amounts to."""

from __future__ import annotations

import json
from dataclasses import replace

from codeact_lsp.schema.algebra import both, unnamed_types
from codeact_lsp.schema.build import NEVER, Build
from codeact_lsp.schema.types import (
    EnumType,
    Field,
    NeverType,
    Scalar,
    ScalarType,
    Shape,
    Type,
    UnionType,
)


def named(build: Build, shape: Shape, names: Type, pointer: str) -> Shape:
    """`shape` with keys that are `names`."""
    listed = _listed(names)
    if listed is None:
        return _with_pattern(shape, names)
    if not build.has(len(listed), pointer):
        return shape
    known = {field.raw for field in shape.fields}
    fields = [_field(build, raw, shape, pointer) for raw in listed if raw not in known]
    return replace(
        shape,
        fields=(*shape.fields, *(field for field in fields if field is not None)),
        extra=build.intern(NEVER),
        extra_declared=False,
        patterns=(),
    )


def _listed(names: Type) -> list[str] | None:
    """Every key that there can be, or None where they are not listed."""
    found: list[str] = []
    for one in names.members if isinstance(names, UnionType) else (names,):
        match one:
            case EnumType(members):
                values = map(json.loads, members)
                found += (value for value in values if isinstance(value, str))
            case NeverType():
                pass
            case ScalarType(scalar) if scalar is not Scalar.STRING:
                # A key is a text, so none is of another type.
                pass
            case _:
                return None
    return found


def _field(build: Build, raw: str, shape: Shape, pointer: str) -> Field | None:
    types = unnamed_types(build, raw, shape, pointer)
    if not types and isinstance(shape.extra, NeverType):
        return None
    type_ = build.any(pointer)
    for one in types:
        type_ = both(build, type_, one, pointer)
    build.spend(1, pointer)
    return build.fit(Field(raw, type_), pointer)


def _with_pattern(shape: Shape, names: Type) -> Shape:
    """`shape` with other members under keys that match the pattern of `names` only."""
    pattern = names.limits.pattern if isinstance(names, ScalarType) else None
    if pattern is None or shape.patterns or not shape.extra_declared:
        return shape
    return replace(shape, patterns=((pattern, shape.extra),), extra=NEVER, extra_declared=False)
