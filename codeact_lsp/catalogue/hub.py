"""All servers side by side: config, approval, connections, cache and snapshots brought together."""

from __future__ import annotations

import asyncio
import functools
import importlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import anyio
import anyio.abc

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue import approval, snapshot
from codeact_lsp.catalogue.cache import Cache, Cached
from codeact_lsp.catalogue.config import Config, ConfigReader
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.files import Signature, signature
from codeact_lsp.catalogue.limits import DEFAULT as DEFAULT_LIMITS
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.messages import (
    ApprovalAnswer,
    Ask,
    Configure,
    Configured,
    Groups,
    InputValue,
    LookedAt,
    Refresh,
    Restart,
    ToChild,
)
from codeact_lsp.catalogue.model import (
    Catalogue,
    Problem,
    Server,
    ServerState,
    digest,
)
from codeact_lsp.catalogue.outbox import Outbox, mark_changed
from codeact_lsp.catalogue.pace import DEFAULT as DEFAULT_TIMING
from codeact_lsp.catalogue.pace import Timing
from codeact_lsp.catalogue.questions import Questions
from codeact_lsp.catalogue.secrets import redact, secrets_of
from codeact_lsp.catalogue.voice import problem_of

if TYPE_CHECKING:
    from codeact_lsp.catalogue.connection import Connection

_log = logging.getLogger(__name__)
_READINGS: Final = 3
_SAYING_SECONDS: Final = 2.0
_CONNECTION: Final = "codeact_lsp.catalogue.connection"


@dataclass(slots=True)
class _Entry:
    """A server that is configured now.

    Attributes:
        config: its entry.
        key: the approval hash.
        seen: raw tool name → digest that the user last looked at.
        server: how it is, without what a snapshot may lend it.
        connection: what keeps it fresh; None until the SDK is imported.
        scope: ends the connection; None when the server may not run.
        done: set when the connection has ended and its processes are gone.
        unkept: something is not in the cache yet.
        keeping: the cache is being written.

    """

    config: ServerConfig
    key: str
    server: Server
    seen: dict[str, str] = field(default_factory=dict)
    connection: Connection | None = None
    scope: anyio.CancelScope | None = None
    done: anyio.Event | None = None
    unkept: bool = False
    keeping: bool = False


