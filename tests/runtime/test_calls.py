"""A call, through the binding, to a real server, which says what it received."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.server.lowlevel.server import Server
from mcp_types import CallToolRequestParams, CallToolResult

from codeact_lsp.catalogue import config
from codeact_lsp.runtime.connections import Connection
from codeact_lsp.runtime.errors import ServerConnectionError, ToolCallError, ToolTimeoutError
from codeact_lsp.runtime.guard import Guard
from codeact_lsp.runtime.opening import connect
from tests.support.desk import Desk, tool


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


ODD = tool(
    "odd-one",
    {
        "file-path": {},
        "from": {},
        "type": {},
        "a b": {},
        "self": {},
        "name": {},
        "args": {},
        "kwargs": {},
        "timeout": {},
        "class_": {},
        "class": {},
        "a-b": {},
        "a_b": {},
    },
)


# Keywords of a call, and the JSON that the server receives.
ARRIVES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"file_path": "x"}, {"file-path": "x"}),
    ({"from_": 1, "type": 2}, {"from": 1, "type": 2}),
    ({"a b": 1}, {"a b": 1}),
    ({"file-path": 1}, {"file-path": 1}),
    (
        {"self": 1, "name": 2, "args": 3, "timeout": 5},
        {"self": 1, "name": 2, "args": 3, "timeout": 5},
    ),
    ({"kwargs": {"from_": 1}}, {"kwargs": {"from_": 1}}),
    ({"class_": 1, "class": 2}, {"class_": 1, "class": 2}),
    ({"a_b": 1, "a-b": 2}, {"a_b": 1, "a-b": 2}),
    ({"type": None}, {"type": None}),
    ({"type": [None, {"b": None}]}, {"type": [None, {"b": None}]}),
    ({"undeclared": 1}, {"undeclared": 1}),
]


async def test_keywords_arrive_as(desk: Desk) -> None:
    desk.serve(s=[ODD])
    desk.open()
    from codeact_lsp.tools import mcp

    received = [(await mcp.s.odd_one(**keywords))["received"] for keywords, _ in ARRIVES]
    assert received == [expected for _, expected in ARRIVES]


async def test_a_name_and_its_raw_key_together_are_refused_before_anything_is_sent(
    desk: Desk,
) -> None:
    desk.serve(s=[ODD])
    desk.open()
    from codeact_lsp.tools import mcp

    with pytest.raises(TypeError, match=r"'file_path' and its raw key 'file-path'"):
        await mcp.s.odd_one(file_path=1, **{"file-path": 2})


async def test_a_tool_without_an_output_schema_gives_its_text(desk: Desk) -> None:
    desk.serve(s=[tool("plain", output=False)])
    desk.open()
    from codeact_lsp.tools import mcp

    first, second = (await mcp.s.plain()).split("\n\n")
    assert json.loads(first) == {"tool": "plain", "received": {}}
    assert second == "second block"


async def test_a_tool_that_breaks_its_promise_of_structured_content_gives_its_text(
    desk: Desk,
) -> None:
    desk.serve(s=[tool("bare")])
    desk.open()
    from codeact_lsp.tools import mcp

    assert (await mcp.s.bare()).endswith("second block")


async def test_an_error_of_the_tool_names_server_and_tool(desk: Desk) -> None:
    desk.serve(my__server=[tool("fail-always")])
    desk.open()
    from codeact_lsp.tools import mcp

    with pytest.raises(ToolCallError, match="second block") as raised:
        await mcp.my_server.fail_always()
    assert (raised.value.server, raised.value.tool_name) == ("my-server", "fail-always")


async def test_calls_run_at_the_same_time_over_one_connection(desk: Desk) -> None:
    desk.serve(s=[tool("echo", {"n": {}}), tool("hang")])
    desk.open()
    from codeact_lsp.tools import mcp

    hanging = asyncio.create_task(mcp.s.hang())
    answers = await asyncio.gather(*(mcp.s.echo(n=n) for n in range(20)))
    assert [answer["received"]["n"] for answer in answers] == list(range(20))
    assert not hanging.done()
    assert len(desk.starts("s")) == 1
    hanging.cancel()


async def test_servers_start_at_the_first_call_that_needs_them(desk: Desk) -> None:
    desk.serve(one=[tool("echo")], two=[tool("echo")])
    desk.open()
    from codeact_lsp.tools import mcp

    assert dir(mcp)[-2:] == ["one", "two"]
    assert desk.starts("one") == []
    await mcp.one.echo()
    assert (len(desk.starts("one")), desk.starts("two")) == (1, [])


def test_a_server_serves_one_loop_after_another(desk: Desk) -> None:
    desk.serve(s=[tool("echo", {"n": {}})])
    desk.open()
    from codeact_lsp.tools import mcp

    echo = mcp.s.echo

    async def call(number: int) -> Any:
        return (await echo(n=number))["received"]["n"]

    assert [asyncio.run(call(number)) for number in range(3)] == [0, 1, 2]
    assert len(desk.starts("s")) == 1


async def test_a_lost_connection_is_its_own_error_and_the_next_call_starts_the_server_again(
    desk: Desk,
) -> None:
    desk.serve(s=[tool("die"), tool("echo")])
    desk.open()
    from codeact_lsp.tools import mcp

    with pytest.raises(ServerConnectionError) as raised:
        await mcp.s.die()
    assert str(raised.value) == "the connection to s was lost during the call of die"
    assert (raised.value.server, raised.value.tool_name) == ("s", "die")
    assert (await mcp.s.echo())["received"] == {}
    assert len(desk.starts("s")) == 2


async def test_a_call_under_way_learns_that_its_server_died(desk: Desk) -> None:
    desk.serve(s=[tool("hang"), tool("die")])
    desk.open()
    from codeact_lsp.tools import mcp

    answers = await asyncio.gather(mcp.s.hang(), mcp.s.die(), return_exceptions=True)
    assert [type(answer) for answer in answers] == [ServerConnectionError] * 2


async def test_a_time_limit_is_its_own_error_and_the_connection_stays() -> None:
    opened = 0

    async def call_tool(_: Any, params: CallToolRequestParams) -> CallToolResult:
        if params.name == "hang":
            await asyncio.Event().wait()
        return CallToolResult(content=[])

    @contextlib.asynccontextmanager
    async def opener() -> AsyncIterator[Client]:
        nonlocal opened
        opened += 1
        async with Client(Server("s", on_call_tool=call_tool), mode="legacy") as client:
            yield client

    connection = Connection("s", opener, call_seconds=0.5)
    with pytest.raises(ToolTimeoutError, match=r"s did not answer hang within 0.5 s"):
        await connection.call("hang", {})
    assert (await connection.call("echo", {}))["content"] == []
    assert opened == 1
    await connection.close()


async def test_a_servers_time_limit_is_the_configured_one(desk: Desk) -> None:
    desk.write_user_config({"s": {**desk.entry("s"), "timeout": 7}})
    [server] = config.load([desk.folder]).servers
    guard = Guard()
    assert connect(server, {}, guard).connection.call_seconds == 7
    assert connect(replace(server, timeout=None), {}, guard).connection.call_seconds == 300


async def test_a_cancelled_call_ends_and_the_connection_stays(desk: Desk) -> None:
    desk.serve(s=[tool("hang"), tool("echo")])
    desk.open()
    from codeact_lsp.tools import mcp

    await mcp.s.echo()
    call = asyncio.create_task(mcp.s.hang())
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await mcp.s.echo()
    assert len(desk.starts("s")) == 1


async def test_a_program_that_is_not_there_is_a_clear_error(desk: Desk) -> None:
    desk.serve(s=[tool("echo")])
    desk.open()
    from codeact_lsp.tools import mcp

    await mcp.s.echo()
    desk.write_user_config({"s": {**desk.entry("s"), "command": "no-such-program"}})
    desk.open()
    from codeact_lsp.tools import mcp as again

    with pytest.raises(
        AttributeError, match=r"Available: none \(s could not be started: .*no-such-program"
    ):
        again.s.echo  # noqa: B018 - looking is the test


async def test_a_workspace_server_that_nobody_approved_is_not_started(desk: Desk) -> None:
    desk.serve()
    desk.tools_file("s").write_text(json.dumps({"tools": [tool("echo")]}))
    config = {"mcpServers": {"s": desk.entry("s")}}
    (desk.folder / ".mcp.json").write_text(json.dumps(config))
    desk.open()
    from codeact_lsp.tools import mcp

    with pytest.raises(AttributeError, match=r"s is not approved.*codeact-lsp approve"):
        mcp.s.echo  # noqa: B018 - looking is the test
    assert desk.starts("s") == []


async def test_a_value_that_cannot_be_sent_never_reaches_the_server(desk: Desk) -> None:
    desk.serve(s=[tool("echo", {"n": {}})])
    desk.open()
    from codeact_lsp.tools import mcp

    with pytest.raises(TypeError, match='"n": object cannot be sent as JSON'):
        await mcp.s.echo(n=object())


def test_servers_are_gone_when_the_session_is_closed(desk: Desk) -> None:
    desk.serve(s=[tool("hang"), tool("echo")])
    session = desk.open()
    from codeact_lsp.tools import mcp

    asyncio.run(mcp.s.echo())
    [pid] = desk.starts("s")
    assert is_alive(pid)
    session.close()
    assert not is_alive(pid)


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("echo", ""),
        ("echo", "os.kill(os.getpid(), 9)"),
        ("stay", "os.kill(os.getpid(), 15)"),
        ("stay", "os.kill(os.getpid(), 9)"),
    ],
)
def test_servers_are_gone_when_the_process_is(desk: Desk, name: str, ending: str) -> None:
    desk.serve(s=[tool(name)])
    program = f"""
import asyncio, os, sys
from codeact_lsp.tools import mcp
asyncio.run(mcp.s.{name}())
{ending}
"""
    subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=False, cwd=desk.folder
    )
    [pid] = desk.starts("s")

    async def gone() -> None:
        async with asyncio.timeout(10):
            while is_alive(pid):  # noqa: ASYNC110 - nobody tells when a stranger's child ends
                await asyncio.sleep(0.02)

    asyncio.run(gone())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_forked_child_starts_servers_of_its_own(desk: Desk) -> None:
    desk.serve(s=[tool("echo")])
    program = """
import asyncio, os, warnings
from codeact_lsp.tools import mcp
warnings.simplefilter("ignore")
echo = mcp.s.echo
asyncio.run(echo())
child = os.fork()
asyncio.run(echo())
if child:
    os.waitpid(child, 0)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, cwd=desk.folder)
    assert len(desk.starts("s")) == 2
