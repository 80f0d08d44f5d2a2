"""The last good catalogue of each server on disk, so that names are there before any server is.

Keyed by the approval hash: a server that would run differently has no cache. A file that is broken
or of another version is ignored and replaced. No secret is in it: tools, and what the server calls
itself.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp.catalogue.files import write_atomically
from codeact_lsp.catalogue.folders import cache_folder
from codeact_lsp.catalogue.model import Hints, Server, ServerState, Tool

_VERSION: Final = 1
_MAX_BYTES: Final = 1024 * 1024 * 1024
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
        path = self._path(key)
        try:
            if path.stat().st_size > _MAX_BYTES:
                return None
            value = json.loads(path.read_bytes())
            if value["version"] != _VERSION:
                return None
            server = Server(
                raw=raw,
                tools=tuple(_tool(item) for item in value["tools"]),
                state=ServerState.STARTING,
                stale=True,
                title=_text(value["title"]),
                version=_text(value["server-version"]),
                protocol=_text(value["protocol"]),
                listed_at=float(value["listed-at"]),
            )
            seen = {str(name): str(digest) for name, digest in value["seen"].items()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        return Cached(server, MappingProxyType(seen))

    def store(self, keys: Iterable[str], server: Server, seen: Mapping[str, str]) -> bool:
        """Keep `server` under each of `keys`; whether it could be written."""
        value = {
            "version": _VERSION,
            "title": server.title,
            "server-version": server.version,
            "protocol": server.protocol,
            "listed-at": server.listed_at or 0.0,
            "seen": dict(seen),
            "tools": [_plain(tool) for tool in server.tools],
        }
        try:
            text = json.dumps(value, separators=(",", ":")) + "\n"
            for key in keys:
                write_atomically(self._path(key), text, mode=0o600)
        except OSError as error:
            if not self._said:
                _log.warning("the cache %s cannot be written: %s", self._folder, error)
            self._said = True
            return False
        return True

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json"


def _plain(tool: Tool) -> list[Any]:
    hints = tool.hints
    return [
        tool.raw,
        tool.description,
        tool.input_schema,
        tool.output_schema,
        tool.title,
        [hints.title, hints.read_only, hints.destructive, hints.idempotent, hints.open_world],
        tool.digest,
    ]


def _tool(item: Any) -> Tool:
    raw, description, input_schema, output_schema, title, hints, digest = item
    hint_title, *flags = hints
    if not all(isinstance(text, str) for text in (raw, description, input_schema, digest)):
        raise TypeError("a text is expected")
    if len(flags) != 4 or not all(flag is None or isinstance(flag, bool) for flag in flags):
        raise TypeError("four flags are expected")
    return Tool(
        raw=raw,
        description=description,
        input_schema=input_schema,
        output_schema=_text(output_schema),
        title=_text(title),
        hints=Hints(_text(hint_title), *flags),
        digest=digest,
    )


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise TypeError("a text is expected")
    return value
