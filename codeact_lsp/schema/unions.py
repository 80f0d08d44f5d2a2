"""Unions of types: flat, without duplicates."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from codeact_lsp.schema.build import NEVER, Build
from codeact_lsp.schema.types import (
    AnyType,
    EnumType,
    Json,
    NeverType,
    Scalar,
    ScalarType,
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
