"""Completion of string keys: of a result, and of `getattr`."""

from __future__ import annotations

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.ide import results, shapes
from codeact_lsp.ide.completion.items import (
    Found,
    nothing,
    server_item,
    short_list,
    tool_item,
    why_no_servers,
    why_no_tools,
)
from codeact_lsp.ide.describe import type_text
from codeact_lsp.ide.literals import inside
from codeact_lsp.ide.model import Empty, Item, ItemKind, Target, View
from codeact_lsp.ide.refs import Mcp, Root, ServerRef, Value
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.context import KeyRoute, StringKey
from codeact_lsp.syntax.expressions import String


def quoted(string: String | None, raw: str) -> str | None:
    """`raw` as it is written at the cursor: with quotes, or between those that are there."""
    return text.literal(raw) if string is None else inside(string, raw)


def string_key(view: View, place: StringKey) -> Found:
    """Keys that `value` has."""
    refs = resolve(view, place.value)
    if place.route is KeyRoute.GETATTR:
        return _attributes(view, refs, place)
    values = [ref for ref in refs if isinstance(ref, Value)]
    items = {item.label: item for value in values for item in _result_keys(view, value, place)}
    if items:
        return short_list(items.values(), place.prefix, place.span)
    if values:
        return nothing(Empty.RESULT_UNTYPED)
    return nothing(Empty.NO_BINDING_HERE if place.string is None else Empty.IN_STRING)


def _result_keys(view: View, value: Value, place: StringKey) -> list[Item]:
    known = details(value.tool, view.bindings.fold_characters)
    items = []
    for field in shapes.fields(value.type, results.shapes_of(view.bindings, value)):
        written = quoted(place.string, field.raw)
        if written is None:
            continue
        items.append(
            Item(
                label=text.escaped_name(field.raw),
                kind=ItemKind.KEY,
                text=written,
                detail=f": {type_text(field.type, known)}",
                description="" if field.required else "optional",
                filter_text=field.raw,
                deprecated=field.deprecated,
                target=Target(
                    value.tool.server, value.tool.raw, (*value.path, field.raw), result=True
                ),
            )
        )
    return items


def _attributes(view: View, refs: tuple[object, ...], place: StringKey) -> Found:
    """Raw names, which `getattr` takes whatever characters they hold."""
    named: list[tuple[str, Item]] = []
    empty = Empty.NO_BINDING_HERE
    for ref in refs:
        match ref:
            case ServerRef(server):
                named += ((tool.raw, tool_item(tool, place.prefix)) for tool in server.tools)
                empty = why_no_tools(server)
            case Mcp():
                named += (
                    (server.raw, server_item(server, place.prefix))
                    for server in view.bindings.servers
                )
                empty = why_no_servers(view.bindings)
            case Root():
                named += (
                    (tool.raw, tool_item(tool, place.prefix)) for tool in view.bindings.native
                )
                empty = why_no_servers(view.bindings)
            case _:
                pass
    items = []
    for raw, item in named:
        written = quoted(place.string, raw)
        if written is not None:
            items.append(
                Item(
                    label=text.escaped_name(raw),
                    kind=item.kind,
                    text=written,
                    filter_text=raw,
                    target=item.target,
                )
            )
    return short_list(items, place.prefix, place.span, empty)
