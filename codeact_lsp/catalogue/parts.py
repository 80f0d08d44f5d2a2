"""A server as messages: its listing in parts, then all the rest of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from codeact_lsp.catalogue.messages import Listing, ServerUpdate
from codeact_lsp.catalogue.model import Server, Text, Tool

CHUNK_BYTES: Final = 64 * 1024


def listing_messages(
    server: str | None, tools: Iterable[Tool], known: Mapping[str, Tool]
) -> Iterator[Listing]:
    """A listing in parts of about `CHUNK_BYTES`, at least one.

    Args:
        server: raw server name; None for native tools.
        tools: in the listing's order, digests unique.
        known: digest → tool as the reader has it; an equal tool travels as its digest.

    """
    items: list[Tool | str] = []
    size = 0
    first = True
    for tool in tools:
        item: Tool | str = tool.digest if known.get(tool.digest) == tool else tool
        # A guess that is right for ASCII; the limit is about latency, not about correctness.
        cost = (
            len(item) + 3
            if isinstance(item, str)
            else 200
            + len(tool.raw)
            + len(tool.description)
            + _length(tool.input_schema)
            + _length(tool.output_schema or "")
        )
        if items and size + cost > CHUNK_BYTES:
            yield Listing(server, tuple(items), first)
            items, size, first = [], 0, False
        items.append(item)
        size += cost
    yield Listing(server, tuple(items), first)


def _length(text: Text) -> int:
    # In base64 three bytes are four characters.
    return len(text) if isinstance(text, str) else len(text.data) * 4 // 3


def server_update(server: Server, tools: int | None) -> ServerUpdate:
    """The update that turns what a reader has into `server`; `tools` as in `ServerUpdate`."""
    return ServerUpdate(replace(server, tools=()), tools)
