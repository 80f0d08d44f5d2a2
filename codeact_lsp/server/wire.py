"""The base protocol of LSP: header fields, an empty line, a body of so many bytes.

Only this file frames messages. Header names are compared without case, as RFC 9110 has them.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

MOST_BODY_BYTES: Final = 256 * 1024 * 1024
MOST_HEADER_BYTES: Final = 64 * 1024

_HEADER_END: Final = re.compile(rb"\r?\n\r?\n")
_LENGTH: Final = re.compile(
    rb"^content-length[ \t]*:[ \t]*(\d{1,12})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE
)
_NOT_OURS: Final = re.compile(
    rb"^(?![\w-]+[ \t]*:|\r?$)|^(?:origin|host)[ \t]*:", re.IGNORECASE | re.MULTILINE
)


class FramingError(ValueError):
    """The stream is out of step and no later message can be found in it."""


class Framer:
    """Cuts a stream of bytes into message bodies, whatever pieces it arrives in."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._body: int | None = None

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies that `data` completes.

        Raises:
            FramingError: when a header does not end, a body is too large to be meant, or this is
                a web page that posts to a port: HTTP frames bodies in the same way, so what only
                HTTP has ends the conversation before a body is looked at.

        """
        self._buffer += data
        bodies: list[bytes] = []
        while True:
            if self._body is None and not self._read_header():
                return bodies
            if self._body is None:
                continue
            if len(self._buffer) < self._body:
                return bodies
            bodies.append(bytes(self._buffer[: self._body]))
            del self._buffer[: self._body]
            self._body = None

    def _read_header(self) -> bool:
        """Whether a whole header was there; one without a length is skipped."""
        end = _HEADER_END.search(self._buffer, 0, MOST_HEADER_BYTES)
        if end is None:
            if len(self._buffer) >= MOST_HEADER_BYTES:
                raise FramingError("a header that does not end")
            return False
        if _NOT_OURS.search(self._buffer, 0, end.start()):
            raise FramingError("a header that is not LSP's")
        length = _LENGTH.search(self._buffer, 0, end.start())
        if length is not None:
            self._body = int(length[1])
            if self._body > MOST_BODY_BYTES:
                raise FramingError(f"a message of {self._body} bytes")
        del self._buffer[: end.end()]
        return True


def frame(body: bytes) -> bytes:
    """`body` as it stands on the wire."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def dump(message: dict[str, Any]) -> bytes:
    """`message` as the body of a wire message.

    Raises:
        ValueError, TypeError: when it is not JSON; NaN and infinities are not.

    """
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii")
