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

from codeact_lsp.schema.alternatives import are_too_many, joined, leaves
from codeact_lsp.schema.build import NEVER, Build
from codeact_lsp.schema.scalars import canonical, matches, refusal
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
    Why,
)
from codeact_lsp.schema.unions import union

_NO_FAULT: Final = frozenset({Why.SILENT, Why.TRUE, Why.UNTYPED})


def both(build: Build, left: Type, right: Type, pointer: str) -> Type:
    """`left` and `right`, or Any with a note where they contradict each other."""
    found = intersect(build, left, right, pointer)
    if isinstance(found, NeverType) and NEVER not in (left, right):
        return contradiction(build, pointer)
    return found


def contradiction(build: Build, pointer: str) -> Type:
    """What stands where no value fits.

    `Never` would be the letter of it, and would take the parameter away from people.
    """
    message = "what stands here contradicts itself, so no value fits: it is Any"
    return build.unknown(pointer, message, Why.CONTRADICTION)


def intersect(build: Build, left: Type, right: Type, pointer: str) -> Type:
    """Both `left` and `right`; `NeverType` when nothing is both."""
    if left is right or isinstance(left, NeverType):
        return left
    if isinstance(right, AnyType):
        # Of two that say nothing, one that tells of a fault is worth more.
        return right if isinstance(left, AnyType) and left.why in _NO_FAULT else left
    if isinstance(left, AnyType) or isinstance(right, NeverType):
        return right
    if is_pending(build, left) or is_pending(build, right):
        # Its members are not known yet, so the two cannot be merged; each alone is wide enough.
        return left if is_pending(build, right) and is_object(left) else right
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
    if are_too_many(build, objects_in(left) * objects_in(right), pointer):
        left, right = as_one(build, left, pointer), as_one(build, right, pointer)
    lefts = left.members if isinstance(left, UnionType) else (left,)
    rights = right.members if isinstance(right, UnionType) else (right,)
    if not build.has(len(lefts) * len(rights), pointer):
        return left
    return union(build, (intersect(build, a, b, pointer) for a in lefts for b in rights), pointer)


def objects_in(type_: Type) -> int:
    """How many alternatives of `type_` are objects; 0 where there are not several."""
    found = sum(map(is_object, type_.members)) if isinstance(type_, UnionType) else 0
    return found if found > 1 else 0


def as_one(build: Build, type_: Type, pointer: str) -> Type:
    """`type_` with all the objects that it can be as one: each further keyword would multiply them."""
    if not isinstance(type_, UnionType):
        return type_
    shapes = [
        shape_of(build, one)
        for one in type_.members
        if isinstance(one, (DictType, ObjectType)) and not is_pending(build, one)
    ]
    rest = [one for one in type_.members if not is_object(one) or is_pending(build, one)]
    if not shapes or build.spend(sum(map(build.cost, shapes)), pointer):
        return type_
    return union(
        build, (from_shape(build, joined(build, shapes, pointer), pointer), *rest), pointer
    )


def _intersect_one(build: Build, left: Type, right: Type, pointer: str) -> Type:
    match left, right:
        case ScalarType(), ScalarType():
            return _intersect_scalars(build, left, right)
        case ArrayType(), ArrayType():
            return _intersect_arrays(build, left, right, pointer)
        case ((DictType() | ObjectType()), (DictType() | ObjectType())):
            for one, other in ((left, right), (right, left)):
                if _is_any_object(one) and (is_implied(build, one) or not is_implied(build, other)):
                    return other
            shapes = shape_of(build, left), shape_of(build, right)
            if not build.has(sum(map(build.cost, shapes)), pointer):
                return left
            return from_shape(build, merge(build, *shapes, pointer), pointer)
    # What only one of them says of another kind of value does not touch this kind.
    if is_implied(build, left):
        return right
    if is_implied(build, right):
        return left
    return build.intern(NEVER)


def _is_any_object(type_: Type) -> bool:
    match type_:
        case DictType(AnyType(Why.SILENT), limits, declared, _, patterns):
            return not declared and not patterns and limits == NO_LIMITS
    return False


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
            return is_implied(build, type_) or isinstance(value, dict)
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
    extra = shape.extra
    if isinstance(extra, AnyType) and not extra.pointer:
        extra = build.any(f"{pointer}/additionalProperties", extra.why, extra.detail)
    mapping = DictType(extra, shape.limits, shape.extra_declared, shape.implied, shape.patterns)
    return build.intern(mapping, pointer)


