from __future__ import annotations

import asyncio
from dataclasses import replace

from codeact_lsp.catalogue.assembler import Assembler
from codeact_lsp.catalogue.messages import Configured, FromChild, Listing, Log, ServerUpdate
from codeact_lsp.catalogue.model import Problem, Server, ServerState, Tool
from codeact_lsp.catalogue.outbox import Outbox, mark_changed

MANY = tuple(Tool(f"t{number}", "x" * 500, digest=f"d{number}") for number in range(1_000))


async def drain(outbox: Outbox) -> list[FromChild]:
    """All that the outbox has to say now."""
    said: list[FromChild] = []

    async def collect() -> None:
        async for message in outbox.messages():
            said.append(message)  # noqa: PERF401 - it never ends, so there is no list to extend by

    task = asyncio.create_task(collect())
    while True:
        before = len(said)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        if len(said) == before:
            break
    task.cancel()
    await asyncio.wait({task})
    return said


async def test_many_changes_are_said_once_as_they_are_in_the_end() -> None:
    outbox = Outbox()
    server = Server("s", MANY, ServerState.READY)
    for number in range(500):
        outbox.server(replace(server, version=str(number)))
    said = await drain(outbox)
    updates = [message for message in said if isinstance(message, ServerUpdate)]
    assert [update.server.version for update in updates] == ["499"]


async def test_a_state_alone_does_not_send_the_tools_again() -> None:
    outbox = Outbox()
    server = Server("s", MANY, ServerState.READY)
    outbox.server(server)
    await drain(outbox)
    outbox.server(replace(server, stale=True))
    assert [type(message) for message in await drain(outbox)] == [ServerUpdate]
    outbox.server(replace(server, stale=True))
    assert await drain(outbox) == []


async def test_a_short_listing_does_not_wait_for_a_long_one() -> None:
    outbox, assembler = Outbox(), Assembler()
    outbox.server(Server("long", MANY, ServerState.READY))
    order: list[str] = []
    async for message in outbox.messages():
        if not order and isinstance(message, Listing):
            outbox.server(Server("short", MANY[:1], ServerState.READY))
        if assembler.feed(message) and isinstance(message, ServerUpdate):
            order.append(message.server.raw)
        order = order or ["begun"]
        if len(order) == 3:
            break
    assert order == ["begun", "short", "long"]
    assert len(assembler.catalogue.servers["long"].tools) == len(MANY)


async def test_a_server_that_changes_while_it_is_said_is_said_to_the_end_and_then_again() -> None:
    outbox, assembler = Outbox(), Assembler()
    outbox.server(Server("s", MANY, ServerState.READY))
    counts: list[int] = []
    async for message in outbox.messages():
        if not counts:
            outbox.server(Server("s", MANY[1:], ServerState.READY))
        if assembler.feed(message):
            counts.append(len(assembler.catalogue.servers["s"].tools))
        if len(counts) == 2:
            break
    assert counts == [len(MANY), len(MANY) - 1]


async def test_a_server_that_goes_while_it_is_said_is_said_no_more() -> None:
    outbox, assembler = Outbox(), Assembler()
    outbox.configured(Configured(servers=("s",)))
    outbox.server(Server("s", MANY, ServerState.READY))
    async for message in outbox.messages():
        assembler.feed(message)
        if isinstance(message, Listing):
            break
    outbox.configured(Configured())
    rest = await drain(outbox)
    assert [type(message) for message in rest] == [Configured]
    outbox.configured(Configured(servers=("s",)))
    outbox.server(Server("s", MANY, ServerState.READY))
    for message in [*rest, *await drain(outbox)]:
        assembler.feed(message)
    assert len(assembler.catalogue.servers["s"].tools) == len(MANY)


async def test_one_new_tool_among_a_thousand_is_the_only_one_sent() -> None:
    outbox, assembler = Outbox(), Assembler()
    new = Tool("new", digest="n")
    for tools in (MANY, (*MANY[:500], new, *MANY[500:])):
        outbox.server(Server("s", tools, ServerState.READY))
        said = await drain(outbox)
        for message in said:
            assembler.feed(message)
    sent = [item for message in said if isinstance(message, Listing) for item in message.items]
    assert [item for item in sent if isinstance(item, Tool)] == [new]
    assert assembler.catalogue.servers["s"].tools == (*MANY[:500], new, *MANY[500:])


async def test_a_server_that_is_gone_and_back_is_told_whole() -> None:
    outbox, assembler = Outbox(), Assembler()
    server = Server("s", MANY[:2], ServerState.READY)
    for servers in (("s",), (), ("s",)):
        outbox.configured(Configured(servers=servers))
        if servers:
            outbox.server(server)
        for message in await drain(outbox):
            assembler.feed(message)
    assert assembler.catalogue.servers["s"] == server


async def test_a_flood_of_log_lines_is_cut_and_counted() -> None:
    outbox = Outbox()
    for number in range(10_000):
        outbox.log("s", "info", f"line {number}")
    outbox.log("t", "info", "heard")
    said = [message for message in await drain(outbox) if isinstance(message, Log)]
    assert len([message for message in said if message.server == "s"]) == 501
    assert said[-1] == Log("heard", "t", "info")


async def test_a_long_log_line_is_cut() -> None:
    outbox = Outbox()
    outbox.log("s", "info", "x" * 1_000_000)
    (message,) = await drain(outbox)
    assert isinstance(message, Log)
    assert len(message.text) < 5_000


async def test_it_is_quiet_when_all_is_said() -> None:
    outbox = Outbox()
    await outbox.quiet()
    outbox.server(Server("s", MANY, ServerState.READY))
    waiting = asyncio.create_task(outbox.quiet())
    messages = outbox.messages()
    await anext(messages)
    assert not waiting.done()

    async def hear_the_rest() -> None:
        async for _ in messages:
            assert not waiting.done()

    rest = asyncio.create_task(hear_the_rest())
    await waiting
    rest.cancel()
    await asyncio.wait({rest})


async def test_native_tools_and_problems_are_told() -> None:
    outbox, assembler = Outbox(), Assembler()
    outbox.native(MANY[:1])
    outbox.problems((Problem("config", "x"),))
    for message in await drain(outbox):
        assembler.feed(message)
    assert assembler.catalogue.native == MANY[:1]
    assert assembler.catalogue.problems == (Problem("config", "x"),)


def test_a_definition_that_is_not_the_one_seen_is_marked_and_a_new_tool_is_not() -> None:
    seen = {"old": "d1"}
    server = Server("s", (Tool("old", digest="d2"), Tool("new", digest="d3")))
    assert [tool.changed for tool in mark_changed(server, seen).tools] == [True, False]
    assert seen == {"old": "d1", "new": "d3"}
    seen["old"] = "d2"
    assert [tool.changed for tool in mark_changed(server, seen).tools] == [False, False]
