"""One conversation's state: the client, its documents, what is known of servers and tools.

A handler asks `look` for one document and one view of it, both immutable, and works with nothing
else of the session from there on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeVar

from codeact_lsp.bindings.model import BINDINGS_MODULE, BINDINGS_MODULE_ALIASES
from codeact_lsp.bindings.stubs import StubFile
from codeact_lsp.catalogue.messages import LookedAt
from codeact_lsp.catalogue.own_settings import Layer, merge_layers, read_layer
from codeact_lsp.catalogue.settings import DEFAULT_SETTINGS
from codeact_lsp.catalogue.settings import Settings as ProjectSettings
from codeact_lsp.ide.locate import locate
from codeact_lsp.ide.model import Answer, Empty, Settings, Severity, View
from codeact_lsp.server import editor_settings, stub_files
from codeact_lsp.server.checks import Checks
from codeact_lsp.server.client import Client
from codeact_lsp.server.documents import Documents, OpenDocument
from codeact_lsp.server.editor_settings import EditorSettings
from codeact_lsp.server.endpoint import Endpoint, Phase
from codeact_lsp.server.knowledge import Knowledge
from codeact_lsp.server.params import Json
from codeact_lsp.server.publisher import Publisher
from codeact_lsp.server.source import Source
from codeact_lsp.server.status import Status
from codeact_lsp.server.survey import Survey
from codeact_lsp.server.threads import off_loop
from codeact_lsp.server.uris import key
from codeact_lsp.syntax.document import Document

PARENT_SECONDS: Final = 5.0
LONG_TEXT: Final = 16_000
"""Characters; going over so many takes about as long as the event loop may be held."""

T = TypeVar("T")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asked for: snapshot files to serve instead of live servers."""

    catalogues: tuple[Path, ...] = ()


