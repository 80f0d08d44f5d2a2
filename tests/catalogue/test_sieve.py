"""Long messages on the three ways that they come, cut at every byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse

from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.lines import Noise, TooLong, read_line
from codeact_lsp.catalogue.listing import Reader
from codeact_lsp.catalogue.model import Tool, unpack
from codeact_lsp.catalogue.sieve import HEAD, Body, Events, Lines
from codeact_lsp.catalogue.tap import Tap

LIMITS = Limits(schema=200_000, rest=100_000, listing_bytes=2_000_000)
PADDING = {"description": "p" * 19_000, "inputSchema": {"type": "object"}}
"""What makes a listing long."""


def tools(*more: dict[str, Any]) -> list[dict[str, Any]]:
    return [*({"name": f"t{number}", **PADDING} for number in range(5)), *more]


def answer(*more: dict[str, Any], **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "result": {"tools": tools(*more), **result}}


def asked() -> Tap:
    """A tap that has seen a request for a listing."""
    tap = Tap()
    tap.sent(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/list")))
    tap.expect(Reader("s", limits=LIMITS))
    return tap


def page(tap: Tap, message: Any) -> Reader:
    """What the tap has of an answer once the rest of it has come."""
    tap.received(SessionMessage(JSONRPCResponse.model_validate(message)))
    found = tap.take()
    assert found is not None
    assert found.reader is not None
    return found.reader


Sift = Callable[[Tap, Iterable[bytes]], bytes]


def as_line(tap: Tap, parts: Iterable[bytes]) -> bytes:
    lines = Lines(tap, LIMITS)
    found = [line for part in [*parts, b"\r\n"] for line in lines.feed(part)]
    assert not list(lines.finish())
    (line,) = found
    assert isinstance(line, bytes)
    return line


def as_body(tap: Tap, parts: Iterable[bytes]) -> bytes:
    body = Body(tap, LIMITS)
    assert not any(map(body.feed, parts))
    return body.finish()


WAYS: dict[str, Sift] = {"line": as_line, "body": as_body}


def by(size: int, data: bytes) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 1_000, HEAD, HEAD + 1, 10**6])
def test_every_split_gives_the_same_tools(way: str, size: int) -> None:
    odd: dict[str, Any] = {"name": 'é\u2028"\\', "inputSchema": {"p": ["]", "}", "\\", "😀"]}}
    message = answer(odd, nextCursor="next")
    for text in (json.dumps(message), json.dumps(message, ensure_ascii=False)):
        tap = asked()
        left = json.loads(WAYS[way](tap, by(size, text.encode())))
        assert {**left["result"], "tools": []} == {"tools": [], "nextCursor": "next"}
        assert left["id"] == 7
        assert len(json.dumps(left)) < 200
        found = page(tap, left)
        assert list(found.tools) == [tool["name"] for tool in message["result"]["tools"]]
        assert found.tools[odd["name"]].input_schema == json.dumps(
            odd["inputSchema"], separators=(",", ":")
        )


def test_every_byte_may_be_the_last_of_a_part() -> None:
    odd = {"name": 'é"\\', "description": "😀\\", "inputSchema": {"a": [1.5e3, '\\\\"', None]}}
    text = json.dumps(answer(odd), ensure_ascii=False).encode()
    start = text.index('{"name": "é'.encode())
    for cut in range(start, len(text)):
        tap = asked()
        left = json.loads(as_body(tap, [text[:cut], text[cut:]]))
        tool = page(tap, left).tools[str(odd["name"])]
        assert tool == Tool(
            raw='é"\\',
            description="😀\\",
            input_schema='{"a":[1500.0,"\\\\\\\\\\"",null]}',
            digest=tool.digest,
        )


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 2, 7, 1_000, 10**6])
def test_events_pass_and_their_long_data_is_sifted(end: bytes, size: int) -> None:
    text = json.dumps(answer(), indent=1).encode()
    stream = b": hello\n\nevent: endpoint\ndata: /messages\n\nid: 3\ndata:" + text.replace(
        b"\n", b"\ndata: "
    )
    stream += b'\nretry: 5\n\ndata: {"small": 1}\n\ndata: never ended'
    tap = asked()
    events = Events(tap, LIMITS)
    out = b"".join(events.feed(part) for part in by(size, stream.replace(b"\n", end)))
    small = out.replace(text, b"")
    assert small.startswith(b": hello\n\nevent: endpoint\ndata: /messages\n\nid: 3\nretry: 5\n")
    long, last = small.split(b"data: ")[2:4]
    assert list(page(tap, json.loads(long)).tools) == [f"t{number}" for number in range(5)]
    assert last == b'{"small": 1}\n\n'
    assert events.finish() == b""


@pytest.mark.parametrize(
    "text",
    [
        # The order of keys and their spelling are of no matter, and the last of two stands.
        '{"result": {"tools": TOOLS}, "id": 7, "jsonrpc": "2.0"}',
        '{"jsonrpc": "2.0", "id": 7, "re\\u0073ult": {"t\\u006fols": TOOLS}}',
        '{"jsonrpc": "2.0", "id": 7, "result": {"tools": [{"name": "no"}], "tools": TOOLS}}',
        '{"jsonrpc": "2.0", "id": 7, "result": {"tools": TOOLS}, "result": {"tools": TOOLS}}',
        '\ufeff{"jsonrpc": "2.0", "id": 7, "result": {"tools": TOOLS}}',
        ' \t{ "jsonrpc": "2.0", "id": 7, "result" : { "tools" : TOOLS } } ',
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_a_message_is_understood_as_any_reader_would(way: str, text: str) -> None:
    tap = asked()
    data = text.replace("TOOLS", json.dumps(tools())).encode()
    left = json.loads(WAYS[way](tap, by(10_000, data)))
    assert list(page(tap, left).tools) == [f"t{number}" for number in range(5)]


def test_bytes_that_are_no_text_cost_only_themselves() -> None:
    tap = asked()
    data = json.dumps(answer({"name": "bytes", "description": "BYTES"})).encode()
    left = json.loads(as_line(tap, by(1_000, data.replace(b"BYTES", b"\xff\xfe\xc3"))))
    assert page(tap, left).tools["bytes"].description == "\ufffd" * 3


def test_a_log_text_may_stand_before_a_message_on_its_line() -> None:
    for before in (b"loading plugin ...", b'{"level": "info", ', b"{} [1] {"):
        tap = asked()
        line = as_line(tap, [before + json.dumps(answer(), separators=(",", ":")).encode()])
        noise, message = read_line(line)
        assert noise == Noise(before.decode())
        assert len(page(tap, message).tools) == 5


def test_what_is_no_message_is_noise() -> None:
    for start in (b"text ", b"{", b'{"a": 1} '):
        line = as_line(asked(), by(1_000, start + b"x" * 500_000))
        (noise,) = read_line(line)
        assert isinstance(noise, Noise)
        assert noise.text.startswith((start + b"xxx").decode())
    whole = json.dumps(answer()).encode()
    for broken in (whole[:-1], whole + b"}", whole.replace(b"ppp,", b"ppp")[:-9] + b"9"):
        (noise,) = read_line(as_line(asked(), by(1_000, broken)))
        assert isinstance(noise, Noise)


def test_the_next_message_is_read_after_a_bad_one() -> None:
    tap = asked()
    lines = Lines(tap, LIMITS)
    data = b"{" + b"x" * 500_000 + b"\n" + json.dumps(answer()).encode() + b'\n{"last": 1}\n'
    found = [line for part in by(1_000, data) for line in lines.feed(part)]
    assert len(found) == 3
    assert isinstance(found[1], bytes)
    assert len(page(tap, json.loads(found[1])).tools) == 5
    assert found[2] == b'{"last": 1}'


def test_a_short_message_passes_as_it_is() -> None:
    data = b'{"result": {"tools": [{"name": "a"}], "a": \xff}, "id": 7}'
    assert as_line(asked(), [data]).rstrip(b"\r") == data
    assert as_body(asked(), by(1, data)) == data


def test_a_short_answer_is_read_like_a_long_one() -> None:
    message = {"jsonrpc": "2.0", "id": 7, "result": {"tools": [{"name": "a"}, 7]}}
    found = page(asked(), message)
    assert list(found.tools) == ["a"]
    assert [problem.kind for problem in found.problems] == ["schema", "bad-tool"]


def test_no_server_can_name_a_list_of_another_message() -> None:
    tap = asked()
    for token in ("1", " 1", "list 1"):
        tap.open()
        message = {"jsonrpc": "2.0", "id": 7, "result": {"tools": [token]}}
        tap.sent(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/list")))
        assert [problem.kind for problem in page(tap, message).problems] == ["bad-tool"]


def test_lists_that_nobody_asked_for_are_forgotten() -> None:
    tap = asked()
    lines = Lines(tap, LIMITS)
    unasked = json.dumps({**answer(), "id": "other"}).encode() + b"\n"
    for _ in range(20):
        assert len(list(lines.feed(unasked))) == 1
    assert len(tap._lifted) <= 4
    (line,) = lines.feed(json.dumps(answer()).encode() + b"\n")
    assert isinstance(line, bytes)
    assert len(page(tap, json.loads(line)).tools) == 5


def test_a_long_message_that_is_no_listing_is_refused_with_its_id() -> None:
    message = json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"x": "y" * 300_000}}).encode()
    for tap in (asked(), Tap()):
        lines = Lines(tap, LIMITS)
        assert list(lines.feed(message + b"\n")) == [TooLong(len(message), 7, 100_000)]
        refused = json.loads(as_body(tap, by(10_000, message)))
        assert refused["id"] == 7
        assert "the limit is 100,000" in refused["error"]["message"]


def test_what_calls_tools_gets_long_results_whole() -> None:
    message = json.dumps({"jsonrpc": "2.0", "id": 7, "result": {"tools": "y" * 300_000}}).encode()
    for tap in (asked(), Tap()):
        lines = Lines(tap, Limits(rest=10**6))
        (line,) = lines.feed(message + b"\n")
        assert isinstance(line, bytes)
        assert json.loads(line) == json.loads(message)


def test_a_listing_over_the_limit_is_cut_where_it_goes_over() -> None:
    tap = asked()
    many = [{"name": f"m{number}", **PADDING} for number in range(200)]
    text = json.dumps(answer(*many, nextCursor="z")).encode()
    assert len(text) > 3_000_000
    left = json.loads(as_body(tap, by(10_000, text)))
    assert left["result"]["nextCursor"] == "z"
    found = page(tap, left)
    assert found.full
    assert [problem.kind for problem in found.problems] == ["limit"]
    assert 90 < len(found.tools) < 110


def test_a_place_over_a_limit_is_cut_and_the_tool_is_bound() -> None:
    long = {
        "name": "long",
        "title": "t" * 5_000,
        "description": "d" * 410_000,
        "inputSchema": {"type": "object", "x": "y" * 410_000},
        "outputSchema": {"type": "object", "title": "z" * 150_000},
        "annotations": {"readOnlyHint": True, "title": "q" * 70_000},
        "_meta": "m" * 410_000,
    }
    tap = asked()
    found = page(tap, json.loads(as_body(tap, by(10_000, json.dumps(answer(long)).encode()))))
    tool = found.tools["long"]
    assert tool.description == "d" * 20_000 + "…"
    assert tool.title == "t" * 1_000 + "…"
    assert tool.hints.title == "q" * 1_000 + "…"
    assert tool.hints.read_only
    assert tool.input_schema == '{"type":"object"}'
    assert tool.output_schema is not None
    assert len(unpack(tool.output_schema)) > 150_000
    assert {problem.pointer for problem in found.problems} == {
        *("/description", "/inputSchema", "/title", "/annotations/title"),
    }
    assert {problem.kind for problem in found.problems} == {"limit"}


HUGE: dict[str, tuple[str, list[str], list[str]]] = {
    # An expression for the parts of an item, the names that are bound, the kinds of problems.
    "a schema of 100 MB": (
        '[b\'{"name":"n","inputSchema":{"a":["\', *[b"x" * 10**5] * 1_000, b\'"]}}\']',
        ["n", "last"],
        ["limit"],
    ),
    "a schema of many places and 100 MB": (
        '[b\'{"name":"n","inputSchema":[\', *[b\'{"a":[1]},\' * 10**4] * 1_000, b"0]}"]',
        ["n", "last"],
        ["limit"],
    ),
    "a description of 140 MB": (
        '[b\'{"name":"n","inputSchema":{},"description":"\', *[b"\\\\\\\\" * 10**5] * 700, b\'"}\']',
        ["n", "last"],
        ["limit"],
    ),
    "a schema that is nested a million deep": (
        '[b\'{"name":"n","inputSchema":\', b"[" * 10**6, b"]" * 10**6, b"}"]',
        ["n", "last"],
        [],
    ),
    "a name of 100 MB": (
        '[b\'{"name":"\', *[b"x" * 10**5] * 1_000, b\'"}\']',
        ["last"],
        ["limit"],
    ),
    "a key of 100 MB": (
        '[b\'{"\', *[b"x" * 10**5] * 1_000, b\'":1,"name":"n","inputSchema":{}}\']',
        ["n", "last"],
        [],
    ),
    "a string of 100 MB that is no tool": (
        "[b'\"', *[b\"x\" * 10**5] * 1_000, b'\"']",
        ["last"],
        ["bad-tool"],
    ),
    "60 MB of numbers that are no tools": (
        '[*[b"7," * 10**4] * 3_000, b"7"]',
        [],
        ["bad-tool"] * 200 + ["limit"],
    ),
}
PROGRAM = """
import sys, json
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse
from codeact_lsp.catalogue.listing import Reader
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.sieve import Body
from codeact_lsp.catalogue.tap import Tap

def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024

tap = Tap()
tap.sent(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=7, method="tools/list")))
tap.expect(Reader("s"))
parts = {parts}
parts = [b'{{"jsonrpc":"2.0","id":7,"result":{{"tools":[', *parts, b',{{"name":"last","inputSchema":{{}}}}]}}}}']
before = peak()
body = Body(tap, Limits())
for part in parts:
    body.feed(part)
tap.received(SessionMessage(JSONRPCResponse.model_validate(json.loads(body.finish()))))
reader = tap.take().reader
print(json.dumps([peak() - before, list(reader.tools), [p.kind for p in reader.problems]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc tells the peak of a process")
@pytest.mark.parametrize(("parts", "names", "kinds"), HUGE.values(), ids=HUGE)
def test_what_is_huge_takes_little_room(parts: str, names: list[str], kinds: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(parts=parts)],
        capture_output=True,
        text=True,
        check=True,
    )
    megabytes, found_names, found_kinds = json.loads(ran.stdout)
    assert (found_names, found_kinds) == (names, kinds)
    # Nothing is near a hundred, which one copy of the text would be.
    assert megabytes < 50
