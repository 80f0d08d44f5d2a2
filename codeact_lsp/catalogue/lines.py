"""Bytes of a server's stdout cut into lines, and lines read as JSON-RPC; never fails, never hangs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from codeact_lsp.catalogue import jsontext

_HEAD: Final = 4_096
NOISE: Final = 16 * 1024
"""More than any log shows, so that a log never ends in half a secret."""
_ID: Final = re.compile(rb'"id"\s*:\s*(\d{1,18}|"[^"\\]{1,200}")')
MESSAGE_START: Final = b'{"jsonrpc"'
_INTERNAL_ERROR: Final = -32603


@dataclass(frozen=True, slots=True)
class Noise:
    """Output that is not protocol."""

    text: str


@dataclass(frozen=True, slots=True)
class TooLong:
    """A message over `limit`, thrown away; `id` is the request it seems to answer."""

    size: int
    id: int | str | None
    limit: int


@dataclass(slots=True)
class Splitter:
    """Cuts bytes into lines without their ends, in time that grows with the bytes alone.

    A line of more than `limit` bytes is not kept: it comes out as `TooLong` at its end.
    """

    limit: int
    _parts: list[bytes] = field(default_factory=list)
    _size: int = 0

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """The lines that end in `chunk`."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._keep(part)
            yield self._line()
        self._keep(rest)

    def finish(self) -> Iterator[bytes | TooLong]:
        """The last line, when it has no end."""
        if self._size:
            yield self._line()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self.limit or not self._parts:
            self._parts.append(part if self._size <= self.limit else part[:_HEAD])
        elif len(self._parts) > 1:
            self._parts = [b"".join(self._parts)[:_HEAD]]

    def _line(self) -> bytes | TooLong:
        line = b"".join(self._parts)
        size, self._size = self._size, 0
        self._parts = []
        if size <= self.limit:
            return line.removesuffix(b"\r")
        return TooLong(size, request_id(line[:_HEAD]), self.limit)


def request_id(start: bytes) -> int | str | None:
    """The request that a message seems to answer, by its start."""
    found = _ID.search(start)
    if found is None:
        return None
    digits = found[1].decode("utf-8", "replace")
    return digits[1:-1] if digits.startswith('"') else int(digits)


def refusal(line: TooLong) -> Mapping[str, Any]:
    """What stands for an answer that was thrown away."""
    message = f"the answer has {line.size:,} bytes; the limit is {line.limit:,}"
    error = {"code": _INTERNAL_ERROR, "message": message}
    return {"jsonrpc": "2.0", "id": line.id, "error": error}


def read_line(line: bytes) -> Iterator[Mapping[str, Any] | Noise]:
    """The JSON-RPC messages on one line, and what else is on it."""
    if not line.strip():
        return
    try:
        yield from _messages(_value(line), line)
    except ValueError:
        # A log text without a line end may stand before the message on the same line.
        start = line.find(MESSAGE_START, 1)
        if start < 0:
            yield _noise(line)
            return
        yield _noise(line[:start])
        try:
            yield from _messages(_value(line[start:]), line)
        except ValueError:
            yield _noise(line[start:])


def _value(line: bytes) -> Any:
    try:
        return jsontext.loads(line)
    except UnicodeDecodeError:
        # One bad byte in one description must not cost the listing.
        return jsontext.loads(line.decode("utf-8", "replace"))


def _messages(value: Any, line: bytes) -> Iterator[Mapping[str, Any] | Noise]:
    batch = value if isinstance(value, list) and value else [value]
    if all(isinstance(item, dict) and "jsonrpc" in item for item in batch):
        yield from batch
    else:
        yield _noise(line)


def _noise(line: bytes) -> Noise:
    return Noise(line[:NOISE].decode("utf-8", "replace"))
