"""The schemas of the committed catalogues, and JSON values with something else somewhere."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, Final

from codeact_lsp.catalogue.model import unpack
from tests.support.wild import CATALOGUES, read

_LONGEST: Final = 20_000

REAL: Final[list[Any]] = [
    json.loads(text)
    for server in read(*sorted(CATALOGUES.glob("*.json"))).servers.values()
    for tool in server.tools
    for packed in (tool.input_schema, tool.output_schema)
    if packed is not None and len(text := unpack(packed)) < _LONGEST
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every JSON value inside `value`."""
    yield path
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in pairs:
        yield from places(item, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """What stands at `path` of `value`."""
    for step in path:
        value = value[step]
    return value


def mutated(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """`value` with `other` at `path`."""
    if not path:
        return other
    changed = copy.copy(value)
    changed[path[0]] = mutated(value[path[0]], path[1:], other)
    return changed
