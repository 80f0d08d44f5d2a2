"""What the `$schema` of a document changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from codeact_lsp.schema.types import Json


class Dialect(NamedTuple):
    """What the declared `$schema` changes.

    Attributes:
        ref_stands_alone: keywords beside `$ref` are ignored (draft-07 and before).
        id_keyword: `id` in draft-04, `$id` after it.
        ignored: keywords of other dialects, which mean nothing in this one.
        flags: keywords that mean something as booleans only.
        dependencies_bind: `dependencies` refuses something.

    """

    ref_stands_alone: bool = False
    id_keyword: str = "$id"
    ignored: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    dependencies_bind: bool = True

    def known(self, schema: dict[str, Json]) -> dict[str, Json]:
        """`schema` without what means nothing in this dialect."""
        if self.ignored.isdisjoint(schema) and self.flags.isdisjoint(schema):
            return schema
        return {
            keyword: value
            for keyword, value in schema.items()
            if keyword not in self.ignored
            and (keyword not in self.flags or isinstance(value, bool))
        }


_SINCE_06: Final = frozenset(("const", "contains", "propertyNames"))
_SINCE_07: Final = frozenset(("if", "then", "else"))
_SINCE_2019: Final = frozenset(
    """
    $anchor $recursiveRef dependentRequired dependentSchemas minContains maxContains
    unevaluatedItems unevaluatedProperties
    """.split()
)
_SINCE_2020: Final = frozenset(("$dynamicRef", "prefixItems"))
_AFTER_07: Final = _SINCE_2019 | _SINCE_2020
# The meta-schemas since 2019-09 say of `dependencies` that it is no keyword any more, and keep its name
# for what it was. So the keys in it are shown, and refuse nothing.
_2020: Final = Dialect(ignored=frozenset(("$recursiveRef",)), dependencies_bind=False)
_04: Final = Dialect(
    ref_stands_alone=True,
    id_keyword="id",
    ignored=_AFTER_07 | _SINCE_07 | _SINCE_06,
    flags=frozenset(("exclusiveMaximum", "exclusiveMinimum")),
)
_DIALECTS: Final[Mapping[str, Dialect]] = {
    "http://json-schema.org/draft-03/schema": _04,
    "http://json-schema.org/draft-04/schema": _04,
    "http://json-schema.org/draft-06/schema": Dialect(
        ref_stands_alone=True, ignored=_AFTER_07 | _SINCE_07
    ),
    "http://json-schema.org/draft-07/schema": Dialect(ref_stands_alone=True, ignored=_AFTER_07),
    "http://json-schema.org/draft/2019-09/schema": Dialect(
        ignored=_SINCE_2020, dependencies_bind=False
    ),
}


def dialect_of(schema: Json) -> Dialect:
    """The dialect that `schema` declares; 2020-12 where it declares none or an unknown one."""
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(declared, str):
        return _2020
    uri = declared.strip().rstrip("#").replace("https://", "http://")
    return _DIALECTS.get(uri, _2020)
