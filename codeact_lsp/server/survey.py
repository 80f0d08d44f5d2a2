"""What is not understood of the schemas, found while the editor is idle."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from codeact_lsp.bindings.details import tool_problems, unsaid
from codeact_lsp.bindings.model import Bindings, ToolBinding
from codeact_lsp.catalogue.model import Catalogue, Problem, Server, Tool
from codeact_lsp.server.threads import off_loop

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

IDLE_SECONDS: Final = 1.0
"""How long the client has said nothing before a schema is looked at."""
SLICE_SECONDS: Final = 0.005
MAX_SHOWN: Final = 20
"""Problems of the schemas of one server that are shown; `catalogue list` shows all of them."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """A server that was looked through, or what has none: its tools, and what is wrong with each."""

    tools: tuple[ToolBinding, ...] = ()
    problems: Mapping[Tool, tuple[Problem, ...]] = field(default_factory=dict)
    shown: tuple[Problem, ...] = ()


class Survey:
    """Looks at each schema of a catalogue once, a slice at a time.

    Names are served long before. A slice runs off the loop, and none begins while the client talks,
    so no answer waits for more than the tool that is being looked at.
    """

    def __init__(self, session: Session) -> None:
        self.looked_at = 0
        self._session = session
        self._wake = asyncio.Event()
        self._seen: dict[str | None, _Seen] = {}

    def problems(self, server: Server) -> tuple[Problem, ...]:
        """All that is known to be wrong with `server`; what is about its schemas comes last."""
        seen = self._seen.get(server.raw)
        return server.problems if seen is None else (*server.problems, *seen.shown)

    def without_server(self, catalogue: Catalogue) -> tuple[Problem, ...]:
        """All that is known to be wrong beside the servers, schemas of native tools last."""
        return (*catalogue.problems, *self._seen.get(None, _Seen()).shown)

    def changed(self) -> None:
        """The catalogue is another one now."""
        self._wake.set()

    async def run(self) -> None:
        """Look through each new catalogue until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self._look_through(self._session.knowledge.bindings)

    async def _look_through(self, bindings: Bindings) -> None:
        """Look at what is new in `bindings`, as long as no newer ones come."""
        for raw in self._seen.keys() - bindings.servers_by_raw.keys() - {None}:
            del self._seen[raw]
        listed: list[tuple[Server | None, tuple[ToolBinding, ...]]] = [
            (server.server, server.tools) for server in bindings.servers
        ]
        for server, tools in (*listed, (None, bindings.native)):
            key = None if server is None else server.raw
            before = self._seen.get(key, _Seen())
            if before.tools is tools:
                continue
            found: dict[Tool, tuple[Problem, ...]] = {}
            waiting = iter(tools)
            while len(found) < len(tools):
                await self._session.endpoint.idle(IDLE_SECONDS)
                if self._wake.is_set():
                    return
                await off_loop(lambda: self._slice(waiting, before.problems, found))  # noqa: B023 - it is awaited here
            known = bindings.catalogue.problems if server is None else server.problems
            shown = _shown(server, known, found)
            self._seen[key] = _Seen(tools, found, shown)
            if shown != before.shown:
                self._session.problems_changed()

    def _slice(
        self,
        waiting: Iterator[ToolBinding],
        before: Mapping[Tool, tuple[Problem, ...]],
        found: dict[Tool, tuple[Problem, ...]],
    ) -> None:
        """Look at some of the tools that wait, one at least."""
        end = time.perf_counter() + SLICE_SECONDS
        for binding in waiting:
            known = before.get(binding.tool)
            if known is None:
                self.looked_at += 1
                known = tool_problems(binding)
            found[binding.tool] = known
            if time.perf_counter() > end:
                return


def _shown(
    server: Server | None, known: Iterable[Problem], found: Mapping[Tool, tuple[Problem, ...]]
) -> tuple[Problem, ...]:
    """The problems of tools at their server's entry, without those that its listing had already.

    Tools without a server have no entry in a file.
    """
    problems = list(unsaid(known, itertools.chain.from_iterable(found.values())))
    if server is not None:
        path, line, column = server.path, server.line, server.column
        problems = [replace(one, path=path, line=line, column=column) for one in problems]
    if len(problems) > MAX_SHOWN:
        more = f"{len(problems) - MAX_SHOWN:,} more in its schemas: `codeact-lsp catalogue list`"
        problems[MAX_SHOWN:] = [replace(problems[0], message=more, tool=None, pointer=None)]
    return tuple(problems)
