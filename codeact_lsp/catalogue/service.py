"""The catalogue process: the hub between two pipes, and an end that leaves nothing behind."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

import anyio

from codeact_lsp.catalogue.files import signature
from codeact_lsp.catalogue.hub import Hub
from codeact_lsp.catalogue.limits import DEFAULT as DEFAULT_LIMITS
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.messages import Hello, MessageError, Shutdown, decode, encode
from codeact_lsp.catalogue.outbox import Outbox
from codeact_lsp.catalogue.pace import DEFAULT as DEFAULT_TIMING
from codeact_lsp.catalogue.pace import Timing

_LONGEST_LINE: Final = 64 * 1024 * 1024
_LAST_MOMENT: Final = 2.6
"""Seconds after the end was asked for, when whatever is left is killed."""
_log = logging.getLogger(__name__)


async def serve(
    stdin: BinaryIO,
    stdout: BinaryIO,
    environment: Mapping[str, str],
    *,
    timing: Timing = DEFAULT_TIMING,
    limits: Limits = DEFAULT_LIMITS,
) -> None:
    """Serve one editor over two pipes until it says so, is gone, or SIGTERM comes."""
    outbox = Outbox()
    logging.getLogger("codeact_lsp").addHandler(_Handler(outbox))
    async with anyio.create_task_group() as tasks:
        hub = Hub(outbox, tasks, environment=environment, timing=timing, limits=limits)

        def end() -> None:
            _arm_last_moment(hub)
            tasks.cancel_scope.cancel()

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            # Windows has no such handlers; there the end of stdin is what ends this.
            with suppress(NotImplementedError):
                loop.add_signal_handler(number, end)
        outbox.plain(Hello(os.getpid()))
        tasks.start_soon(_write, outbox, stdout, end)
        tasks.start_soon(_read, stdin, hub, end)
        tasks.start_soon(_watch, hub, timing, end)


async def _write(outbox: Outbox, stdout: BinaryIO, end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, stdout)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        async for message in outbox.messages():
            writer.write(encode(message))
            await writer.drain()
    except (ConnectionError, BrokenPipeError):
        end()
    finally:
        # A reader that went away has closed it already, and it cannot be closed twice.
        if not transport.is_closing():
            transport.abort()


async def _read(stdin: BinaryIO, hub: Hub, end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
    try:
        while line := await reader.readline():
            try:
                message = decode(line)
            except MessageError:
                # The line may hold an input's value, so it is not quoted.
                _log.warning("a line of %d bytes from the editor is no message", len(line))
                continue
            if isinstance(message, Shutdown):
                break
            hub.handle(message)  # type: ignore[arg-type] # the other direction's are ignored there
    except (ValueError, ConnectionError):
        _log.warning("the editor's stream broke")
    finally:
        transport.close()
    end()


async def _watch(hub: Hub, timing: Timing, end: Callable[[], None]) -> None:
    """Read config again when a file of it changes; end when the parent is gone."""
    parent = os.getppid()
    while os.getppid() == parent:
        paths, known = hub.looked_at
        if await asyncio.to_thread(signature, paths) != known and hub.looked_at[0] == paths:
            hub.reload()
        await asyncio.sleep(timing.poll)
    end()


def _arm_last_moment(hub: Hub) -> None:
    """Kill what is left, and this process, when the orderly end takes too long."""

    def last_moment() -> None:
        for group in hub.groups:
            with suppress(OSError, AttributeError):
                os.killpg(group, signal.SIGKILL)
        # An import that is still running in a thread is no reason to call this a failure.
        os._exit(0)

    timer = threading.Timer(_LAST_MOMENT, last_moment)
    timer.daemon = True
    timer.start()


class _Handler(logging.Handler):
    """Sends this package's own log lines to the editor."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__(logging.WARNING)
        self._outbox = outbox
        self._loop = asyncio.get_running_loop()

    def emit(self, record: logging.LogRecord) -> None:
        level = "error" if record.levelno >= logging.ERROR else "warning"
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._outbox.log, None, level, record.getMessage())


def main() -> None:
    """Run the catalogue process over this process's stdin and stdout."""
    stdin, stdout = _private_streams()
    # The SDK logs with tracebacks, and those with what servers send; a server has its own log.
    logging.getLogger().addHandler(logging.NullHandler())
    asyncio.run(serve(stdin, stdout, os.environ))


def _private_streams() -> tuple[BinaryIO, Any]:
    """The two pipes, out of reach of a stray `print` or `input`."""
    stdin = os.fdopen(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return stdin, stdout
