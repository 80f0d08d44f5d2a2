"""JSON-RPC 2.0 with the life cycle of LSP: every request is answered exactly once.

The framing, dispatch and answering here are our own and the messages are plain JSON, where one
might expect `pygls` and `lsprotocol`. Measured, importing the two takes 0.4 s and 20 MB of an
editor's process, and turning params into their objects and back is most of what a keystroke
costs; and each fault that `tests/e2e/test_exactly_once.py` names sits in a part of `pygls` that
would have to be replaced. `lsprotocol` judges instead: the tests read every message that this
server sends with its types.
"""

from __future__ import annotations

import asyncio
import enum
import itertools
import json
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias, TypeGuard

from codeact_lsp.server import errors
from codeact_lsp.server.errors import RpcError
from codeact_lsp.server.params import Json, obj
from codeact_lsp.server.wire import dump

Handler: TypeAlias = Callable[[Any], Any]
"""Takes params; returns a result, or an awaitable of one when it has to wait for something."""

Id: TypeAlias = int | str

log = logging.getLogger(__name__)


class Phase(enum.Enum):
    """Where the conversation stands."""

    NEW = enum.auto()
    RUNNING = enum.auto()
    SHUT_DOWN = enum.auto()


def _refuse_constant(name: str) -> None:
    """JSON has no NaN and no infinity (RFC 8259 §6), though Python would read them."""
    raise ValueError(f"{name} is not JSON")


