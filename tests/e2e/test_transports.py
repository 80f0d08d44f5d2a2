"""The same conversation over TCP, a Unix socket and WebSocket; only this machine is let in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from socket import create_server

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from codeact_lsp.server.transport import TransportError, _announce, check_loopback
from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support.lsp_client import LspClient, connect_tcp, server_command, use_streams

URI = "file:///w/cell.py"
TEXT = "from codeact_lsp.tools import mcp\nmcp.web."


async def port(client: LspClient) -> int:
    """The port that the server announces on its standard error."""
    found = await client.until(
        lambda: re.search(rb"listens on 127.0.0.1 port (\d+)", client.stderr)
    )
    return int(found[1])


async def check_conversation(client: LspClient, root: Path) -> None:
    await client.initialize(root=root)
    await has_tools(client)
    await client.open(URI, TEXT)
    found = await client.at("textDocument/completion", URI, 1, 8)
    assert [item["label"] for item in found["items"]] == ["fetch_page", "search"]
    assert await client.stop() == 0


@pytest.fixture
def catalogue(tmp_path: Path) -> str:
    return str(snapshot(tmp_path / "web.json", web=WEB))


async def test_tcp(start: Start, catalogue: str, root: Path) -> None:
    client = await start(command=server_command("--tcp", "127.0.0.1:0", "--catalogue", catalogue))
    await connect_tcp(client, "127.0.0.1", await port(client))
    await check_conversation(client, root)


async def test_a_tcp_client_that_leaves_ends_the_server(start: Start) -> None:
    client = await start(command=server_command("--tcp", "localhost:0"))
    _, writer = await asyncio.open_connection("127.0.0.1", await port(client))
    writer.close()
    await writer.wait_closed()
    assert await client.exit_code() == 1


async def test_a_web_page_that_posts_to_the_tcp_port_is_cut_off(start: Start) -> None:
    client = await start(command=server_command("--tcp", "127.0.0.1:0"))
    reader, writer = await asyncio.open_connection("127.0.0.1", await port(client))
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
    writer.write(
        b"POST / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.com\r\n"
        b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    )
    assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()
    assert await client.exit_code() == 1


async def test_pipe(start: Start, catalogue: str, root: Path, tmp_path: Path) -> None:
    path = tmp_path / "socket"
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    connected = asyncio.get_running_loop().create_future()
    server = await asyncio.start_unix_server(lambda r, w: connected.set_result((r, w)), path)
    async with server:
        client = await start(command=server_command("--pipe", str(path), "--catalogue", catalogue))
        use_streams(client, *await connected)
        await check_conversation(client, root)


@pytest.fixture
async def socket(start: Start, catalogue: str) -> AsyncIterator[tuple[LspClient, ClientConnection]]:
    client = await start(command=server_command("--ws", "127.0.0.1:0", "--catalogue", catalogue))
    async with connect(f"ws://127.0.0.1:{await port(client)}", max_size=None) as connection:
        yield client, connection


async def test_websocket(socket: tuple[LspClient, ClientConnection], root: Path) -> None:
    client, connection = socket

    async def write(data: bytes) -> None:
        await connection.send(data.decode())

    async def pump() -> None:
        async for message in connection:
            await client.take(message if isinstance(message, bytes) else message.encode())

    client.write, client.framed, client.closed = write, False, False
    client.tasks.append(asyncio.ensure_future(pump()))
    await check_conversation(client, root)


async def test_a_second_websocket_client_is_turned_away(
    socket: tuple[LspClient, ClientConnection],
) -> None:
    client, _ = socket
    async with connect(f"ws://127.0.0.1:{await port(client)}") as other:
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await other.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1013


async def test_a_browser_is_refused(start: Start) -> None:
    client = await start(command=server_command("--ws", "127.0.0.1:0"))
    address = f"ws://127.0.0.1:{await port(client)}"
    with pytest.raises(websockets.InvalidStatus) as refused:
        async with connect(address, origin=websockets.Origin("https://example.com")):
            pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback(host: str) -> None:
    check_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "example.com", "", "*"])
def test_not_loopback(host: str) -> None:
    with pytest.raises(TransportError, match="loopback"):
        check_loopback(host)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--tcp", "0.0.0.0:0"], "0.0.0.0 is not a loopback address"),
        (["--ws", "example.com:80"], "example.com is not a loopback address"),
        (["--tcp", "localhost"], "not HOST:PORT"),
        (["--pipe", "/no/such/socket"], "cannot connect to /no/such/socket"),
        (["--stdio", "--tcp", "localhost:0"], "are one choice"),
    ],
)
async def test_what_cannot_be_opened_is_one_line(
    start: Start, arguments: list[str], complaint: str
) -> None:
    client = await start(command=server_command(*arguments))
    assert await client.exit_code() != 0
    await asyncio.gather(*client.tasks)
    said = client.stderr.decode()
    assert complaint in said
    assert said.count("\n") == 1


def test_every_address_that_is_listened_on_is_announced(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # `localhost` is two of them on many machines.
    with (
        create_server(("127.0.0.1", 0)) as one,
        create_server(("127.0.0.2", 0)) as two,
    ):
        _announce("tcp", (one, two))
        ports = [each.getsockname()[1] for each in (one, two)]
    assert capsys.readouterr().err.splitlines() == [
        f"codeact-lsp: tcp listens on 127.0.0.1 port {ports[0]}",
        f"codeact-lsp: tcp listens on 127.0.0.2 port {ports[1]}",
    ]