def merge(build: Build, left: Shape, right: Shape, pointer: str) -> Shape:
    """Both shapes at once: fields of either, required where either requires it.

    A field of one that the other forbids as an extra key stays: authors who put two closed objects
    in an `allOf` mean the fields of both.
    """
    if build.spend(build.cost(left) + build.cost(right), pointer):
        return left
    if left.variants and right.variants:
        combined = leaves(build, left) * leaves(build, right)
        if are_too_many(build, combined, pointer):
            left = replace(left, variants=())
    of_left = {field.raw for field in left.fields}
    of_right = {field.raw: field for field in right.fields}
    fields = [
        _one_key(build, field, of_right[field.raw], pointer)
        if field.raw in of_right
        else unnamed(build, field, right, pointer)
        for field in left.fields
    ]
    fields += [
        unnamed(build, field, left, pointer) for field in right.fields if field.raw not in of_left
    ]
    merged = Shape(
        name="",
        fields=tuple(build.fit(field, pointer) for field in fields),
        extra=intersect(build, left.extra, right.extra, pointer),
        extra_declared=left.extra_declared or right.extra_declared,
        patterns=(
            *_patterns_beside(build, left, right, pointer),
            *_patterns_beside(build, right, left, pointer),
        ),
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


def _patterns_beside(
    build: Build, of: Shape, other: Shape, pointer: str
) -> tuple[tuple[str, Type], ...]:
    """The patterns of `of`, whose keys may be mere extra keys of `other`."""
    if other.patterns or not other.extra_declared:
        return of.patterns
    return tuple(
        (pattern, both(build, type_, other.extra, pointer)) for pattern, type_ in of.patterns
    )


def matched(build: Build, field: Field, shape: Shape, pointer: str) -> Field:
    """`field` as the patterns of `shape` let it be, as far as it can be told which match its key."""
    return _narrowed(build, field, _claims(build, field.raw, shape, pointer)[0], pointer)


def unnamed(build: Build, field: Field, shape: Shape, pointer: str) -> Field:
    """`field` as `shape`, which has no field of that key, lets it be."""
    return _narrowed(build, field, unnamed_types(build, field.raw, shape, pointer), pointer)


def unnamed_types(build: Build, raw: str, shape: Shape, pointer: str) -> list[Type]:
    """What `shape` says of a key that it has no field of: all of these at once."""
    claims, told = _claims(build, raw, shape, pointer)
    if claims or not told or isinstance(shape.extra, NeverType):
        return claims
    return [shape.extra]


def _claims(build: Build, raw: str, shape: Shape, pointer: str) -> tuple[list[Type], bool]:
    """The types of the patterns that match `raw`, and whether that can be told of all of them."""
    if not shape.patterns or build.spend(len(shape.patterns), pointer):
        return [], not shape.patterns
    told = [(matches(pattern, raw), type_) for pattern, type_ in shape.patterns]
    return [type_ for found, type_ in told if found], all(found is not None for found, _ in told)


def _narrowed(build: Build, field: Field, types: Iterable[Type], pointer: str) -> Field:
    if field.conditional:
        return field
    for type_ in types:
        field = replace(field, type=_agreed(build, field, type_, pointer))
    return field


def _agreed(build: Build, field: Field, other: Type, pointer: str) -> Type:
    type_ = intersect(build, field.type, other, pointer)
    if isinstance(type_, NeverType) and NEVER not in (field.type, other):
        shown = json.dumps(field.raw)
        message = f"what is said of {shown} contradicts itself: it is Any"
        return build.unknown(pointer, message, Why.CONTRADICTION)
    return type_


def _key(type_: Type) -> str:
    assert isinstance(type_, ObjectType)
    return type_.shape


def _one_key(build: Build, left: Field, right: Field, pointer: str) -> Field:
    """One key that two shapes describe."""
    if left.conditional is not right.conditional:
        return left if right.conditional else right
    if left.conditional:
        # Not both of them need to hold at once.
        type_ = union(build, (left.type, right.type), pointer)
    else:
        type_ = _agreed(build, left, right.type, pointer)
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


def is_object(type_: Type) -> bool:
    """Whether `type_` is of objects alone."""
    return isinstance(type_, (DictType, ObjectType))


def is_pending(build: Build, type_: Type) -> bool:
    """Whether `type_` stands for a schema that is being worked out."""
    return isinstance(type_, ObjectType) and type_.shape in build.awaited


def is_implied(build: Build, type_: Type) -> bool:
    """Whether the schema of `type_` names no `type`, so that other kinds of values fit too."""
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
