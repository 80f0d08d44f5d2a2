"""What is known of the tools without starting a server: config, approval, cache and snapshot files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from codeact_lsp.catalogue import approval, config, snapshot
from codeact_lsp.catalogue.cache import Cache
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.model import Catalogue, Server, ServerState
from codeact_lsp.catalogue.settings import Settings
from codeact_lsp.runtime.editor import FromEditor


@dataclass(frozen=True, slots=True)
class Known:
    """What is known now.

    Attributes:
        catalogue: the servers with the tools that were listed last.
        configs: raw server name → how it is started, also of those that may not be.
        refusals: raw server name → why it is not started, one line.
        settings: the project's settings.

    """

    catalogue: Catalogue
    configs: Mapping[str, ServerConfig]
    refusals: Mapping[str, str]
    settings: Settings


def look_up(
    folder: Path, environment: Mapping[str, str], given: Catalogue | None, editor: FromEditor
) -> Known:
    """What is known in `folder`.

    Args:
        folder: where config is looked for, absolute, unless the editor has folders open.
        environment: variables of config, and where the user's own files are.
        given: names to serve in place of what the servers listed; config then only says how to
            reach them.
        editor: what only the editor knows.

    """
    folders = editor.folders or (folder,)
    read = config.ConfigReader(environment).read(folders, editor.settings, editor.inputs)
    store = approval.Store(environment, editor.approved)
    configs = {server.name: server for server in read.servers}
    refusals = {
        name: refusal
        for name, server in configs.items()
        if (refusal := _refusal(server, store)) is not None
    }
    catalogue = given
    if catalogue is None:
        saved = snapshot.merge(
            snapshot.read_snapshot(Path(path)) for path in read.settings.snapshots
        )
        cache = Cache(environment)
        cached = {
            name: _cached(server, cache, environment, refused=name in refusals)
            for name, server in configs.items()
            if not server.disabled
        }
        # A server that was never listed may still be in a snapshot file, which is better than nothing.
        listed = {
            name: server
            for name, server in cached.items()
            if server.tools or name not in saved.servers
        }
        catalogue = Catalogue(
            servers=MappingProxyType({**saved.servers, **listed}),
            native=saved.native,
            problems=(*read.problems, *saved.problems),
            version=1,
        )
    return Known(catalogue, MappingProxyType(configs), MappingProxyType(refusals), read.settings)


def keep(now: Known, before: Known, catalogue: Catalogue, connected: Iterable[str]) -> Known:
    """`now`, in which the servers that are connected are as they were `before`.

    Args:
        now: what a new look at the files found.
        before: what the one before it found.
        catalogue: the newest listings.
        connected: raw names of servers whose listings are from this process.

    """
    kept = [raw for raw in connected if raw in before.configs]
    servers = {raw: catalogue.servers[raw] for raw in kept}
    configs = {raw: before.configs[raw] for raw in kept}
    return Known(
        catalogue=replace(
            now.catalogue, servers=MappingProxyType({**now.catalogue.servers, **servers})
        ),
        configs=MappingProxyType({**now.configs, **configs}),
        refusals=MappingProxyType(
            {raw: why for raw, why in now.refusals.items() if raw not in kept}
        ),
        settings=now.settings,
    )


def remember(server: ServerConfig, listed: Server, environment: Mapping[str, str]) -> None:
    """Keep a listing for the next start, of this or of the editor; a full disk costs only that."""
    cache = Cache(environment)
    key = approval.key(server, environment)
    kept = cache.load(key, server.name)
    cache.store((key,), listed, {} if kept is None else kept.seen)


def _refusal(server: ServerConfig, store: approval.Store) -> str | None:
    if server.disabled:
        return f"{server.name} is disabled in {server.path}"
    if not server.usable:
        said = "; ".join(problem.message for problem in server.problems)
        return f"{server.name} cannot be started: {said or 'its config entry is not usable'}"
    if not store.is_approved(server):
        return (
            f"{server.name} is not approved: {server.path} is not yours alone, so nothing in it runs"
            " before you have seen it. Run: codeact-lsp approve"
        )
    return None


def _cached(
    server: ServerConfig, cache: Cache, environment: Mapping[str, str], *, refused: bool
) -> Server:
    kept = cache.load(approval.key(server, environment), server.name)
    state = ServerState.NOT_APPROVED if refused else ServerState.ASLEEP
    tools = () if kept is None else kept.server.tools
    listed_at = None if kept is None else kept.server.listed_at
    return Server(raw=server.name, tools=tools, state=state, stale=True, listed_at=listed_at)
