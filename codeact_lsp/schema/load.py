"""JSON text as received → JSON values, whatever the text holds.

`json.loads` alone raises on deep nesting (at a depth that differs between interpreters) and on
integers of more than 4,300 digits, and it accepts texts of any size.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from codeact_lsp.schema.types import Json

MAX_BYTES: Final = 2 * 1024 * 1024
MAX_NESTING: Final = 256
"""JSON levels that are read: three for each of the 64 levels of a schema, and some for its data."""
_MAX_DIGITS: Final = 1_000

_BRACKETS: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


class UnreadableError(ValueError):
    """The text is not JSON; the message says where."""


class TooLargeError(ValueError):
    """The text is longer than is read."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A JSON value, and how many places of its text were nested too deep and read as null."""

    value: Json
    cut: int = 0


def load(text: str) -> Loaded:
    """The value that `text` holds.

    Raises:
        UnreadableError: the text is not JSON.
        TooLargeError: it is over `MAX_BYTES`.

    """
    if len(text) * 4 > MAX_BYTES and len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise TooLargeError(f"longer than {MAX_BYTES // 1024 // 1024} MiB")
    shallow, cut = _cut_deep(text)
    try:
        return Loaded(json.loads(shallow, parse_int=_integer), cut)
    except ValueError as error:
        raise UnreadableError(f"not JSON: {error}") from None


def _integer(digits: str) -> int | float:
    """No sane schema holds a number of a thousand digits, and `int` may refuse to read it."""
    return int(digits) if len(digits) <= _MAX_DIGITS else float(digits)


def _cut_deep(text: str) -> tuple[str, int]:
    """`text` with every container nested deeper than `MAX_NESTING` replaced by null."""
    if text.count("[") + text.count("{") <= MAX_NESTING:
        return text, 0
    pieces: list[str] = []
    depth = kept = cut = 0
    for token in _BRACKETS.finditer(text):
        character = text[token.start()]
        if character in "[{":
            depth += 1
            if depth == MAX_NESTING + 1:
                pieces.append(text[kept : token.start()])
                pieces.append("null")
                cut += 1
        elif character in "]}":
            if depth == MAX_NESTING + 1:
                kept = token.end()
            depth -= 1
    if not cut:
        return text, 0
    pieces.append(text[kept:] if depth <= MAX_NESTING else "")
    return "".join(pieces), cut
