"""What the branches of a condition say of every value, and which keys they may add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from codeact_lsp.schema import algebra
from codeact_lsp.schema.alternatives import either
from codeact_lsp.schema.build import Build
from codeact_lsp.schema.types import (
    AnyType,
    DictType,
    Field,
    ObjectType,
    Shape,
    Type,
    UnionType,
)
from codeact_lsp.schema.unions import union


def kinds(build: Build, type_: Type, pointer: str) -> Type:
    """`type_` with any object for each of its own, whose keys are told by `with_fields`."""
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    anything = build.any(pointer)
    if any(algebra.is_pending(build, one) or algebra.is_implied(build, one) for one in members):
        return anything
    any_object = build.intern(DictType(anything))
    opened = (any_object if isinstance(one, (DictType, ObjectType)) else one for one in members)
    return union(build, opened, pointer)


def with_fields(
    build: Build, base: Type, branches: Sequence[Type], pointer: str, *, exhaustive: bool
) -> Type:
    """`base` with the fields of `branches`, each of which may be there or not.

    With `exhaustive`, a value fits at least one of the first two branches: what both say holds.
    """
    shapes = [_shape(build, branch) for branch in branches]
    found = list({id(shape): shape for shape in shapes if shape is not None}.values())
    if isinstance(base, UnionType):
        objects = [one for one in base.members if algebra.is_object(one)]
        if len(objects) != 1:
            return base
        inner = with_fields(build, objects[0], branches, pointer, exhaustive=exhaustive)
        members = (inner if one is objects[0] else one for one in base.members)
        return union(build, members, pointer)
    if not found or not (isinstance(base, AnyType) or algebra.is_object(base)):
        return base
    if algebra.is_pending(build, base):
        return base
    own = Shape("", (), implied=True)
    if isinstance(base, (DictType, ObjectType)):
        own = algebra.shape_of(build, base)
    if build.spend(build.cost(own) + sum(map(build.cost, found)), pointer):
        return base
    sure = _sure(build, shapes[:2], pointer) if exhaustive else {}
    loose = either(build, found, pointer).fields
    fields = tuple(
        sure.get(field.raw) or replace(field, required=False, conditional=True) for field in loose
    )
    merged = algebra.merge(build, own, Shape("", fields, implied=True), pointer)
    return algebra.from_shape(build, merged, pointer)


def _shape(build: Build, branch: Type) -> Shape | None:
    return build.shapes.get(branch.shape) if isinstance(branch, ObjectType) else None


def _sure(build: Build, shapes: Sequence[Shape | None], pointer: str) -> dict[str, Field]:
    """The fields that both of two branches have, by key."""
    left, right = shapes
    if left is None or right is None:
        return {}
    shared = {field.raw for field in left.fields} & {field.raw for field in right.fields}
    fields = either(build, (left, right), pointer).fields
    return {field.raw: field for field in fields if field.raw in shared}
