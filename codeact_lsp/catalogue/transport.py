"""A connected MCP client for a configured server: the one way in, for listing and for calling."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Final, Literal

import httpx2
from mcp import Client, MCPError
from mcp.client.session import MessageHandlerFnT
from mcp_types import Implementation

from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.remote import Seen, remote_transport
from codeact_lsp.catalogue.stdio import Watch, stdio_transport
from codeact_lsp.catalogue.tap import Tap, tapped

CONNECT_SECONDS: Final = 60.0
"""Long enough for a launcher that downloads the server first."""
Era = Literal["auto", "legacy"]


class ConnectError(ConnectionError):
    """A server could not be connected; the message says why and what to do."""


class NeedsSignInError(ConnectError):
    """The server answered 401 or 403."""


@asynccontextmanager
async def open_client(
    server: ServerConfig,
    *,
    environment: Mapping[str, str] = os.environ,
    watch: Watch | None = None,
    message_handler: MessageHandlerFnT | None = None,
    era: Era = "auto",
    tap: Tap | None = None,
    seen: Seen | None = None,
    limits: Limits = DEFAULT,
) -> AsyncIterator[Client]:
    """A client that is connected to `server`, which must be approved and usable.

    To be entered and left in one task. On the way out the server's process group is gone within
    two seconds.

    Args:
        server: what to connect to.
        environment: this process's; a server gets little of it.
        watch: who hears of stderr, noise and process groups.
        message_handler: hears of the server's notifications.
        era: `legacy` skips asking for the newer protocol.
        tap: takes the pages of listings as sent.
        seen: what the responses of an HTTP server told.
        limits: how much is read.

    Raises:
        NeedsSignInError: the server answered 401 or 403.
        ConnectError: there is no such program or address, it ended, or it did not answer in time.

    """
    seen = seen or Seen()
    transport = _transport(server, environment, watch or Watch(), seen, limits, tap=tap)
    client = Client(
        tapped(transport, tap) if tap is not None else transport,
        mode=era,
        cache=None,
        message_handler=message_handler,
        client_info=Implementation(name="codeact-lsp", version=_version()),
    )
    seconds = server.timeout or CONNECT_SECONDS
    failure: Exception | None = None
    async with AsyncExitStack() as stack:
        try:
            # Not anyio's: the client's own scopes are entered inside and stay open.
            async with asyncio.timeout(seconds):
                await stack.enter_async_context(client)
        except Exception as error:
            if seen.needs_sign_in:
                raise NeedsSignInError("it wants a sign-in (HTTP status 401 or 403)") from error
            raise ConnectError(explain(error, seen, seconds)) from error
        try:
            yield client
        except Exception as error:  # noqa: BLE001 - raised again below, outside of the task groups
            failure = error
    if failure is not None:
        raise failure


def _version() -> str:
    try:
        return importlib.metadata.version("codeact-lsp")
    except importlib.metadata.PackageNotFoundError:
        return "0"


def _transport(
    server: ServerConfig,
    environment: Mapping[str, str],
    watch: Watch,
    seen: Seen,
    limits: Limits,
    *,
    tap: Tap | None,
) -> AbstractAsyncContextManager[Any]:
    if server.transport == "stdio":
        return stdio_transport(server, environment, watch, limits, tap)
    return remote_transport(server, seen, limits, tap)


def explain(error: BaseException, seen: Seen, seconds: float) -> str:
    """Why a connection or a request failed, in one line without the server's secrets."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"it did not answer within {seconds:g} s"
    if seen.last_error is not None and not isinstance(error, OSError):
        return f"it answered with HTTP status {seen.last_error}"
    if isinstance(error, httpx2.HTTPError):
        # The text of these may hold the URL, and the URL a token.
        return f"it cannot be reached ({type(error).__name__})"
    if isinstance(error, MCPError):
        return f"{error.error.message}"
    if isinstance(error, OSError):
        return str(error)
    return f"{type(error).__name__}: {error}"
