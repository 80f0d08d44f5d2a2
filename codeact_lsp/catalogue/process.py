"""The catalogue process as the editor's process sees it; it never imports `mcp`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from codeact_lsp.catalogue.assembler import Assembler
from codeact_lsp.catalogue.messages import (
    ApprovalAnswer,
    ApprovalRequest,
    Configure,
    Configured,
    FromChild,
    Groups,
    Hello,
    InputValue,
    Listing,
    Log,
    MessageError,
    Shutdown,
    ToChild,
    decode,
    encode,
)
from codeact_lsp.catalogue.model import Catalogue, ServerState
from codeact_lsp.catalogue.pipes import close_pipes
from codeact_lsp.catalogue.settings import DEFAULT_SETTINGS, Settings

# Without -P the working directory, often somebody's repository, could replace any module.
COMMAND: Final = (sys.executable, "-P", "-m", "codeact_lsp.catalogue")
# Of a schema that cannot be compressed, in quotes; twice as much may wait to be read.
_LONGEST_LINE: Final = 16 * 1024 * 1024
_STOP_SECONDS: Final = 3.0
_BACKOFF_FIRST: Final = 0.25
_BACKOFF_MOST: Final = 30.0
_STABLE: Final = 10.0
_BUSY_STATES: Final = frozenset({ServerState.STARTING, ServerState.LISTING})
_STDERR_CHUNK: Final = 64 * 1024
_log = logging.getLogger(__name__)


class CatalogueProcess:
    """Starts the child, follows it, and starts it again when it dies.

    Attributes:
        catalogue: the newest; the empty one at first. What was known stays when the child dies.

    """

    def __init__(
        self,
        *,
        on_catalogue: Callable[[Catalogue], None],
        on_message: Callable[[FromChild], None] = lambda _message: None,
        command: Sequence[str] = COMMAND,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Prepare; nothing is started before `start`.

        Args:
            on_catalogue: takes each new catalogue, on the loop; must be quick.
            on_message: takes every message but the parts of listings, on the loop; must be quick.
            command: what to start.
            environment: for the child; this process's own when None.

        """
        self._on_catalogue = on_catalogue
        self._on_message = on_message
        self._command = tuple(command)
        self._environment = environment
        self._assembler = Assembler()
        # What a new child has to be told again.
        self._configure: Configure | None = None
        self._answers: dict[str, ToChild] = {}
        self._groups: tuple[int, ...] = ()
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    @property
    def catalogue(self) -> Catalogue:
        """The newest catalogue."""
        return self._assembler.catalogue

    async def start(self, configure: Configure) -> None:
        """Start the child, and keep one running until `stop`; returns before it has said a word."""
        self._configure = configure
        self._task = asyncio.create_task(self._keep_running(), name="catalogue process")

    def send(self, message: ToChild) -> None:
        """Say something to the child; what it must know is said again to the next one."""
        match message:
            case Configure():
                self._configure = message
            case ApprovalAnswer(key=key):
                self._answers[f"approval {key}"] = message
            case InputValue(id=identifier, path=path):
                self._answers[f"input {identifier} {path}"] = message
        self._write(message)

    async def stop(self) -> None:
        """End the child and all servers; everything is gone when this returns."""
        self._stopping.set()
        task = self._task
        if task is None:
            return
        self._write(Shutdown())
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
        done, _ = await asyncio.wait({task}, timeout=_STOP_SECONDS)
        if not done:
            self._kill()
            task.cancel()
            await asyncio.wait({task})
        self._task = None

    async def _keep_running(self) -> None:
        attempt = 0
        loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            began = loop.time()
            try:
                await self._run_once()
            except OSError as error:
                self._say(f"the catalogue process cannot be started: {error}")
            if self._stopping.is_set():
                return
            self._say("the catalogue process ended; what was known stays, and it is started again")
            if self._assembler.mark_stale():
                self._on_catalogue(self.catalogue)
            attempt = 1 if loop.time() - began >= _STABLE else attempt + 1
            longest = min(_BACKOFF_MOST, _BACKOFF_FIRST * 2.0 ** min(attempt, 16))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(longest * random.uniform(0.5, 1.0)):  # noqa: S311 - spreads load
                    await self._stopping.wait()

    async def _run_once(self) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self._environment,
            limit=_LONGEST_LINE,
        )
        self._process = process
        stderr = asyncio.create_task(self._follow_stderr(process))
        try:
            if self._configure is not None:
                self._write(self._configure)
            for answer in self._answers.values():
                self._write(answer)
            await self._follow(process)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await process.wait()
        finally:
            self._kill()
            self._process = None
            stderr.cancel()
            await asyncio.wait({stderr})
            await close_pipes(process)
            await process.wait()

    async def _follow(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while True:
            try:
                line = await process.stdout.readline()
            except ValueError:
                self._say("the catalogue process sent a line that is too long")
                return
            if not line:
                return
            try:
                message = decode(line)
            except MessageError:
                # Something printed before the child could take its stdout away.
                self._on_message(Log(line.decode("utf-8", "replace").rstrip(), None, "warning"))
                continue
            try:
                changed = self._take(message)  # type: ignore[arg-type] # the other direction's do nothing
            except MessageError as error:
                # A child whose words cannot be put together is of no use; a new one says all again.
                self._say(f"the catalogue process is not understood: {error}")
                return
            if changed:
                self._on_catalogue(self.catalogue)
            # A long burst is always ready to be read, and would keep everybody else waiting.
            await asyncio.sleep(0)

    def _take(self, message: FromChild) -> bool:
        changed = self._assembler.feed(message)
        if isinstance(message, Groups):
            self._groups = message.ids
        elif not isinstance(message, Listing):
            self._on_message(message)
        return changed

    async def _follow_stderr(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while chunk := await process.stderr.read(_STDERR_CHUNK):
            for line in chunk.decode("utf-8", "replace").splitlines():
                self._on_message(Log(line, None, "error"))

    def _write(self, message: ToChild) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdin.is_closing():
            return
        with contextlib.suppress(ConnectionError, RuntimeError):
            process.stdin.write(encode(message))

    def _kill(self) -> None:
        """End a child that did not end, and the servers that it left behind."""
        process = self._process
        if process is None or process.returncode == 0:
            self._groups = ()
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        for group in self._groups:
            with contextlib.suppress(OSError, AttributeError):
                os.killpg(group, signal.SIGKILL)
        self._groups = ()

    def _say(self, text: str) -> None:
        _log.warning("%s", text)
        self._on_message(Log(text, None, "warning"))


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one look at all servers found.

    Attributes:
        catalogue: the tools that were listed, and those from cache and snapshots.
        settings: the merged settings.
        settled: every server had its say before the time was over.
        approvals: what somebody would have to approve.

    """

    catalogue: Catalogue
    settings: Settings
    settled: bool
    approvals: tuple[ApprovalRequest, ...]


async def gather(
    configure: Configure,
    *,
    seconds: float = 60.0,
    environment: Mapping[str, str] | None = None,
) -> Gathered:
    """Start everything that may run, wait until all are listed, and stop again; for the terminal.

    Nobody is asked, so what is not approved does not run: `approvals` says what that is.
    """
    settled = asyncio.Event()
    approvals: list[ApprovalRequest] = []
    settings = DEFAULT_SETTINGS
    expected: tuple[str, ...] | None = None

    def look() -> None:
        servers = process.catalogue.servers
        if expected is not None and all(
            raw in servers and servers[raw].state not in _BUSY_STATES for raw in expected
        ):
            settled.set()

    def on_message(message: FromChild) -> None:
        nonlocal settings, expected
        match message:
            case Hello():
                expected = None
            case Configured():
                settings, expected = message.settings, message.servers
            case ApprovalRequest():
                approvals.append(message)
            case _:
                return
        look()

    process = CatalogueProcess(
        on_catalogue=lambda _catalogue: look(), on_message=on_message, environment=environment
    )
    # `can_ask` makes the child say what it would ask; nobody here answers.
    await process.start(replace(configure, can_ask=True))
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await settled.wait()
    finally:
        await process.stop()
    return Gathered(process.catalogue, settings, settled.is_set(), tuple(approvals))
