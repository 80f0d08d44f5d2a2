"""Shapes of which a value has at least one, as one shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from codeact_lsp.schema.build import Build
from codeact_lsp.schema.types import Field, ObjectType, Shape, Type
from codeact_lsp.schema.unions import union

MAX_COMBINED: Final = 64
"""Alternatives of an object that are told apart where several keywords have some each."""


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
            conditional=any(field.conditional for field in found),
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


def are_too_many(build: Build, count: int, pointer: str) -> bool:
    """Whether `count` combinations of alternatives are more than are told apart; it is reported."""
    if count <= MAX_COMBINED:
        return False
    message = f"over {MAX_COMBINED} combinations of alternatives: they are shown as one object"
    build.limit(pointer, "combined", message)
    return True


def leaves(build: Build, shape: Shape) -> int:
    """How many alternatives `shape` has, those of its alternatives counted; 1 for none."""
    return sum(leaves(build, build.shapes[key]) for key in shape.variants) or 1


def joined(build: Build, shapes: Iterable[Shape], pointer: str) -> Shape:
    """One shape, without variants, that takes whatever one of `shapes` takes."""
    listed = tuple(shapes)
    merged = either(build, listed, pointer)
    everywhere = frozenset.intersection(*(frozenset(f.raw for f in one.fields) for one in listed))
    fields = (
        field if field.raw in everywhere else replace(field, required=False, conditional=True)
        for field in merged.fields
    )
    merged = replace(merged, fields=tuple(fields))
    if not merged.patterns:
        return merged
    # A pattern of one of them says nothing of the keys of another.
    return replace(merged, patterns=(), extra=build.any(pointer), extra_declared=True)


def as_variants(build: Build, base: Type, members: tuple[Type, ...], pointer: str) -> Type | None:
    """`base` with `members` as its variants, where they differ in what is required only."""
    members = tuple({id(member): member for member in members}.values())
    if not isinstance(base, ObjectType) or len(members) < 2:
        return None
    shape = build.shapes.get(base.shape)
    objects = [member for member in members if isinstance(member, ObjectType)]
    variants = [build.shapes.get(one.shape) for one in objects]
    if shape is None or len(variants) != len(members):
        return None
    known = [found for found in variants if found is not None and _alike(shape, found)]
    if len(known) != len(members):
        return None
    required = [{field.raw for field in found.fields if field.required} for found in known]
    always = frozenset(required[0]).intersection(*required)
    fields = tuple(replace(field, required=field.raw in always) for field in shape.fields)
    return build.add_shape(
        replace(shape, fields=fields, variants=tuple(m.shape for m in objects)), pointer
    )


def _alike(left: Shape, right: Shape) -> bool:
    return (
        not left.variants
        and not right.variants
        and left.extra is right.extra
        and [(f.raw, id(f.type)) for f in left.fields]
        == [(f.raw, id(f.type)) for f in right.fields]
    )
