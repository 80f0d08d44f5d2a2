"""From a config entry to a connection, and a server's tools as it lists them now."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass

from mcp import Client
from mcp_types import ListToolsRequest, ListToolsResult, PaginatedRequestParams

from codeact_lsp import text
from codeact_lsp.catalogue import listing
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import DEFAULT
from codeact_lsp.catalogue.model import Server, ServerState
from codeact_lsp.catalogue.stdio import Watch
from codeact_lsp.catalogue.tap import Tap
from codeact_lsp.catalogue.transport import open_client
from codeact_lsp.runtime.connections import CALL_SECONDS, Connection

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """A configured server, connected when it is first used."""

    server: ServerConfig
    connection: Connection
    tap: Tap


def connect(server: ServerConfig, environment: Mapping[str, str]) -> Opened:
    """The connection to a configured server, which is not opened yet."""
    tap = Tap()

    def say(line: str) -> None:
        _log.debug("%s: %s", server.name, text.log_line(line))

    connection = Connection(
        server.name,
        lambda: open_client(
            server, environment=environment, watch=Watch(stderr=say, noise=say), tap=tap
        ),
        call_seconds=server.timeout or CALL_SECONDS,
    )
    return Opened(server, connection, tap)


async def list_tools(opened: Opened) -> Server:
    """The server with the tools that it lists now.

    Raises:
        ServerConnectionError: it could not be started, or was lost.

    """
    reader = listing.Reader(opened.server.name)

    async def pages(client: Client) -> None:
        cursor: str | None = None
        seen: set[str] = set()
        while len(seen) < DEFAULT.pages:
            request = ListToolsRequest(params=PaginatedRequestParams(cursor=cursor))
            await client.session.send_request(request, ListToolsResult)
            page = opened.tap.take() or {}
            tools = page.get("tools")
            reader.read(tools if isinstance(tools, list) else ())
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str) or not cursor or cursor in seen or reader.full:
                return
            seen.add(cursor)

    await opened.connection.use(pages)
    return Server(
        raw=opened.server.name,
        tools=tuple(reader.tools.values()),
        state=ServerState.READY,
        listed_at=time.time(),
        problems=tuple(reader.problems),
    )
