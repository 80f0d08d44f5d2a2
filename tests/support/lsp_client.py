"""A raw LSP client: it frames messages itself and reads every one of the server's by `lsprotocol`.

Waiting is always for a condition, with a limit. Nothing of the server's own code is used.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

LIMIT_SECONDS = 30.0

Json = dict[str, Any]


class LspError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.error = error


@cache
def _judge() -> tuple[Any, Mapping[str, Any]]:
    from lsprotocol import converters, types

    return converters.get_converter(), types.METHOD_TO_TYPES


def check_message(message: Json, answered_method: str | None = None) -> None:
    """Fail unless `message` has the shape that LSP gives it; methods of our own are not LSP's."""
    converter, known = _judge()
    if answered_method is not None and "error" not in message:
        if answered_method in known and known[answered_method][1] is not None:
            converter.structure(message, known[answered_method][1])
    elif message.get("method") in known:
        converter.structure(message, known[message["method"]][0])


async def eventually(condition: Callable[[], Any]) -> None:
    """Wait for a condition that nothing announces."""
    async with asyncio.timeout(LIMIT_SECONDS):
        while True:
            if condition():
                return
            await asyncio.sleep(0.02)


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@dataclass
class LspClient:
    """One conversation; `send` puts bytes on the wire, `feed` takes them in."""

    write: Callable[[bytes], Awaitable[None]]
    answers: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    notifications: list[Json] = field(default_factory=list)
    requests: list[Json] = field(default_factory=list)
    responses: Counter[Any] = field(default_factory=Counter)
    orphans: list[Json] = field(default_factory=list)
    framed: bool = True
    _methods: dict[Any, str] = field(default_factory=dict)
    _waiting: dict[Any, asyncio.Future[Json]] = field(default_factory=dict)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _id: int = 0
    _buffer: bytes = b""
    process: asyncio.subprocess.Process | None = None
    stderr: bytearray = field(default_factory=bytearray)
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    closed: bool = False

    async def send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        await self.write(frame(body) if self.framed else body)

    async def notify(self, method: str, params: Any) -> None:
        await self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def post(self, method: str, params: Any, request_id: Any = None) -> Any:
        """Send a request and do not wait; its id."""
        if request_id is None:
            self._id += 1
            request_id = self._id
        self._methods[request_id] = method
        self._waiting[request_id] = asyncio.get_running_loop().create_future()
        await self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    async def answer(self, request_id: Any) -> Any:
        """The result of a request that was posted.

        Raises:
            LspError: when it was answered with an error.

        """
        message = await asyncio.wait_for(self._waiting[request_id], LIMIT_SECONDS)
        if "error" in message:
            raise LspError(message["error"])
        return message["result"]

    async def request(self, method: str, params: Any) -> Any:
        return await self.answer(await self.post(method, params))

    async def until(self, condition: Callable[[], Any]) -> Any:
        """What `condition` returns once that is true; it is asked again after every message."""
        async with self._news:
            async with asyncio.timeout(LIMIT_SECONDS):
                while not (value := condition()):
                    if self.closed:
                        raise AssertionError("the server closed the stream")
                    await self._news.wait()
            return value

    def published(self, uri: str) -> list[Json]:
        """The params of every `publishDiagnostics` for `uri`, oldest first."""
        return [
            message["params"]
            for message in self.notifications
            if message["method"] == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri
        ]

    async def feed(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            header = self._buffer[:end].decode("ascii")
            name, _, value = header.partition(": ")
            assert name == "Content-Length", f"not a header: {header!r}"
            length = int(value)
            start = end + 4
            if len(self._buffer) < start + length:
                return
            body, self._buffer = (
                self._buffer[start : start + length],
                self._buffer[start + length :],
            )
            await self.take(body)

    async def take(self, body: bytes) -> None:
        message = json.loads(body)
        assert message["jsonrpc"] == "2.0"
        if "method" not in message:
            self.responses[message["id"]] += 1
            waiting = self._waiting.get(message["id"])
            if waiting is None or waiting.done():
                self.orphans.append(message)
            else:
                check_message(message, self._methods[message["id"]])
                waiting.set_result(message)
        else:
            check_message(message)
            if "id" in message:
                self.requests.append(message)
                reply: Callable[[Any], Any] = self.answers.get(message["method"], _null)
                result = reply(message["params"])
                if result is not NO_ANSWER:
                    await self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
            else:
                self.notifications.append(message)
        await self._tell()

    async def end(self) -> None:
        self.closed = True
        await self._tell()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def initialize(
        self,
        *,
        root: Path | None = None,
        capabilities: Json | None = None,
        options: Any = None,
    ) -> Json:
        folder = None if root is None else root.as_uri()
        result = await self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder,
                "workspaceFolders": folder and [{"uri": folder, "name": "root"}],
                "capabilities": CAPABILITIES if capabilities is None else capabilities,
                "initializationOptions": options,
            },
        )
        await self.notify("initialized", {})
        assert isinstance(result, dict)
        return result

    async def open(self, uri: str, text: str, version: int = 1) -> None:
        document = {"uri": uri, "languageId": "python", "version": version, "text": text}
        await self.notify("textDocument/didOpen", {"textDocument": document})

    async def change(self, uri: str, version: int, *changes: Json) -> None:
        await self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    async def at(self, method: str, uri: str, line: int, character: int, **more: Any) -> Any:
        """A request about one position."""
        position = {"line": line, "character": character}
        return await self.request(
            method, {"textDocument": {"uri": uri}, "position": position, **more}
        )

    async def exit_code(self) -> int:
        assert self.process is not None
        return await asyncio.wait_for(self.process.wait(), LIMIT_SECONDS)

    async def stop(self) -> int:
        """`shutdown` and `exit`; the exit code."""
        await self.request("shutdown", None)
        await self.notify("exit", None)
        return await self.exit_code()


