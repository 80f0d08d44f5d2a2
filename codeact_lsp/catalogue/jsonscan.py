"""The end of a JSON value, found in a text that arrives in blocks, and as much of it as is wanted.

Finding it takes a fraction of the time of reading the value, and no room.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Final

HEAD: Final = 64 * 1024
"""Characters that are kept of a value that is cut."""
BOUNDED: Final = frozenset('"{[')
"""What a value starts with that ends by itself; a number ends where something else starts."""
_SCALAR: Final = re.compile(r"[^][{}\",: \t\r\n]*")
# Possessive, so that a string without its end is found out in one go.
_STRING_END: Final = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_TOKEN: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[][{}]', re.DOTALL)
_INDENTATION: Final = re.compile(r"(?<=\n)[ \t]+")
# +1 and -1 as signed bytes.
_STEPS: Final = bytes(1 if c in b"{[" else 255 if c in b"}]" else 0 for c in range(256))
_NO_STEPS: Final = bytes(c for c in range(256) if c not in b"{}[]")


@dataclass(frozen=True, slots=True)
class Cut:
    """A value that is over the limit.

    Attributes:
        size: characters of its text, without indentation.
        head: the first of them.
        digest: a hash of them all.

    """

    size: int
    head: str
    digest: str

    def text(self) -> str | None:
        """The start of the string that this was; None when it was no string."""
        if not self.head.startswith('"'):
            return None
        # Half an escape may stand at the end: a surrogate pair has twelve characters.
        for end in range(len(self.head), max(len(self.head) - 12, 0), -1):
            try:
                return str(json.loads(self.head[:end] + '"'))
            except ValueError:
                continue
        return None


@dataclass(frozen=True, slots=True)
class Long:
    """An object or array that takes a while to go through, with its text, so that none is made."""

    value: Any
    text: str


@dataclass(slots=True)
class Kept:
    """The text of a value, or what a `Cut` says of it."""

    limit: int
    size: int = 0
    _parts: list[str] = field(default_factory=list)
    _hash: Any = None
    _head: str = ""
    _after_break: bool = False

    def add(self, part: str) -> None:
        # A line break cannot stand in a string, so the spaces after one are indentation.
        if self._after_break:
            part = part.lstrip(" \t")
            if not part:
                return
        self._after_break = part.endswith("\n") or (
            "\n" in part and part.rstrip(" \t").endswith("\n")
        )
        if "\n" in part:
            part = _INDENTATION.sub("", part)
        self.size += len(part)
        if self._hash is not None:
            self._hash.update(part.encode("utf-8", "surrogatepass"))
            return
        self._parts.append(part)
        if self.size > self.limit:
            text = "".join(self._parts)
            self._hash = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
            self._head, self._parts = text[:HEAD], []

    def text(self) -> str | Cut:
        if self._hash is None:
            return "".join(self._parts)
        return Cut(self.size, self._head, self._hash.hexdigest())


class Scan:
    """Finds the end of a value, block by block, without looking at what it holds.

    Attributes:
        scalar: it is a number or a word, which the end of the text ends too.

    """

    def __init__(self, first: str, depth: int) -> None:
        self.scalar = first not in BOUNDED
        self._string = first == '"'
        self._started = False
        self._depth = depth
        self._inside = 0
        self._escaped = False

    def end(self, block: str) -> int | None:
        """The offset after the value when it ends in `block`, the next one."""
        if self.scalar:
            found = _SCALAR.match(block)
            assert found is not None
            return found.end() if found.end() < len(block) else None
        skipped = int(self._escaped)
        if self._string:
            skipped += not self._started
            self._started = self._started or bool(block)
            found = _STRING_END.match(block, skipped)
            if found is not None:
                return found.end()
            self._escaped = _ends_escaped(block[skipped:], escaped=self._escaped and not block)
            return None
        return self._end_of_brackets(block, skipped)

    def _end_of_brackets(self, block: str, skipped: int) -> int | None:
        text = block[skipped:]
        self._escaped = _ends_escaped(text, escaped=self._escaped and not block)
        if "\\" in text:
            # In this order: a backslash that is escaped escapes nothing.
            text = text.replace("\\\\", "").replace('\\"', "")
        parts = text.split('"')
        outside = "".join(parts[self._inside :: 2]).encode("ascii", "replace")
        steps = memoryview(outside.translate(_STEPS, _NO_STEPS)).cast("b")
        depths = list(accumulate(steps, initial=self._depth))
        try:
            wanted = depths.index(0, 1)
        except ValueError:
            self._depth = depths[-1]
            self._inside ^= (len(parts) - 1) & 1
            return None
        return _bracket(block, skipped, wanted, inside=bool(self._inside))


def _bracket(block: str, start: int, wanted: int, *, inside: bool) -> int | None:
    """The offset after the bracket with this number, from 1."""
    if inside:
        found = _STRING_END.match(block, start)
        start = len(block) if found is None else found.end()
    for token in _brackets(block, start):
        wanted -= 1
        if not wanted:
            return token
    # Only a text with backslashes outside of its strings comes here, and that is no JSON.
    return len(block)


def _brackets(block: str, start: int) -> Iterator[int]:
    return (m.end() for m in _TOKEN.finditer(block, start) if not m[0].startswith('"'))


def _ends_escaped(text: str, *, escaped: bool) -> bool:
    """Whether the character after `text` is escaped, when the first one in it is not."""
    return escaped if not text else bool((len(text) - len(text.rstrip("\\"))) & 1)
