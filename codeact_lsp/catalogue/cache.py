"""The last good catalogue of each server on disk, so that names are there before any server is.

Keyed by the approval hash: a server that would run differently has no cache. A file that is broken
or of another version is ignored and replaced. No secret is in it: tools, and what the server calls
itself.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from codeact_lsp.catalogue.files import write_atomically
from codeact_lsp.catalogue.folders import cache_folder
from codeact_lsp.catalogue.messages import Listing, decode, encode
from codeact_lsp.catalogue.model import Server, ServerState, Text, Tool
from codeact_lsp.catalogue.parts import listing_messages

_VERSION: Final = 2
_LONGEST_LINE: Final = 64 * 1024 * 1024
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Cached:
    """What the cache holds of a server.

    Attributes:
        server: its tools, stale.
        seen: raw tool name → digest of the definition that the user last looked at.

    """

    server: Server
    seen: Mapping[str, str]


class Cache:
    """The folder of cached catalogues; when it cannot be used there is just no cache."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._folder = cache_folder(environment) / "catalogues"
        self._said = False

    def load(self, key: str, raw: str) -> Cached | None:
        """What is kept under `key`, as a server called `raw`."""
        try:
            with self._path(key).open("rb") as stream:
                return _read(stream, raw)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def store(self, keys: Iterable[str], server: Server, seen: Mapping[str, str]) -> bool:
        """Keep `server` under each of `keys`; whether it could be written."""
        try:
            for key in keys:
                write_atomically(self._path(key), _written(server, seen), mode=0o600)
        except OSError as error:
            if not self._said:
                _log.warning("the cache %s cannot be written: %s", self._folder, error)
            self._said = True
            return False
        return True

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _written(server: Server, seen: Mapping[str, str]) -> Iterator[str]:
    """The text of a file: a line on the server, then its listing as the editor is sent it."""
    head = {
        "version": _VERSION,
        "title": server.title,
        "server-version": server.version,
        "protocol": server.protocol,
        "listed-at": server.listed_at or 0.0,
        "seen": dict(seen),
        "tools": len(server.tools),
    }
    yield json.dumps(head, separators=(",", ":")) + "\n"
    unchanged = (replace(tool, changed=False) if tool.changed else tool for tool in server.tools)
    for part in listing_messages(None, unchanged, {}):
        yield encode(part).decode("ascii")


def _read(stream: BinaryIO, raw: str) -> Cached | None:
    """What is in a file.

    Raises:
        Exception: any of those that `Cache.load` names, when it is broken.

    """
    head = json.loads(_line(stream))
    if head["version"] != _VERSION:
        return None
    tools: list[Tool] = []
    while line := _line(stream):
        part = decode(line)
        if not isinstance(part, Listing):
            raise TypeError("a listing is expected")
        tools += map(_checked, part.items)
    if len(tools) != head["tools"]:
        raise ValueError("a part of the listing is missing")
    server = Server(
        raw=raw,
        tools=tuple(tools),
        state=ServerState.STARTING,
        stale=True,
        title=_text(head["title"]),
        version=_text(head["server-version"]),
        protocol=_text(head["protocol"]),
        listed_at=float(head["listed-at"]),
    )
    seen = {str(name): str(digest) for name, digest in head["seen"].items()}
    return Cached(server, MappingProxyType(seen))


def _line(stream: BinaryIO) -> bytes:
    line = stream.readline(_LONGEST_LINE)
    if len(line) == _LONGEST_LINE:
        raise ValueError("a line is too long")
    return line


def _checked(tool: Tool | str) -> Tool:
    """`tool`, when all of it has the right types: a file is no more to be trusted than a server."""
    if isinstance(tool, str):
        raise TypeError("a tool is expected")
    hints = tool.hints
    flags = (hints.read_only, hints.destructive, hints.idempotent, hints.open_world)
    if not all(isinstance(text, str) for text in (tool.raw, tool.description, tool.digest)):
        raise TypeError("a text is expected")
    if not isinstance(tool.input_schema, Text) or not isinstance(tool.output_schema, Text | None):
        raise TypeError("a schema is expected")
    if not all(flag is None or isinstance(flag, bool) for flag in flags):
        raise TypeError("flags are expected")
    _text(tool.title)
    _text(hints.title)
    return tool


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a text is expected")
    return value
