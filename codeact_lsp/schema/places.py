"""Moving about in raw schemas: into a keyword, along a reference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from codeact_lsp.schema.dialects import Dialect, dialect_of
from codeact_lsp.schema.types import Json

Resolver: TypeAlias = Any
"""`referencing` names its resolver's class only in a private module."""
# A key that starts with $ref, $dynamicRef or $recursiveRef, whichever way it is escaped.
_MAY_REFER: Final = re.compile(r"(?:\$|\\u0024)(?:[rd]|\\u)")
_MAX_STEP: Final = 200
_MAX_CHAIN: Final = 16


@dataclass(frozen=True, slots=True)
class Place:
    """A subschema and how it was reached.

    Attributes:
        schema: any JSON value.
        resolver: resolves references with the base that holds here; None where the whole document
            refers to nothing.
        dialect: what `$schema` of the document changes.
        pointer: a JSON pointer into the tool's definition.
        depth: how many places this one is nested in, through references too.

    """

    schema: Json
    resolver: Resolver | None
    dialect: Dialect
    pointer: str
    depth: int = 0


def document(schema: Json, text: str, pointer: str) -> Place:
    """The place of a whole schema, which was read from `text`."""
    dialect = dialect_of(schema)
    if not _MAY_REFER.search(text):
        return Place(schema, None, dialect, pointer)
    from codeact_lsp.schema.refs import resolver_for

    return Place(schema, resolver_for(schema, dialect, text), dialect, pointer)


def child(place: Place, schema: Json, *steps: str | int) -> Place:
    """The place inside `place` that `steps` lead to."""
    pointer = "/".join((place.pointer, *(escaped(str(step)) for step in steps)))
    return Place(schema, place.resolver, place.dialect, pointer, place.depth + 1)


def escaped(step: str) -> str:
    """A key as a step of a JSON pointer (RFC 6901 §3), cut where it is long."""
    # Each place inside repeats this step, so a key of a megabyte is not written out.
    step = step if len(step) <= _MAX_STEP else f"{step[:_MAX_STEP]}…"
    return step.replace("~", "~0").replace("/", "~1")


def inside(place: Place, schema: dict[str, Json]) -> Place:
    """The same place with the resolver that holds for what is in it."""
    if place.resolver is None or place.dialect.id_keyword not in schema:
        return place
    from codeact_lsp.schema.refs import enter

    return replace(place, resolver=enter(place.resolver, schema, place.dialect))


def follow(place: Place, schema: dict[str, Json], keyword: str) -> Place | None:
    """The place that a reference leads to; None when it leads nowhere."""
    if place.resolver is None:
        return None
    from codeact_lsp.schema.refs import resolve

    reference = schema[keyword]
    target = resolve(place.resolver, reference) if isinstance(reference, str) else None
    if target is None or not isinstance(target.schema, (dict, bool)):
        return None
    root = "/".join(place.pointer.split("/", 2)[:2])
    known = target.fragment is not None and len(target.fragment) <= _MAX_STEP
    pointer = f"{root}{target.fragment}" if known else f"{place.pointer}/{keyword}"
    return Place(target.schema, target.resolver, place.dialect, pointer, place.depth + 1)


def annotated(place: Place) -> Iterator[dict[str, Json]]:
    """Schemas whose annotations speak for this place: itself, then what it refers to."""
    for _ in range(_MAX_CHAIN):
        schema = place.schema
        if not isinstance(schema, dict):
            return
        yield schema
        here = inside(place, schema)
        parts = schema.get("allOf")
        if "$ref" in schema:
            target = follow(here, schema, "$ref")
            if target is None:
                return
            place = target
        elif isinstance(parts, list) and len(parts) == 1:
            place = child(here, parts[0], "allOf", 0)
        else:
            return
