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
    found = list({id(shape): shape for one in branches for shape in _shapes(build, one)}.values())
    if not found:
        return base
    if build.spend(sum(map(build.cost, found)), pointer):
        return base
    sure = _sure(build, branches[:2], pointer) if exhaustive else {}
    # What one alternative says for certain of a key tells more of it than a branch.
    certain = {f.raw for shape in _shapes(build, base) for f in shape.fields if not f.conditional}
    fields = tuple(
        sure.get(field.raw) or replace(field, required=False, conditional=True)
        for field in either(build, found, pointer).fields
        if field.raw in sure or field.raw not in certain
    )
    more = Shape("", fields, implied=True)
    members = base.members if isinstance(base, UnionType) else (base,)
    return union(build, (_with_more(build, one, more, pointer) for one in members), pointer)


def _with_more(build: Build, type_: Type, more: Shape, pointer: str) -> Type:
    """`type_` with the fields of `more` where it can be an object."""
    if algebra.is_pending(build, type_):
        return type_
    match type_:
        case AnyType():
            own = Shape("", (), implied=True)
        case DictType() | ObjectType():
            own = algebra.shape_of(build, type_)
        case _:
            return type_
    return algebra.from_shape(build, algebra.merge(build, own, more, pointer), pointer)


def _shapes(build: Build, branch: Type) -> list[Shape]:
    """The objects with named properties that a value of `branch` can be."""
    members = branch.members if isinstance(branch, UnionType) else (branch,)
    keys = (one.shape for one in members if isinstance(one, ObjectType))
    return [build.shapes[key] for key in keys if key in build.shapes]


def _sure(build: Build, branches: Sequence[Type], pointer: str) -> dict[str, Field]:
    """The fields that a value has whichever of `branches` it fits, by key."""
    shapes: list[Shape] = []
    for branch in branches:
        found = _shapes(build, branch)
        if len(found) < (len(branch.members) if isinstance(branch, UnionType) else 1):
            # What else it can be says nothing of any key.
            return {}
        shapes += found
    shared = frozenset.intersection(*(frozenset(f.raw for f in shape.fields) for shape in shapes))
    fields = either(build, shapes, pointer).fields
    return {field.raw: field for field in fields if field.raw in shared}
