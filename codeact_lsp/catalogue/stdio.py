"""The stdio transport of MCP: a server as a child in a process group of its own.

The SDK has one too. This one differs where a hostile or broken server shows: a line may be long
without its reading growing quadratic, one bad byte or lone surrogate costs only itself, what is not
protocol is logged, and the whole group is gone within two seconds, whatever the server ignores.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import anyio
import mcp_types as types
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from codeact_lsp.catalogue import approval
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.lines import NOISE, Noise, Splitter, TooLong, read_line, refusal
from codeact_lsp.catalogue.pipes import close_pipes
from codeact_lsp.catalogue.sieve import Lines
from codeact_lsp.catalogue.tap import Tap

Incoming = SessionMessage | Exception
_Streams = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

_CHUNK: Final = 256 * 1024
_STDERR_LINE: Final = 8 * 1024
_GRACE_EOF: Final = 0.5
_GRACE_TERM: Final = 0.7
_GRACE_KILL: Final = 0.5
_POLL: Final = 0.01


class CommandNotFoundError(OSError):
    """The program of a server is not there."""


@dataclass(frozen=True, slots=True)
class Watch:
    """Who hears of what a server does beside the protocol.

    Attributes:
        stderr: takes a line of its stderr.
        noise: takes output on stdout that is not protocol.
        group: takes the process group's id when it starts, and its negative when it is gone.

    """

    stderr: Callable[[str], None] = lambda _text: None
    noise: Callable[[str], None] = lambda _text: None
    group: Callable[[int], None] = lambda _id: None


@asynccontextmanager
async def stdio_transport(
    server: ServerConfig,
    environment: Mapping[str, str],
    watch: Watch,
    limits: Limits = DEFAULT,
    tap: Tap | None = None,
) -> AsyncIterator[_Streams]:
    """The streams of a server that is started here and stopped on the way out.

    With a `tap`, long lists of tools go there as they arrive.

    Raises:
        CommandNotFoundError: there is no such program.
        OSError: it cannot be started.

    """
    with anyio.CancelScope(shield=True):
        # A start that is cancelled half-way leaves pipes that nobody can close.
        process = await _start(server, environment)
    group = process.pid
    stopped = False
    watch.group(group)
    to_session, from_server = anyio.create_memory_object_stream[Incoming](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read_stdout, process, to_session, watch, limits, tap)
            tasks.start_soon(_read_stderr, process, watch)
            tasks.start_soon(_write_stdin, process, from_session, to_session)
            try:
                yield from_server, to_server
            finally:
                with anyio.CancelScope(shield=True):
                    await _stop(process)
                    stopped = True
                tasks.cancel_scope.cancel()
    finally:
        if not stopped:
            # A cancellation by asyncio itself goes through every shield; nothing may stay even then.
            _signal_group(group, _KILL)
        for stream in (to_session, from_server, to_server, from_session):
            stream.close()
        watch.group(-group)
        inner = getattr(process, "_process", None)
        if isinstance(inner, asyncio.subprocess.Process):
            with anyio.CancelScope(shield=True):
                await close_pipes(inner)


async def _start(server: ServerConfig, environment: Mapping[str, str]) -> Process:
    program = approval.find_command(server, environment)
    if program is None:
        path = approval.search_path(server, environment)
        raise CommandNotFoundError(
            f"the command {server.command!r} was not found in PATH={path}; "
            "give its absolute path, or a PATH in the entry's env"
        )
    # Minimal on purpose: what the entry does not name, the server does not get.
    env = {**get_default_environment(), **server.env}
    windows = sys.platform == "win32"
    return await anyio.open_process(
        [program, *server.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=server.cwd or None,
        env=env,
        start_new_session=not windows,
        creationflags=0x00000200 if windows else 0,  # CREATE_NEW_PROCESS_GROUP
    )


async def _chunks(stream: ByteReceiveStream | None) -> AsyncIterator[bytes]:
    assert stream is not None
    with suppress(anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        while True:
            yield await stream.receive(_CHUNK)
            # A flood keeps the pipe full, and a full pipe never waits.
            await anyio.lowlevel.checkpoint()


async def _read_stdout(
    process: Process,
    session: MemoryObjectSendStream[Incoming],
    watch: Watch,
    limits: Limits,
    tap: Tap | None,
) -> None:
    splitter = Splitter(limits.listing_bytes) if tap is None else Lines(tap, limits)
    listening = True
    async with session:
        async for chunk in _chunks(process.stdout):
            for line in await _split(splitter, chunk, tap):
                if listening:
                    listening = await _deliver(line, session, watch)
        for line in splitter.finish():
            if listening:
                listening = await _deliver(line, session, watch)


async def _split(
    splitter: Splitter | Lines, chunk: bytes, tap: Tap | None
) -> Sequence[bytes | TooLong]:
    """The lines that end in `chunk`."""
    if tap is None or isinstance(splitter, Splitter):
        return list(splitter.feed(chunk))
    if splitter.long:
        # This takes long enough to be felt by the other servers.
        lines = await asyncio.to_thread(lambda: list(splitter.feed(chunk)))
    else:
        lines = list(splitter.feed(chunk))
    if splitter.coming:
        tap.on_part()
    return lines


async def _deliver(
    line: bytes | TooLong,
    session: MemoryObjectSendStream[Incoming],
    watch: Watch,
) -> bool:
    """Hand the messages of a line on; whether somebody still listens."""
    if isinstance(line, TooLong):
        watch.noise(f"a message of {line.size:,} bytes is over the limit and was thrown away")
        messages: list[Mapping[str, Any] | Noise] = [refusal(line)] if line.id else []
    else:
        messages = list(read_line(line))
    for message in messages:
        if isinstance(message, Noise):
            watch.noise(message.text)
            continue
        try:
            parsed = types.jsonrpc_message_adapter.validate_python(message, by_name=False)
        except ValidationError:
            watch.noise(f"not a JSON-RPC message: {str(message)[:NOISE]}")
            continue
        try:
            await session.send(SessionMessage(parsed))
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            # Reading goes on, or a server that is still writing could never end by itself.
            return False
    return True


async def _read_stderr(process: Process, watch: Watch) -> None:
    splitter = Splitter(_STDERR_LINE)
    async for chunk in _chunks(process.stderr):
        for line in splitter.feed(chunk):
            watch.stderr(_stderr_text(line))
    for line in splitter.finish():
        watch.stderr(_stderr_text(line))


def _stderr_text(line: bytes | TooLong) -> str:
    if isinstance(line, TooLong):
        return f"(a line of {line.size:,} bytes)"
    return line.decode("utf-8", "replace")


async def _write_stdin(
    process: Process,
    session: MemoryObjectReceiveStream[SessionMessage],
    answers: MemoryObjectSendStream[Incoming],
) -> None:
    assert process.stdin is not None
    async with session:
        async for item in session:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await process.stdin.send(text.encode() + b"\n")
            except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
                # Whoever waits for an answer must learn that none will come.
                await answers.aclose()
                return


_TERM: Final = signal.SIGTERM
_KILL: Final = getattr(signal, "SIGKILL", signal.SIGTERM)


async def _stop(process: Process) -> None:
    """End the server and its group: close its stdin, ask it, then kill it."""
    assert process.stdin is not None
    with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
        # A server that never reads keeps the pipe full, and closing waits for it to drain.
        with anyio.move_on_after(_GRACE_EOF):
            await process.stdin.aclose()
    if await _gone(process, _GRACE_EOF) and not _group_alive(process.pid):
        return
    _signal_group(process.pid, _TERM)
    if await _gone(process, _GRACE_TERM) and not _group_alive(process.pid):
        return
    _signal_group(process.pid, _KILL)
    await _gone(process, _GRACE_KILL)


async def _gone(process: Process, seconds: float) -> bool:
    """Whether the server and its group end within `seconds`."""
    with anyio.move_on_after(seconds):
        # Nothing tells when the last member of a group ends.
        while process.returncode is None or _group_alive(process.pid):  # noqa: ASYNC110 - see above
            await anyio.sleep(_POLL)
    return process.returncode is not None


def _group_alive(group: int) -> bool:
    if sys.platform == "win32":
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _signal_group(group: int, number: int) -> None:
    if sys.platform == "win32":
        # Without a job object this is what ends a tree; the fixed path is the system's own tool.
        subprocess.run(
            [r"C:\Windows\System32\taskkill.exe", "/T", "/F", "/PID", str(group)],
            check=False,
            capture_output=True,
        )
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
