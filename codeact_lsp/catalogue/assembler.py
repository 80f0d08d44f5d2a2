"""The messages of the catalogue process put together into catalogues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from codeact_lsp.catalogue.messages import (
    Configured,
    FromChild,
    Hello,
    Listing,
    MessageError,
    NativeUpdate,
    Problems,
    ServerUpdate,
)
from codeact_lsp.catalogue.model import EMPTY, Catalogue, Problem, Server, ServerState, Tool

LIVE = frozenset(
    {
        ServerState.STARTING,
        ServerState.LISTING,
        ServerState.READY,
        ServerState.ASLEEP,
        ServerState.RECONNECTING,
    }
)
"""States that only a running catalogue process can vouch for."""


class Assembler:
    """Turns a stream of messages into successive catalogues, each immutable.

    A message costs its own size; a catalogue shares everything that did not change with the one
    before it.
    """

    def __init__(self, start: Catalogue = EMPTY) -> None:
        self.catalogue = start
        self._staged: dict[str | None, list[Tool]] = {}
        self._known: dict[str | None, Mapping[str, Tool]] = {}

    def feed(self, message: FromChild) -> bool:
        """Take one message in; whether `catalogue` is a new one now.

        Raises:
            MessageError: when a part of a listing is missing or a digest is unknown. What was
                there before stays.

        """
        match message:
            case Hello():
                # A new child knows nothing of what the one before it had sent.
                self._staged.clear()
                self._known.clear()
                return False
            case Configured():
                return self._keep_only(message.servers)
            case Listing():
                self._stage(message)
                return False
            case ServerUpdate():
                return self._update(message)
            case NativeUpdate():
                return self._next(native=self._take(None, message.tools))
            case Problems():
                return self._next(problems=message.problems)
            case _:
                return False

    def mark_stale(self) -> bool:
        """Say of every live server that nobody vouches for it now, as when the child died."""
        servers = {
            raw: replace(server, state=ServerState.RECONNECTING, stale=True)
            if server.state in LIVE
            else server
            for raw, server in self.catalogue.servers.items()
        }
        return self._next(servers=MappingProxyType(servers))

    def _stage(self, message: Listing) -> None:
        if message.first:
            self._staged[message.server] = []
        elif message.server not in self._staged:
            raise MessageError(f"a listing of {message.server!r} without its first part")
        staged = self._staged[message.server]
        known = self._known.get(message.server, {})
        for item in message.items:
            tool = known.get(item) if isinstance(item, str) else item
            if tool is None:
                del self._staged[message.server]
                raise MessageError(f"unknown digest in a listing of {message.server!r}")
            staged.append(tool)

    def _take(self, server: str | None, count: int) -> tuple[Tool, ...]:
        tools = tuple(self._staged.pop(server, ()))
        if len(tools) != count:
            raise MessageError(f"{len(tools)} of {count} tools of {server!r} arrived")
        self._known[server] = {tool.digest: tool for tool in tools}
        return tools

    def _update(self, message: ServerUpdate) -> bool:
        raw = message.server.raw
        before = self.catalogue.servers.get(raw)
        if message.tools is not None:
            tools = self._take(raw, message.tools)
        else:
            tools = () if before is None else before.tools
        server = replace(message.server, tools=tools)
        return self._next(servers=MappingProxyType({**self.catalogue.servers, raw: server}))

    def _keep_only(self, raws: Sequence[str]) -> bool:
        wanted = set(raws)
        kept = {raw: s for raw, s in self.catalogue.servers.items() if raw in wanted}
        for raw in self.catalogue.servers.keys() - wanted:
            self._staged.pop(raw, None)
            self._known.pop(raw, None)
        return self._next(servers=MappingProxyType(kept))

    def _next(
        self,
        *,
        servers: Mapping[str, Server] | None = None,
        native: tuple[Tool, ...] | None = None,
        problems: tuple[Problem, ...] | None = None,
    ) -> bool:
        now = self.catalogue
        new = replace(
            now,
            servers=now.servers if servers is None else servers,
            native=now.native if native is None else native,
            problems=now.problems if problems is None else problems,
        )
        if new == now:
            return False
        self.catalogue = replace(new, version=now.version + 1)
        return True
