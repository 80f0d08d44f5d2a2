"""Completion of a bare name: tools that are not imported yet, with their import."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from codeact_lsp import text
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.ide import aliases, matching
from codeact_lsp.ide.aliases import bare_alias
from codeact_lsp.ide.completion.items import (
    Found,
    filter_text,
    nothing,
    tool_items,
    tool_target,
)
from codeact_lsp.ide.insertion import import_edit, import_place
from codeact_lsp.ide.model import Empty, Item, ItemKind, View
from codeact_lsp.ide.refs import ToolRef
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.names import MCP
from codeact_lsp.syntax.expressions import Name, Span
from codeact_lsp.syntax.logical import STAR
from codeact_lsp.syntax.private_names import read_as
from codeact_lsp.syntax.scopes import visible_names

_RAW: Final = re.compile(r"""(?<![\w.\-)\]}"'])[^\W\d]\w*(?:-\w*)+$""")
_REST: Final = re.compile(r"[\w-]*")
_LONGEST: Final = 1_000
"""More code points than a raw name has."""


def raw_name(view: View, offset: int) -> Found | None:
    """Tools by the start of a raw name, which Python reads as a subtraction: `API-po‸`."""
    source = view.document.text
    match = _RAW.search(source[max(0, offset - _LONGEST) : offset])
    if match is None or match.group().split("-")[0] in visible_names(view.chain, offset):
        return None
    typed = match.group()
    rest = _REST.match(source, offset)
    assert rest is not None  # it matches the empty text too
    found = bare_name(view, typed, Span(offset - len(typed), rest.end()), offset)
    items = tuple(
        item
        for item in found.items
        if item.target is not None and (item.target.tool or "").startswith(typed)
    )
    return replace(found, items=items) if items else None


def bare_name(view: View, prefix: str, span: Span, offset: int) -> Found:
    """Tools by what was typed of their names, below what the file itself defines.

    A tool whose name is taken by something else is offered as `<server>_<name>`.
    """
    bindings = view.bindings
    if not bindings.servers and not bindings.native:
        return nothing(Empty.CATALOGUE_EMPTY)
    if not prefix:
        return nothing(Empty.NOTHING_TYPED)
    taken = visible_names(view.chain, offset)
    starred = any(STAR in page.names for document in view.chain for page in document.pages)
    root = view.settings.bindings_modules[0] if view.settings.bindings_modules else None
    if root is None:
        return nothing(Empty.NO_BINDING_HERE)

    place_of_imports = import_place(view.document, span.start)

    def make(tool: ToolBinding) -> Item | None:
        name = tool.name
        if name is None or (tool.server is not None and tool.server_name is None):
            return None
        if read_as(view.document, name, span.start) != name:
            return None
        alias = bare_alias(tool)
        if (starred or alias in taken) and _is_held(view, tool, alias, offset):
            return None
        if alias in taken:
            alias = aliases.qualified(tool)
        if alias in taken:
            return None
        module = root if tool.server is None else f"{root}.{MCP}.{tool.server_name}"
        written = name if alias == name else f"{name} as {alias}"
        where = text.escaped_name(tool.server) if tool.server is not None else ""
        return Item(
            label=alias,
            kind=ItemKind.TOOL,
            text=alias,
            description=where,
            filter_text=filter_text(alias, tool.raw, prefix),
            edits=(import_edit(place_of_imports, module, written),),
            target=tool_target(tool),
        )

    items, more = tool_items(bindings.servers, prefix, view.settings.limit, make)
    natives = [item for item in map(make, bindings.native) if item is not None]
    items = matching.order([(item.label, item) for item in natives], prefix) + items
    if MCP not in taken and matching.order([(MCP, MCP)], prefix) and bindings.servers:
        edit = import_edit(place_of_imports, root, MCP)
        items = (Item(MCP, ItemKind.MODULE, MCP, edits=(edit,)), *items)
    # "~" sorts behind the letters and digits that other servers start their sort texts with.
    last = tuple(replace(item, sort_text=f"~{position:05}") for position, item in enumerate(items))
    return Found(last, span, more)


def _is_held(view: View, tool: ToolBinding, name: str, offset: int) -> bool:
    """Whether `name` already means `tool`."""
    # Every name is asked about at one place, which the view's own memory would take for one name.
    asked = replace(view, resolved={})
    refs = resolve(asked, Name(Span(offset, offset), name))
    return any(isinstance(ref, ToolRef) and ref.tool is tool for ref in refs)
