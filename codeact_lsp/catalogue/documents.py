"""Config files read with places: JSON with comments, and TOML.

The readers of the standard library know no places, and a config problem without one is of no use in
an editor.
"""

from __future__ import annotations

import bisect
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

Path = tuple[str | int, ...]
"""Where a value stands: keys of objects and indexes of arrays, from the root."""

_MAX_DEPTH: Final = 100
_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column in code points, both from 0."""

    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A config file's value and its places.

    Attributes:
        value: the object at the root.
        places: where each value's key (or an array's item) starts; not every path is there.
        duplicates: paths of keys that an object holds twice, with the place of the second one.

    """

    value: Mapping[str, Any]
    places: Mapping[Path, Place]
    duplicates: tuple[tuple[Path, Place], ...] = ()

    def place(self, path: Path) -> Place:
        """The place of `path`, or of what is nearest around it."""
        for end in range(len(path), -1, -1):
            found = self.places.get(path[:end])
            if found is not None:
                return found
        return Place()


class DocumentError(ValueError):
    """A text that is not what its name says; `place` is where reading stopped."""

    def __init__(self, message: str, place: Place) -> None:
        super().__init__(message)
        self.place = place


def decode(data: bytes) -> str:
    """The text of a file, without a byte-order mark.

    Raises:
        DocumentError: when it is not UTF-8.

    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError("the file is UTF-16; save it as UTF-8", Place())
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        raise DocumentError(
            "the file is not UTF-8 here", _Lines(before).place(len(before))
        ) from None


def parse(text: str, *, toml: bool) -> Document:
    """The document in `text`; an empty text is an empty object.

    Raises:
        DocumentError: when it cannot be read, or its root is no object.

    """
    if toml:
        return _parse_toml(text)
    if not text.strip():
        return Document(MappingProxyType({}), MappingProxyType({}))
    return _Json(text).document()


class _Lines:
    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]

    def place(self, offset: int) -> Place:
        line = bisect.bisect_right(self._starts, offset) - 1
        return Place(line, offset - self._starts[line])


_BLANK: Final = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_DECODER: Final = json.JSONDecoder()
_WORDS: Final = {"true": True, "false": False, "null": None}


class _Json:
    """A reader of JSON with comments and trailing commas that notes places and duplicates."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _Lines(text)
        self._at = 0
        self._places: dict[Path, Place] = {(): Place()}
        self._duplicates: list[tuple[Path, Place]] = []

    def document(self) -> Document:
        value = self._value(())
        if self._peek():
            raise self._error("nothing may follow the object")
        if not isinstance(value, dict):
            self._at = 0
            raise self._error("an object is expected here")
        return Document(value, MappingProxyType(self._places), tuple(self._duplicates))

    def _error(self, message: str) -> DocumentError:
        return DocumentError(message, self._lines.place(self._at))

    def _peek(self) -> str:
        blank = _BLANK.match(self._text, self._at)
        assert blank is not None
        self._at = blank.end()
        if self._text.startswith("/*", self._at):
            raise self._error("the comment that starts here never ends")
        return self._text[self._at : self._at + 1]

    def _value(self, path: Path) -> Any:
        if len(path) > _MAX_DEPTH:
            raise self._error(f"nested more than {_MAX_DEPTH} deep")
        mark = self._peek()
        if mark == "{":
            return self._object(path)
        if mark == "[":
            return self._array(path)
        if mark == '"':
            return self._string()
        for word, value in _WORDS.items():
            if self._text.startswith(word, self._at):
                self._at += len(word)
                return value
        number = _NUMBER.match(self._text, self._at)
        if number is None:
            raise self._error("a value is expected here")
        self._at = number.end()
        fraction = number[1] or number[2]
        return float(number[0]) if fraction or len(number[0]) > 300 else int(number[0])

    def _string(self) -> str:
        try:
            value, self._at = _DECODER.raw_decode(self._text, self._at)
        except ValueError as error:
            self._at = getattr(error, "pos", self._at)
            raise self._error("this string is not finished or not well-formed") from None
        return str(value)

    def _items(self, closing: str) -> Iterator[None]:
        """One turn for each item, between the commas, up to `closing`."""
        self._at += 1
        while self._peek() != closing:
            yield
            mark = self._peek()
            if mark == ",":
                self._at += 1
            elif mark != closing:
                raise self._error(f"a comma or {closing!r} is expected here")
        self._at += 1

    def _object(self, path: Path) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for _ in self._items("}"):
            if self._peek() != '"':
                raise self._error("a key in double quotes is expected here")
            place = self._lines.place(self._at)
            key = self._string()
            here = (*path, key)
            if key in value:
                self._duplicates.append((here, place))
            self._places[here] = place
            if self._peek() != ":":
                raise self._error("a colon is expected here")
            self._at += 1
            value[key] = self._value(here)
        return value

    def _array(self, path: Path) -> list[Any]:
        value: list[Any] = []
        for _ in self._items("]"):
            self._peek()
            here = (*path, len(value))
            self._places[here] = self._lines.place(self._at)
            value.append(self._value(here))
        return value


_TOML_PART: Final = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)"""
_TOML_KEYS: Final = rf"{_TOML_PART}(?:[ \t]*\.[ \t]*{_TOML_PART})*"
_TOML_LINE: Final = re.compile(
    rf"[ \t]*(?:\[\[?[ \t]*(?P<table>{_TOML_KEYS})[ \t]*\]|(?P<keys>{_TOML_KEYS})[ \t]*=)"
)
_TOML_PLACE: Final = re.compile(r"\(at line (\d+), column (\d+)\)$")


def _parse_toml(text: str) -> Document:
    try:
        value = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = str(error) or "nested too deep"
        found = _TOML_PLACE.search(message)
        end = _Lines(text).place(len(text))
        place = Place(int(found[1]) - 1, int(found[2]) - 1) if found else end
        plain = re.sub(r" \(at [^()]*\)$", "", message)
        raise DocumentError(plain, place) from None
    return Document(value, MappingProxyType(_toml_places(text)))


def _toml_places(text: str) -> dict[Path, Place]:
    """Where keys stand, line by line.

    A line inside a long string may look like a key; it is only ever taken for a path that has no
    place yet.
    """
    places: dict[Path, Place] = {(): Place()}
    table: Path = ()
    for number, line in enumerate(_LINE_BREAK.split(text)):
        found = _TOML_LINE.match(line)
        if found is None:
            continue
        group = "table" if found["table"] is not None else "keys"
        parts = tuple(_toml_part(part) for part in re.findall(_TOML_PART, found[group]))
        path = parts if group == "table" else table + parts
        if group == "table":
            table = path
        for end in range(1, len(path) + 1):
            places.setdefault(path[:end], Place(number, found.start(group)))
    return places


def _toml_part(part: str) -> str:
    if part.startswith('"'):
        return str(tomllib.loads(f"key = {part}")["key"])
    return part[1:-1] if part.startswith("'") else part
