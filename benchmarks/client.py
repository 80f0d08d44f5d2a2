"""A small LSP client that frames messages itself and blocks: nothing is measured but the server."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

Json: TypeAlias = dict[str, Any]

CAPABILITIES: Final[Json] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "completion": {
            "contextSupport": True,
            "completionItem": {
                "snippetSupport": True,
                "labelDetailsSupport": True,
                "deprecatedSupport": True,
                "documentationFormat": ["markdown", "plaintext"],
                "resolveSupport": {
                    "properties": ["documentation", "detail", "additionalTextEdits"]
                },
            },
            "completionList": {"itemDefaults": ["editRange"]},
        },
        "definition": {},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {"versionSupport": True},
        "signatureHelp": {
            "contextSupport": True,
            "signatureInformation": {
                "activeParameterSupport": True,
                "documentationFormat": ["markdown", "plaintext"],
                "parameterInformation": {"labelOffsetSupport": True},
            },
        },
    },
    "workspace": {
        "configuration": True,
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceFolders": True,
    },
}
LIMIT_SECONDS: Final = 60.0


class GoneError(Exception):
    """The server has ended, or does not read."""


class Client:
    """One conversation over a process's standard streams.

    Args:
        command: starts the server.
        folder: its working directory and workspace; None for none of its own.
        configuration: what `workspace/configuration` is answered with, by section.
        errors: where the server's stderr goes; nowhere by default.

    Attributes:
        arrived: `time.perf_counter()` when the last byte of the last message was there.

    """

    def __init__(
        self,
        command: list[str],
        folder: Path | None = None,
        configuration: Mapping[str, Any] | None = None,
        errors: IO[bytes] | int = subprocess.DEVNULL,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._folder = folder
        self._configuration = configuration or {}
        self._buffer = bytearray()
        self._id = 0
        self.arrived = 0.0

    def send(self, *messages: Json) -> None:
        data = b""
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            data += b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        view = memoryview(data)
        while view:
            # A server that writes before it reads must not lock both.
            readable, writable, _ = select.select([self._out], [self._in], [], LIMIT_SECONDS)
            if readable:
                self._read()
            if writable:
                view = view[os.write(self._in, view[:4096]) :]
            if not readable and not writable:
                raise GoneError("the server does not read")

    def until(self, wanted: Callable[[Json], bool], seconds: float = LIMIT_SECONDS) -> Json:
        """The next message that is `wanted`; requests of the server are answered meanwhile.

        Raises:
            TimeoutError: nothing came for so long.
            GoneError: the server has ended.

        """
        end = time.monotonic() + seconds
        while True:
            while (message := self._take()) is not None:
                if "method" in message and "id" in message:
                    self._answer(message)
                if wanted(message):
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._out], [], [], left)[0]:
                raise TimeoutError("the server does not answer")
            self._read()

    def request(self, method: str, params: Any, *before: Json) -> Any:
        """The result of a request, None if it was answered with an error."""
        self._id += 1
        number = self._id
        self.send(*before, {"id": number, "method": method, "params": params})
        answer = self.until(lambda message: message.get("id") == number and "method" not in message)
        return answer.get("result")

    def notify(self, method: str, params: Any) -> None:
        self.send({"method": method, "params": params})

    def initialize(self, options: Any = None) -> Json:
        folder = None if self._folder is None else self._folder.as_uri()
        result: Json = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder,
                "workspaceFolders": folder and [{"uri": folder, "name": "workspace"}],
                "capabilities": CAPABILITIES,
                "initializationOptions": options,
            },
        )
        self.notify("initialized", {})
        return result

    def stop(self) -> None:
        """`shutdown` and `exit`; a server that does not end then is killed."""
        try:
            self.request("shutdown", None)
            self.notify("exit", None)
            self.process.wait(10)
        except (GoneError, OSError, subprocess.TimeoutExpired):  # TimeoutError is an OSError
            self.process.kill()
            self.process.wait()

    def _read(self) -> None:
        data = os.read(self._out, 1 << 20)
        if not data:
            raise GoneError(f"the server ended: {self.process.poll()}")
        self._buffer += data

    def _take(self) -> Json | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        fields = dict(line.split(b": ", 1) for line in bytes(self._buffer[:end]).split(b"\r\n"))
        start = end + 4
        length = int(fields[b"Content-Length"])
        if len(self._buffer) < start + length:
            return None
        self.arrived = time.perf_counter()
        body = bytes(self._buffer[start : start + length])
        del self._buffer[: start + length]
        message: Json = json.loads(body)
        return message

    def _answer(self, message: Json) -> None:
        result: Any = None
        if message["method"] == "workspace/configuration":
            items = message["params"]["items"]
            result = [self._configuration.get(item.get("section", "")) for item in items]
        elif message["method"] == "workspace/workspaceFolders" and self._folder is not None:
            result = [{"uri": self._folder.as_uri(), "name": "workspace"}]
        self.send({"id": message["id"], "result": result})
