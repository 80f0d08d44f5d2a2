"""Completion after a dot: servers after `mcp.`, tools after a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from codeact_lsp import text
from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from codeact_lsp.ide.completion.items import (
    Found,
    nothing,
    server_item,
    short_list,
    tool_item,
    tool_items,
    why_no_servers,
    why_no_tools,
)
from codeact_lsp.ide.members import why_nothing
from codeact_lsp.ide.model import Item, ItemKind, TextEdit, View
from codeact_lsp.ide.refs import Mcp, Package, Ref, Root, ServerRef
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.names import MCP, TOOL_CALL_ERROR
from codeact_lsp.syntax.context import AttributeName
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.private_names import read_as


def attribute_name(view: View, place: AttributeName) -> Found:
    """What stands behind `value.`; the raw spelling finds a tool as well as its name does."""
    refs = resolve(view, place.value)
    if place.raw_prefix != place.prefix:
        raw = _members(view, refs, place, place.raw_prefix, place.raw_span)
        if raw.items:
            return raw
    return _members(view, refs, place, place.prefix, place.span)


def _members(
    view: View, refs: tuple[Ref, ...], place: AttributeName, typed: str, span: Span
) -> Found:
    holders = [ref for ref in refs if isinstance(ref, Package | Root | Mcp | ServerRef)]
    if not holders:
        return nothing(why_nothing(refs))
    found = [_of(view, holder, place, typed, span) for holder in holders]
    items = tuple({item.label: item for one in found for item in one.items}.values())
    return Found(items, span, any(one.incomplete for one in found), found[0].empty)


def _of(
    view: View,
    holder: Package | Root | Mcp | ServerRef,
    place: AttributeName,
    typed: str,
    span: Span,
) -> Found:
    source = view.document.text[place.value.span.start : place.value.span.end]
    dropped = (TextEdit(Span(place.value.span.start, span.start), ""),)

    def reached(item: Item, name: str | None, raw: str) -> Item:
        """The item, or what it takes to reach a thing without a usable name."""
        if name is not None and read_as(view.document, name, span.start) == name:
            return item
        return replace(item, text=f"getattr({source}, {text.literal(raw)})", edits=dropped)

    match holder:
        case Package(path):
            parts = dict.fromkeys(
                root[len(path) + 1 :].split(".")[0]
                for root in view.settings.bindings_modules
                if root.startswith(f"{path}.")
            )
            return short_list((Item(part, ItemKind.MODULE, part) for part in parts), typed, span)
        case Root():
            items = [
                Item(MCP, ItemKind.MODULE, MCP),
                *(
                    reached(tool_item(tool, typed), tool.name, tool.raw)
                    for tool in view.bindings.native
                ),
                Item(TOOL_CALL_ERROR, ItemKind.CLASS, TOOL_CALL_ERROR),
            ]
            return short_list(items, typed, span)
        case Mcp():
            servers = [
                reached(server_item(server, typed), server.name, server.raw)
                for server in view.bindings.servers
            ]
            return short_list(servers, typed, span, why_no_servers(view.bindings))
        case ServerRef(server):
            return _tools(view, server, typed, span, reached)


def _tools(
    view: View,
    server: ServerBinding,
    typed: str,
    span: Span,
    reached: Callable[[Item, str | None, str], Item],
) -> Found:
    def make(tool: ToolBinding) -> Item:
        return reached(tool_item(tool, typed), tool.name, tool.raw)

    items, more = tool_items((server,), typed, view.settings.limit, make)
    return Found(items, span, more, why_no_tools(server))