class Session:
    """Everything that lives as long as the conversation."""

    def __init__(self, endpoint: Endpoint, options: Options) -> None:
        self.endpoint = endpoint
        self.client = Client()
        self.documents = Documents()
        self.folders: tuple[Path, ...] = ()
        self.trusted = True
        self.parent: int | None = None
        self.editor: EditorSettings = editor_settings.DEFAULT
        self.checks = Checks()
        self.knowledge = Knowledge(self._knowledge_changed)
        self.publisher = Publisher(self)
        self.status = Status(self)
        self.survey = Survey(self)
        self.source = Source(self, options.catalogues)
        self.settings = Settings()
        self.changed = asyncio.Event()
        self.shown_stubs: set[str] = set()
        self._generation = 0
        self._prelude: tuple[Document, ...] = ()
        self._project: ProjectSettings = DEFAULT_SETTINGS

    @property
    def pushes(self) -> bool:
        """Whether diagnostics of documents are pushed: the client does not pull them all."""
        return not (self.client.pull_diagnostics and self.client.diagnostic_refresh)

    def look(self, uri: str) -> tuple[OpenDocument, View] | None:
        """The Python text at `uri` and all that answers about it depend on; None if not open."""
        opened = self.documents.get(uri)
        if opened is None or not opened.is_python:
            return None
        chain = self._prelude + tuple(cell.document for cell in self.documents.upto(uri))
        return opened, View(self.knowledge.bindings, chain, self.settings)

    def later(self, uri: str) -> tuple[tuple[OpenDocument, View], ...]:
        """The Python cells that run after the one at `uri`, in order, each with its view."""
        cells = (cell for cell in self.documents.affected(uri) if key(cell.uri) != key(uri))
        looked = (self.look(cell.uri) for cell in cells)
        return tuple(seen for seen in looked if seen is not None)

    def result_id(self, opened: OpenDocument) -> str:
        """Names all that the diagnostics of `opened` depend on."""
        cells = self.documents.upto(opened.uri)
        serials = "-".join(str(cell.serial) for cell in cells)
        return f"{self._generation}.{serials}"

    def stub_uri(self, stub: StubFile) -> str | None:
        """Where the client finds a stub; may write a file, so it is called off the loop."""
        if self.client.text_document_content:
            return stub_files.virtual_uri(stub)
        return stub_files.real_uri(stub, self.folders)

    async def compute(self, view: View, work: Callable[[], T]) -> T:
        """The result of going over the whole text of `view`: off the loop when it is long."""
        if len(view.document.text) <= LONG_TEXT:
            return work()
        return await off_loop(work)

    def value(self, feature: str, answer: Answer[T]) -> T | None:
        """What a feature answers; why it has no answer is kept for the log."""
        if answer.empty is not None:
            log.debug("%s: nothing, %s", feature, answer.empty.name)
        return answer.value

    def looked_at(self, view: View, offset: int) -> None:
        """The user was shown what is at `offset`: a tool there is no longer news."""
        located = locate(view, offset)
        for target in () if isinstance(located, Empty) else located.targets:
            server = view.bindings.servers_by_raw.get(target.server or "")
            seen = server.by_raw.get(target.tool or "") if server else None
            if seen is not None and seen.server is not None and seen.tool.changed:
                self.source.send(LookedAt(seen.server, seen.raw, seen.tool.digest))

    def begin(self) -> None:
        """Start what runs beside the conversation."""
        spawn = self.endpoint.spawn
        spawn(self.publisher.run(), "diagnostics")
        spawn(self.status.run(), "status")
        spawn(self.survey.run(), "survey")
        spawn(self._start(), "start")
        if self.parent is not None and sys.platform != "win32":
            spawn(self._watch_parent(self.parent), "parent")

    async def _start(self) -> None:
        await self.source.start()
        await self._register()
        if self.client.configuration:
            await self.pull_settings()

    async def _register(self) -> None:
        """Ask to be told of changed settings and of changed files that config is read from."""
        registrations: list[Json] = []
        if self.client.watch_configuration:
            method = "workspace/didChangeConfiguration"
            section = {"section": editor_settings.SECTION}
            registrations.append({"id": method, "method": method, "registerOptions": section})
        if self.client.watch_files and self.source.reads_files_only:
            method = "workspace/didChangeWatchedFiles"
            watchers = {"watchers": [{"globPattern": "**/*.{json,toml}"}]}
            registrations.append({"id": method, "method": method, "registerOptions": watchers})
        if registrations:
            await self.endpoint.request(
                "client/registerCapability", {"registrations": registrations}
            )

    async def pull_settings(self) -> None:
        """Ask the client for its settings and use them."""
        items = {"items": [{"section": editor_settings.SECTION}]}
        answer = await self.endpoint.request("workspace/configuration", items)
        value = answer[0] if isinstance(answer, list) and answer else None
        if value is not None and self.use_editor(value):
            await self.source.reconfigure()

    async def _watch_parent(self, parent: int) -> None:
        """End when the editor is gone although its end of the stream is still open somewhere."""
        while True:
            await asyncio.sleep(PARENT_SECONDS)
            try:
                os.kill(parent, 0)
            except ProcessLookupError:
                self.endpoint.disconnected()
                return
            except PermissionError:
                return

    def use_editor(self, table: Any) -> bool:
        """Take in the editor's settings; whether they are other ones than before.

        They count at once; the settings of project files join them when those have been read.
        """
        editor = editor_settings.read(table if isinstance(table, dict) else {})
        if editor == self.editor:
            return False
        self.editor = editor
        folder = self.folders[0] if self.folders else Path.home()
        layer = Layer(read_layer(editor.project, folder, _ignore, strict=False), folder)
        before = self._project
        self.use_settings(merge_layers([layer]))
        if self._project is before:
            # Only the editor's own are other ones: whether there are hints, or lenses.
            self.answers_changed()
        return True

    def use_settings(self, project: ProjectSettings) -> None:
        """Take in the merged settings of the project."""
        if project == self._project:
            return
        self._project = project
        self._prelude = (Document.parse(project.prelude),) if project.prelude else ()
        modules = (BINDINGS_MODULE, *BINDINGS_MODULE_ALIASES, *project.bindings_modules)
        known = {severity.value: severity for severity in Severity}
        rules = {code: known[word] for code, word in project.rules.items() if word in known}
        self.settings = Settings(tuple(dict.fromkeys(modules)), MappingProxyType(rules))
        self.knowledge.update(fold=project.fold_characters)
        self.answers_changed()

    def document_changed(self, uri: str) -> None:
        """The text at `uri` is another one now."""
        self.documents_changed(self.documents.affected(uri))

    def documents_changed(self, affected: Iterable[OpenDocument]) -> None:
        """What is wrong with these texts may be something else now, and with no others."""
        self.publisher.schedule(affected)
        self._wake_pullers()

    def answers_changed(self) -> None:
        """Answers about texts that did not change may be other ones now: have them asked again."""
        self._generation += 1
        self.publisher.schedule(self.documents)
        self._wake_pullers()
        if self.endpoint.phase is not Phase.RUNNING:
            return
        if not self.pushes:
            self._refresh("workspace/diagnostic/refresh")
        if self.client.inlay_hint_refresh and self.editor.inlay_hints:
            self._refresh("workspace/inlayHint/refresh")
        if self.client.code_lens_refresh and "runCell" in self.client.own:
            self._refresh("workspace/codeLens/refresh")
        if self.client.semantic_tokens_refresh:
            self._refresh("workspace/semanticTokens/refresh")

    async def stop(self) -> None:
        """End what was started; nothing of it is left when this returns."""
        await self.source.stop()

    def _wake_pullers(self) -> None:
        """Let held answers go."""
        self.changed.set()
        self.changed = asyncio.Event()

    def _refresh(self, method: str, params: Json | None = None) -> None:
        self.endpoint.spawn(self.endpoint.request(method, params), method)

    def problems_changed(self) -> None:
        """Other things are wrong with servers now."""
        self.publisher.publish_files(self.knowledge.bindings.catalogue)
        self.status.changed()

    def _knowledge_changed(self) -> None:
        self.problems_changed()
        self.survey.changed()
        self.answers_changed()
        for uri in self.shown_stubs:
            self._refresh("workspace/textDocumentContent/refresh", {"uri": uri})


def _ignore(_key: str, _problem: str) -> None:
    """Whoever reads the project's files reports what is wrong with a setting."""
