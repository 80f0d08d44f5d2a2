"""References inside one schema, resolved by the `referencing` library; nothing is ever fetched.

The library trusts schemas: a malformed keyword makes it raise anywhere. So it is given a
specification that looks only at what is well-formed. It is slow to import, so this module is
imported by the first schema that refers to something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urljoin

import referencing
import referencing.jsonschema
from referencing import Registry, Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012
from referencing.typing import Anchor as AnyAnchor

from codeact_lsp.schema.dialects import Dialect
from codeact_lsp.schema.types import Json

# mypy does not see the constructors that the library's own attrs decorator makes.
_make_anchor: Any = referencing.Anchor
_make_dynamic_anchor: Any = referencing.jsonschema.DynamicAnchor
_make_specification: Any = referencing.Specification

IN_VALUE: Final = (
    *(
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
    ),
    *("not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
IN_LIST: Final = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
IN_MEMBERS: Final = (
    *("$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"),
    "properties",
)


class Target(NamedTuple):
    """What a reference leads to; `fragment` is its JSON pointer, None where it is none."""

    schema: Json
    resolver: Any
    fragment: str | None


# Only names and ids have to be looked for all over the schema.
_NAMED: Final = re.compile(r'"\$(?:ref|dynamicRef|recursiveRef)"\s*:\s*"(?!#/|#")')


def resolver_for(schema: Json, dialect: Dialect, text: str) -> Any:
    """A resolver whose base is `schema`, which was read from `text`."""
    resource = _specification(dialect).create_resource(schema)
    base = resource.id() or ""
    # "" too is the base of a schema, of one that is referred to by it.
    registry: Registry[Json] = Registry().with_resources((("", resource), (base, resource)))
    if _NAMED.search(text):
        # An id that cannot be joined to its base costs the names; pointers still lead somewhere.
        with suppress(ValueError):
            registry = registry.crawl()
    return registry.resolver(base)


def enter(resolver: Any, schema: dict[str, Json], dialect: Dialect) -> Any:
    """`resolver` for places inside `schema`, which may have an id of its own."""
    return resolver.in_subresource(_specification(dialect).create_resource(schema))


def resolve(resolver: Any, reference: str) -> Target | None:
    """What `reference` leads to, or None when that is nothing in this schema."""
    try:
        resolved = resolver.lookup(reference)
    except (Unresolvable, LookupError, TypeError, ValueError):
        # The last three come from pointers through scalars and from texts that are not URIs.
        return None
    fragment = unquote(reference[1:]) if reference.startswith("#/") else None
    return Target(resolved.contents, resolved.resolver, "" if reference == "#" else fragment)


def _specification(dialect: Dialect) -> Specification[Json]:
    return _LEGACY if dialect.id_keyword == "id" else _CURRENT


def _tolerant(name: str, keyword: str) -> Specification[Json]:
    def id_of(contents: Json) -> str | None:
        declared = contents.get(keyword) if isinstance(contents, dict) else None
        if not isinstance(declared, str) or declared.startswith("#"):
            return None
        try:
            urljoin("", declared)
            urljoin(declared, "#")
        except ValueError:
            return None
        return declared

    def anchors_in(specification: Specification[Json], contents: Json) -> Iterator[AnyAnchor[Any]]:
        if not isinstance(contents, dict):
            return
        resource = specification.create_resource(contents)
        anchor, dynamic, legacy = (
            contents.get(key) for key in ("$anchor", "$dynamicAnchor", keyword)
        )
        if isinstance(anchor, str):
            yield _make_anchor(name=anchor, resource=resource)
        if isinstance(dynamic, str):
            yield _make_dynamic_anchor(name=dynamic, resource=resource)
        if isinstance(legacy, str) and legacy.startswith("#"):
            yield _make_anchor(name=legacy[1:], resource=resource)

    tolerant: Specification[Json] = _make_specification(
        name=name,
        id_of=id_of,
        subresources_of=_subschemas,
        anchors_in=anchors_in,
        maybe_in_subresource=DRAFT202012.maybe_in_subresource,
    )
    return tolerant


def _subschemas(contents: Json) -> Iterator[Json]:
    if not isinstance(contents, dict):
        return
    for keyword in IN_VALUE:
        yield from _schemas_in((contents.get(keyword),))
    for keyword in IN_LIST:
        if isinstance(value := contents.get(keyword), list):
            yield from _schemas_in(value)
    for keyword in IN_MEMBERS:
        if isinstance(value := contents.get(keyword), dict):
            yield from _schemas_in(value.values())


def _schemas_in(values: Iterable[Json]) -> Iterator[Json]:
    for value in values:
        if isinstance(value, dict):
            # The library would read one that has a `$schema` by its own, trusting rules.
            bare = "$schema" not in value
            yield value if bare else {key: part for key, part in value.items() if key != "$schema"}


_CURRENT: Final = _tolerant("current", "$id")
_LEGACY: Final = _tolerant("draft-04", "id")
