"""The keywords of one raw schema, read whatever they hold: what makes no sense is noted.

No subschema is looked into here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from codeact_lsp.schema.build import Build
from codeact_lsp.schema.places import Place
from codeact_lsp.schema.types import Json, Scalar

SCALARS: Final = {
    "string": Scalar.STRING,
    "integer": Scalar.INTEGER,
    "number": Scalar.NUMBER,
    "boolean": Scalar.BOOLEAN,
    "null": Scalar.NULL,
}
# Keywords that say of a schema without `type` what it describes, and what they must hold to do so.
OBJECT_WORDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "properties": dict,
    "patternProperties": dict,
    "additionalProperties": dict,
    "unevaluatedProperties": dict,
    "required": list,
}
ARRAY_WORDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "items": (dict, list),
    "prefixItems": list,
    "unevaluatedItems": dict,
}
_NUMBER_BOUNDS: Final = frozenset(
    ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format")
)
BOUNDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset(("minLength", "maxLength", "pattern", "format")),
    "integer": _NUMBER_BOUNDS,
    "number": _NUMBER_BOUNDS,
    "array": frozenset(
        """
        items prefixItems additionalItems unevaluatedItems minItems maxItems uniqueItems
        contains minContains maxContains
        """.split()
    ),
    "object": frozenset(
        """
        properties patternProperties additionalProperties unevaluatedProperties propertyNames
        minProperties maxProperties required dependentRequired dependentSchemas dependencies
        """.split()
    ),
}
"""JSON type → keywords that may refuse some of its values, and none of a type without them."""
BOUNDS: Final = frozenset(("not", "if")).union(*BOUNDS_OF.values())
"""Keywords that refuse some values without naming the JSON types that there can be."""
ANNOTATIONS: Final = frozenset(
    """
    title description default examples deprecated readOnly writeOnly $comment $schema $defs definitions
    """.split()
)
"""Keywords that refuse nothing."""


def parts(
    build: Build, place: Place, schema: dict[str, Json], keyword: str
) -> Iterator[tuple[int, Json]]:
    """The subschemas of a keyword that holds a list of them."""
    listed = schema.get(keyword)
    if isinstance(listed, list):
        yield from enumerate(listed)
    elif keyword in schema:
        build.note(f"{place.pointer}/{keyword}", "this is not a list of schemas: it is left out")


def subschemas(
    build: Build, place: Place, schema: dict[str, Json], keyword: str
) -> Iterator[tuple[str, Json]]:
    """The members of a keyword that holds an object of subschemas."""
    members = schema.get(keyword)
    if isinstance(members, dict):
        yield from members.items()
    elif keyword in schema:
        build.note(f"{place.pointer}/{keyword}", "this is not an object of schemas: it is left out")


def has(schema: dict[str, Json], words: Mapping[str, type | tuple[type, ...]]) -> bool:
    """Whether one of `words` stands in `schema` with what it has to hold."""
    return any(isinstance(schema.get(word), kinds) for word, kinds in words.items())


def type_words(build: Build, place: Place, schema: dict[str, Json]) -> tuple[str, ...] | None:
    """The JSON types named by `type`, or None where not all that it names are known."""
    declared = schema.get("type")
    if declared is None and "type" not in schema:
        return None
    listed = declared if isinstance(declared, list) else [declared]
    known = tuple(
        word
        for word in listed
        if isinstance(word, str) and (word in SCALARS or word in ("array", "object"))
    )
    if len(known) == len(listed) and known:
        return known
    shown = json.dumps(declared)[:200]
    build.note(f"{place.pointer}/type", f"{shown} is no JSON type: it is left out")
    # An unknown word beside known ones could be anything, so the known ones bind nothing.
    return None


def required(build: Build, place: Place, schema: dict[str, Json]) -> dict[str, None]:
    """The keys that must be there, in order."""
    declared = schema.get("required")
    if isinstance(declared, list):
        return dict.fromkeys(key for key in declared if isinstance(key, str))
    # Draft-03 puts a boolean on the property itself.
    if "required" in schema and not isinstance(declared, bool):
        build.note(f"{place.pointer}/required", "this is not a list of keys: it is left out")
    return {}


def text(value: Json) -> str:
    """`value` where it is a text, else none."""
    return value if isinstance(value, str) else ""
