"""Completion in import statements."""

from __future__ import annotations

from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from codeact_lsp.ide.aliases import bare_alias
from codeact_lsp.ide.completion.items import (
    Found,
    filter_text,
    nothing,
    server_item,
    short_list,
    tool_item,
    tool_items,
    why_no_servers,
    why_no_tools,
)
from codeact_lsp.ide.members import resolve_module, why_nothing
from codeact_lsp.ide.model import Empty, Item, ItemKind, View
from codeact_lsp.ide.refs import Mcp, Package, Root, ServerRef
from codeact_lsp.names import MCP, TOOL_CALL_ERROR
from codeact_lsp.syntax.context import ImportName, ModulePath
from codeact_lsp.syntax.private_names import read_as


def module_path(view: View, place: ModulePath) -> Found:
    """The next part of a dotted module."""
    if place.level:
        return nothing(Empty.NO_BINDING_HERE)
    if not place.parent:
        heads = dict.fromkeys(root.split(".")[0] for root in view.settings.bindings_modules)
        return short_list(map(_module, heads), place.prefix, place.span)
    holder = resolve_module(view, place.parent)[0]
    match holder:
        case Package(path):
            return short_list(map(_module, _parts(view, path)), place.prefix, place.span)
        case Root():
            return short_list([_module(MCP)], place.prefix, place.span)
        case Mcp():
            return _servers(view, place.prefix, place, ())
        case _:
            return nothing(why_nothing((holder,)))


def imported_name(view: View, place: ImportName) -> Found:
    """A name after `import`."""
    if place.level:
        return nothing(Empty.NO_BINDING_HERE)
    holder = resolve_module(view, place.module)[0]
    given = frozenset(place.given)
    match holder:
        case Package(path):
            modules = (_module(part) for part in _parts(view, path) if part not in given)
            return short_list(modules, place.prefix, place.span)
        case Root():
            return short_list(_root_items(view, place), place.prefix, place.span)
        case Mcp():
            return _servers(view, place.prefix, place, place.given)
        case ServerRef(server):
            return _tools(view, server, place)
        case _:
            return nothing(why_nothing((holder,)))


def _parts(view: View, path: str) -> tuple[str, ...]:
    """What may follow the dot after `path` on the way to a bindings module."""
    following = (
        root[len(path) + 1 :].split(".")[0]
        for root in view.settings.bindings_modules
        if root.startswith(f"{path}.")
    )
    return tuple(dict.fromkeys(following))


def _module(name: str) -> Item:
    return Item(name, ItemKind.MODULE, name)


def _root_items(view: View, place: ImportName) -> list[Item]:
    items = [
        Item(MCP, ItemKind.MODULE, MCP),
        *(_importable(tool, place) for tool in view.bindings.native if tool.name),
        Item(TOOL_CALL_ERROR, ItemKind.CLASS, TOOL_CALL_ERROR),
    ]
    return [item for item in items if item.text.split(" ")[0] not in place.given]


def _servers(
    view: View, typed: str, place: ModulePath | ImportName, given: tuple[str, ...]
) -> Found:
    items = [
        server_item(server, typed)
        for server in view.bindings.servers
        if server.name is not None and server.name not in given
    ]
    return short_list(items, typed, place.span, why_no_servers(view.bindings))


def _tools(view: View, server: ServerBinding, place: ImportName) -> Found:
    given = frozenset(place.given)

    def make(tool: ToolBinding) -> Item | None:
        if tool.name is None or tool.name in given:
            return None
        if read_as(view.document, tool.name, place.span.start) != tool.name:
            return None
        return _importable(tool, place)

    items, more = tool_items((server,), place.prefix, view.settings.limit, make)
    return Found(items, place.span, more, why_no_tools(server))


def _importable(tool: ToolBinding, place: ImportName) -> Item:
    """A tool as it is written after `import`: with an alias where its own name would hide another."""
    item = tool_item(tool, place.prefix)
    name = tool.name or tool.raw
    alias = bare_alias(tool)
    if alias == name or place.aliased:
        return item
    both = f"{name} as {alias}"
    return Item(
        label=both,
        kind=item.kind,
        text=both,
        description=item.description,
        filter_text=filter_text(name, tool.raw, place.prefix),
        target=item.target,
    )