def _null(_params: Any) -> None:
    """The result of a request that a test does not care about."""


NO_ANSWER = object()
"""What an entry of `answers` returns to leave a request of the server without an answer."""

CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "labelDetailsSupport": True,
                "documentationFormat": ["markdown", "plaintext"],
            },
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "signatureHelp": {
            "signatureInformation": {
                "documentationFormat": ["markdown"],
                "parameterInformation": {"labelOffsetSupport": True},
                "activeParameterSupport": True,
            }
        },
        "publishDiagnostics": {"versionSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}


def server_command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "codeact_lsp", "serve", *arguments]


async def start_stdio(
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    command: Sequence[str] | None = None,
) -> LspClient:
    """A server process that is talked to over its standard streams."""
    process = await asyncio.create_subprocess_exec(
        *(command or server_command("--stdio", *arguments)),
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    async def write(data: bytes) -> None:
        stdin.write(data)
        await stdin.drain()

    client = LspClient(write, process=process)
    client.tasks = [
        asyncio.ensure_future(_pump(client, stdout)),
        asyncio.ensure_future(_keep_stderr(client)),
    ]
    return client


async def _pump(client: LspClient, stream: asyncio.StreamReader) -> None:
    try:
        while data := await stream.read(65536):
            await client.feed(data)
    finally:
        await client.end()


async def _keep_stderr(client: LspClient) -> None:
    assert client.process is not None
    assert client.process.stderr is not None
    while data := await client.process.stderr.read(65536):
        client.stderr += data
        await client._tell()


async def connect_tcp(client: LspClient, host: str, port: int) -> None:
    """Talk to a server that listens, over TCP from now on."""
    reader, writer = await asyncio.open_connection(host, port)
    use_streams(client, reader, writer)


def use_streams(
    client: LspClient, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    async def write(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    client.write = write
    client.writers.append(writer)
    client.closed = False
    client.tasks.append(asyncio.ensure_future(_pump(client, reader)))


async def close(client: LspClient) -> None:
    """End the process if it still runs, and everything of the client."""
    if client.process is not None and client.process.returncode is None:
        client.process.kill()
        await client.process.wait()
    for task in client.tasks:
        task.cancel()
    await asyncio.gather(*client.tasks, return_exceptions=True)
    for writer in client.writers:
        writer.close()
        # The server may have been killed: how the stream ended is not what is tested.
        await asyncio.gather(writer.wait_closed(), return_exceptions=True)
