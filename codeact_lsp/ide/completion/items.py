"""Completion items and the lists that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from codeact_lsp import text
from codeact_lsp.bindings.model import Bindings, ServerBinding, ToolBinding
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.ide import matching
from codeact_lsp.ide.model import Answer, Empty, Item, ItemKind, ItemList, Target
from codeact_lsp.syntax.expressions import Span

_INDEXES_KEPT: Final = 2_048
_indexes: dict[int, tuple[ServerBinding, matching.Names[ToolBinding]]] = {}


@dataclass(frozen=True, slots=True)
class Found:
    """Items, best first, for what `span` holds; or why there are none."""

    items: tuple[Item, ...]
    span: Span
    incomplete: bool = False
    empty: Empty = Empty.NOTHING_MATCHES


def nothing(why: Empty) -> Found:
    """No item, and why."""
    return Found((), Span(0, 0), empty=why)


def answer(found: Found, offset: int, limit: int) -> Answer[ItemList]:
    """The list that the editor is sent: at most `limit` items, in an order that the client keeps."""
    if not found.items:
        return Answer(None, found.empty)
    # " !" sorts before the letters and digits that other servers start their sort texts with, also after the space of
    # ty's: what they list of a type that they do not know comes after what is there.
    items = tuple(
        item if item.sort_text else replace(item, sort_text=f" !{position:05}")
        for position, item in enumerate(found.items[:limit])
    )
    incomplete = found.incomplete or len(found.items) > limit
    return Answer(ItemList(items, found.span, offset, incomplete))


def short_list(
    candidates: Iterable[Item], typed: str, span: Span, empty: Empty = Empty.NOTHING_MATCHES
) -> Found:
    """The items that fit what was typed, among equals in the order given."""
    pairs = [(item.filter_text or item.label, item) for item in candidates]
    why = Empty.NOTHING_MATCHES if pairs else empty
    return Found(matching.order(pairs, typed), span, empty=why)


def filter_text(name: str, raw: str, typed: str) -> str:
    """What the client compares with what was typed.

    Clients that compare starts only need the spelling first that the person is typing.
    """
    if name == raw:
        return name
    starts_raw = raw.startswith(typed) and not name.startswith(typed)
    return f"{raw} {name}" if starts_raw else f"{name} {raw}"


def tool_index(server: ServerBinding) -> matching.Names[ToolBinding]:
    """The tools of a server by what may be typed for them; made once for each listing."""
    known = _indexes.get(id(server))
    if known is not None and known[0] is server:
        return known[1]
    index = matching.names((tool.name or tool.raw, tool) for tool in server.tools)
    if len(_indexes) >= _INDEXES_KEPT:
        for old in list(islice(_indexes, _INDEXES_KEPT // 2)):
            _indexes.pop(old, None)
    _indexes[id(server)] = (server, index)
    return index


def tool_items(
    servers: Iterable[ServerBinding],
    typed: str,
    limit: int,
    make: Callable[[ToolBinding], Item | None],
) -> tuple[tuple[Item, ...], bool]:
    """The items of the tools that fit what was typed, at most `limit`, and whether there are more."""
    fitting, more = matching.best([*map(tool_index, servers)], typed, limit)
    return tuple(item for item in map(make, fitting) if item is not None), more


def tool_target(tool: ToolBinding) -> Target:
    """What describes a tool."""
    return Target(tool.server, tool.raw)


def tool_item(tool: ToolBinding, typed: str) -> Item:
    """A tool under its name, or under its raw name where it has none."""
    label = tool.name or tool.raw
    return Item(
        label=text.escaped_name(label),
        kind=ItemKind.TOOL,
        text=label,
        description=text.escaped_name(tool.raw) if tool.name != tool.raw else "",
        filter_text=filter_text(label, tool.raw, typed),
        target=tool_target(tool),
    )


def server_item(server: ServerBinding, typed: str) -> Item:
    """A server under its name; one that is not there says so."""
    label = server.name or server.raw
    state = server.server.state
    said = "" if state in {ServerState.READY, ServerState.SNAPSHOT} else str(state)
    renamed = text.escaped_name(server.raw) if server.name != server.raw else ""
    return Item(
        label=text.escaped_name(label),
        kind=ItemKind.SERVER,
        text=label,
        description=", ".join(word for word in (renamed, said) if word),
        filter_text=filter_text(label, server.raw, typed),
        target=Target(server.raw),
    )


def why_no_tools(server: ServerBinding) -> Empty:
    """Why a server offers nothing."""
    if server.server.state is ServerState.NOT_APPROVED:
        return Empty.SERVER_NOT_APPROVED
    return Empty.NOTHING_MATCHES if server.tools else Empty.SERVER_HAS_NO_TOOLS


def why_no_servers(bindings: Bindings) -> Empty:
    """Why `mcp` offers nothing."""
    return Empty.NOTHING_MATCHES if bindings.servers else Empty.CATALOGUE_EMPTY
