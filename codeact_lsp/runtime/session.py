"""One process's view of the catalogue, and the calls that it makes."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import NO_BINDINGS, Bindings, ServerBinding, ToolBinding
from codeact_lsp.catalogue.model import Catalogue, Server
from codeact_lsp.catalogue.settings import Settings
from codeact_lsp.runtime import sources
from codeact_lsp.runtime.background import Background
from codeact_lsp.runtime.callables import ToolFunction, make_function
from codeact_lsp.runtime.editor import NO_EDITOR, FromEditor
from codeact_lsp.runtime.errors import ServerConnectionError
from codeact_lsp.runtime.guard import Guard
from codeact_lsp.runtime.results import unwrap
from codeact_lsp.runtime.values import arguments_to_json

if TYPE_CHECKING:
    from codeact_lsp.runtime.opening import Opened

CLOSE_SECONDS: Final = 5.0
RELIST_SECONDS: Final = 1.0
"""A name that is not there is worth another look, but not each time that it is asked for."""


class Session:
    """Names, and connections to the servers behind them.

    Config, approval and cache are the editor's own. No server is started before a call needs it, or
    a look at its tools when it was never listed. All methods may be called from any thread.
    """

    def __init__(
        self,
        *,
        folder: Path | None = None,
        catalogue: Catalogue | None = None,
        environment: Mapping[str, str] | None = None,
        editor: FromEditor = NO_EDITOR,
    ) -> None:
        """Look nothing up yet.

        Args:
            folder: where config is looked for; the working directory if None.
            catalogue: names to serve in place of what the servers list.
            environment: in place of the process's own.
            editor: what only the editor knows that runs this process.

        """
        self._folder = folder
        self._editor = editor
        self._given = catalogue
        self._environment = os.environ if environment is None else environment
        self._lock = threading.RLock()
        self._known: sources.Known | None = None
        self._bindings = NO_BINDINGS
        self._background = Background("codeact-lsp runtime")
        self._guard = Guard()
        self._connections: dict[str, Opened] = {}
        self._failures: dict[str, str] = {}
        self._looked_at = 0.0
        self._listed_at: dict[str, float] = {}
        self._functions: dict[tuple[str | None, str], tuple[ToolBinding, ToolFunction]] = {}

    @property
    def settings(self) -> Settings:
        """The project's settings."""
        return self._looked_up().settings

    def bindings(self) -> Bindings:
        """What is known now, without starting anything."""
        self._looked_up()
        return self._bindings

    def looked_again(self) -> Bindings:
        """What is known, after another look at config and approvals, which may have changed."""
        with self._lock:
            before = self._looked_up()
            if _is_over(self._looked_at):
                self._look_up(before)
            return self._bindings

    def listed(self, raw: str) -> ServerBinding | None:
        """A server with its tools, listed now if it never was."""
        server = self.bindings().servers_by_raw.get(raw)
        if server is None or server.tools or server.server.listed_at is not None:
            return server
        return self.relisted(raw)

    def relisted(self, raw: str) -> ServerBinding | None:
        """A server with its tools, listed again if what is known may be old."""
        if raw in self._looked_up().refusals:
            self.looked_again()
        known = self._looked_up()
        may_be_listed = (
            self._given is None
            and raw in known.configs
            and raw not in known.refusals
            and _is_over(self._listed_at.get(raw, -RELIST_SECONDS))
        )
        if may_be_listed:
            try:
                listed = self._background.submit(self._list(raw)).result()
            except ServerConnectionError as error:
                self._failures[raw] = str(error)
            else:
                self._failures.pop(raw, None)
                sources.remember(known.configs[raw], listed, self._environment)
                self._replace(listed)
            self._listed_at[raw] = time.monotonic()
        return self._bindings.servers_by_raw.get(raw)

    def function(self, tool: ToolBinding) -> ToolFunction:
        """The function for a tool; the same one as long as the tool does not change."""
        place = (tool.server, tool.raw)
        made = self._functions.get(place)
        if made is None or made[0] is not tool:
            fold = self.bindings().fold_characters
            # Not `self.call`: what code imported before a fork or a `use` must not call through it.
            made = (tool, make_function(tool, fold, _call_current))
            self._functions[place] = made
        return made[1]

    def why_unlisted(self, raw: str) -> str | None:
        """Why what is known of a server's tools may be old or nothing; None when it is not."""
        return self._looked_up().refusals.get(raw) or self._failures.get(raw)

    async def call(self, tool: ToolBinding, arguments: Mapping[str, object]) -> Any:
        """Call a tool and return its payload.

        Args:
            tool: which.
            arguments: by raw key, Python values.

        Raises:
            ToolCallError: the tool or its server answered with an error.
            ToolTimeoutError: it did not answer in time.
            ServerConnectionError: its server cannot be reached, or was lost.
            TypeError: an argument has no form in JSON.
            ValueError: an argument holds what JSON cannot, such as NaN.

        """
        sent = arguments_to_json(arguments)
        if tool.server is None:
            raise ServerConnectionError(
                f"{tool.raw} belongs to no server, so there is nothing to call", tool_name=tool.raw
            )
        result = await asyncio.wrap_future(
            self._background.submit(self._call(tool.server, tool.raw, sent))
        )
        return unwrap(
            result,
            server=tool.server,
            tool_name=tool.raw,
            declares_output=tool.tool.output_schema is not None,
        )

    def close(self) -> None:
        """End every connection and every server's process."""
        with self._lock:
            connections = list(self._connections.values())
            self._connections.clear()
        if connections:
            with contextlib.suppress(TimeoutError):
                self._background.submit(_close_all(connections)).result(CLOSE_SECONDS)
        self._background.stop()
        self._guard.close()

    def _looked_up(self) -> sources.Known:
        with self._lock:
            return self._look_up(None) if self._known is None else self._known

    def _look_up(self, before: sources.Known | None) -> sources.Known:
        """Look at config, approvals and cache; what is connected stays as it is."""
        folder = (self._folder or Path.cwd()).absolute()
        known = sources.look_up(folder, self._environment, self._given, self._editor)
        if before is not None:
            fresh = [
                raw
                for raw, server in self._bindings.catalogue.servers.items()
                if not server.stale and raw in self._connections
            ]
            known = sources.keep(known, before, self._bindings.catalogue, fresh)
        self._known = known
        self._looked_at = time.monotonic()
        version = self._bindings.catalogue.version + 1
        self._bind(replace(known.catalogue, version=version))
        return known

    def _bind(self, catalogue: Catalogue) -> None:
        assert self._known is not None
        fold = self._known.settings.fold_characters
        self._bindings = bind(catalogue, fold_characters=fold, previous=self._bindings)

    def _replace(self, server: Server) -> None:
        with self._lock:
            now = self._bindings.catalogue
            servers = MappingProxyType({**now.servers, server.raw: server})
            self._bind(replace(now, servers=servers, version=now.version + 1))

    def _opened(self, raw: str, tool: str | None = None) -> Opened:
        known = self._looked_up()
        if raw not in known.configs or raw in known.refusals:
            self.looked_again()
            known = self._looked_up()
        refusal = known.refusals.get(raw)
        if raw not in known.configs:
            refusal = f"{raw} is known from a snapshot only; no config file says how to start it"
        if refusal is not None:
            raise ServerConnectionError(refusal, server=raw, tool_name=tool)
        with self._lock:
            if raw not in self._connections:
                # The SDK takes long to import, and who only looks at names does not need it.
                from codeact_lsp.runtime.opening import connect

                self._connections[raw] = connect(known.configs[raw], self._environment, self._guard)
            return self._connections[raw]

    async def _call(self, raw: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return await self._opened(raw, tool).connection.call(tool, arguments)

    async def _list(self, raw: str) -> Server:
        from codeact_lsp.runtime.opening import list_tools

        return await list_tools(self._opened(raw))


def _is_over(moment: float) -> bool:
    """Whether a look at that moment is so long ago that another one may show something new."""
    return time.monotonic() - moment >= RELIST_SECONDS


async def _close_all(opened: list[Opened]) -> None:
    await asyncio.gather(*(one.connection.close() for one in opened))


class _Current:
    """The session of this process; one at a time."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.lock = threading.Lock()


_CURRENT: Final = _Current()


def current() -> Session:
    """The session that the bindings module shows, made when it is first needed."""
    with _CURRENT.lock:
        if _CURRENT.session is None:
            _CURRENT.session = Session()
        return _CURRENT.session


def use(session: Session | None) -> Session | None:
    """Make the bindings module show `session`; returns the one before, still open."""
    with _CURRENT.lock:
        before, _CURRENT.session = _CURRENT.session, session
        return before


async def _call_current(tool: ToolBinding, arguments: dict[str, object]) -> Any:
    return await current().call(tool, arguments)


def _close_current() -> None:
    before = use(None)
    if before is not None:
        before.close()


def _forget_current() -> None:
    # A forked child has neither the thread nor the right to its parent's servers.
    _CURRENT.lock = threading.Lock()
    _CURRENT.session = None


atexit.register(_close_current)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_current)
