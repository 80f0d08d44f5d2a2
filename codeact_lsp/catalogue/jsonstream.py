"""A JSON text read as it arrives, with the items of chosen arrays lifted out one at a time.

What is left is the same text with a token in place of each such array's items, so it is small and
goes on to whoever reads JSON whole. An item that is complete is decoded at once; one that is not is
walked key by key, and a value over the limit is only looked through for its end. So no more is held
than a piece of the text, one value, and what is made of the items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from codeact_lsp.catalogue import jsontext
from codeact_lsp.catalogue.jsonscan import BOUNDED, HEAD, Cut, Kept, Long, Scan

PIECE: Final = 64 * 1024
"""Characters that are looked at together, and the longest item that is decoded whole."""
_KEY: Final = 64 * 1024
_BLOCK_FIRST: Final = 256
_BLOCK_MOST: Final = 16 * 1024
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()
_Walk = Generator[None, None, None]
Path = tuple[str, ...]
"""The keys that lead to a value from the root."""


class JsonError(ValueError):
    """A text that is no JSON.

    Attributes:
        line: where, from 0.
        column: code points into that line, from 0.

    """

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class Sink(Protocol):
    """Takes the items of one array.

    Attributes:
        full: no further item is wanted.

    """

    full: bool

    def read(self, value: Any) -> None:
        """Take the next item: a JSON value, or an object in which values may be a `Cut` or `Long`."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What is lifted, and how much of it is kept.

    Attributes:
        arrays: paths of arrays whose items are lifted; None stands for any key.
        opens: takes the path of such an array; gives the token in its items' place, and who takes them.
        keys: keys of an item that are wanted; others may be left out.
        value: characters of a value of an item beyond which it is a `Cut`.
        rest: characters of all that is not lifted beyond which the text is too large.

    """

    arrays: tuple[tuple[str | None, ...], ...]
    opens: Callable[[Path], tuple[str, Sink]]
    keys: frozenset[str]
    value: int
    rest: int


class Lifter:
    """Reads one JSON text, piece by piece.

    Attributes:
        too_large: what is not lifted is over its limit; its places are null.

    """

    def __init__(self, rules: Rules) -> None:
        self.too_large = False
        self._rules = rules
        self._text = ""
        self._at = 0
        # The place of the offset up to which line breaks were counted.
        self._line = self._column = self._placed = 0
        self._final = self._done = False
        self._rest: list[str] = []
        self._rest_size = 0
        self._walk = self._document()

    def feed(self, text: str) -> None:
        """Take the next part of the text.

        Raises:
            JsonError: it is no JSON; nothing more may be fed then.

        """
        for start in range(0, len(text), PIECE):
            self._go_on(text[start : start + PIECE])

    def finish(self) -> str:
        """The text without what was lifted.

        Raises:
            JsonError: it is no JSON, or not all of one.

        """
        self._final = True
        self._go_on("")
        return "".join(self._rest)

    def rest(self) -> str:
        """As far as it was read, the text without what was lifted."""
        return "".join(self._rest)

    def _go_on(self, piece: str) -> None:
        self._place()
        self._text = self._text[self._at :] + piece
        self._at = self._placed = 0
        if not self._done:
            next(self._walk, None)
        if self._done and self._text[self._at :].strip(" \t\r\n"):
            self._at = _space_end(self._text, self._at)
            raise self._error("Extra data")

    def _place(self) -> tuple[int, int]:
        """The line and column of where reading stands."""
        breaks = self._text.count("\n", self._placed, self._at)
        if breaks:
            self._line += breaks
            self._column = self._at - self._text.rfind("\n", self._placed, self._at) - 1
        else:
            self._column += self._at - self._placed
        self._placed = self._at
        return self._line, self._column

    def _error(self, message: str) -> JsonError:
        return JsonError(message, *self._place())

    def _put(self, text: str) -> None:
        self._rest_size += len(text)
        if self._rest_size > self._rules.rest:
            self.too_large = True
        else:
            self._rest.append(text)

    def _document(self) -> _Walk:
        if (yield from self._peek()) == "{":
            yield from self._object((), self._member)
        else:
            yield from self._plain()
        self._done = True

    def _peek(self) -> Generator[None, None, str]:
        """The next character that is no space; `""` at the end of the text."""
        while True:
            self._at = _space_end(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if self._final:
                return ""
            yield

    def _object(self, path: Path, member: Callable[[Path], _Walk]) -> _Walk:
        """An object, with `member` called where the value of each of its keys is expected."""
        copied = member == self._member
        self._at += 1
        opening = "{"
        mark = yield from self._peek()
        if mark == "}":
            self._at += 1
            if copied:
                self._put("{}")
            return
        while True:
            if mark != '"':
                raise self._error("Expecting property name enclosed in double quotes")
            key = yield from self._key()
            if (yield from self._peek()) != ":":
                raise self._error("Expecting ':' delimiter")
            self._at += 1
            if copied:
                self._put(f"{opening}{json.dumps(key)}:")
            yield from member((*path, key))
            opening = ","
            mark = yield from self._peek()
            if mark == "}":
                self._at += 1
                if copied:
                    self._put("}")
                return
            if mark != ",":
                raise self._error("Expecting ',' delimiter")
            self._at += 1
            mark = yield from self._peek()

    def _key(self) -> Generator[None, None, str]:
        key = yield from self._value(_KEY)
        # Nobody asks for a key that long, so it may as well be any other.
        return key.head[:HEAD] if isinstance(key, Cut) else str(key)

    def _member(self, path: Path) -> _Walk:
        mark = yield from self._peek()
        if mark == "[" and any(_fits(pattern, path) for pattern in self._rules.arrays):
            yield from self._array(path)
        elif mark == "{" and any(_fits(p[: len(path)], path) for p in self._rules.arrays):
            yield from self._object(path, self._member)
        else:
            yield from self._plain()

    def _plain(self) -> _Walk:
        """A value that stays where it is."""
        yield from self._peek()
        text = yield from self._text_of_value(self._rules.rest, check=True)
        if isinstance(text, Cut):
            self.too_large = True
            text = "null"
        self._put(text)

    def _array(self, path: Path) -> _Walk:
        token, sink = self._rules.opens(path)
        self._put(f"[{json.dumps(token)}]")
        self._at += 1
        if (yield from self._peek()) == "]":
            self._at += 1
            return
        while True:
            if sink.full:
                yield from self._skip(depth=1)
                return
            yield from self._item(sink)
            mark = yield from self._peek()
            if mark not in {",", "]"}:
                raise self._error("Expecting ',' delimiter")
            self._at += 1
            if mark == "]":
                return

    def _item(self, sink: Sink) -> _Walk:
        mark = yield from self._peek()
        # A number may go on in the next piece.
        if mark in BOUNDED and self._whole_item(sink):
            return
        if mark == "{":
            values: dict[str, Any] = {}

            def member(path: Path) -> _Walk:
                yield from self._peek()
                if path[-1] in self._rules.keys:
                    values[path[-1]] = yield from self._value(self._rules.value)
                else:
                    yield from self._skip()

            yield from self._object((), member)
            sink.read(values)
        else:
            sink.read((yield from self._value(self._rules.value)))

    def _whole_item(self, sink: Sink) -> bool:
        """Take the item that starts here in one go, if that can be done."""
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):
            # Not all there, as a rule; what is wrong with it otherwise comes out key by key.
            return False
        self._at = end
        sink.read(value)
        return True

    def _value(self, limit: int) -> Generator[None, None, Any]:
        line, column = self._place()
        text = yield from self._text_of_value(limit)
        if isinstance(text, Cut):
            return text
        value = self._decoded(text, line, column)
        return Long(value, text) if len(text) > PIECE and isinstance(value, dict | list) else value

    def _decoded(self, text: str, line: int, column: int) -> Any:
        try:
            return jsontext.loads(text)
        except json.JSONDecodeError as error:
            breaks = error.lineno - 1
            column = error.colno - 1 if breaks else column + error.pos
            raise JsonError(error.msg, line + breaks, column) from None

    def _text_of_value(
        self, limit: int, *, check: bool = False
    ) -> Generator[None, None, str | Cut]:
        """The text of the value that starts here, without its indentation."""
        line, column = self._place()
        kept = Kept(limit)
        yield from self._skip(kept)
        text = kept.text()
        if check and isinstance(text, str):
            self._decoded(text, line, column)
        return text

    def _skip(self, kept: Kept | None = None, depth: int = 0) -> _Walk:
        """Go to the end of the value that starts here, or of the one around it with `depth` 1."""
        first = self._text[self._at : self._at + 1]
        scan = Scan(first if not depth else "[", depth)
        size = _BLOCK_FIRST
        while True:
            block = self._text[self._at : self._at + size]
            end = scan.end(block)
            if end is not None:
                block = block[:end]
            self._at += len(block)
            if kept is not None:
                kept.add(block)
            if end is not None:
                return
            size = min(2 * size, _BLOCK_MOST)
            if self._at == len(self._text):
                if self._final:
                    if scan.scalar:
                        return
                    raise self._error("The text ends inside of a value")
                yield


def _space_end(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    assert found is not None
    return found.end()


def _fits(pattern: tuple[str | None, ...], path: Path) -> bool:
    return len(pattern) == len(path) and all(
        wanted is None or wanted == key for wanted, key in zip(pattern, path, strict=True)
    )
