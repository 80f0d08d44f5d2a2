"""JSON as it is really sent: deeper and longer than Python's reader takes.

The standard reader goes first and is right for all but a few texts in a million. Only when it gives
up is the text changed, and then as little as possible.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

# Python's own limits are about 1,000 levels and 4,300 digits; nobody can use more of either.
_DEPTH: Final = 200
_DIGITS: Final = 4_000
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def loads(text: str | bytes | bytearray) -> Any:
    """The value of a JSON text; what is nested too deep becomes null, a too long integer a float.

    Raises:
        ValueError: when the text is not JSON (`json.JSONDecodeError` has the place) or not UTF-8.

    """
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except (RecursionError, ValueError):
        # The other ValueError is "Exceeds the limit (4300 digits) for integer string conversion".
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        try:
            return json.loads(decoded, parse_int=_integer)
        except RecursionError:
            return json.loads(_flatten(decoded), parse_int=_integer)


def dumps(value: Any) -> str:
    """`value` as compact JSON in ASCII, keys in their order.

    Raises:
        RecursionError: when it is nested too deep.

    """
    return json.dumps(value, separators=(",", ":"))


def canonical(value: Any) -> str:
    """`value` as compact JSON with sorted keys: equal for equal values.

    Raises:
        RecursionError: when it is nested too deep.

    """
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def canonical_in_steps(value: Any, levels: int = 4) -> str:
    """The same as `canonical`, with no step that keeps other threads waiting for long.

    Raises:
        RecursionError: when it is nested too deep.

    """
    if not levels or not isinstance(value, dict):
        return canonical(value)
    members = (
        f"{json.dumps(key)}:{canonical_in_steps(value[key], levels - 1)}" for key in sorted(value)
    )
    return "{" + ",".join(members) + "}"


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _DIGITS else float(digits)


def _flatten(text: str) -> str:
    """`text` with null in place of every array and object that is more than `_DEPTH` deep."""
    out: list[str] = []
    depth = 0
    copied = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in ("[", "{"):
            depth += 1
            if depth == _DEPTH + 1:
                out += (text[copied : token.start()], "null")
        elif mark in ("]", "}"):
            if depth == _DEPTH + 1:
                copied = token.end()
            depth -= 1
    # An unfinished text ends inside a cut; what is left is then refused by the reader.
    return "".join(out) + (text[copied:] if depth <= _DEPTH else "")
