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

    """

    ref_stands_alone: bool = False
    id_keyword: str = "$id"


_DIALECTS: Final[Mapping[str, Dialect]] = {
    "http://json-schema.org/draft-03/schema": Dialect(ref_stands_alone=True, id_keyword="id"),
    "http://json-schema.org/draft-04/schema": Dialect(ref_stands_alone=True, id_keyword="id"),
    "http://json-schema.org/draft-06/schema": Dialect(ref_stands_alone=True),
    "http://json-schema.org/draft-07/schema": Dialect(ref_stands_alone=True),
}


def dialect_of(schema: Json) -> Dialect:
    """The dialect that `schema` declares; 2020-12 where it declares none or an unknown one."""
    declared = schema.get("$schema") if isinstance(schema, dict) else None
    if not isinstance(declared, str):
        return Dialect()
    uri = declared.strip().rstrip("#").replace("https://", "http://")
    return _DIALECTS.get(uri, Dialect())
