from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

from codeact_lsp.catalogue import config
from codeact_lsp.catalogue.approval import Store
from codeact_lsp.catalogue.assembler import Assembler
from codeact_lsp.catalogue.hub import Hub
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.messages import (
    Answer,
    Configure,
    FromChild,
    Log,
    ToChild,
    decode,
    encode,
)
from codeact_lsp.catalogue.model import Catalogue, Server
from codeact_lsp.catalogue.outbox import Outbox
from codeact_lsp.catalogue.pace import Timing

HOSTILE: Final = Path(__file__).parents[1] / "hostile" / "server.py"
PATIENCE: Final = 60.0
FAST: Final = Timing(
    debounce=0.02,
    debounce_most=0.2,
    linger=0.3,
    stable=0.2,
    backoff_first=0.02,
    backoff_most=0.1,
    page=1.0,
    ping=0.2,
    slow=3600.0,
    ttl_least=0.1,
    poll=0.02,
)


@dataclass
class Workspace:
    """A folder with config, the user's own folders, and the servers' notes."""

    folder: Path
    environment: dict[str, str]

    def path(self, name: str) -> Path:
        return self.folder.parent / name

    def hostile(self, **script: Any) -> dict[str, Any]:
        """The config entry of a hostile server that does as `script` says."""
        return {"command": sys.executable, "args": [str(HOSTILE), json.dumps(script)]}

    def configure(self, **servers: Any) -> None:
        text = json.dumps({"mcpServers": servers})
        (self.folder / ".mcp.json").write_text(text)

    def approve(self) -> None:
        """Say `always` to everything that is configured now."""
        store = Store(self.environment)
        for server in config.load([self.folder], {}, self.environment).servers:
            store.record(server, Answer.ALWAYS)

    def notes(self, name: str = "log") -> list[dict[str, Any]]:
        path = self.path(name)
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def asked(self, method: str, name: str = "log") -> int:
        return sum(1 for note in self.notes(name) if note.get("method") == method)


@dataclass
class Watcher:
    """What an editor would know, and a way to wait for it."""

    hub: Hub
    messages: list[FromChild] = field(default_factory=list)
    assembler: Assembler = field(default_factory=Assembler)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def catalogue(self) -> Catalogue:
        return self.assembler.catalogue

    def server(self, raw: str = "s") -> Server:
        return self.catalogue.servers.get(raw, Server(raw))

    def names(self, raw: str = "s") -> list[str]:
        return [tool.raw for tool in self.server(raw).tools]

    def kinds(self, raw: str = "s") -> set[str]:
        return {problem.kind for problem in self.server(raw).problems}

    def logs(self, raw: str | None = "s") -> list[str]:
        return [m.text for m in self.messages if isinstance(m, Log) and m.server == raw]

    def say(self, message: ToChild) -> None:
        self.hub.handle(message)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait for it; what was said meanwhile is part of the failure."""
        try:
            await self._until(condition)
        except TimeoutError:
            said = "\n".join(f"{message!r:.400}" for message in self.messages[-40:])
            raise AssertionError(f"waited in vain; said was\n{said}") from None

    async def _until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.news.clear()
                try:
                    # Some conditions are about files, and those do not ring a bell.
                    async with asyncio.timeout(0.02):
                        await self.news.wait()
                except TimeoutError:
                    continue


@asynccontextmanager
async def watching(
    workspace: Workspace,
    *,
    timing: Timing = FAST,
    limits: Limits | None = None,
    can_ask: bool = False,
    settings: Mapping[str, Any] | None = None,
) -> AsyncIterator[Watcher]:
    """A hub over the workspace, with its messages encoded and decoded on the way."""
    outbox = Outbox()
    async with anyio.create_task_group() as tasks:
        hub = Hub(
            outbox,
            tasks,
            environment=workspace.environment,
            timing=timing,
            limits=limits or Limits(),
        )
        watcher = Watcher(hub)

        async def follow() -> None:
            async for message in outbox.messages():
                received = decode(encode(message))
                watcher.messages.append(received)  # type: ignore[arg-type] # only one direction here
                watcher.assembler.feed(received)  # type: ignore[arg-type] # only one direction here
                watcher.news.set()

        tasks.start_soon(follow)
        hub.handle(Configure((str(workspace.folder),), settings or {}, can_ask))
        try:
            yield watcher
        finally:
            tasks.cancel_scope.cancel()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    folder = tmp_path / "project"
    folder.mkdir()
    home = tmp_path / "home"
    environment = {
        **os.environ,
        "HOME": str(home),
        "CODEACT_LSP_CONFIG_DIR": str(home / "config"),
        "CODEACT_LSP_STATE_DIR": str(home / "state"),
        "CODEACT_LSP_CACHE_DIR": str(home / "cache"),
    }
    return Workspace(folder, environment)


class Remote:
    """Starts hostile servers over HTTP, and stops them."""

    def __init__(self) -> None:
        self._started: dict[str, subprocess.Popen[str]] = {}

    def __call__(self, **script: Any) -> str:
        """Start one; its URL."""
        process = subprocess.Popen(
            [sys.executable, str(HOSTILE), json.dumps({"transport": "http", **script})],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        self._started[url] = process
        return url

    def stop(self, url: str) -> None:
        process = self._started.pop(url)
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    def stop_all(self) -> None:
        for url in list(self._started):
            self.stop(url)


@pytest.fixture
def remote() -> Iterator[Remote]:
    started = Remote()
    yield started
    started.stop_all()


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
