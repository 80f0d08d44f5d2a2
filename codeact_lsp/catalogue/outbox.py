"""What the editor's process is told, and only what it does not know already.

Servers change faster than a slow editor reads, so what is sent is what holds when the pipe has room
again, and never each step on the way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Final

from codeact_lsp.catalogue.messages import (
    Configured,
    FromChild,
    Log,
    NativeUpdate,
    Problems,
)
from codeact_lsp.catalogue.model import Problem, Server, Tool
from codeact_lsp.catalogue.parts import listing_messages, server_update

_LOG_LINES: Final = 500
_LOG_CHARACTERS: Final = 128 * 1024
_LOG_WINDOW: Final = 10.0
_LOG_LINE: Final = 4_000


class Outbox:
    """Collects what is to be said; `messages` says it."""

    def __init__(self) -> None:
        self._servers: dict[str, Server] = {}
        self._sent: dict[str, Server] = {}
        self._known: dict[str | None, dict[str, Tool]] = {}
        self._dirty: dict[str, None] = {}
        self._speaking: dict[str | None, Iterator[FromChild]] = {}
        self._native: tuple[Tool, ...] | None = None
        self._problems: tuple[Problem, ...] | None = None
        self._configured: Configured | None = None
        self._plain: deque[FromChild] = deque()
        self._gates: dict[str | None, _LogGate] = {}
        self._ready = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()

    def configured(self, message: Configured) -> None:
        """Say which servers there are; forget the others."""
        self._configured = message
        for raw in set(self._servers) - set(message.servers):
            for table in (self._servers, self._sent, self._known, self._dirty, self._speaking):
                table.pop(raw, None)
        self._wake()

    def server(self, server: Server) -> None:
        """Say how a server is now."""
        self._servers[server.raw] = server
        self._dirty[server.raw] = None
        self._wake()

    def native(self, tools: tuple[Tool, ...]) -> None:
        """Say which native tools there are."""
        self._native = tools
        self._wake()

    def problems(self, problems: tuple[Problem, ...]) -> None:
        """Say which problems belong to no server."""
        self._problems = problems
        self._wake()

    def plain(self, message: FromChild) -> None:
        """Say something that is said as it is."""
        self._plain.append(message)
        self._wake()

    def log(self, server: str | None, level: str, text: str) -> None:
        """Say a line for a log, unless there have been too many."""
        gate = self._gates.setdefault(server, _LogGate())
        for line in gate.lines(text, asyncio.get_running_loop().time()):
            self.plain(Log(line, server, level))

    def _wake(self) -> None:
        self._ready.set()
        self._quiet.clear()

    async def quiet(self) -> None:
        """Wait until everything has been said that is to be said now."""
        await self._quiet.wait()

    async def messages(self) -> AsyncIterator[FromChild]:
        """All that is to be said, for ever; the next is made when it is asked for."""
        while True:
            await self._ready.wait()
            self._ready.clear()
            while (message := self._next()) is not None:
                yield message
            self._quiet.set()

    def _next(self) -> FromChild | None:
        if self._plain:
            return self._plain.popleft()
        if self._configured is not None:
            configured, self._configured = self._configured, None
            return configured
        if self._problems is not None:
            problems, self._problems = self._problems, None
            return Problems(problems)
        if self._native is not None and None not in self._speaking:
            native, self._native = self._native, None
            self._speaking[None] = self._native_messages(native)
        # What is being said is said to its end: a server that changes all the time would else never
        # come to it.
        for raw in [raw for raw in self._dirty if raw not in self._speaking]:
            del self._dirty[raw]
            self._speaking[raw] = self._server_messages(self._servers[raw])
        for key, messages in self._speaking.items():
            del self._speaking[key]
            message = next(messages, None)
            if message is None:
                # It may have changed meanwhile.
                return self._next()
            # One part each in turn, so that nobody waits for another's long listing.
            self._speaking[key] = messages
            return message
        return None

    def _server_messages(self, server: Server) -> Iterator[FromChild]:
        sent = self._sent.get(server.raw)
        if sent is not None and sent.tools == server.tools:
            if sent != server:
                yield server_update(server, None)
        else:
            known = self._known.get(server.raw, {})
            yield from listing_messages(server.raw, server.tools, known)
            yield server_update(server, len(server.tools))
            self._known[server.raw] = {tool.digest: tool for tool in server.tools}
        self._sent[server.raw] = server

    def _native_messages(self, tools: tuple[Tool, ...]) -> Iterator[FromChild]:
        yield from listing_messages(None, tools, self._known.get(None, {}))
        yield NativeUpdate(len(tools))
        self._known[None] = {tool.digest: tool for tool in tools}


class _LogGate:
    """Lets so many lines through in a time, and then says how many it kept back."""

    def __init__(self) -> None:
        self._since = float("-inf")
        self._lines = 0
        self._characters = 0
        self._kept_back = 0

    def lines(self, text: str, now: float) -> Iterator[str]:
        if now - self._since >= _LOG_WINDOW:
            if self._kept_back:
                yield f"({self._kept_back:,} lines were left out)"
            self._since, self._lines, self._characters, self._kept_back = now, 0, 0, 0
        line = text if len(text) <= _LOG_LINE else f"{text[:_LOG_LINE]}…"
        self._lines += 1
        self._characters += len(line)
        if self._lines > _LOG_LINES or self._characters > _LOG_CHARACTERS:
            if not self._kept_back:
                yield "(there is too much to log; lines are left out)"
            self._kept_back += 1
            return
        yield line


def mark_changed(server: Server, seen: dict[str, str]) -> Server:
    """`server` with `changed` set on the tools whose definition is not the one that was seen.

    A tool that was never there before counts as seen.
    """
    tools = []
    for tool in server.tools:
        changed = seen.setdefault(tool.raw, tool.digest) != tool.digest
        tools.append(tool if tool.changed == changed else replace(tool, changed=changed))
    return replace(server, tools=tuple(tools))
