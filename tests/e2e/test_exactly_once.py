"""Every request gets one answer, over real standard streams, whatever happens around it.

Each test is a fault that language servers on `pygls` 2.1.1 show their users.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support.lsp_client import CAPABILITIES, Json, LspClient, LspError, eventually, frame
from tests.support.processes import children, is_running, needs_proc

URI = "file:///w/cell.py"
IMPORT = "from codeact_lsp.tools import mcp\n"


async def labels(client: LspClient, line: int, character: int, uri: str = URI) -> list[str]:
    found = await client.at("textDocument/completion", uri, line, character)
    return [item["label"] for item in found["items"]] if found else []


async def refused(client: LspClient, method: str, params: Any) -> LspError:
    with pytest.raises(LspError) as raised:
        await client.request(method, params)
    return raised.value


async def test_exit_without_shutdown_ends_with_1(web: LspClient) -> None:
    await web.notify("exit", None)
    assert await web.exit_code() == 1


async def test_exit_after_shutdown_ends_with_0(web: LspClient) -> None:
    assert await web.stop() == 0


async def test_the_end_of_input_without_shutdown_ends_with_1(web: LspClient) -> None:
    assert web.process is not None
    assert web.process.stdin is not None
    web.process.stdin.close()
    assert await web.exit_code() == 1


async def test_a_request_before_initialize_is_refused(start: Start) -> None:
    client = await start()
    error = await refused(client, "textDocument/hover", {"textDocument": {"uri": URI}})
    assert error.code == -32002
    await client.initialize()


async def test_a_second_initialize_is_refused(web: LspClient) -> None:
    error = await refused(web, "initialize", {"processId": None, "capabilities": {}})
    assert error.code == -32600


async def test_a_request_after_shutdown_is_refused(web: LspClient) -> None:
    await web.request("shutdown", None)
    for method in ("textDocument/hover", "shutdown", "initialize"):
        error = await refused(web, method, {})
        assert error.code == -32600
    await web.notify("exit", None)
    assert await web.exit_code() == 0


POSITION = {"line": 0, "character": 0}
HERE = {"textDocument": {"uri": URI}, "position": POSITION}
RANGE = {"start": POSITION, "end": POSITION}


async def test_malformed_params_are_refused(web: LspClient) -> None:
    methods = (
        "textDocument/completion",
        "textDocument/hover",
        "textDocument/signatureHelp",
        "textDocument/definition",
        "textDocument/codeAction",
        "textDocument/diagnostic",
        "textDocument/semanticTokens/full",
        "workspace/executeCommand",
        "workspace/symbol",
    )
    odd: list[Any] = [None, [], 7, "x", {}, {"textDocument": URI}]
    for method in methods:
        for params in odd:
            error = await refused(web, method, params)
            assert error.code == -32602
            assert "params" in error.message
            assert "data" not in error.error


NEARLY_RIGHT: list[tuple[str, Any]] = [
    ("textDocument/hover", {**HERE, "position": {"line": -1, "character": 0}}),
    ("textDocument/hover", {**HERE, "position": {"line": "0", "character": 0}}),
    ("textDocument/hover", {**HERE, "position": {"line": True, "character": 0}}),
    ("textDocument/hover", {**HERE, "position": {"line": 2**31, "character": 0}}),
    ("textDocument/hover", {**HERE, "textDocument": {"uri": None}}),
    ("textDocument/codeAction", {"textDocument": {"uri": URI}, "range": RANGE}),
    ("textDocument/references", HERE),
    ("completionItem/resolve", []),
    ("workspace/executeCommand", {"command": "rm"}),
    ("workspace/executeCommand", {"command": "codeact-lsp.explain"}),
    ("workspace/executeCommand", {"command": "codeact-lsp.report", "arguments": [1]}),
    ("codeact-lsp/tool", {"server": "web"}),
]


async def test_params_that_are_nearly_right_are_refused(web: LspClient) -> None:
    for method, params in NEARLY_RIGHT:
        error = await refused(web, method, params)
        assert (method, params, error.code) == (method, params, -32602)


async def test_malformed_notifications_do_no_harm(web: LspClient) -> None:
    for method in ("didOpen", "didChange", "didClose"):
        odd: list[Any] = [None, [], {}, {"textDocument": None}, {"textDocument": {"uri": 3}}]
        for params in odd:
            await web.notify(f"textDocument/{method}", params)
            await web.notify(f"notebookDocument/{method}", params)
    await web.open(URI, IMPORT + "mcp.web.")
    assert await labels(web, 1, 8) == ["fetch_page", "search"]
    assert [m for m in web.notifications if m["method"] == "window/showMessage"] == []


CRASHES = """
import sys
import codeact_lsp.ide.hover as hover
from codeact_lsp.cli import main
def crash(view, offset):
    print("noise from Python")
    import os, subprocess
    os.write(1, b"noise from a descriptor")
    subprocess.run([sys.executable, "-c", "print('noise from a child')"])
    raise FileNotFoundError(2, "no such file", "/home/somebody/secret")