class Hub:
    """Follows config and servers, and tells the outbox."""

    def __init__(
        self,
        outbox: Outbox,
        tasks: anyio.abc.TaskGroup,
        *,
        environment: Mapping[str, str],
        timing: Timing = DEFAULT_TIMING,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._outbox = outbox
        self._tasks = tasks
        self._environment = environment
        self._timing = timing
        self._limits = limits
        self._reader = ConfigReader(environment)
        self._store = approval.Store(environment)
        self._questions = Questions(outbox, self._store, environment)
        self._cache = Cache(environment)
        self._configure = Configure()
        self._config = Config()
        self._inputs: dict[str, dict[str, str]] = {}
        self._entries: dict[str, _Entry] = {}
        self._snapshots = Catalogue()
        self._groups: set[int] = set()
        self._looked_at_files: tuple[tuple[Path, ...], Signature] = ((), ())

    @property
    def groups(self) -> frozenset[int]:
        """The process groups of all servers that run now."""
        return frozenset(self._groups)

    def handle(self, message: ToChild) -> None:
        """Do what the editor says; `Shutdown` is the caller's business."""
        match message:
            case Configure():
                self._configure = message
                self._questions.can_ask = message.can_ask
                self._questions.forget()
                self.reload()
            case ApprovalAnswer():
                self._answer(message)
            case InputValue(id=identifier, path=path, value=value):
                if value is not None:
                    self._inputs.setdefault(path, {})[identifier] = value
                    self.reload()
            case Refresh(server=raw):
                for connection in self._connections(raw):
                    connection.refresh()
            case Restart(server=raw):
                for entry in self._named(raw):
                    self._questions.forget_inputs(entry.config)
                self.reload()
                for connection in self._connections(raw):
                    connection.restart()
            case Ask(server=raw):
                for entry in self._named(raw):
                    self._questions.again(
                        entry.config, entry.key, self._config, refused=raw is not None
                    )
            case LookedAt():
                self._looked_at(message)
            case _:
                _log.debug("nothing to do for %s", type(message).__name__)

    @property
    def looked_at(self) -> tuple[tuple[Path, ...], Signature]:
        """The files that decide what runs, and what they were when they were read."""
        return self._looked_at_files

    def _watched(self) -> tuple[Path, ...]:
        env_files = (server.env_file for server in self._config.servers)
        return (
            *self._config.files,
            *(Path(name) for name in env_files if name is not None),
            *(Path(name) for name in self._config.settings.snapshots),
            self._store.path,
        )

    def _read(self) -> Config:
        """Read config; a file that changes meanwhile does so after `looked_at`, not unseen."""
        folders = [Path(folder) for folder in self._configure.folders]
        for _ in range(_READINGS):
            paths = self._watched()
            before = signature(paths)
            self._config = self._reader.read(folders, self._configure.settings, self._inputs)
            self._looked_at_files = paths, before
            if self._watched() == paths:
                break
        return self._config

    def reload(self) -> None:
        """Read config again; only servers whose entry changed are stopped or started."""
        config = self._read()
        self._snapshots = snapshot.merge(
            snapshot.read_snapshot(Path(name), self._limits) for name in config.settings.snapshots
        )
        wanted = {server.name: server for server in config.servers}
        for name in [name for name in self._entries if name not in wanted]:
            self._stop(self._entries.pop(name))
        raws = dict.fromkeys((*wanted, *self._snapshots.servers))
        files = tuple(str(path) for path in config.files)
        self._outbox.configured(Configured(config.settings, tuple(raws), files))
        self._outbox.problems((*config.problems, *self._snapshots.problems))
        self._outbox.native(self._snapshots.native)
        for server in wanted.values():
            self._apply(server)
        for raw in self._snapshots.servers.keys() - wanted.keys():
            self._outbox.server(self._snapshots.servers[raw])

    def _apply(self, config: ServerConfig) -> None:
        """Start, keep or stop the server of an entry."""
        key = approval.key(config, self._environment)
        entry = self._entries.get(config.name)
        approved = self._store.is_approved(config)
        runs = config.usable and not config.disabled and approved
        if entry is not None and entry.scope is not None:
            if runs and _same(entry.config, config) and entry.key == key:
                entry.config = config
                self._publish(entry)
                return
            self._stop(entry)
        before = None if entry is None else entry.done
        entry = self._entries[config.name] = self._new_entry(config, key, approved=approved)
        if runs:
            self._start(entry, before)
        elif config.complete and not config.disabled:
            # Nobody types a secret for a program that may not run.
            if approved:
                self._questions.inputs(config, self._config)
            else:
                self._questions.approve(config, key)
        self._publish(entry)

    def _new_entry(self, config: ServerConfig, key: str, *, approved: bool) -> _Entry:
        cached = self._cached(config, key, approved=approved)
        server = Server(config.name) if cached is None else cached.server
        state, problems = self._standing(config, approved=approved)
        server = replace(
            server,
            state=state,
            address=redact(approval.shown(config, self._environment), secrets_of(config)),
            problems=(*config.problems, *problems),
            tools=() if config.disabled else server.tools,
        )
        seen = dict(cached.seen) if cached else {}
        return _Entry(config, key, mark_changed(server, seen), seen)

    def _standing(
        self, config: ServerConfig, *, approved: bool
    ) -> tuple[ServerState, tuple[Problem, ...]]:
        if config.disabled:
            return ServerState.DISABLED, ()
        if not config.complete or (approved and not config.usable):
            return ServerState.FAILED, ()
        if approved:
            return ServerState.STARTING, ()
        message = "not approved, so it does not run; `codeact-lsp approve` asks for it"
        problem = problem_of(config, "not-approved", message)
        return ServerState.NOT_APPROVED, (problem,)

    def _cached(self, config: ServerConfig, key: str, *, approved: bool) -> Cached | None:
        """The last good catalogue; of an entry that changed, the one that was approved last."""
        found = self._cache.load(key, config.name) if approved else None
        return found or self._cache.load(_place_key(config), config.name)

    def _start(self, entry: _Entry, before: anyio.Event | None) -> None:
        entry.scope, entry.done = anyio.CancelScope(), anyio.Event()
        self._tasks.start_soon(self._run, entry, before)

    async def _run(self, entry: _Entry, before: anyio.Event | None) -> None:
        scope, done = entry.scope, entry.done
        assert scope is not None
        assert done is not None
        try:
            with scope:
                if before is not None:
                    # The same program twice at once could fight over a port or a lock.
                    await before.wait()
                # Importing the SDK takes a while, and names from the cache are waited for: they go
                # first, unless the editor does not read them.
                with anyio.move_on_after(_SAYING_SECONDS):
                    await self._outbox.quiet()
                sdk = await asyncio.to_thread(importlib.import_module, _CONNECTION)
                raw = entry.config.name
                connection: Connection = sdk.Connection(
                    entry.config,
                    entry.server,
                    sdk.Outlets(
                        publish=functools.partial(self._on_server, entry),
                        log=functools.partial(self._outbox.log, raw),
                        group=self._on_group,
                    ),
                    environment=self._environment,
                    timing=self._timing,
                    limits=self._limits,
                )
                entry.connection = connection
                await connection.run()
        except Exception as error:  # noqa: BLE001 - the wall between servers
            # A mistake of ours with one server must not take the others with it.
            _log.exception("following %s failed", safe_text.escaped_name(entry.config.name))
            self._give_up(entry, type(error).__name__)
        finally:
            done.set()

    def _give_up(self, entry: _Entry, why: str) -> None:
        config = entry.config
        problem = problem_of(config, "internal-error", f"an error of codeact-lsp itself ({why})")
        server = replace(
            entry.server, state=ServerState.FAILED, stale=True, problems=(*config.problems, problem)
        )
        self._on_server(entry, server)

    def _stop(self, entry: _Entry) -> None:
        if entry.scope is not None:
            entry.scope.cancel()
        entry.connection = entry.scope = None

    def _on_server(self, entry: _Entry, server: Server) -> None:
        if self._entries.get(server.raw) is not entry:
            return
        listed = server.listed_at != entry.server.listed_at
        differs = server.tools != entry.server.tools
        entry.server = mark_changed(server, entry.seen) if differs else server
        self._publish(entry)
        if listed and not server.stale:
            self._keep(entry)

    def _publish(self, entry: _Entry) -> None:
        server = entry.server
        lent = self._snapshots.servers.get(server.raw)
        if not server.tools and lent is not None and server.listed_at is None:
            server = replace(server, tools=lent.tools, stale=True)
        at = entry.config
        self._outbox.server(replace(server, path=at.path, line=at.line, column=at.column))

    def _keep(self, entry: _Entry) -> None:
        """Write the cache, away from the loop; what is newest is written last."""
        entry.unkept = True
        if not entry.keeping:
            entry.keeping = True
            self._tasks.start_soon(self._write_cache, entry)

    async def _write_cache(self, entry: _Entry) -> None:
        with anyio.CancelScope(shield=True):
            while entry.unkept:
                entry.unkept = False
                keys = (entry.key, _place_key(entry.config))
                await asyncio.to_thread(self._cache.store, keys, entry.server, dict(entry.seen))
        entry.keeping = False

    def _on_group(self, group: int) -> None:
        if group > 0:
            self._groups.add(group)
        else:
            self._groups.discard(-group)
        self._outbox.plain(Groups(tuple(sorted(self._groups))))

    def _connections(self, raw: str | None) -> list[Connection]:
        return [
            entry.connection
            for name, entry in self._entries.items()
            if entry.connection is not None and raw in {None, name}
        ]

    def _named(self, raw: str | None) -> list[_Entry]:
        return [entry for name, entry in self._entries.items() if raw in {None, name}]

    def _answer(self, message: ApprovalAnswer) -> None:
        for entry in list(self._entries.values()):
            if entry.key != message.key:
                continue
            try:
                self._store.record_key(
                    message.key, entry.config.name, entry.config.path, message.answer
                )
            except OSError as error:
                self._outbox.log(None, "error", f"the answer could not be kept: {error}")
            self._apply(entry.config)

    def _looked_at(self, message: LookedAt) -> None:
        entry = self._entries.get(message.server)
        if entry is None or entry.seen.get(message.tool) in {None, message.digest}:
            return
        entry.seen[message.tool] = message.digest
        entry.server = mark_changed(entry.server, entry.seen)
        self._publish(entry)
        self._keep(entry)


def _same(one: ServerConfig, other: ServerConfig) -> bool:
    """Whether two readings of an entry mean the same, wherever it stands in the file now."""

    def meaning(config: ServerConfig) -> ServerConfig:
        return replace(config, line=0, column=0, problems=())

    return meaning(one) == meaning(other)


def _place_key(config: ServerConfig) -> str:
    return digest("place", config.path, config.name)
