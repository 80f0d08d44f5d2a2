"""Members of what the catalogue holds: modules, servers, tools. No expression is looked at here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.ide.model import Empty, View
from codeact_lsp.ide.refs import (
    OTHER,
    ErrorClass,
    External,
    Mcp,
    Other,
    Package,
    Ref,
    Refs,
    Root,
    ServerRef,
    ToolRef,
    UnknownServer,
    UnknownTool,
    Value,
)
from codeact_lsp.names import MCP, TOOL_CALL_ERROR

UNKNOWN: Final[Refs] = (OTHER,)
WIDTH: Final = 16
"""The most things that one expression may mean at once."""


def resolve_module(view: View, dotted: str) -> Refs:
    """What `import dotted` gives, for a module path without leading dots."""
    for root in view.settings.bindings_modules:
        if dotted == root:
            return (Root(root),)
        if root.startswith(f"{dotted}."):
            return (Package(dotted),)
        if dotted.startswith(f"{root}."):
            refs: Refs = (Root(root),)
            for part in dotted[len(root) + 1 :].split("."):
                refs = attribute(view, refs, part)
            return refs
    return (External(dotted),)


def attribute(view: View, refs: Refs, name: str) -> Refs:
    """What `.name` gives on any of `refs`."""
    return together(member(view, ref, name) for ref in refs)


def why_nothing(refs: Refs) -> Empty:
    """Why an expression that is `refs` has nothing to show."""
    for ref in refs:
        match ref:
            case UnknownServer():
                return Empty.UNKNOWN_SERVER
            case UnknownTool(server) if server is not None and (
                server.server.state is ServerState.NOT_APPROVED
            ):
                return Empty.SERVER_NOT_APPROVED
            case UnknownTool():
                return Empty.UNKNOWN_TOOL
            case _:
                pass
    return Empty.NO_BINDING_HERE


def together(several: Iterable[Refs]) -> Refs:
    """All of them, without duplicates; `OTHER` when there are none, or too many to follow."""
    every = list(several)
    if len(every) == 1 and len(every[0]) == 1:
        return every[0]
    found: list[Ref] = []
    for refs in every:
        found += (ref for ref in refs if not any(_same(ref, one) for one in found))
    return tuple(found) if 0 < len(found) <= WIDTH else UNKNOWN


def _same(one: Ref, other: Ref) -> bool:
    match one, other:
        # Bindings hold whole listings, so comparing them by value would read all of those.
        case (ToolRef(tool, given), ToolRef(another, others)):
            return tool is another and given == others
        case (ServerRef(server), ServerRef(another_server)):
            return server is another_server
        case (Value(tool, of, path), Value(another, another_type, another_path)):
            return tool is another and path == another_path and of == another_type
        case (
            (Other() | External() | Package() | Root() | Mcp() | ErrorClass() | UnknownServer()),
            _,
        ):
            return one == other
        case _:
            return one is other


def member(view: View, ref: Ref, name: str) -> Refs:
    """What `.name` gives on `ref`."""
    bindings = view.bindings
    match ref:
        case Package(path):
            return resolve_module(view, f"{path}.{name}")
        case External(path):
            return (External(f"{path}.{name}"),)
        case Root():
            return _root_member(view, name)
        case Mcp():
            server = bindings.servers_by_name.get(name)
            return (UnknownServer(name),) if server is None else (ServerRef(server),)
        case ServerRef(server):
            tool = server.by_name.get(name)
            return (UnknownTool(server, name),) if tool is None else (ToolRef(tool),)
        case _:
            return UNKNOWN


def _root_member(view: View, name: str) -> Refs:
    if name == MCP:
        return (Mcp(),)
    if name == TOOL_CALL_ERROR:
        return (ErrorClass(),)
    tool = view.bindings.native_by_name.get(name) or view.bindings.flat.get(name)
    return (UnknownTool(None, name),) if tool is None else (ToolRef(tool),)


def raw_attribute(view: View, ref: Ref, raw: str) -> Refs:
    """What `getattr(ref, raw)` gives: raw names first, then Python names."""
    bindings = view.bindings
    found: ToolBinding | ServerBinding | None = None
    match ref:
        case Mcp():
            found = bindings.servers_by_raw.get(raw)
        case ServerRef(server):
            found = server.by_raw.get(raw)
        case Root():
            found = bindings.native_by_raw.get(raw) or bindings.flat.get(raw)
        case _:
            pass
    match found:
        case ServerBinding():
            return (ServerRef(found),)
        case ToolBinding():
            return (ToolRef(found),)
        case None:
            return member(view, ref, raw)
