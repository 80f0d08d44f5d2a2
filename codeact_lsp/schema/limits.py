"""The validation keywords of one schema as `Limits`."""

from __future__ import annotations

from typing import Final

from codeact_lsp.schema.scalars import count, number
from codeact_lsp.schema.types import NO_LIMITS, Json, Limits

_STRING_LIMITS: Final = ("min_length", "max_length", "pattern", "format")
_NUMBER_LIMITS: Final = (
    *("minimum", "maximum", "exclusive_minimum", "exclusive_maximum", "multiple_of", "format"),
)
_ARRAY_LIMITS: Final = ("min_items", "max_items", "unique_items")
_OBJECT_LIMITS: Final = ("min_properties", "max_properties")
_LIMITS_OF: Final = {
    "string": _STRING_LIMITS,
    "integer": _NUMBER_LIMITS,
    "number": _NUMBER_LIMITS,
    "array": _ARRAY_LIMITS,
    "object": _OBJECT_LIMITS,
}
_COUNTED: Final = frozenset((*_ARRAY_LIMITS, *_OBJECT_LIMITS, "min_length", "max_length"))


def _keyword(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))


_KEYWORDS: Final = {name: _keyword(name) for names in _LIMITS_OF.values() for name in names}
_ALL_KEYWORDS: Final = frozenset(_KEYWORDS.values())


def limits_of(schema: dict[str, Json], word: str) -> Limits:
    """The keywords of `schema` about the JSON type `word`; what makes no sense is left out."""
    if _ALL_KEYWORDS.isdisjoint(schema):
        return NO_LIMITS
    names = _LIMITS_OF.get(word, ())
    found: dict[str, Json] = {}
    for name in names:
        value = schema.get(_KEYWORDS[name])
        if name in ("pattern", "format"):
            found[name] = value if isinstance(value, str) else None
        elif name == "unique_items":
            found[name] = value is True
        else:
            found[name] = count(value) if name in _COUNTED else number(value)
    # In draft-04 these are booleans beside `minimum` and `maximum`.
    for side in ("minimum", "maximum"):
        exclusive = f"exclusive_{side}"
        if side in names and schema.get(_KEYWORDS[exclusive]) is True:
            found[exclusive], found[side] = found[side], None
    return Limits(**found)  # type: ignore[arg-type]  # each was checked for its name above