class Endpoint:
    """One conversation with one client.

    Messages are handled in the order in which they came, one an iteration of the event loop, so a
    cancellation that is already in the stream is seen before the request it is for is worked on.
    """

    def __init__(self, send: Callable[[bytes], None], handlers: Mapping[str, Handler]) -> None:
        self.phase = Phase.NEW
        self.exit_code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._send_body = send
        self._handlers = handlers
        self.quiet = asyncio.Event()
        """Set while no message of the client waits to be handled."""
        self.quiet.set()
        self._heard = asyncio.get_running_loop().time()
        self._inbox: deque[Json] = deque()
        self._scheduled = False
        self._cancelled: set[Id] = set()
        self._tasks: dict[Id, asyncio.Task[None]] = {}
        self._background: set[asyncio.Task[Any]] = set()
        self._asked: dict[Id, asyncio.Future[Any]] = {}
        self._next_id = itertools.count(1)

    def receive(self, body: bytes) -> None:
        """Take in one message of the client."""
        self._heard = asyncio.get_running_loop().time()
        try:
            message = json.loads(body, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            self._refuse(None, RpcError(errors.PARSE_ERROR, "the message is not JSON"))
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._refuse(None, RpcError(errors.INVALID_REQUEST, "the message is not JSON-RPC 2.0"))
            return
        if message.get("method") == "$/cancelRequest":
            self._cancel(message)
            return
        self._inbox.append(message)
        self.quiet.clear()
        self._schedule()

    async def idle(self, seconds: float) -> None:
        """Wait until the client has said nothing for `seconds`."""
        now = asyncio.get_running_loop().time
        while (left := self._heard + seconds - now()) > 0:  # noqa: ASYNC110 - a pause, not a flag
            await asyncio.sleep(left)

    def notify(self, method: str, params: Json | list[Any] | None) -> None:
        """Send a notification; lost when the client is gone."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json | None) -> Any:
        """Send a request and wait for its result.

        Raises:
            RpcError: when the client answers with an error.
            ConnectionError: when the client goes away before it answers.

        """
        if self.exit_code.done():
            raise ConnectionError("the client is gone")
        request_id = next(self._next_id)
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._asked[request_id] = answer
        try:
            self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
            return await answer
        finally:
            del self._asked[request_id]

    def spawn(self, work: Awaitable[Any], what: str) -> None:
        """Let `work` run beside the conversation; a failure of it goes to the log."""

        async def logged() -> None:
            try:
                await work
            except (RpcError, ConnectionError) as error:
                log.info("%s: %s", what, error)
            except Exception:
                log.exception("%s failed", what)

        task = asyncio.ensure_future(logged())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def close(self, code: int) -> None:
        """End the conversation, with the exit code of the process unless it has one already."""
        if not self.exit_code.done():
            self.exit_code.set_result(code)
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the client is gone"))
        for task in (*self._tasks.values(), *self._background):
            task.cancel()

    def disconnected(self) -> None:
        """The client closed its end; only after `shutdown` is that as it should be."""
        self.close(0 if self.phase is Phase.SHUT_DOWN else 1)

    def _schedule(self) -> None:
        if not self._inbox:
            self.quiet.set()
        elif not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._handle_next)

    def _handle_next(self) -> None:
        self._scheduled = False
        if self.exit_code.done():
            return
        message = self._inbox.popleft()
        try:
            if "method" not in message:
                self._take_answer(message)
            elif "id" in message:
                self._take_request(message)
            else:
                self._take_notification(message)
        finally:
            self._schedule()

    def _take_request(self, message: Json) -> None:
        request_id, method = message["id"], message["method"]
        if not isinstance(method, str) or not _is_id(request_id):
            known = request_id if _is_id(request_id) else None
            self._refuse(known, RpcError(errors.INVALID_REQUEST, "the request has no valid id"))
            return
        if request_id in self._cancelled:
            self._cancelled.discard(request_id)
            self._refuse(request_id, RpcError(errors.REQUEST_CANCELLED, "cancelled"))
            return
        try:
            result = self._handler(method)(message.get("params"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the request is answered
            self._refuse(request_id, _as_rpc_error(error, method))
            return
        if asyncio.iscoroutine(result):
            task = asyncio.ensure_future(self._finish(request_id, method, result))
            self._tasks[request_id] = task
            task.add_done_callback(lambda _: self._forget(request_id, task))
        else:
            self._answer(request_id, method, result)

    async def _finish(self, request_id: Id, method: str, result: Awaitable[Any]) -> None:
        try:
            value = await result
        except asyncio.CancelledError:
            self._refuse(request_id, RpcError(errors.REQUEST_CANCELLED, "cancelled"))
        except Exception as error:  # noqa: BLE001 - whatever it is, the request is answered
            self._refuse(request_id, _as_rpc_error(error, method))
        else:
            self._answer(request_id, method, value)

    def _forget(self, request_id: Id, task: asyncio.Task[None]) -> None:
        # A task that is cancelled before its first step never reaches its own handler.
        if self._tasks.get(request_id) is task:
            del self._tasks[request_id]
        if task.cancelled():
            self._refuse(request_id, RpcError(errors.REQUEST_CANCELLED, "cancelled"))

    def _handler(self, method: str) -> Handler:
        """The handler of `method`, if it may be called in this phase."""
        if self.phase is Phase.SHUT_DOWN:
            raise RpcError(errors.INVALID_REQUEST, "the server is shut down")
        if self.phase is Phase.NEW and method != "initialize":
            raise RpcError(errors.SERVER_NOT_INITIALIZED, "initialize comes first")
        if self.phase is Phase.RUNNING and method == "initialize":
            raise RpcError(errors.INVALID_REQUEST, "initialize is sent once")
        handler = self._handlers.get(method)
        if handler is None:
            raise RpcError(errors.METHOD_NOT_FOUND, f"no such method: {method[:200]}")
        return handler

    def _take_notification(self, message: Json) -> None:
        method = message["method"]
        if method == "exit":
            self.disconnected()
            return
        known = isinstance(method, str) and method in self._handlers
        if self.phase is not Phase.RUNNING or not known:
            log.debug("notification dropped: %s", method)
            return
        try:
            result = self._handlers[method](message.get("params"))
        except RpcError as error:
            log.warning("%s ignored: %s", method, error)
        except Exception:
            log.exception("%s failed", method)
        else:
            if asyncio.iscoroutine(result):
                self.spawn(result, method)

    def _take_answer(self, message: Json) -> None:
        request_id = message.get("id")
        answer = self._asked.get(request_id) if _is_id(request_id) else None
        if answer is None or answer.done():
            log.debug("an answer that nobody waits for: %s", request_id)
            return
        error = message.get("error")
        if isinstance(error, dict):
            code = error.get("code")
            known = code if isinstance(code, int) else errors.INTERNAL_ERROR
            answer.set_exception(RpcError(known, str(error.get("message", ""))))
        else:
            answer.set_result(message.get("result"))

    def _cancel(self, message: Json) -> None:
        try:
            request_id = obj(message.get("params")).get("id")
        except RpcError:
            return
        if not _is_id(request_id):
            return
        if request_id in self._tasks:
            self._tasks[request_id].cancel()
        elif any(m.get("id") == request_id and "method" in m for m in self._inbox):
            self._cancelled.add(request_id)

    def _answer(self, request_id: Id, method: str, result: Any) -> None:
        try:
            body = dump({"jsonrpc": "2.0", "id": request_id, "result": result})
        except (ValueError, TypeError, RecursionError) as error:
            self._refuse(request_id, _as_rpc_error(error, method))
            return
        self._send_body(body)

    def _refuse(self, request_id: Id | None, error: RpcError) -> None:
        self._send({"jsonrpc": "2.0", "id": request_id, "error": error.to_json()})

    def _send(self, message: Json) -> None:
        self._send_body(dump(message))


def _is_id(value: object) -> TypeGuard[Id]:
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def _as_rpc_error(error: Exception, method: str) -> RpcError:
    """`error` as the client may see it: what is our own fault is told to the log only."""
    if isinstance(error, RpcError):
        return error
    log.error("%s failed", method, exc_info=error)
    return RpcError(errors.INTERNAL_ERROR, f"{method} failed; the server's log says why")
