"""A listing of any size, over every transport: others stay fresh, and little room is taken."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.messages import Restart
from codeact_lsp.catalogue.model import Packed, ServerState, Tool, unpack

from .conftest import Remote, Workspace, is_alive, watching
from .test_process import editing, until

LISTED = {ServerState.READY, ServerState.ASLEEP}
WAYS: dict[str, dict[str, Any]] = {
    "stdio": {},
    "http": {"transport": "http"},
    "http events": {"transport": "http", "events": True},
    "sse": {"transport": "sse"},
}


def entry(workspace: Workspace, remote: Remote, way: str, **script: Any) -> dict[str, Any]:
    """A config entry of a hostile server that is reached in this way."""
    if way == "stdio":
        return workspace.hostile(**script)
    return {"type": "sse" if way == "sse" else "http", "url": remote(**WAYS[way], **script)}


def properties(tool: Tool) -> int:
    return len(json.loads(unpack(tool.input_schema))["properties"])


@pytest.mark.parametrize("way", WAYS)
async def test_others_are_fresh_while_a_long_listing_is_on_its_way(
    workspace: Workspace, remote: Remote, way: str
) -> None:
    go_on = workspace.path("go-on")
    stream = {"count": 60, "properties": 400, "halt": 40, "until": str(go_on)}
    tools = workspace.path("tools.json")
    tools.write_text('[{"name": "before"}]')
    workspace.configure(
        huge=entry(workspace, remote, way, stream=stream, log=str(workspace.path("log"))),
        other=workspace.hostile(tools_file=str(tools), list_changed=True),
    )
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.names("other") == ["before"])
        await w.until(lambda: {"streams": 40} in workspace.notes())
        tools.write_text('[{"name": "after"}]')
        await w.until(lambda: w.names("other") == ["after"])
        assert w.names("huge") == []
        go_on.touch()
        await w.until(lambda: w.server("huge").state in LISTED)
        assert w.names("huge") == [f"t{number}" for number in range(60)]
        assert {properties(tool) for tool in w.server("huge").tools} == {400}
        assert w.server("huge").problems == ()


@pytest.mark.parametrize("way", WAYS)
async def test_a_listing_over_the_limit_is_cut_and_said_to_be(
    workspace: Workspace, remote: Remote, way: str
) -> None:
    # About 9,500 bytes each.
    stream = {"count": 100, "properties": 100}
    workspace.configure(s=entry(workspace, remote, way, stream=stream))
    workspace.approve()
    async with watching(workspace, limits=Limits(listing_bytes=600_000)) as w:
        await w.until(lambda: w.server().state in LISTED)
        assert [problem.kind for problem in w.server().problems] == ["limit"]
        assert "more than 600,000 bytes" in w.server().problems[0].message
        listed = len(w.names())
        assert 30 < listed < 70
        assert w.names() == [f"t{number}" for number in range(listed)]


async def test_a_long_listing_may_take_longer_than_a_page_may_keep_silent(
    workspace: Workspace,
) -> None:
    # Some 12 parts in a second each, where silence for one second is the end.
    workspace.configure(
        s=workspace.hostile(
            stream={"count": 30, "properties": 100}, drip={"bytes": 4_096, "seconds": 0.08}
        )
    )
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: len(w.names()) == 30)
        assert w.kinds() == set()


async def test_a_listing_that_halts_for_good_fails_and_the_server_is_asked_again(
    workspace: Workspace,
) -> None:
    go_on = workspace.path("go-on")
    stream = {"count": 60, "properties": 100, "halt": 40, "until": str(go_on)}
    workspace.configure(s=workspace.hostile(stream=stream))
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.kinds() == {"listing-failed"})
        assert w.names() == []
        go_on.touch()
        await w.until(lambda: len(w.names()) == 60)


async def test_a_tool_that_is_listed_unchanged_stays_the_same_object(workspace: Workspace) -> None:
    workspace.configure(s=workspace.hostile(stream={"count": 20, "properties": 100}))
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state in LISTED)
        before = w.server()
        w.say(Restart("s"))
        await w.until(
            lambda: w.server().listed_at != before.listed_at and w.server().state in LISTED
        )
        assert all(a is b for a, b in zip(before.tools, w.server().tools, strict=True))


async def test_stopping_does_not_wait_for_a_long_listing(workspace: Workspace) -> None:
    workspace.configure(
        s=workspace.hostile(
            stream={"count": 10_000, "properties": 500},
            log=str(workspace.path("log")),
            pid_file=str(workspace.path("pid")),
        )
    )
    workspace.approve()
    async with editing(workspace) as editor:
        await until(lambda: {"streams": 0} in workspace.notes())
        started = [editor.child(), int(workspace.path("pid").read_text())]
    assert not any(map(is_alive, started))
    # It said good-bye by itself and was not killed.
    assert editor.state() is ServerState.LISTING


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc tells the peak of another process")
@pytest.mark.parametrize("way", WAYS)
async def test_a_long_listing_takes_little_room(
    workspace: Workspace, remote: Remote, way: str
) -> None:
    def cached() -> list[int]:
        folder = Path(workspace.environment["CODEACT_LSP_CACHE_DIR"])
        return [file.stat().st_size for file in folder.rglob("*.json")]

    def peak(pid: int) -> int:
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    async def listed(count: int) -> tuple[int, tuple[Tool, ...]]:
        stream = {"count": count, "properties": 3_000}
        workspace.configure(s=entry(workspace, remote, way, stream=stream))
        workspace.approve()
        async with editing(workspace) as editor:
            await until(lambda: editor.state() in LISTED)
            return peak(editor.child()), editor.catalogue.servers["s"].tools

    idle, _ = await listed(1)
    # 30 MB, which as one text and its values were a few hundred.
    most, tools = await listed(100)
    assert len(tools) == 100
    kept = [tool.input_schema for tool in tools]
    assert sum(len(text.data) for text in kept if isinstance(text, Packed)) < 2_000_000
    assert sum(text.size for text in kept if isinstance(text, Packed)) > 25_000_000
    assert most - idle < 16_000_000
    assert all(size < 4_000_000 for size in cached())
