"""Where the catalogue comes from: the catalogue process, or snapshot files alone."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from codeact_lsp.catalogue.messages import (
    ApprovalRequest,
    Configure,
    Configured,
    FromChild,
    InputRequest,
    Log,
    ToChild,
)
from codeact_lsp.catalogue.model import Catalogue
from codeact_lsp.catalogue.process import COMMAND, CatalogueProcess
from codeact_lsp.catalogue.settings import Settings
from codeact_lsp.catalogue.snapshot import merge, read_snapshot
from codeact_lsp.server.dialogs import Dialogs
from codeact_lsp.server.logs import Logs
from codeact_lsp.server.threads import off_loop

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

log = logging.getLogger(__name__)


class Source:
    """Feeds a session with catalogues and settings.

    In a folder that is not trusted, and where the command line names snapshot files, no process is
    started: only files are read.
    """

    def __init__(self, session: Session, catalogues: tuple[Path, ...]) -> None:
        self._session = session
        self._catalogues = catalogues
        self._process: CatalogueProcess | None = None
        self._stopping: asyncio.Task[None] | None = None
        self._reading = 0
        self.logs = Logs(session)
        self.dialogs = Dialogs(session, self.send)
        self.files: frozenset[Path] = frozenset(catalogues)

    @property
    def reads_files_only(self) -> bool:
        """Whether no process is needed."""
        return bool(self._catalogues) or not self._session.trusted

    async def start(self) -> None:
        """Begin; the first catalogue comes when it comes."""
        if self.reads_files_only:
            await self._read_files()
            return
        self._process = CatalogueProcess(
            on_catalogue=self._take_catalogue, on_message=self._take_message, command=COMMAND
        )
        await self._process.start(self._configure())

    async def reconfigure(self) -> None:
        """Folders, settings or files are other ones now."""
        if self.reads_files_only:
            await self._read_files()
        else:
            self.send(self._configure())

    def send(self, message: ToChild) -> None:
        """Tell the catalogue process something; nothing happens where there is none."""
        if self._process is not None:
            self._process.send(message)

    async def stop(self) -> None:
        """End the catalogue process and all that it started.

        Once begun this goes on to its end, also when whoever waits for it is cancelled.
        """
        process, self._process = self._process, None
        if process is not None:
            self._stopping = asyncio.ensure_future(process.stop())
        if self._stopping is not None:
            await asyncio.shield(self._stopping)

    def _configure(self) -> Configure:
        return Configure(
            folders=tuple(map(str, self._session.folders)),
            settings=self._session.editor.project,
            can_ask=True,
        )

    async def _read_files(self) -> None:
        self._reading += 1
        reading = self._reading
        folders, editor = self._session.folders, self._session.editor.project

        # Config files are the catalogue process's to read, as a rule: no cost at the start.
        from codeact_lsp.catalogue.config import load

        def read() -> tuple[Settings, Catalogue, frozenset[Path]]:
            config = load(folders, editor)
            paths = self._catalogues or tuple(map(Path, config.settings.snapshots))
            catalogue = merge(map(read_snapshot, paths))
            return config.settings, catalogue, frozenset((*paths, *config.files))

        settings, catalogue, files = await off_loop(read)
        if reading != self._reading:
            return
        self.files = files
        self._session.use_settings(settings)
        self._take_catalogue(catalogue)

    def _take_catalogue(self, catalogue: Catalogue) -> None:
        self._session.knowledge.update(catalogue=catalogue)
        self._session.status.changed()

    def _take_message(self, message: FromChild) -> None:
        match message:
            case Configured():
                self._session.use_settings(message.settings)
                if not message.servers:
                    # Nothing follows that would say so.
                    self._session.status.changed()
            case Log():
                self.logs.take(message)
            case ApprovalRequest():
                self.dialogs.ask_approval(message)
            case InputRequest():
                self.dialogs.ask_input(message)
            case _:
                log.debug("%s", type(message).__name__)