hover.hover = crash
sys.exit(main(sys.argv[1:]))
"""


async def test_a_crash_is_one_answer_without_paths_and_nothing_corrupts_the_stream(
    start: Start, tmp_path: Path, root: Path
) -> None:
    file = snapshot(tmp_path / "web.json", web=WEB)
    client = await start(command=[sys.executable, "-c", CRASHES, "serve", "--catalogue", str(file)])
    await client.initialize(root=root)
    await has_tools(client)
    await client.open(URI, IMPORT + "mcp.web.")
    error = await refused(client, "textDocument/hover", HERE)
    assert error.error == {
        "code": -32603,
        "message": "textDocument/hover failed; the server's log says why",
    }
    assert await labels(client, 1, 8) == ["fetch_page", "search"]
    assert client.orphans == []
    await client.stop()
    await client.until(lambda: b"noise from a child" in client.stderr)
    assert b"noise from Python" in client.stderr
    assert b"noise from a descriptor" in client.stderr
    assert b"/home/somebody/secret" in client.stderr


async def test_options_that_look_like_a_message_are_options(start: Start) -> None:
    client = await start()
    inner = {"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": None}
    result = await client.initialize(options={"settings": {"a": [inner]}, **inner})
    assert "capabilities" in result
    assert client.responses == {1: 1}


async def test_a_change_of_a_text_that_is_not_open_makes_it_or_is_ignored(web: LspClient) -> None:
    other = "file:///w/other.py"
    where = {"range": {"start": POSITION, "end": POSITION}, "text": "x"}
    await web.change(other, 3, where)
    assert await web.at("textDocument/completion", other, 0, 0) is None
    await web.change(URI, 1, {"text": IMPORT + "mcp.web."})
    assert await labels(web, 1, 8) == ["fetch_page", "search"]
    assert [m for m in web.notifications if m["method"].startswith("window/")] == []


async def test_an_older_version_does_not_overwrite_a_newer_one(web: LspClient) -> None:
    await web.open(URI, IMPORT + "mcp.web.", version=5)
    await web.change(URI, 4, {"text": "late"})
    assert await labels(web, 1, 8) == ["fetch_page", "search"]
    await web.change(URI, 6, {"text": IMPORT + "mcp."})
    assert await labels(web, 1, 4) == ["web"]


async def test_a_lower_case_header_is_a_header(start: Start) -> None:
    client = await start()
    params: Json = {"processId": None, "rootUri": None, "capabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params})
    await client.write(b"content-length: %d\r\n\r\n%b" % (len(body), body.encode()))
    await client.until(lambda: client.responses)
    assert client.responses == {"a": 1}


async def test_what_is_not_json_is_refused_and_the_next_message_is_read(web: LspClient) -> None:
    for body in (b"{", b"\xff\xfe", b"[]", b"{}", b"[" * 200_000):
        await web.write(frame(body))
    await web.open(URI, IMPORT + "mcp.web.")
    assert await labels(web, 1, 8) == ["fetch_page", "search"]
    assert [message["error"]["code"] for message in web.orphans] == [
        -32700,
        -32700,
        -32600,
        -32600,
        -32700,
    ]


async def test_a_cancelled_request_is_answered_once(web: LspClient) -> None:
    await web.open(URI, IMPORT + "mcp.web.")
    # One write, so that the cancellation is in the stream before the request is worked on.
    messages: list[Json] = [
        {"jsonrpc": "2.0", "id": "c", "method": "textDocument/completion", "params": HERE},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "c"}},
    ]
    await web.write(b"".join(frame(json.dumps(message).encode()) for message in messages))
    await labels(web, 1, 8)
    assert web.responses["c"] == 1
    assert web.orphans[0]["error"]["code"] == -32800


async def test_an_unknown_method_is_refused(web: LspClient) -> None:
    assert (await refused(web, "textDocument/rename", HERE)).code == -32601
    await web.notify("$/unknown", {})
    await web.notify("textDocument/unknown", {})
    assert await web.stop() == 0


BUSY = """
import sys, time
import codeact_lsp.server.knowledge as knowledge
from codeact_lsp.cli import main
def bind(*args, **options):
    sys.stderr.write("binding\\n")
    sys.stderr.flush()
    time.sleep(3600)
knowledge.bind = bind
sys.exit(main(sys.argv[1:]))
"""


async def test_the_end_does_not_wait_for_busy_threads(
    start: Start, tmp_path: Path, root: Path
) -> None:
    file = snapshot(tmp_path / "web.json", web=WEB)
    client = await start(command=[sys.executable, "-c", BUSY, "serve", "--catalogue", str(file)])
    await client.initialize(root=root)
    await client.until(lambda: b"binding" in client.stderr)
    assert client.process is not None
    assert client.process.stdin is not None
    client.process.stdin.close()
    assert await client.exit_code() == 1


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
async def test_a_signal_leaves_no_children(
    start: Start, root: Path, number: signal.Signals
) -> None:
    client = await start()
    await client.initialize(root=root)
    assert client.process is not None
    pid = client.process.pid
    while not (descendants := children(pid)):
        await client.request("workspace/executeCommand", {"command": "codeact-lsp.report"})
    os.kill(pid, number)
    code = await client.exit_code()
    assert code == (-number if number is signal.SIGKILL else 128 + number)
    await eventually(lambda: not any(map(is_running, descendants)))


async def test_many_messages_in_one_write(web: LspClient) -> None:
    await web.open(URI, IMPORT + "mcp.web.")
    first = 1000
    bodies = [
        json.dumps({"jsonrpc": "2.0", "id": first + n, "method": method, "params": HERE}).encode()
        for n, method in enumerate(["textDocument/hover", "textDocument/completion", "none"] * 100)
    ]
    await web.write(b"".join(map(frame, bodies)))
    await web.until(lambda: sum(web.responses[first + n] for n in range(300)) == 300)
    assert all(web.responses[first + n] == 1 for n in range(300))


async def test_the_capabilities_of_a_client_may_be_missing(start: Start) -> None:
    client = await start()
    await client.initialize(capabilities={})
    assert await client.stop() == 0
    other = await start()
    error = await refused(other, "initialize", {"processId": None})
    assert error.code == -32602
    assert (await other.initialize(capabilities=CAPABILITIES))["serverInfo"][
        "name"
    ] == "codeact-lsp"
