"""One connection a server: opened by the first call, shared by all, owned by one task."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeVar

from mcp import Client, MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    HEADER_MISMATCH,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
)
from pydantic import BaseModel, ValidationError

from codeact_lsp.runtime.errors import ServerConnectionError, ToolCallError, ToolTimeoutError

CALL_SECONDS: Final = 300.0
"""How long a tool may take when its server's config gives no `timeout`."""
CLOSE_SECONDS: Final = 3.0

Opener = Callable[[], AbstractAsyncContextManager[Client]]
_T = TypeVar("_T")


class _AsSent(BaseModel, extra="allow"):
    """Any result: the SDK's own type refuses a tool that breaks its output schema."""


class Connection:
    """A server that is started when it is first needed, and again after it was lost.

    All methods run on one event loop. The task that enters the client's context also leaves it, as
    its task groups demand; calls run in the tasks of their callers.
    """

    def __init__(self, server: str, opener: Opener, *, call_seconds: float = CALL_SECONDS) -> None:
        self._server = server
        self._opener = opener
        self.call_seconds = call_seconds
        self._owner: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Client] | None = None
        self._closing = asyncio.Event()

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of a call as sent, errors of the tool included.

        Args:
            tool: raw tool name.
            arguments: by raw key, JSON values only.

        Raises:
            ToolCallError: the server refused the request.
            ToolTimeoutError: no answer within the limit.
            ServerConnectionError: the server could not be started, or was lost.

        """
        client = await self._client(tool)
        try:
            async with asyncio.timeout(self.call_seconds) as limit:
                return await self._while_connected(_request(client, tool, arguments), tool)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise self._too_slow(tool) from error
        except MCPError as error:
            if _is_closed(error):
                raise await self._lost(tool) from error
            if error.code == REQUEST_TIMEOUT:
                raise self._too_slow(tool) from error
            raise ToolCallError(error.message, server=self._server, tool_name=tool) from error
        except ValidationError as error:
            message = f"{self._server} answered {tool} with something that MCP does not allow"
            raise ToolCallError(message, server=self._server, tool_name=tool) from error

    async def use(self, work: Callable[[Client], Coroutine[Any, Any, _T]]) -> _T:
        """What `work` makes of the connected client.

        Raises:
            ServerConnectionError: the server could not be started, or was lost.

        """
        client = await self._client(None)
        try:
            return await self._while_connected(work(client), None)
        except MCPError as error:
            if _is_closed(error):
                raise await self._lost(None) from error
            message = f"{self._server} refused: {error.message}"
            raise ServerConnectionError(message, server=self._server) from error

    async def close(self) -> None:
        """End the connection and the server's process; safe to call twice."""
        owner = self._owner
        self._closing.set()
        if owner is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.wait({owner})
        owner.cancel()
        await asyncio.wait({owner})

    async def _client(self, tool: str | None) -> Client:
        if self._owner is None or self._owner.done():
            self._closing = asyncio.Event()
            self._ready = asyncio.get_running_loop().create_future()
            self._owner = asyncio.create_task(
                self._own(self._ready, self._closing), name=f"server {self._server}"
            )
        ready = self._ready
        assert ready is not None
        try:
            # Shielded: a caller that is cancelled does not take the server from the others.
            return await asyncio.shield(ready)
        except (ConnectionError, TimeoutError) as error:
            raise ServerConnectionError(
                str(error), server=self._server, tool_name=tool
            ) from error.__cause__

    async def _own(self, ready: asyncio.Future[Client], closing: asyncio.Event) -> None:
        try:
            async with contextlib.AsyncExitStack() as stack:
                client = await stack.enter_async_context(self._opener())
                ready.set_result(client)
                await closing.wait()
        except Exception as error:  # noqa: BLE001 — whatever a transport raises is told to the caller
            if not ready.done():
                _fail(ready, f"{self._server} could not be started: {_why(error)}", error)
        finally:
            if not ready.done():
                _fail(ready, f"{self._server} was closed while it started", None)

    async def _while_connected(self, work: Coroutine[Any, Any, _T], tool: str | None) -> _T:
        """The result of `work`, or an error as soon as the connection's owner has ended."""
        owner = self._owner
        assert owner is not None
        request = asyncio.create_task(work)
        try:
            await asyncio.wait({request, owner}, return_when=asyncio.FIRST_COMPLETED)
            if request.done():
                return request.result()
            raise await self._lost(tool)
        finally:
            if not request.done():
                request.cancel()
                await asyncio.wait({request})

    async def _lost(self, tool: str | None) -> ServerConnectionError:
        """The error for a lost connection, after its remains were cleared away."""
        await self.close()
        call = f" during the call of {tool}" if tool else ""
        return ServerConnectionError(
            f"the connection to {self._server} was lost{call}",
            server=self._server,
            tool_name=tool,
        )

    def _too_slow(self, tool: str) -> ToolTimeoutError:
        return ToolTimeoutError(
            f"{self._server} did not answer {tool} within {self.call_seconds:g} s",
            server=self._server,
            tool_name=tool,
        )


def _is_closed(error: MCPError) -> bool:
    # The SDK's own code for a closed connection is one that servers use for errors of any kind.
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


async def _request(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
    try:
        result = await client.session.send_request(request, _AsSent)
    except MCPError as error:
        if error.code != HEADER_MISMATCH:
            raise
        # Headers are made from the tool's listing (2026-07-28), which the SDK must have seen first.
        await client.list_tools(cache_mode="refresh")
        result = await client.session.send_request(request, _AsSent)
    return result.model_extra or {}


def _fail(ready: asyncio.Future[Client], message: str, cause: BaseException | None) -> None:
    failure = ConnectionError(message)
    failure.__cause__ = cause
    ready.set_exception(failure)
    ready.exception()  # marks it as seen: nobody may be waiting any more


def _why(error: BaseException) -> str:
    """One line for an error or the first of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
