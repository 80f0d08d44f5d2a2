"""How things stand, for editors that show it: a status notification and progress while loading."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.server.errors import RpcError
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

INTERVAL_SECONDS: Final = 0.2
LOADING: Final = frozenset({ServerState.STARTING, ServerState.LISTING})
_PROGRESS: Final = "codeact-lsp/loading"


class Status:
    """Tells the client of changes, a few times a second at most."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wake = asyncio.Event()
        self._progress = False

    def changed(self) -> None:
        """Something may look different now."""
        self._wake.set()

    async def run(self) -> None:
        """Tell of changes until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            summary = summarise(self._session)
            if "status" in self._session.client.own:
                self._session.endpoint.notify("codeact-lsp/status", summary)
            if self._session.client.progress:
                await self._tell_progress(loading=summary["loading"], message=summary["message"])
            await asyncio.sleep(INTERVAL_SECONDS)

    async def _tell_progress(self, *, loading: bool, message: str) -> None:
        if loading and not self._progress:
            try:
                await self._session.endpoint.request(
                    "window/workDoneProgress/create", {"token": _PROGRESS}
                )
            except RpcError:
                return
            self._progress = True
            self._report({"kind": "begin", "title": "MCP catalogues", "message": message})
        elif loading:
            self._report({"kind": "report", "message": message})
        elif self._progress:
            self._progress = False
            self._report({"kind": "end", "message": message})

    def _report(self, value: Json) -> None:
        self._session.endpoint.notify("$/progress", {"token": _PROGRESS, "value": value})


def summarise(session: Session) -> Json:
    """The params of `codeact-lsp/status` (`docs/editor-protocol.md`)."""
    bindings = session.knowledge.bindings
    servers = bindings.catalogue.servers.values()
    waiting = sum(server.state in LOADING for server in servers)
    tools = len(bindings.native) + sum(len(server.tools) for server in bindings.servers)
    problems = len(session.survey.without_server(bindings.catalogue)) + sum(
        len(session.survey.problems(server)) for server in servers
    )
    message = f"{_count(len(bindings.servers), 'server')}, {_count(tools, 'tool')}"
    if waiting:
        message += f", {waiting} still loading"
    if problems:
        message += f", {_count(problems, 'problem')}"
    return {
        "version": bindings.catalogue.version,
        "loading": bool(waiting) or not session.knowledge.current,
        "restricted": not session.trusted,
        "servers": len(bindings.servers),
        "tools": tools,
        "renames": _renames(bindings),
        "problems": problems,
        "message": message,
    }


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _renames(bindings: Bindings) -> int:
    """How many servers and tools are not spelled as their raw names are."""
    spellings = [server.spelling for server in bindings.servers]
    spellings += [tool.spelling for tool in bindings.native]
    spellings += [tool.spelling for server in bindings.servers for tool in server.tools]
    return sum(spelling.name != spelling.raw for spelling in spellings)
