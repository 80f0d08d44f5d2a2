"""Diagnostics pushed to the client: the newest only, with their version, cleared on close."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from codeact_lsp.catalogue.model import Catalogue, Problem
from codeact_lsp.server import convert
from codeact_lsp.server.documents import OpenDocument
from codeact_lsp.server.params import Json
from codeact_lsp.server.uris import from_path, key

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


class Publisher:
    """Publishes what `schedule` asked for once the client has paused.

    A client that pulls the diagnostics of its documents gets only those of config files here: what
    came both ways would be shown twice.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: dict[str, str] = {}
        self._wake = asyncio.Event()
        self._files: dict[str, list[Json]] = {}

    def schedule(self, documents: Iterable[OpenDocument]) -> None:
        """Publish the diagnostics of `documents` soon."""
        if not self._session.pushes:
            return
        self._waiting.update((key(opened.uri), opened.uri) for opened in documents)
        self._wake.set()

    def clear(self, uri: str) -> None:
        """The document at `uri` is closed: nothing is wrong with it now."""
        self._waiting.pop(key(uri), None)
        self._session.endpoint.notify(
            "textDocument/publishDiagnostics", {"uri": uri, "diagnostics": []}
        )

    async def run(self) -> None:
        """Publish until cancelled."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(self._session.editor.debounce_seconds)
            self._wake.clear()
            await self.publish()

    async def publish(self) -> None:
        """Publish all that waits."""
        while self._waiting:
            # What the client has sent already is newer than what would be published now.
            await self._session.endpoint.quiet.wait()
            if self._waiting:
                await self._publish(self._waiting.pop(next(iter(self._waiting))))
            await asyncio.sleep(0)

    async def _publish(self, uri: str) -> None:
        session = self._session
        seen = session.look(uri)
        if seen is None:
            return
        opened, view = seen
        found = await session.checks.of(opened, view)
        now = session.look(uri)
        if now is None or now[0].serial != opened.serial:
            return
        params: Json = {
            "uri": opened.uri,
            "diagnostics": convert.diagnostics(view.document, found, session.client),
        }
        if session.client.diagnostic_versions:
            params["version"] = opened.version
        session.endpoint.notify("textDocument/publishDiagnostics", params)

    def publish_files(self, catalogue: Catalogue) -> None:
        """Show the problems of config files in those files."""
        now: dict[str, list[Json]] = {}
        for problem in self._problems(catalogue):
            if problem.path is not None:
                uri = from_path(problem.path)
                now.setdefault(uri, []).append(convert.problem(problem, self._session.documents))
        for uri in {**self._files, **now}:
            if now.get(uri) != self._files.get(uri):
                self._session.endpoint.notify(
                    "textDocument/publishDiagnostics",
                    {"uri": uri, "diagnostics": now.get(uri, [])},
                )
        self._files = now

    def _problems(self, catalogue: Catalogue) -> Iterable[Problem]:
        yield from self._session.survey.without_server(catalogue)
        for server in catalogue.servers.values():
            yield from self._session.survey.problems(server)
