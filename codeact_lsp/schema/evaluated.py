"""What other keywords speak of, and `unevaluatedProperties` and `unevaluatedItems` do not.

2020-12 Core §11. What a keyword may speak of, depending on the value, counts as spoken of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from codeact_lsp.schema.algebra import both, from_shape, intersect, is_pending, shape_of
from codeact_lsp.schema.build import Build
from codeact_lsp.schema.places import Place, child, follow, inside
from codeact_lsp.schema.scalars import matches
from codeact_lsp.schema.types import (
    ArrayType,
    DictType,
    Field,
    Json,
    NeverType,
    ObjectType,
    Type,
    UnionType,
)
from codeact_lsp.schema.unions import union

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_MAX_PLACES: Final = 1_000


@dataclass(slots=True)
class Evaluated:
    """Keys and items of one value that some keyword speaks of.

    Attributes:
        names: keys.
        patterns: patterns of keys.
        all_names: every key may be spoken of.
        prefix: the number of items from the first on.
        all_items: every item may be spoken of.
        contains: the schemas of `contains`, whose items may stand anywhere.

    """

    names: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    all_names: bool = False
    prefix: int = 0
    all_items: bool = False
    contains: list[Place] = field(default_factory=list)


def of(place: Place, schema: dict[str, Json], *more: Place, without: str = "") -> Evaluated:
    """What the keywords of `schema`, but for `without`, and the schemas at `more` speak of."""
    found = Evaluated()
    own = {keyword: value for keyword, value in schema.items() if keyword != without}
    _read(place, own, found)
    waiting = [*_in_place(place, own), *more]
    seen: set[int] = set()
    while waiting:
        inner = waiting.pop()
        part = inner.schema
        if not isinstance(part, dict) or id(part) in seen:
            continue
        seen.add(id(part))
        if len(seen) > _MAX_PLACES:
            found.all_names = found.all_items = True
            break
        inner = inside(inner, part)
        known = inner.dialect.known(part)
        found.all_names |= "unevaluatedProperties" in known
        found.all_items |= "unevaluatedItems" in known
        _read(inner, known, found)
        waiting += _in_place(inner, known)
    return found


def _read(place: Place, schema: dict[str, Json], found: Evaluated) -> None:
    for keyword, into in (("properties", found.names), ("patternProperties", found.patterns)):
        members = schema.get(keyword)
        into.update(members if isinstance(members, dict) else ())
    found.all_names |= "additionalProperties" in schema
    items, prefix = schema.get("items"), schema.get("prefixItems")
    if isinstance(items, list):
        found.prefix = max(found.prefix, len(items))
        found.all_items |= "additionalItems" in schema
    else:
        found.all_items |= "items" in schema
    if isinstance(prefix, list):
        found.prefix = max(found.prefix, len(prefix))
    if "contains" in schema:
        found.contains.append(child(place, schema["contains"], "contains"))


def _in_place(place: Place, schema: dict[str, Json]) -> Iterator[Place]:
    """The schemas in `schema` that speak of the same value."""
    for keyword in _REFERENCES:
        target = follow(place, schema, keyword) if keyword in schema else None
        if target is not None:
            yield target
    for keyword in ("allOf", "anyOf", "oneOf"):
        parts = schema.get(keyword)
        for number, part in enumerate(parts if isinstance(parts, list) else ()):
            yield child(place, part, keyword, number)
    for keyword in ("if", "then", "else"):
        if "if" in schema and keyword in schema:
            yield child(place, schema[keyword], keyword)
    for keyword in ("dependentSchemas", "dependencies"):
        members = schema.get(keyword)
        for key, part in members.items() if isinstance(members, dict) else ():
            yield child(place, part, keyword, key)


def close(build: Build, type_: Type, found: Evaluated, rest: Type, pointer: str) -> Type:
    """`type_` whose members that nothing in `found` speaks of are `rest`."""
    if found.all_names:
        return type_
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    return union(build, (_closed(build, one, found, rest, pointer) for one in members), pointer)


def _closed(build: Build, type_: Type, found: Evaluated, rest: Type, pointer: str) -> Type:
    if not isinstance(type_, (DictType, ObjectType)) or is_pending(build, type_):
        return type_
    shape = shape_of(build, type_)
    patterns = {pattern for pattern, _ in shape.patterns}
    if not found.names <= {one.raw for one in shape.fields} or not found.patterns <= patterns:
        # Another alternative may be what speaks of the rest.
        return type_
    variants = [_closed(build, ObjectType(key), found, rest, pointer) for key in shape.variants]
    fields = (
        one if one.raw in found.names else _left_over(build, one, patterns, rest, pointer)
        for one in shape.fields
    )
    closed = replace(
        shape,
        fields=tuple(fields),
        extra=intersect(build, shape.extra, rest, pointer),
        extra_declared=not isinstance(rest, NeverType),
        variants=tuple(one.shape for one in variants if isinstance(one, ObjectType)),
    )
    return from_shape(build, closed, pointer)


def _left_over(build: Build, one: Field, patterns: set[str], rest: Type, pointer: str) -> Field:
    """A key that is required and that no keyword speaks of."""
    if isinstance(rest, NeverType) or any(matches(p, one.raw) is not False for p in patterns):
        return one
    return replace(one, type=both(build, one.type, rest, pointer))


def end(build: Build, type_: Type, found: Evaluated, rest: Type, pointer: str) -> Type:
    """`type_` whose items that nothing in `found` speaks of are `rest`."""
    if found.all_items:
        return type_
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    return union(build, (_ended(build, one, found, rest, pointer) for one in members), pointer)


def _ended(build: Build, type_: Type, found: Evaluated, rest: Type, pointer: str) -> Type:
    if not isinstance(type_, ArrayType) or found.prefix > len(type_.prefix):
        return type_
    return build.intern(replace(type_, item=intersect(build, type_.item, rest, pointer)), pointer)
