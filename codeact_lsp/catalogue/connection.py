"""One server: connect, list, hear of changes, list again, connect again; one task owns it all."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import anyio
from mcp import Client, MCPError
from mcp.client.subscriptions import SubscriptionLost
from mcp_types import CONNECTION_CLOSED, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import DEFAULT as DEFAULT_LIMITS
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.model import Server, ServerState
from codeact_lsp.catalogue.pace import DEFAULT as DEFAULT_TIMING
from codeact_lsp.catalogue.pace import Pace, Timing, backoff
from codeact_lsp.catalogue.pages import Listed, ListingError, list_tools
from codeact_lsp.catalogue.remote import Seen
from codeact_lsp.catalogue.stdio import Watch
from codeact_lsp.catalogue.tap import Tap
from codeact_lsp.catalogue.transport import (
    ConnectError,
    Era,
    NeedsSignInError,
    explain,
    open_client,
)
from codeact_lsp.catalogue.voice import Voice

_PUSH_SECONDS: Final = 2.0
_TRIES: Final = 3
"""How often a listing may fail before the connection is taken for broken."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where a connection reports to.

    Attributes:
        publish: takes the server whenever anything of it changed.
        log: takes (level, text) for the server's log.
        group: takes a process group's id when it starts, and its negative when it is gone.

    """

    publish: Callable[[Server], None]
    log: Callable[[str, str], None] = lambda _level, _text: None
    group: Callable[[int], None] = lambda _id: None


class _LostError(Exception):
    """The connection is no longer of use; the message says why."""


class Connection:
    """Keeps `server` as fresh as the real one allows, for as long as `run` runs."""

    def __init__(
        self,
        config: ServerConfig,
        server: Server,
        outlets: Outlets,
        *,
        environment: Mapping[str, str],
        timing: Timing = DEFAULT_TIMING,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.server = replace(server, problems=config.problems)
        self._config = config
        self._outlets = outlets
        self._environment = environment
        self._timing = timing
        self._limits = limits
        self._voice = Voice(config, outlets.log)
        self._wake = asyncio.Event()
        self._announced_at: float | None = None
        self._refresh = False
        self._restart = False
        self._ended = False
        self._announces = False
        self._pace = Pace(timing)
        self._ttl: float | None = None
        self._failures = 0
        self._retry_at: float | None = None
        protocol = server.protocol
        # Servers of the older protocol may take seconds to refuse a question of the newer one.
        self._era: Era = "legacy" if protocol and protocol < MODERN_PROTOCOL_VERSIONS[0] else "auto"

    async def run(self) -> None:
        """Serve until cancelled; never fails."""
        attempt = 0
        while True:
            first = attempt == 0
            self._publish(state=ServerState.STARTING if first else ServerState.RECONNECTING)
            began = asyncio.get_running_loop().time()
            try:
                await self._session()
            except NeedsSignInError as error:
                self._fail(ServerState.NEEDS_SIGN_IN, "needs-sign-in", str(error))
                await self._pause(None)
                attempt = 0
                continue
            except (ConnectError, _LostError) as error:
                never = isinstance(error, ConnectError)
                kind = "failed-to-start" if never else "connection-lost"
                self._fail(ServerState.RECONNECTING, kind, str(error) + self._voice.hint())
                lived = asyncio.get_running_loop().time() - began
                attempt = 1 if not never and lived >= self._timing.stable else attempt + 1
                await self._pause(backoff(attempt, self._timing))
                continue
            attempt = 0
            if not self._restart:
                self._publish(state=ServerState.ASLEEP)
                await self._pause(self._ttl)

    def refresh(self) -> None:
        """List again now, and connect again now if it is not connected."""
        self._refresh = True
        self._wake.set()

    def restart(self) -> None:
        """Stop and start again now."""
        self._restart = True
        self._wake.set()

    async def _session(self) -> None:
        """One connection from start to end.

        Returns when the server may sleep or is to be restarted.

        Raises:
            ConnectError: it could not be connected.
            _LostError: the connection ended.

        """
        self._restart = self._ended = False
        self._announced_at = None
        self._failures = 0
        self._voice.forget()
        tap, seen = Tap(on_end=self._on_end), Seen()
        try:
            async with open_client(
                self._config,
                environment=self._environment,
                watch=Watch(self._voice.on_stderr, self._voice.on_noise, self._outlets.group),
                message_handler=self._on_message,
                era=self._era,
                tap=tap,
                seen=seen,
                limits=self._limits,
            ) as client:
                await self._serve(client, tap, seen)
        except NeedsSignInError:
            raise
        except ConnectError:
            # A server that died of a question it does not know gets the other greeting next time.
            self._era = "auto" if self._era == "legacy" else "legacy"
            raise
        except (_LostError, ListingError) as error:
            raise _LostError(str(error)) from error
        except (MCPError, SubscriptionLost) as error:
            if seen.needs_sign_in:
                raise NeedsSignInError("it wants a sign-in (HTTP status 401 or 403)") from error
            raise _LostError(explain(error, seen, self._timing.page)) from error
        except Exception as error:
            # The SDK's tasks can fail in ways of their own; whatever it was, the connection is over.
            _log.debug("the connection to %s failed", self._config.name, exc_info=True)
            raise _LostError(explain(error, seen, self._timing.page)) from error

    async def _serve(self, client: Client, tap: Tap, seen: Seen) -> None:
        info = client.server_info
        self._publish(
            state=ServerState.LISTING,
            title=(info.title or info.name) if info else None,
            version=info.version if info else None,
            protocol=client.protocol_version,
        )
        self._era = "auto" if client.protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"
        async with AsyncExitStack() as stack:
            hears = await self._subscribe(client, stack)
            await self._list(client, tap, seen)
            hears = hears and await self._can_be_pushed(client, seen)
            while await self._wait(client, hears=hears):
                await self._settle()
                if self._ended:
                    break
                await self._list(client, tap, seen)
        if self._ended and not self._restart:
            raise _LostError("it ended the connection")

    async def _subscribe(self, client: Client, stack: AsyncExitStack) -> bool:
        """Ask to hear of changes; whether the server said that it will tell."""
        tools = client.server_capabilities.tools
        if tools is None or not tools.list_changed:
            return False
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return True
        try:
            return await stack.enter_async_context(self._listening(client))
        except (MCPError, SubscriptionLost, TimeoutError) as error:
            if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
                raise
            self._voice.log("info", f"no subscription: {error}")
            return False

    @asynccontextmanager
    async def _listening(self, client: Client) -> AsyncIterator[bool]:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self._timing.page):
                subscription = await stack.enter_async_context(
                    client.listen(tools_list_changed=True)
                )

            async def follow() -> None:
                with suppress(SubscriptionLost):
                    async for _ in subscription:
                        self._on_announcement()
                self._on_end()

            tasks = await stack.enter_async_context(anyio.create_task_group())
            tasks.start_soon(follow)
            try:
                yield bool(subscription.honored.tools_list_changed)
            finally:
                tasks.cancel_scope.cancel()

    async def _can_be_pushed(self, client: Client, seen: Seen) -> bool:
        """Whether announcements can reach us; over older HTTP only through a stream of their own."""
        older = client.protocol_version not in MODERN_PROTOCOL_VERSIONS
        if self._config.transport != "http" or not older:
            return True
        with anyio.move_on_after(_PUSH_SECONDS):
            await seen.pushed_known.wait()
        return seen.pushed is True

    async def _list(self, client: Client, tap: Tap, seen: Seen) -> None:
        """List once; what was there stays when it fails."""
        clock = asyncio.get_running_loop().time
        self._announced_at, self._refresh, self._retry_at = None, False, None
        self._pace.started(clock())
        try:
            listed = await list_tools(
                client,
                tap,
                self._config,
                self._limits,
                page_seconds=self._timing.page,
                known=self.server.tools,
            )
        except (ListingError, MCPError) as error:
            self._pace.ended(clock(), changed=False)
            if seen.needs_sign_in:
                raise NeedsSignInError("it wants a sign-in (HTTP status 401 or 403)") from error
            over = isinstance(error, MCPError) and error.code == CONNECTION_CLOSED
            self._failures += 1
            if self._ended or over or seen.last_error is not None or self._failures > _TRIES:
                raise
            why = str(error) if isinstance(error, ListingError) else explain(error, seen, 0)
            self._retry_at = clock() + backoff(self._failures, self._timing)
            self._fail(ServerState.READY, "listing-failed", f"the listing failed: {why}")
            return
        self._failures = 0
        changed = self.server.stale or listed.tools != self.server.tools
        self._pace.ended(clock(), changed=changed)
        self._take(listed)

    def _take(self, listed: Listed) -> None:
        self._ttl = None if listed.ttl is None else max(listed.ttl, self._timing.ttl_least)
        problems = [
            *self._config.problems,
            *(self._voice.placed(found) for found in listed.problems),
        ]
        if self._pace.loops:
            problems.append(
                self._voice.problem(
                    "list-loop", "it announces a change whenever it is listed; slowed"
                )
            )
        if self._voice.noisy:
            problems.append(
                self._voice.problem(
                    "stdout-noise", "it writes to stdout what is not protocol; see its log"
                )
            )
        same = listed.tools == self.server.tools
        self._publish(
            tools=self.server.tools if same else listed.tools,
            state=ServerState.READY,
            stale=False,
            listed_at=time.time(),
            problems=tuple(problems),
        )

    async def _wait(self, client: Client, *, hears: bool) -> bool:
        """Wait for a reason to list; False when there will be none, or the server is to stop."""
        clock = asyncio.get_running_loop().time
        bedtime = clock() + self._timing.linger
        pings = self._config.transport == "http" and (
            client.protocol_version not in MODERN_PROTOCOL_VERSIONS
        )
        while True:
            if self._restart or self._ended:
                return False
            if self._refresh or self._announced_at is not None:
                return True
            awake = hears or self._announces or self._retry_at is not None
            if not awake and clock() >= bedtime:
                return False
            limit = None if awake else bedtime - clock()
            if self._retry_at is not None:
                if clock() >= self._retry_at:
                    return True
                limit = self._retry_at - clock()
            elif awake and pings:
                limit = self._timing.ping
            if not await self._woken(limit) and self._retry_at is None and awake and pings:
                async with asyncio.timeout(self._timing.page):
                    await client.session.send_ping()

    async def _settle(self) -> None:
        """Let a burst of announcements end, and a server that is listed in vain wait."""
        clock = asyncio.get_running_loop().time
        latest = clock() + self._timing.debounce_most
        while self._retry_at is None and not self._refresh and clock() < latest:
            if not await self._woken(self._timing.debounce):
                break
        if self._announced_at is not None:
            self._pace.announced(self._announced_at)
            self._announced_at = None
        until = clock() + self._pace.delay(clock())
        if self._pace.loops and clock() < until:
            self._voice.log("warning", "it announces a change whenever it is listed; slowed")
        while not (self._refresh or self._restart or self._ended) and clock() < until:
            await self._woken(until - clock())

    async def _pause(self, seconds: float | None) -> None:
        """Wait before connecting again, or until somebody asks for it."""
        clock = asyncio.get_running_loop().time
        until = None if seconds is None else clock() + seconds
        while not (self._refresh or self._restart):
            left = None if until is None else until - clock()
            if left is not None and left <= 0:
                break
            await self._woken(left)
        self._refresh = self._restart = False

    async def _woken(self, seconds: float | None) -> bool:
        """Whether something happened within the time."""
        try:
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        except TimeoutError:
            return False
        self._wake.clear()
        return True

    async def _on_message(self, message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._on_announcement()

    def _on_announcement(self) -> None:
        self._announces = True
        if self._announced_at is None:
            self._announced_at = asyncio.get_running_loop().time()
        self._wake.set()

    def _on_end(self) -> None:
        self._ended = True
        self._wake.set()

    def _publish(self, **changes: Any) -> None:
        server = replace(self.server, **changes)
        if server != self.server:
            self.server = server
            self._outlets.publish(server)

    def _fail(self, state: ServerState, kind: str, why: str) -> None:
        problem = self._voice.problem(kind, why)
        if problem not in self.server.problems:
            # Said once, however often it fails in the same way.
            self._voice.log("error", why)
        problems = (*self._config.problems, problem)
        self._publish(state=state, stale=bool(self.server.tools), problems=problems)
