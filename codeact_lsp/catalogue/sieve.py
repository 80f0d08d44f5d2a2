"""Messages as bytes, before anybody reads them: long lists of tools are taken out as they arrive.

A message passes as it is when it has up to `HEAD` bytes, or comes while no listing is expected. Of
another one only what is not a list of tools goes on, so that whoever reads it, the SDK or this package, never holds a long text.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Final

from codeact_lsp.catalogue.jsonstream import JsonError, Lifter, Path, Rules, Sink
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.lines import MESSAGE_START, NOISE, TooLong, refusal, request_id
from codeact_lsp.catalogue.listing import KEYS, Reader
from codeact_lsp.catalogue.tap import Tap

HEAD: Final = 64 * 1024
_NOTICED: Final = 2 * 1024
_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_DATA: Final = b"data:"


class Messages:
    """One message after another, each in parts."""

    def __init__(self, tap: Tap, limits: Limits) -> None:
        self._tap = tap
        self._limits = limits
        self._start_anew()

    def _start_anew(self) -> None:
        self._size = 0
        self._start = bytearray()
        # What there is beyond the start is thrown away; `_too_long` when it could have been of use.
        self._drops = self._too_long = False
        self._before = b""
        self._lifter: Lifter | None = None
        self._lists: list[Reader] = []
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    @property
    def long(self) -> bool:
        """Whether reading on takes long enough to be felt by others."""
        return self._lifter is not None

    @property
    def coming(self) -> bool:
        """Whether a message of some length is on its way."""
        return self._size > _NOTICED

    def feed(self, data: bytes) -> None:
        """The next part of the message."""
        self._size += len(data)
        if self._lifter is not None:
            if self._size > self._limits.listing_bytes:
                for reader in self._lists:
                    reader.end_here()
            self._lift(self._lifter, data)
        elif not self._drops:
            self._start += data
            if self._tap.waits:
                if self._size > HEAD:
                    self._begin()
            elif self._size > self._limits.rest:
                self._drops = self._too_long = True
                del self._start[HEAD:]

    def end(self) -> bytes | TooLong:
        """The message is over: what is left of it, which may be too much."""
        lifter, left, size = self._lifter, bytes(self._start), self._size
        too_long = self._too_long
        if lifter is not None:
            try:
                lifter.feed(self._decode(b"", final=True))
                left = self._before + lifter.finish().encode("utf-8", "surrogatepass")
                too_long = lifter.too_large
            except JsonError:
                # The start of it is no JSON either, and is taken for what it is: noise.
                left = left[:NOISE]
        self._start_anew()
        return TooLong(size, request_id(left), self._limits.rest) if too_long else left

    def _begin(self) -> None:
        """Lift the lists out of the message, of which the start is here."""
        data = bytes(self._start)
        del self._start[NOISE:]
        start = 0
        while start >= 0:
            if data[start:].removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"{"):
                self._before = data[:start]
                self._lifter = Lifter(self._rules())
                self._lift(self._lifter, data[start:].removeprefix(codecs.BOM_UTF8))
                if self._lifter is not None:
                    return
            # A log text without a line end may stand before the message on the same line.
            start = data.find(MESSAGE_START, start + 1)
        self._drops = True

    def _rules(self) -> Rules:
        return Rules(
            arrays=(("result", "tools"),),
            opens=self._open,
            keys=KEYS,
            # Indentation is not counted, but other spaces and escapes are.
            value=2 * self._limits.schema,
            rest=self._limits.rest,
        )

    def _open(self, _path: Path) -> tuple[str, Sink]:
        token, reader = self._tap.open()
        self._lists.append(reader)
        return token, reader

    def _lift(self, lifter: Lifter, data: bytes) -> None:
        try:
            lifter.feed(self._decode(data))
        except JsonError:
            self._lifter, self._drops = None, True
            self._decode(b"", final=True)


class Lines:
    """Messages that are a line each."""

    def __init__(self, tap: Tap, limits: Limits) -> None:
        self._messages = Messages(tap, limits)

    @property
    def long(self) -> bool:
        """As `Messages.long`."""
        return self._messages.long

    @property
    def coming(self) -> bool:
        """As `Messages.coming`."""
        return self._messages.coming

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """What is left of the messages that end in `chunk`."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            self._messages.feed(part)
            yield self._messages.end()
        self._messages.feed(rest)

    def finish(self) -> Iterator[bytes | TooLong]:
        """What is left of the last message, when it has no end."""
        left = self._messages.end()
        if left:
            yield left


class Body:
    """A message that is the whole body of a response."""

    def __init__(self, tap: Tap, limits: Limits) -> None:
        self._messages = Messages(tap, limits)

    @property
    def long(self) -> bool:
        """As `Messages.long`."""
        return self._messages.long

    @property
    def coming(self) -> bool:
        """As `Messages.coming`."""
        return self._messages.coming

    def feed(self, chunk: bytes) -> bytes:
        """The next part; nothing is left of it yet."""
        self._messages.feed(chunk)
        return b""

    def finish(self) -> bytes:
        """What is left of the message."""
        return _whole(self._messages.end())


class Events:
    """Messages that are the data of server-sent events; other lines pass as they are."""

    def __init__(self, tap: Tap, limits: Limits) -> None:
        self._messages = Messages(tap, limits)
        self._start = b""
        self._in_data = False
        self._passes = False
        self._has_data = False
        self._after_cr = False

    @property
    def long(self) -> bool:
        """As `Messages.long`."""
        return self._messages.long

    @property
    def coming(self) -> bool:
        """As `Messages.coming`."""
        return self._messages.coming

    def feed(self, chunk: bytes) -> bytes:
        """What is left of the events that end in `chunk`, and of all other lines."""
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        self._after_cr = self._after_cr or chunk.endswith(b"\r")
        *ended, rest = _LINE_END.split(chunk)
        out = bytearray()
        for part in ended:
            self._part(part, out)
            self._line_end(out)
        self._part(rest, out)
        return bytes(out)

    def finish(self) -> bytes:
        """An event without its end is none."""
        return b""

    def _part(self, part: bytes, out: bytearray) -> None:
        if self._in_data:
            self._messages.feed(part)
        elif self._passes:
            out += part
        else:
            self._start += part
            # One more, since the space after the colon is not part of the data.
            if len(self._start) > len(_DATA):
                self._begin_line(out)

    def _begin_line(self, out: bytearray) -> None:
        start, self._start = self._start, b""
        if start.startswith(_DATA):
            self._in_data = True
            if self._has_data:
                self._messages.feed(b"\n")
            self._has_data = True
            self._messages.feed(start.removeprefix(_DATA).removeprefix(b" "))
        else:
            self._passes = True
            out += start

    def _line_end(self, out: bytearray) -> None:
        blank = not (self._start or self._in_data or self._passes)
        if self._start:
            self._begin_line(out)
        if blank and self._has_data:
            for line in _whole(self._messages.end()).split(b"\n"):
                out += b"data: " + line + b"\n"
            self._has_data = False
        if blank or self._passes:
            out += b"\n"
        self._in_data = self._passes = False


def _whole(left: bytes | TooLong) -> bytes:
    """What is left of a message, or the refusal of what it answers."""
    return json.dumps(refusal(left)).encode() if isinstance(left, TooLong) else left
