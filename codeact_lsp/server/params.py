"""Reading the params of a message: what has another shape than LSP gives it is `InvalidParams`.

`at` names the place for the message of the error, such as `textDocument.uri`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from codeact_lsp.server.errors import InvalidParams

Json: TypeAlias = dict[str, Any]
"""A JSON object, by LSP's own names."""

MOST_UINTEGER = 2**31 - 1


def obj(value: Any, at: str = "params") -> Json:
    """`value`, an object."""
    if not isinstance(value, dict):
        raise InvalidParams(f"{at} is not an object")
    return value


def text(params: Json, name: str, at: str = "params") -> str:
    """The string under `name`."""
    value = params.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"{at}.{name} is not a string")
    return value


def integer(params: Json, name: str, at: str = "params") -> int:
    """The integer under `name`."""
    value = params.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidParams(f"{at}.{name} is not an integer")
    return value


def items(params: Json, name: str, at: str = "params", *, optional: bool = False) -> list[Json]:
    """The array of objects under `name`; empty when `optional` and absent or null."""
    value = params.get(name)
    if value is None and optional:
        return []
    if not isinstance(value, list):
        raise InvalidParams(f"{at}.{name} is not an array")
    return [obj(item, f"{at}.{name}[{index}]") for index, item in enumerate(value)]


def inner(params: Json, name: str, at: str = "params") -> Json:
    """The object under `name`."""
    return obj(params.get(name), f"{at}.{name}")


def optional(params: Json, name: str, at: str = "params") -> Json:
    """The object under `name`; empty when it is absent or null."""
    value = params.get(name)
    return {} if value is None else obj(value, f"{at}.{name}")


def uri(params: Json) -> str:
    """`textDocument.uri`."""
    return text(inner(params, "textDocument"), "uri", "params.textDocument")


def position(params: Json, name: str = "position", at: str = "params") -> tuple[int, int]:
    """The `Position` under `name`: line and character, both from 0."""
    value = inner(params, name, at)
    at = f"{at}.{name}"
    line, character = integer(value, "line", at), integer(value, "character", at)
    if not (0 <= line <= MOST_UINTEGER and 0 <= character <= MOST_UINTEGER):
        raise InvalidParams(f"{at} is out of range")
    return line, character


def span(
    params: Json, name: str = "range", at: str = "params"
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The `Range` under `name`."""
    value = inner(params, name, at)
    at = f"{at}.{name}"
    return position(value, "start", at), position(value, "end", at)


def strings(params: Json, name: str, at: str = "params") -> Iterator[str]:
    """The strings of the array under `name`; none when it is absent or null."""
    value = params.get(name)
    if value is None:
        return
    if not isinstance(value, list):
        raise InvalidParams(f"{at}.{name} is not an array")
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise InvalidParams(f"{at}.{name}[{index}] is not a string")
        yield item
