"""Snapshot files: a catalogue saved as JSON, usable without starting any server.

`{"version": 1, "native": {"tools": […]}, "servers": {"notion": {"tools": […]}}}`, where `tools`
holds MCP tool objects as listed. A bare `tools/list` result is one server, named after the file.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue import jsontext, listing
from codeact_lsp.catalogue.files import write_atomically
from codeact_lsp.catalogue.jsonstream import PIECE, JsonError, Lifter, Rules
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.model import Catalogue, Problem, Server, ServerState, Tool

VERSION: Final = 1
_REST: Final = 64 * 1024 * 1024
_SPACED: Final = 4


def read_snapshot(path: Path, limits: Limits = DEFAULT) -> Catalogue:
    """The catalogue in a file. It never fails: what cannot be read is a problem of the catalogue."""
    reading = _Reading(path.stem, str(path), limits)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    read = size = 0
    try:
        with path.open("rb") as stream:
            # A device, or a file that grows, has an end here.
            while (data := stream.read(PIECE)) and read < _SPACED * limits.listing_bytes:
                # Spaces are not counted, since a saved file is indented.
                size += len(data) - data.count(b" ")
                if size > limits.listing_bytes:
                    return _unusable(str(path), f"is larger than {limits.listing_bytes:,} bytes")
                reading.feed(decoder.decode(data))
                read += len(data)
            reading.feed(decoder.decode(b"", final=True))
    except OSError as error:
        return _unusable(str(path), f"cannot be read: {error.strerror or error}")
    except UnicodeDecodeError as error:
        place = read + error.start - len(decoder.getstate()[0])
        return _unusable(str(path), f"is not UTF-8 (byte {place})")
    return reading.catalogue()


def parse_snapshot(
    text: str, *, name: str = "tools", path: str | None = None, limits: Limits = DEFAULT
) -> Catalogue:
    """The catalogue in a text; never fails, as `read_snapshot`.

    Args:
        text: the JSON.
        name: what a bare `tools/list` result is called as a server.
        path: where the text came from, for problems.
        limits: how much is read.

    """
    reading = _Reading(name, path, limits)
    reading.feed(text)
    return reading.catalogue()


class _Reading:
    """The reading of one snapshot, part by part."""

    def __init__(self, name: str, path: str | None, limits: Limits) -> None:
        self._name = name
        self._path = path
        self._limits = limits
        self._readers: list[listing.Reader] = []
        self._failed: Catalogue | None = None
        self._lifter = Lifter(
            Rules(
                arrays=(("tools",), ("native", "tools"), ("servers", None, "tools")),
                opens=self._open,
                keys=listing.KEYS,
                value=2 * limits.schema,
                rest=_REST,
            )
        )

    def _open(self, path: tuple[str, ...]) -> tuple[str, listing.Reader]:
        server = {1: self._name, 2: None}.get(len(path), path[-2:][0])
        self._readers.append(self._reader(server))
        return str(len(self._readers) - 1), self._readers[-1]

    def _reader(self, server: str | None) -> listing.Reader:
        reader = listing.Reader(server, self._path, self._limits)
        if server is not None and safe_text.is_suspicious(server):
            reader.report("look-alike", safe_text.look_alike(server))
        return reader

    def feed(self, text: str) -> None:
        """Take the next part of the text."""
        if self._failed is None:
            try:
                self._lifter.feed(text)
            except JsonError as error:
                self._fail(error)

    def _fail(self, error: JsonError) -> None:
        message = f"is not JSON: {error}"
        self._failed = _unusable(self._path, message, error.line, error.column)

    def catalogue(self) -> Catalogue:
        """What all the parts hold."""
        try:
            rest = self._lifter.finish() if self._failed is None else ""
        except JsonError as error:
            self._fail(error)
        if self._failed is not None:
            return self._failed
        if self._lifter.too_large:
            return _unusable(self._path, f"has more than {_REST:,} characters beside its tools")
        value = jsontext.loads(rest)
        if not isinstance(value, Mapping):
            return _unusable(self._path, "holds no JSON object")
        if "tools" in value and "servers" not in value:
            server = self._server(self._name, value)
            return Catalogue(servers=MappingProxyType({self._name: server}), version=1)
        if not {"servers", "native"} & value.keys():
            return _unusable(self._path, 'has neither "servers" nor "tools"')
        return self._whole(value)

    def _whole(self, value: Mapping[str, Any]) -> Catalogue:
        problems: list[Problem] = []
        version = value.get("version", VERSION)
        if version != VERSION:
            message = f"has version {version!r}, not {VERSION}; it may be misread"
            problems.append(_problem(self._path, message))
        native = value.get("native", {})
        native_tools: tuple[Tool, ...] = ()
        if isinstance(native, Mapping):
            found = self._server("", native) if native else Server("")
            native_tools = found.tools
            problems += (replace(problem, server=None) for problem in found.problems)
        else:
            problems.append(_problem(self._path, 'has a "native" that is no object'))
        servers: dict[str, Server] = {}
        entries = value.get("servers", {})
        if isinstance(entries, Mapping):
            servers = {raw: self._server(raw, entry) for raw, entry in entries.items()}
        else:
            problems.append(_problem(self._path, 'has "servers" that are no object'))
        return Catalogue(MappingProxyType(servers), native_tools, tuple(problems), version=1)

    def _server(self, raw: str, entry: Any) -> Server:
        tools = entry.get("tools") if isinstance(entry, Mapping) else None
        if isinstance(tools, list):
            (token,) = tools
            reader = self._readers[int(token)]
        else:
            reader = self._reader(raw)
            message = f"{safe_text.escaped_name(raw)} has no list of tools"
            reader.problems.append(Problem("snapshot", message, server=raw, path=self._path))
        return Server(
            raw=raw,
            tools=tuple(reader.tools.values()),
            state=ServerState.SNAPSHOT,
            problems=tuple(reader.problems),
            path=self._path,
        )


def dump_snapshot(catalogue: Catalogue) -> str:
    """The text of a snapshot file: the same for the same tools, and kind to a diff.

    Only names and tools are written, no state, time, address or problem.
    """
    return "".join(_written(catalogue))


def save_snapshot(catalogue: Catalogue, path: Path) -> None:
    """Write `catalogue` to `path`, whole or not at all.

    Raises:
        OSError: when it cannot be written.

    """
    write_atomically(path, _written(catalogue))


def _written(catalogue: Catalogue) -> Iterator[str]:
    """The text of a snapshot file, tool by tool."""
    yield f'{{\n "version": {VERSION},'
    if catalogue.native:
        yield '\n "native": {'
        yield from _written_tools(catalogue.native, 2)
        yield "\n },"
    yield '\n "servers": {'
    separator = ""
    for raw in sorted(catalogue.servers):
        yield f"{separator}\n  {json.dumps(raw)}: {{"
        yield from _written_tools(catalogue.servers[raw].tools, 3)
        yield "\n  }"
        separator = ","
    yield "\n }\n}\n" if separator else "}\n}\n"


def _written_tools(tools: Iterable[Tool], depth: int) -> Iterator[str]:
    margin = "\n" + " " * depth
    yield f'{margin}"tools": ['
    separator = ""
    for tool in tools:
        # No line break stands in a string, so each is one of the layout.
        text = json.dumps(listing.to_json(tool), indent=1).replace("\n", f"{margin} ")
        yield f"{separator}{margin} {text}"
        separator = ","
    yield f"{margin}]" if separator else "]"


def merge(catalogues: Iterable[Catalogue]) -> Catalogue:
    """Several catalogues as one; of two servers with one name the first stands, with a problem."""
    servers: dict[str, Server] = {}
    native: dict[str, Tool] = {}
    problems: list[Problem] = []
    for catalogue in catalogues:
        problems += catalogue.problems
        for raw, server in catalogue.servers.items():
            if raw in servers:
                shown = safe_text.escaped_name(raw)
                message = f"{shown} is in two snapshots; the first one stands"
                problems.append(Problem("duplicate-server", message, server=raw))
            else:
                servers[raw] = server
        for tool in catalogue.native:
            native.setdefault(tool.raw, tool)
    return Catalogue(MappingProxyType(servers), tuple(native.values()), tuple(problems), version=1)


def _problem(path: str | None, message: str, line: int = 0, column: int = 0) -> Problem:
    shown = safe_text.one_line(path or "the snapshot")
    return Problem("snapshot", f"{shown} {message}", path=path, line=line, column=column)


def _unusable(path: str | None, message: str, line: int = 0, column: int = 0) -> Catalogue:
    return Catalogue(problems=(_problem(path, message, line, column),), version=1)
