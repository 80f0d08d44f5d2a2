"""A catalogue's names as Python: which attribute reaches which server and tool.

No schema is parsed here, and what did not change is taken over from the bindings before, so a
listing of ten thousand tools costs its own names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from codeact_lsp import names, text
from codeact_lsp.bindings.model import (
    BINDINGS_MODULE,
    NO_BINDINGS,
    Bindings,
    ServerBinding,
    ToolBinding,
)
from codeact_lsp.catalogue.model import Catalogue, Server, Tool
from codeact_lsp.names import Spelling


def bind(
    catalogue: Catalogue,
    *,
    fold_characters: str = names.DEFAULT_FOLD,
    previous: Bindings | None = None,
) -> Bindings:
    """Every name that `catalogue` has in Python.

    Servers of `previous` whose tools and names are the same objects as now are taken over.
    """
    before = previous if previous and previous.fold_characters == fold_characters else NO_BINDINGS
    spellings = names.spell_servers(catalogue.servers)
    servers = tuple(
        _server(
            catalogue.servers[raw], spellings[raw], fold_characters, before.servers_by_raw.get(raw)
        )
        for raw in sorted(catalogue.servers)
    )
    native = (
        before.native
        if before.catalogue.native is catalogue.native
        else _native(catalogue.native, fold_characters)
    )
    native_by_raw = _by_raw(native)
    return Bindings(
        catalogue=catalogue,
        fold_characters=fold_characters,
        servers=servers,
        servers_by_name=MappingProxyType(
            {server.name: server for server in servers if server.name is not None}
        ),
        servers_by_raw=MappingProxyType({server.raw: server for server in servers}),
        native=native,
        native_by_name=_by_name(native),
        native_by_raw=native_by_raw,
        flat=_flat(servers, native_by_raw),
    )


def _server(
    server: Server, spelling: Spelling, fold_characters: str, before: ServerBinding | None
) -> ServerBinding:
    if before and before.spelling == spelling and before.server.tools is server.tools:
        return before if before.server is server else replace(before, server=server)
    listed = {tool.raw: tool for tool in reversed(server.tools)}
    tool_spellings = names.spell_tools(listed, fold_characters)
    module = server_path(spelling)
    tools = tuple(
        ToolBinding(
            tool=listed[raw],
            spelling=tool_spellings[raw],
            server=server.raw,
            server_name=spelling.name,
            path=_path(module, tool_spellings[raw]),
        )
        for raw in sorted(listed)
    )
    return ServerBinding(
        server=server,
        spelling=spelling,
        tools=tools,
        by_name=_by_name(tools),
        by_raw=_by_raw(tools),
    )


def _native(listing: Iterable[Tool], fold_characters: str) -> tuple[ToolBinding, ...]:
    listed = {tool.raw: tool for tool in reversed(tuple(listing))}
    spellings = names.spell_native_tools(listed, fold_characters)
    return tuple(
        ToolBinding(
            tool=listed[raw],
            spelling=spellings[raw],
            server=None,
            server_name=None,
            path=spellings[raw].name or _path(BINDINGS_MODULE, spellings[raw]),
        )
        for raw in sorted(listed)
    )


def server_path(spelling: Spelling) -> str:
    """The expression that reaches a server: `mcp.notion` or `getattr(mcp, "…")`."""
    return _path(names.MCP, spelling)


def _path(parent: str, spelling: Spelling) -> str:
    if spelling.name is not None:
        return f"{parent}.{spelling.name}"
    return f"getattr({parent}, {text.literal(spelling.raw)})"


def _by_name(tools: Iterable[ToolBinding]) -> Mapping[str, ToolBinding]:
    return MappingProxyType({tool.name: tool for tool in tools if tool.name is not None})


def _by_raw(tools: Iterable[ToolBinding]) -> Mapping[str, ToolBinding]:
    return MappingProxyType({tool.raw: tool for tool in tools})


def _flat(
    servers: Iterable[ServerBinding], native: Mapping[str, ToolBinding]
) -> Mapping[str, ToolBinding]:
    flat: dict[str, ToolBinding] = {}
    for server in servers:
        for tool in server.tools:
            flat.setdefault(names.flat_name(server.raw, tool.raw), tool)
    return MappingProxyType(
        {name: tool for name, tool in flat.items() if name not in native} if native else flat
    )
