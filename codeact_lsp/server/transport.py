"""How bytes reach a conversation: standard streams, TCP, a named pipe, WebSocket.

A process holds one conversation and ends with it, whatever the transport.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import socket
import stat
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Final, Protocol, TypeAlias

from codeact_lsp.server.wire import MOST_BODY_BYTES, Framer, FramingError, frame

FLUSH_SECONDS: Final = 2.0

log = logging.getLogger(__name__)


class Peer(Protocol):
    """What a transport talks to."""

    exit_code: asyncio.Future[int]

    def receive(self, body: bytes) -> None:
        """Take in one message."""

    def disconnected(self) -> None:
        """Nothing more will come."""


Start: TypeAlias = Callable[[Callable[[bytes], None]], Peer]
"""Begins a conversation, given how to send a message; called once, on the event loop."""


class TransportError(Exception):
    """The transport cannot be opened; the text is for people."""


class _Incoming(asyncio.Protocol):
    """Cuts what arrives into messages for a peer."""

    def __init__(self) -> None:
        self.peer: Peer | None = None
        self.closed = asyncio.get_running_loop().create_future()
        self._framer = Framer()

    def data_received(self, data: bytes) -> None:
        if self.peer is None:
            return
        try:
            bodies = self._framer.feed(data)
        except FramingError as error:
            log.error("the conversation ends: %s", error)  # noqa: TRY400 - one line says it all
            self.peer.disconnected()
            self.peer = None
            return
        for body in bodies:
            self.peer.receive(body)

    def connection_lost(self, exc: Exception | None) -> None:
        if exc is not None:
            log.info("connection lost: %s", exc)
        if self.peer is not None:
            self.peer.disconnected()
        if not self.closed.done():
            self.closed.set_result(None)


def _claim_standard_streams() -> tuple[int, int]:
    """The protocol's own copies of descriptors 0 and 1.

    What anything else prints goes to standard error, and what anything else reads is empty: a
    `print()` in some library cannot get between two messages.
    """
    incoming, outgoing = os.dup(0), os.dup(1)
    sys.stdout.flush()
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return incoming, outgoing


def _can_poll(descriptor: int) -> bool:
    """Whether the event loop can wait for it; not so for files, terminals and on Windows."""
    mode = os.fstat(descriptor).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _read_in_thread(descriptor: int, protocol: _Incoming) -> None:
    loop = asyncio.get_running_loop()

    def read() -> None:
        try:
            while data := os.read(descriptor, 65536):
                loop.call_soon_threadsafe(protocol.data_received, data)
            loop.call_soon_threadsafe(protocol.connection_lost, None)
        except (OSError, RuntimeError) as error:
            log.debug("reading ended: %s", error)

    threading.Thread(target=read, daemon=True, name="codeact-lsp-stdin").start()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


async def stdio(start: Start) -> int:
    """One conversation over standard input and output; its exit code."""
    loop = asyncio.get_running_loop()
    incoming, outgoing = _claim_standard_streams()
    writer: asyncio.WriteTransport | None = None
    reader = _Incoming()
    sink = _Incoming()
    if _can_poll(outgoing):
        writer, _ = await loop.connect_write_pipe(lambda: sink, os.fdopen(outgoing, "wb", 0))
        write: Callable[[bytes], None] = writer.write
    else:

        def write(data: bytes) -> None:
            _write_all(outgoing, data)

    peer = start(lambda body: write(frame(body)))
    reader.peer = sink.peer = peer
    if _can_poll(incoming):
        await loop.connect_read_pipe(lambda: reader, os.fdopen(incoming, "rb", 0))
    else:
        _read_in_thread(incoming, reader)
    code = await peer.exit_code
    if writer is not None:
        await _flush(writer, sink.closed)
    return code


async def _flush(writer: asyncio.WriteTransport, closed: asyncio.Future[None]) -> None:
    writer.close()
    await asyncio.wait([closed], timeout=FLUSH_SECONDS)


def check_loopback(host: str) -> None:
    """Refuse an address that other machines could reach.

    Raises:
        TransportError: when `host` is no loopback address.

    """
    if host == "localhost":
        return
    try:
        local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        local = False
    if not local:
        raise TransportError(f"{host} is not a loopback address; use 127.0.0.1, ::1 or localhost")


def _announce(kind: str, listening: Iterable[socket.socket]) -> None:
    # Whoever chose port 0 waits for this; `localhost` may be two addresses, each with its own port.
    for one in listening:
        host, port = one.getsockname()[:2]
        sys.stderr.write(f"codeact-lsp: {kind} listens on {host} port {port}\n")
    sys.stderr.flush()


async def tcp(start: Start, host: str, port: int) -> int:
    """One conversation with the first client that connects to `host` and `port`."""
    check_loopback(host)
    connected: asyncio.Future[tuple[_Incoming, asyncio.Transport]]
    connected = asyncio.get_running_loop().create_future()

    class Accept(_Incoming):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            if connected.done():
                transport.abort()
                return
            # Set at once: the first bytes may be in the same turn of the loop.
            self.peer = start(lambda body: transport.write(frame(body)))
            connected.set_result((self, transport))

    try:
        server = await asyncio.get_running_loop().create_server(Accept, host, port)
    except OSError as error:
        raise TransportError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    _announce("tcp", server.sockets)
    protocol, transport = await connected
    server.close()
    return await _converse(protocol, transport)


async def pipe(start: Start, path: str) -> int:
    """One conversation over the local socket that the client made at `path`."""
    if sys.platform == "win32":
        raise TransportError("--pipe is for Unix sockets; use --stdio or --tcp on Windows")
    loop = asyncio.get_running_loop()
    try:
        transport, protocol = await loop.create_unix_connection(_Incoming, path)
    except OSError as error:
        raise TransportError(f"cannot connect to {path}: {error.strerror}") from error
    protocol.peer = start(lambda body: transport.write(frame(body)))
    return await _converse(protocol, transport)


async def _converse(protocol: _Incoming, transport: asyncio.Transport) -> int:
    assert protocol.peer is not None
    code = await protocol.peer.exit_code
    await _flush(transport, protocol.closed)
    return code


async def websocket(start: Start, host: str, port: int) -> int:
    """One conversation over WebSocket, a message a frame; browsers are refused by their Origin."""
    from websockets.asyncio.server import ServerConnection, serve
    from websockets.exceptions import ConnectionClosed

    check_loopback(host)
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    taken = False

    async def converse(connection: ServerConnection) -> None:
        nonlocal taken
        if taken:
            await connection.close(1013, "one client at a time")
            return
        taken = True
        outbox: asyncio.Queue[bytes] = asyncio.Queue()
        peer = start(outbox.put_nowait)

        async def send() -> None:
            while True:
                await connection.send((await outbox.get()).decode("ascii"))
                outbox.task_done()

        async def receive() -> None:
            async for message in connection:
                peer.receive(message if isinstance(message, bytes) else message.encode())
            peer.disconnected()

        sending, receiving = asyncio.create_task(send()), asyncio.create_task(receive())
        code = await peer.exit_code
        receiving.cancel()
        try:
            await asyncio.wait_for(outbox.join(), FLUSH_SECONDS)
            await asyncio.wait_for(connection.close(), FLUSH_SECONDS)
        except (ConnectionClosed, TimeoutError) as error:
            log.debug("not closed cleanly: %s", error)
        sending.cancel()
        ended.set_result(code)

    try:
        server = await serve(
            converse, host, port, origins=[None], max_size=MOST_BODY_BYTES, compression=None
        )
    except OSError as error:
        raise TransportError(f"cannot listen on {host}:{port}: {error.strerror}") from error
    async with server:
        _announce("ws", server.sockets)
        return await ended
