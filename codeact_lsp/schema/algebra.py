"""Unions and intersections of types: what `anyOf`, `allOf` and siblings mean.

Where an intersection cannot be written down, the result is wider than it, never narrower: nothing
that a schema accepts is ever refused because of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from codeact_lsp.schema.build import ANY, NEVER, Build
from codeact_lsp.schema.scalars import canonical, refusal
from codeact_lsp.schema.types import (
    NO_LIMITS,
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Field,
    Json,
    Limits,
    NeverType,
    ObjectType,
    Scalar,
    ScalarType,
    Shape,
    Type,
    UnionType,
)

NULL: Final = ScalarType(Scalar.NULL)


def union(build: Build, types: Iterable[Type], pointer: str) -> Type:
    """One of `types`: flat, enums joined, duplicates removed, null last."""
    listed = tuple(types)
    if len(listed) == 1:
        return listed[0]
    members: list[Type] = []
    for type_ in listed:
        members.extend(type_.members if isinstance(type_, UnionType) else (type_,))
    for member in members:
        if isinstance(member, AnyType):
            return member
    literals = tuple(
        dict.fromkeys(
            text for member in members if isinstance(member, EnumType) for text in member.members
        )
    )
    unique: dict[int, Type] = {}
    has_null = False
    for member in members:
        if isinstance(member, NeverType):
            continue
        if isinstance(member, ScalarType) and member.scalar is Scalar.NULL:
            has_null = True
            continue
        kept = build.intern(EnumType(literals)) if isinstance(member, EnumType) else member
        unique[id(kept)] = kept
    flat = [*unique.values(), *([build.intern(NULL)] if has_null else ())]
    if not flat:
        return build.intern(NEVER)
    return flat[0] if len(flat) == 1 else build.intern(UnionType(tuple(flat)), pointer)


def enumeration(build: Build, values: Iterable[Json], pointer: str) -> Type:
    """`enum`: JSON texts, duplicates removed; null is a member of a union of its own."""
    texts = dict.fromkeys(json.dumps(value, ensure_ascii=False) for value in values)
    has_null = texts.pop("null", texts) is None
    members: list[Type] = [build.intern(EnumType(tuple(texts)))] if texts else []
    return union(build, [*members, *([NULL] if has_null else ())], pointer)


def intersect(build: Build, left: Type, right: Type, pointer: str) -> Type:
    """Both `left` and `right`; `NeverType` when nothing is both."""
    if left is right or isinstance(right, AnyType) or isinstance(left, NeverType):
        return left
    if isinstance(left, AnyType) or isinstance(right, NeverType):
        return right
    if _is_pending(build, left) or _is_pending(build, right):
        # Its members are not known yet, so the two cannot be merged; each alone is wide enough.
        return left if _is_pending(build, right) and _is_object(left) else right
    known = build.intersections.get((id(left), id(right)))
    if known is not None:
        return known
    if build.spend(1, pointer):
        return left
    if isinstance(left, UnionType) or isinstance(right, UnionType):
        result = _distribute(build, left, right, pointer)
    elif isinstance(left, EnumType) or isinstance(right, EnumType):
        result = _narrow(build, left, right, pointer)
    else:
        result = _intersect_one(build, left, right, pointer)
    build.intersections[id(left), id(right)] = result
    return result


def _distribute(build: Build, left: Type, right: Type, pointer: str) -> Type:
    lefts = left.members if isinstance(left, UnionType) else (left,)
    rights = right.members if isinstance(right, UnionType) else (right,)
    if not build.has(len(lefts) * len(rights), pointer):
        return left
    return union(build, (intersect(build, a, b, pointer) for a in lefts for b in rights), pointer)


def _intersect_one(build: Build, left: Type, right: Type, pointer: str) -> Type:
    match left, right:
        case ScalarType(), ScalarType():
            return _intersect_scalars(build, left, right)
        case ArrayType(), ArrayType():
            return _intersect_arrays(build, left, right, pointer)
        case ((DictType() | ObjectType()), (DictType() | ObjectType())):
            shapes = shape_of(build, left), shape_of(build, right)
            if not build.has(sum(map(build.cost, shapes)), pointer):
                return left
            return from_shape(build, merge(build, *shapes, pointer), pointer)
    # What only one of them says of another kind of value does not touch this kind.
    if _is_implied(build, left):
        return right
    if _is_implied(build, right):
        return left
    return build.intern(NEVER)


def _intersect_scalars(build: Build, left: ScalarType, right: ScalarType) -> Type:
    limits = _merge_limits(left.limits, right.limits)
    if left.scalar is right.scalar:
        return build.intern(ScalarType(left.scalar, limits))
    if {left.scalar, right.scalar} == {Scalar.INTEGER, Scalar.NUMBER}:
        return build.intern(ScalarType(Scalar.INTEGER, limits))
    return build.intern(NEVER)


def _intersect_arrays(build: Build, left: ArrayType, right: ArrayType, pointer: str) -> Type:
    prefix = tuple(
        intersect(build, a or left.item, b or right.item, pointer)
        for a, b in zip_longest(left.prefix, right.prefix)
    )
    return build.intern(
        ArrayType(
            intersect(build, left.item, right.item, pointer),
            prefix,
            _merge_limits(left.limits, right.limits),
            left.implied and right.implied,
        ),
        pointer,
    )


def _narrow(build: Build, left: Type, right: Type, pointer: str) -> Type:
    """The members of an enum that fit the other type, as far as that can be told here."""
    if isinstance(left, EnumType):
        chosen, other = left, right
    else:
        assert isinstance(right, EnumType)
        chosen, other = right, left
    if (spent := build.spend(len(chosen.members), pointer)) is not None:
        return spent
    values = [(text, json.loads(text)) for text in chosen.members]
    if isinstance(other, EnumType):
        allowed = frozenset(canonical(json.loads(text)) for text in other.members)
        kept = tuple(text for text, value in values if canonical(value) in allowed)
    else:
        kept = tuple(text for text, value in values if _could_be(build, value, other))
    return build.intern(EnumType(kept)) if kept else build.intern(NEVER)


def _could_be(build: Build, value: Json, type_: Type) -> bool:
    match type_:
        case ScalarType():
            if isinstance(value, (list, dict)):
                return False
            return refusal(value, type_) is None
        case ArrayType(implied=implied):
            return implied or isinstance(value, list)
        case DictType() | ObjectType():
            return _is_implied(build, type_) or isinstance(value, dict)
    return True


def shape_of(build: Build, type_: DictType | ObjectType) -> Shape:
    """An object type as a shape; a plain mapping is one without fields."""
    if isinstance(type_, ObjectType):
        return build.shapes[type_.shape]
    return Shape(
        name="",
        fields=(),
        extra=type_.value,
        extra_declared=type_.declared,
        patterns=type_.patterns,
        limits=type_.limits,
        implied=type_.implied,
    )


def from_shape(build: Build, shape: Shape, pointer: str) -> Type:
    """The type of `shape`: named when it has fields, else a mapping."""
    if shape.fields or shape.variants:
        return build.add_shape(shape, pointer)
    mapping = DictType(
        shape.extra, shape.limits, shape.extra_declared, shape.implied, shape.patterns
    )
    return build.intern(mapping, pointer)


def merge(build: Build, left: Shape, right: Shape, pointer: str) -> Shape:
    """Both shapes at once: fields of either, required where either requires it.

    A field of one that the other forbids as an extra key stays: authors who put two closed objects
    in an `allOf` mean the fields of both.
    """
    if build.spend(build.cost(left) + build.cost(right), pointer):
        return left
    fields = {field.raw: field for field in left.fields}
    for field in right.fields:
        known = fields.get(field.raw)
        fields[field.raw] = field if known is None else _both(build, known, field, pointer)
    merged = Shape(
        name="",
        fields=tuple(build.fit(field, pointer) for field in fields.values()),
        extra=intersect(build, left.extra, right.extra, pointer),
        extra_declared=left.extra_declared or right.extra_declared,
        patterns=(*left.patterns, *right.patterns),
        description=left.description or right.description,
        limits=_merge_limits(left.limits, right.limits),
        implied=left.implied and right.implied,
    )
    varied, other = (left, right) if left.variants else (right, left)
    variants = tuple(
        _key(build.add_shape(merge(build, build.shapes[key], other, pointer), pointer))
        for key in varied.variants
    )
    return replace(merged, variants=variants)


def _key(type_: Type) -> str:
    assert isinstance(type_, ObjectType)
    return type_.shape


def _both(build: Build, left: Field, right: Field, pointer: str) -> Field:
    """One key that two shapes describe."""
    if left.conditional is not right.conditional:
        return left if right.conditional else right
    type_ = intersect(build, left.type, right.type, pointer)
    if isinstance(type_, NeverType) and not isinstance(left.type, NeverType):
        build.note(pointer, f"what is said of {json.dumps(left.raw)} contradicts itself: it is Any")
        type_ = AnyType("contradictory")
    return Field(
        raw=left.raw,
        type=type_,
        required=left.required or right.required,
        description=left.description or right.description,
        default=left.default if isinstance(left.default, str) else right.default,
        examples=left.examples or right.examples,
        deprecated=left.deprecated or right.deprecated,
        conditional=left.conditional,
    )


def either(build: Build, shapes: Iterable[Shape], pointer: str) -> Shape:
    """What is known of a value that fits at least one of `shapes`."""
    known: dict[str, list[Field]] = {}
    alternatives = tuple(shapes)
    for shape in alternatives:
        for field in shape.fields:
            known.setdefault(field.raw, []).append(field)
    fields = tuple(
        replace(
            next((field for field in found if field.description), found[0]),
            type=union(build, (field.type for field in found), pointer),
            required=len(found) == len(alternatives) and all(field.required for field in found),
        )
        for found in known.values()
    )
    return Shape(
        name="",
        fields=fields,
        extra=union(build, (shape.extra for shape in alternatives), pointer),
        extra_declared=any(shape.extra_declared for shape in alternatives),
        patterns=tuple(dict.fromkeys(p for shape in alternatives for p in shape.patterns)),
        description=next((s.description for s in alternatives if s.description), ""),
        implied=any(shape.implied for shape in alternatives),
    )


def as_variants(build: Build, base: Type, members: tuple[Type, ...], pointer: str) -> Type | None:
    """`base` with `members` as its variants, where they differ in what is required only."""
    members = tuple({id(member): member for member in members}.values())
    if not isinstance(base, ObjectType) or len(members) < 2:
        return None
    shape = build.shapes.get(base.shape)
    variants = [build.shapes.get(m.shape) for m in members if isinstance(m, ObjectType)]
    if shape is None or len(variants) != len(members):
        return None
    known = [found for found in variants if found is not None and _alike(shape, found)]
    if len(known) != len(members):
        return None
    required = [{field.raw for field in found.fields if field.required} for found in known]
    always = frozenset(required[0]).intersection(*required)
    fields = tuple(replace(field, required=field.raw in always) for field in shape.fields)
    return build.add_shape(
        replace(shape, fields=fields, variants=tuple(map(_key, members))), pointer
    )


def _alike(left: Shape, right: Shape) -> bool:
    return (
        not left.variants
        and not right.variants
        and left.extra is right.extra
        and [(f.raw, id(f.type)) for f in left.fields]
        == [(f.raw, id(f.type)) for f in right.fields]
    )


def _is_object(type_: Type) -> bool:
    return isinstance(type_, (DictType, ObjectType))


def _is_pending(build: Build, type_: Type) -> bool:
    return isinstance(type_, ObjectType) and type_.shape in build.awaited


def _is_implied(build: Build, type_: Type) -> bool:
    match type_:
        case ArrayType(implied=implied) | DictType(implied=implied):
            return implied
        case ObjectType(key):
            return build.shapes[key].implied
    return False


_SMALLER: Final = frozenset({"maximum", "exclusive_maximum", "max_length", "max_items"})
_LARGER: Final = frozenset({"minimum", "exclusive_minimum", "min_length", "min_items"})


def _merge_limits(left: Limits, right: Limits) -> Limits:
    """Limits of both; the first `pattern`, `format` and `multipleOf` stand for two."""
    if right in (left, NO_LIMITS):
        return left
    if left == NO_LIMITS:
        return right
    merged = {}
    for item in dataclass_fields(Limits):
        a, b = getattr(left, item.name), getattr(right, item.name)
        if a is None or b is None:
            merged[item.name] = b if a is None else a
        elif item.name in _SMALLER or item.name == "max_properties":
            merged[item.name] = min(a, b)
        elif item.name in _LARGER or item.name == "min_properties":
            merged[item.name] = max(a, b)
        else:
            merged[item.name] = a or b
    return Limits(**merged)


__all__ = [
    "ANY",
    "NULL",
    "as_variants",
    "either",
    "enumeration",
    "from_shape",
    "intersect",
    "merge",
    "shape_of",
    "union",
]
