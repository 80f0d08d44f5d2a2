"""JSON values as Python source, on their own or inside a string that is being typed."""

from __future__ import annotations

import json

from codeact_lsp import text
from codeact_lsp.schema.types import Json
from codeact_lsp.syntax.expressions import String


def python_source(json_text: str) -> str:
    """A JSON text as a Python literal; a number keeps the spelling that it was sent in."""
    if json_text[:1] in "-0123456789":
        return json_text
    try:
        value: Json = json.loads(json_text)
    except (ValueError, RecursionError):
        return text.literal(json_text)
    return _source(value)


def _source(value: Json) -> str:
    match value:
        case str():
            return text.literal(value)
        case list():
            return f"[{', '.join(_source(item) for item in value)}]"
        case dict():
            pairs = (f"{text.literal(key)}: {_source(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
        case _:
            return repr(value)


def string_of(json_text: str) -> str | None:
    """The string that a JSON text is; None for any other value."""
    if not json_text.startswith('"'):
        return None
    try:
        value = json.loads(json_text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def inside(string: String, value: str) -> str | None:
    """`value` as it is written between the quotes of `string`.

    The closing quote is added where it is missing. None where no spelling means `value`: in bytes,
    and in a raw string for what needs an escape.
    """
    if "b" in string.prefix:
        return None
    body = text.literal(value)[1:-1].replace('\\"', '"')
    if string.quote[0] in body:
        body = body.replace(string.quote[0], f"\\{string.quote[0]}")
    if "r" in string.prefix and "\\" in body:
        return None
    if "f" in string.prefix or "t" in string.prefix:
        body = body.replace("{", "{{").replace("}", "}}")
    return body if string.closed else body + string.quote


def snippet_text(plain: str) -> str:
    """`plain` for LSP's snippet syntax, in which `$`, `}` and backslashes mean something."""
    return plain.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")
