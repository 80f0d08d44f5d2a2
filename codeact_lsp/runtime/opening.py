"""From a config entry to a connection, and a server's tools as it lists them now."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from mcp import Client

from codeact_lsp import text
from codeact_lsp.catalogue import pages
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import CALLING
from codeact_lsp.catalogue.model import Server, ServerState
from codeact_lsp.catalogue.stdio import Watch
from codeact_lsp.catalogue.tap import Tap
from codeact_lsp.catalogue.transport import open_client
from codeact_lsp.runtime.connections import CALL_SECONDS, Connection
from codeact_lsp.runtime.errors import ServerConnectionError
from codeact_lsp.runtime.guard import Guard

PAGE_SECONDS: Final = 60.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """A configured server, connected when it is first used."""

    server: ServerConfig
    connection: Connection
    tap: Tap
    listing: asyncio.Lock = field(default_factory=asyncio.Lock)


def connect(server: ServerConfig, environment: Mapping[str, str], guard: Guard) -> Opened:
    """The connection to a configured server, which is not opened yet."""
    tap = Tap()

    def say(line: str) -> None:
        _log.debug("%s: %s", server.name, text.log_line(line))

    connection = Connection(
        server.name,
        lambda: open_client(
            server,
            environment=environment,
            watch=Watch(stderr=say, noise=say, group=guard.report),
            tap=tap,
            limits=CALLING,
        ),
        call_seconds=server.timeout or CALL_SECONDS,
    )
    return Opened(server, connection, tap)


async def list_tools(opened: Opened) -> Server:
    """The server with the tools that it lists now.

    Raises:
        ServerConnectionError: it could not be started or was lost, or its listing is no listing.

    """

    async def read(client: Client) -> pages.Listed:
        # The tap holds the pages of one listing at a time.
        async with opened.listing:
            return await pages.list_tools(
                client, opened.tap, opened.server, CALLING, page_seconds=PAGE_SECONDS
            )

    try:
        listed = await opened.connection.use(read)
    except pages.ListingError as error:
        name = opened.server.name
        raise ServerConnectionError(f"{name} cannot be listed: {error}", server=name) from error
    return Server(
        raw=opened.server.name,
        tools=listed.tools,
        state=ServerState.READY,
        listed_at=time.time(),
        problems=listed.problems,
    )
