"""A language client that is just large enough for the tour: one server process, over stdio."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

LIMIT_SECONDS: Final = 20.0
Ask = Callable[[str, Any], Any]


class Client:
    """Requests, notifications, and the server's own requests answered by `ask`."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], ask: Ask
    ) -> None:
        self._command = command
        self._folder = folder
        self._environment = environment
        self._ask = ask
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._changed = asyncio.Condition()
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.Task[None] | None = None
        self.notifications: list[tuple[str, Any]] = []

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process is not None
        assert self._reader is not None
        with contextlib.suppress(ConnectionError, TimeoutError):
            await self.request("shutdown", None)
            await self.notify("exit", None)
            await asyncio.wait_for(self._process.wait(), LIMIT_SECONDS)
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        self._reader.cancel()
        await asyncio.wait({self._reader})

    async def request(self, method: str, params: Any) -> Any:
        """The result of a request.

        Raises:
            RuntimeError: the server answered with an error.
            TimeoutError: it did not answer.

        """
        number = len(self._answers) + 1
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._send({"id": number, "method": method, "params": params})
        return await asyncio.wait_for(self._answers[number], LIMIT_SECONDS)

    async def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        await self._send({"method": method, "params": params})

    async def until(self, condition: Callable[[], Any]) -> Any:
        """What `condition` gives once it gives something; asked again after each notification.

        Raises:
            TimeoutError: it never did.

        """
        async with asyncio.timeout(LIMIT_SECONDS), self._changed:
            while not (value := condition()):
                await self._changed.wait()
            return value

    async def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        await self._process.stdin.drain()

    async def _read(self) -> None:
        assert self._process is not None
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                header = await stream.readuntil(b"\r\n\r\n")
                length = int(header.partition(b":")[2].split(b"\r\n", 1)[0])
                await self._take(json.loads(await stream.readexactly(length)))
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the language server is gone"))

    async def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            answer = self._answers[message["id"]]
            if "error" in message:
                answer.set_exception(RuntimeError(message["error"]["message"]))
            else:
                answer.set_result(message["result"])
        elif "id" in message:
            result = self._ask(message["method"], message.get("params"))
            await self._send({"id": message["id"], "result": result})
        else:
            self.notifications.append((message["method"], message.get("params")))
            async with self._changed:
                self._changed.notify_all()
