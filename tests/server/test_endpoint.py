"""Every request is answered exactly once, whatever happens in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from codeact_lsp.server.endpoint import Endpoint, Phase
from codeact_lsp.server.errors import InvalidParams, RpcError

Json = dict[str, Any]


class Wire:
    """An endpoint that is running, and all that it sent."""

    def __init__(self, **handlers: Callable[[Any], Any]) -> None:
        self.sent: list[Json] = []
        self.endpoint = Endpoint(self._send, handlers)
        self.endpoint.phase = Phase.RUNNING
        self._news = asyncio.Event()

    def _send(self, body: bytes) -> None:
        self.sent.append(json.loads(body))
        self._news.set()

    async def answers(self, count: int) -> list[Json]:
        """All that was sent, once there are `count` of them."""
        while len(self.sent) < count:
            self._news.clear()
            await self._news.wait()
        return self.sent

    async def receive(self, *messages: Any) -> list[Json]:
        for message in messages:
            body = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.endpoint.receive(body)
        await self.endpoint.quiet.wait()
        return self.sent


def request(method: Any, params: Any = None, request_id: Any = 1) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def notification(method: str, params: Any = None) -> Json:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def refused(code: int, request_id: Any = 1) -> tuple[Any, int]:
    return request_id, code


def errors(sent: list[Json]) -> list[tuple[Any, int]]:
    return [(message["id"], message["error"]["code"]) for message in sent]


async def test_a_result_is_the_answer() -> None:
    wire = Wire(double=lambda params: params * 2)
    sent = await wire.receive(request("double", 21))
    assert sent == [{"jsonrpc": "2.0", "id": 1, "result": 42}]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (b"{", refused(-32700, None)),
        (b"\xff", refused(-32700, None)),
        (b"[" * 100_000, refused(-32700, None)),
        (b'{"jsonrpc":"2.0","id":1,"method":"x","params":[Infinity]}', refused(-32700, None)),
        ([request("known")], refused(-32600, None)),
        (17, refused(-32600, None)),
        ({"id": 1, "method": "known"}, refused(-32600, None)),
        (request("known", request_id=None), refused(-32600, None)),
        (request("known", request_id=True), refused(-32600, None)),
        (request("known", request_id=[1]), refused(-32600, None)),
        (request(["known"]), refused(-32600)),
        (request("unknown"), refused(-32601)),
        (request("$/unknown"), refused(-32601)),
    ],
)
async def test_what_is_no_request_is_refused_once(message: Any, answer: tuple[Any, int]) -> None:
    wire = Wire(known=lambda _: None)
    assert errors(await wire.receive(message)) == [answer]


@pytest.mark.parametrize(
    "message",
    [
        notification("unknown"),
        {"jsonrpc": "2.0", "method": ["known"]},
        {"jsonrpc": "2.0", "id": 99, "result": None},
        {"jsonrpc": "2.0", "id": [99], "result": None},
        {"jsonrpc": "2.0", "result": None},
        notification("$/cancelRequest", {"id": 99}),
        notification("$/cancelRequest"),
        notification("$/cancelRequest", {"id": {}}),
    ],
)
async def test_what_needs_no_answer_gets_none(message: Json) -> None:
    assert await Wire(known=lambda _: None).receive(message) == []


def crash(_params: Any) -> None:
    raise OSError(2, "no such file", "/home/somebody/secret")


async def crash_later(_params: Any) -> None:
    await asyncio.sleep(0)
    crash(None)


@pytest.mark.parametrize("handler", [crash, crash_later])
async def test_a_crash_answers_without_details(
    handler: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire(crash=handler, fine=lambda _: "fine")
    await wire.receive(request("crash"), request("fine", request_id=2))
    by_id = {message["id"]: message for message in await wire.answers(2)}
    assert by_id[1]["error"] == {
        "code": -32603,
        "message": "crash failed; the server's log says why",
    }
    assert by_id[2]["result"] == "fine"
    assert "secret" in caplog.text


async def test_a_result_that_is_not_json_is_an_error(caplog: pytest.LogCaptureFixture) -> None:
    wire = Wire(odd=lambda _: {1, 2}, nan=lambda _: float("nan"))
    sent = await wire.receive(request("odd"), request("nan", request_id=2))
    assert errors(sent) == [refused(-32603), refused(-32603, 2)]
    assert "odd failed" in caplog.text


async def test_invalid_params_say_what_is_wrong() -> None:
    def handler(_params: Any) -> None:
        raise InvalidParams("params.x is not a string")

    [answer] = await Wire(method=handler).receive(request("method"))
    assert answer["error"] == {"code": -32602, "message": "params.x is not a string"}


async def test_a_crash_in_a_notification_is_logged_only(caplog: pytest.LogCaptureFixture) -> None:
    assert await Wire(crash=crash).receive(notification("crash")) == []
    assert "crash failed" in caplog.text


@pytest.mark.parametrize(
    ("phase", "method", "code"),
    [
        (Phase.NEW, "known", -32002),
        (Phase.NEW, "unknown", -32002),
        (Phase.RUNNING, "initialize", -32600),
        (Phase.SHUT_DOWN, "known", -32600),
        (Phase.SHUT_DOWN, "shutdown", -32600),
    ],
)
async def test_a_request_out_of_phase_is_refused(phase: Phase, method: str, code: int) -> None:
    wire = Wire(known=lambda _: None, initialize=lambda _: None, shutdown=lambda _: None)
    wire.endpoint.phase = phase
    assert errors(await wire.receive(request(method))) == [refused(code)]


@pytest.mark.parametrize("phase", [Phase.NEW, Phase.SHUT_DOWN])
async def test_a_notification_out_of_phase_is_dropped(phase: Phase) -> None:
    heard: list[Any] = []
    wire = Wire(known=heard.append)
    wire.endpoint.phase = phase
    await wire.receive(notification("known"))
    assert heard == []


@pytest.mark.parametrize(
    ("phase", "code"), [(Phase.NEW, 1), (Phase.RUNNING, 1), (Phase.SHUT_DOWN, 0)]
)
async def test_exit_is_clean_only_after_shutdown(phase: Phase, code: int) -> None:
    wire = Wire()
    wire.endpoint.phase = phase
    await wire.receive(notification("exit"))
    assert wire.endpoint.exit_code.result() == code


async def test_messages_are_handled_in_order() -> None:
    heard: list[int] = []
    await Wire(method=heard.append).receive(*(notification("method", n) for n in range(100)))
    assert heard == list(range(100))


async def test_a_cancelled_request_in_the_queue_is_not_worked_on() -> None:
    heard: list[Any] = []
    wire = Wire(method=heard.append)
    sent = await wire.receive(
        request("method", "a"),
        request("method", "b", request_id=2),
        notification("$/cancelRequest", {"id": 2}),
    )
    assert heard == ["a"]
    assert sent == [
        {"jsonrpc": "2.0", "id": 1, "result": None},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": -32800, "message": "cancelled"}},
    ]


@pytest.mark.parametrize("started", [True, False])
async def test_a_cancelled_request_that_waits_is_answered_once(*, started: bool) -> None:
    running = asyncio.Event()

    async def wait(_params: Any) -> None:
        running.set()
        await asyncio.Event().wait()

    wire = Wire(wait=wait)
    sent = await wire.receive(request("wait"))
    if started:
        await running.wait()
    await wire.receive(notification("$/cancelRequest", {"id": 1}))
    await wire.answers(1)
    await asyncio.sleep(0)
    assert errors(sent) == [refused(-32800)]


async def test_an_id_may_be_used_again() -> None:
    wire = Wire(method=lambda params: params)
    sent = await wire.receive(request("method", 1), request("method", 2))
    assert [message["result"] for message in sent] == [1, 2]


async def test_the_client_answers_a_request() -> None:
    wire = Wire()
    asking = asyncio.ensure_future(wire.endpoint.request("ask", {"a": 1}))
    await asyncio.sleep(0)
    [question] = wire.sent
    assert (question["method"], question["params"]) == ("ask", {"a": 1})
    await wire.receive({"jsonrpc": "2.0", "id": question["id"], "result": 7})
    assert await asking == 7


@pytest.mark.parametrize(
    ("error", "code"),
    [({"code": -32601, "message": "no"}, -32601), ({"message": 3}, -32603), ({}, -32603)],
)
async def test_the_client_answers_with_an_error(error: Json, code: int) -> None:
    wire = Wire()
    asking = asyncio.ensure_future(wire.endpoint.request("ask", None))
    await asyncio.sleep(0)
    await wire.receive({"jsonrpc": "2.0", "id": wire.sent[0]["id"], "error": error})
    with pytest.raises(RpcError) as raised:
        await asking
    assert raised.value.code == code


async def test_nobody_waits_for_a_client_that_is_gone() -> None:
    wire = Wire()
    asking = asyncio.ensure_future(wire.endpoint.request("ask", None))
    await asyncio.sleep(0)
    wire.endpoint.disconnected()
    with pytest.raises(ConnectionError):
        await asking
    with pytest.raises(ConnectionError):
        await wire.endpoint.request("ask", None)


async def test_nothing_is_handled_after_the_end() -> None:
    heard: list[Any] = []
    wire = Wire(method=heard.append)
    wire.endpoint.receive(json.dumps(notification("exit")).encode())
    wire.endpoint.receive(json.dumps(notification("method")).encode())
    await wire.endpoint.exit_code
    await asyncio.sleep(0)
    assert heard == []


async def test_work_beside_the_conversation_may_fail(caplog: pytest.LogCaptureFixture) -> None:
    wire = Wire()
    wire.endpoint.spawn(crash_later(None), "the work")
    await asyncio.gather(*wire.endpoint._background)
    assert "the work failed" in caplog.text
    assert wire.sent == []


async def test_a_client_is_idle_some_time_after_its_last_message() -> None:
    wire = Wire(known=lambda _params: None)
    wire.endpoint._heard -= 7200.0
    await wire.endpoint.idle(3600.0)
    await wire.receive(notification("known"))
    waiting = asyncio.ensure_future(wire.endpoint.idle(3600.0))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
