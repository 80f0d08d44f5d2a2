"""Snapshot files: a catalogue saved as JSON, usable without starting any server.

`{"version": 1, "native": {"tools": […]}, "servers": {"notion": {"tools": […]}}}`, where `tools`
holds MCP tool objects as listed. A bare `tools/list` result is one server, named after the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue import jsontext, listing
from codeact_lsp.catalogue.files import write_atomically
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.model import Catalogue, Problem, Server, ServerState, Tool

VERSION: Final = 1


def read_snapshot(path: Path, limits: Limits = DEFAULT) -> Catalogue:
    """The catalogue in a file. It never fails: what cannot be read is a problem of the catalogue."""
    try:
        with path.open("rb") as stream:
            # One more than allowed, so that a device or a file that grows has an end here.
            data = stream.read(limits.listing_bytes + 1)
    except OSError as error:
        return _unusable(str(path), f"cannot be read: {error.strerror or error}")
    if len(data) > limits.listing_bytes:
        return _unusable(str(path), f"is larger than {limits.listing_bytes:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unusable(str(path), f"is not UTF-8 (byte {error.start})")
    return parse_snapshot(text, name=path.stem, path=str(path), limits=limits)


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
    try:
        value = jsontext.loads(text)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error.msg}"
        return _unusable(path, message, error.lineno - 1, error.colno - 1)
    except ValueError as error:
        return _unusable(path, f"is not JSON: {error}")
    if not isinstance(value, Mapping):
        return _unusable(path, "holds no JSON object")
    if "tools" in value and "servers" not in value:
        server = _server(name, value, path, limits)
        return Catalogue(servers=MappingProxyType({name: server}), version=1)
    if not {"servers", "native"} & value.keys():
        return _unusable(path, 'has neither "servers" nor "tools"')
    return _catalogue(value, path, limits)


def dump_snapshot(catalogue: Catalogue) -> str:
    """The text of a snapshot file: the same for the same tools, and kind to a diff.

    Only names and tools are written, no state, time, address or problem.
    """
    value: dict[str, Any] = {"version": VERSION}
    if catalogue.native:
        value["native"] = {"tools": [listing.to_json(tool) for tool in catalogue.native]}
    value["servers"] = {
        raw: {"tools": [listing.to_json(tool) for tool in catalogue.servers[raw].tools]}
        for raw in sorted(catalogue.servers)
    }
    return json.dumps(value, indent=1) + "\n"


def save_snapshot(catalogue: Catalogue, path: Path) -> None:
    """Write `catalogue` to `path`, whole or not at all.

    Raises:
        OSError: when it cannot be written.

    """
    write_atomically(path, dump_snapshot(catalogue))


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


def _catalogue(value: Mapping[str, Any], path: str | None, limits: Limits) -> Catalogue:
    problems: list[Problem] = []
    version = value.get("version", VERSION)
    if version != VERSION:
        problems.append(
            _problem(path, f"has version {version!r}, not {VERSION}; it may be misread")
        )
    native = value.get("native", {})
    native_tools: tuple[Tool, ...] = ()
    if isinstance(native, Mapping):
        found = _server("", native, path, limits) if native else Server("")
        native_tools = found.tools
        problems += (replace(problem, server=None) for problem in found.problems)
    else:
        problems.append(_problem(path, 'has a "native" that is no object'))
    servers: dict[str, Server] = {}
    entries = value.get("servers", {})
    if isinstance(entries, Mapping):
        for raw, entry in entries.items():
            servers[raw] = _server(raw, entry, path, limits)
    else:
        problems.append(_problem(path, 'has "servers" that are no object'))
    return Catalogue(MappingProxyType(servers), native_tools, tuple(problems), version=1)


def _server(raw: str, entry: Any, path: str | None, limits: Limits) -> Server:
    tools = entry.get("tools") if isinstance(entry, Mapping) else None
    reader = listing.Reader(raw, path, limits)
    if safe_text.is_suspicious(raw):
        reader.report("look-alike", safe_text.look_alike(raw))
    if isinstance(tools, list):
        reader.read(tools)
    else:
        message = f"{safe_text.escaped_name(raw)} has no list of tools"
        reader.problems.append(Problem("snapshot", message, server=raw, path=path))
    return Server(
        raw=raw,
        tools=tuple(reader.tools.values()),
        state=ServerState.SNAPSHOT,
        problems=tuple(reader.problems),
        path=path,
    )


def _problem(path: str | None, message: str, line: int = 0, column: int = 0) -> Problem:
    shown = safe_text.one_line(path or "the snapshot")
    return Problem("snapshot", f"{shown} {message}", path=path, line=line, column=column)


def _unusable(path: str | None, message: str, line: int = 0, column: int = 0) -> Catalogue:
    return Catalogue(problems=(_problem(path, message, line, column),), version=1)
