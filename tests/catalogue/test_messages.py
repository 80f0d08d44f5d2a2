from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.catalogue import messages as m
from codeact_lsp.catalogue.assembler import Assembler
from codeact_lsp.catalogue.model import Hints, Packed, Problem, Server, ServerState, Tool
from codeact_lsp.catalogue.parts import CHUNK_BYTES, listing_messages, server_update
from codeact_lsp.catalogue.settings import Settings

# Everything that JSON can hold, lone surrogates too; two that make a pair are one character there.
texts = st.text(st.characters(exclude_categories=()), max_size=20).filter(
    lambda text: json.loads(json.dumps(text)) == text
)
maybe = st.none() | texts
hints = st.builds(Hints, maybe, *[st.none() | st.booleans()] * 4)
packed = st.builds(Packed, st.integers(0), st.binary(max_size=20))
tools = st.builds(
    Tool, texts, texts, texts | packed, maybe | packed, maybe, hints, texts, st.booleans()
)
problems = st.builds(
    Problem, texts, texts, maybe, maybe, maybe, maybe, st.integers(0), st.integers(0)
)
several_problems = st.lists(problems, max_size=3).map(tuple)
several_texts = st.lists(texts, max_size=3).map(tuple)
servers = st.builds(
    Server,
    texts,
    state=st.sampled_from(ServerState),
    stale=st.booleans(),
    title=maybe,
    version=maybe,
    protocol=maybe,
    address=maybe,
    listed_at=st.none() | st.floats(allow_nan=False),
    problems=several_problems,
    path=maybe,
    line=st.integers(0),
    column=st.integers(0),
)
updates = st.builds(m.ServerUpdate, servers, st.none() | st.integers(0))
all_settings = st.builds(
    Settings,
    several_texts,
    texts,
    st.dictionaries(texts, texts, max_size=2),
    texts,
    several_texts,
    several_texts,
)
every_message = st.one_of(
    st.builds(m.Hello, st.integers(), st.integers()),
    st.builds(m.Configured, all_settings, several_texts, several_texts),
    st.builds(m.Listing, maybe, st.lists(tools | texts, max_size=3).map(tuple), st.booleans()),
    updates,
    st.builds(m.NativeUpdate, st.integers(0)),
    st.builds(m.Problems, several_problems),
    st.builds(m.Log, texts, maybe, texts),
    st.builds(m.ApprovalRequest, *[texts] * 5, st.lists(texts).map(tuple)),
    st.builds(m.InputRequest, *[texts] * 4, st.booleans()),
    st.builds(m.Groups, st.lists(st.integers(), max_size=3).map(tuple)),
    st.builds(m.Configure, several_texts, st.dictionaries(texts, texts, max_size=2), st.booleans()),
    st.builds(m.ApprovalAnswer, texts, st.sampled_from(m.Answer)),
    st.builds(m.InputValue, texts, texts, maybe),
    st.builds(m.Refresh, maybe),
    st.builds(m.Restart, maybe),
    st.builds(m.Ask, maybe),
    st.builds(m.LookedAt, texts, texts, texts),
    st.builds(m.Shutdown),
)


@settings(deadline=None, max_examples=300)
@given(every_message)
def test_a_message_comes_back_as_it_was_said(message: m.Message) -> None:
    line = m.encode(message)
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert m.decode(line) == message


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"x",
        b"7",
        b"[]",
        b"{}",
        b'{"type":"nonsense"}',
        b'{"type":"hello"}',
        b'{"type":"hello","pid":1,"odd":2}',
        b'{"type":"answer","key":"k","answer":"perhaps"}',
        b'{"type":"server","raw":"s","state":"happy"}',
        b'{"type":"listing","server":"s","items":[["too","short"]]}',
        b"\xff",
        b'{"type":' + b"[" * 100_000,
    ],
)
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(m.MessageError):
        m.decode(line)


def tool(number: int, size: int = 0) -> Tool:
    return Tool(f"t{number}", "x" * size, digest=f"d{number}")


def test_a_listing_is_sent_in_parts_of_64_kib() -> None:
    many = [tool(number, 1_000) for number in range(500)]
    sizes = [len(m.encode(part)) for part in listing_messages("s", many, {})]
    assert len(sizes) > 5
    assert max(sizes) <= CHUNK_BYTES + 1_000


def test_a_tool_that_is_larger_than_a_part_is_alone_in_its_part() -> None:
    parts = list(listing_messages("s", [tool(1), tool(2, 200_000), tool(3)], {}))
    assert [len(part.items) for part in parts] == [1, 1, 1]


def test_only_what_changed_is_sent_again() -> None:
    before = [tool(number, 1_000) for number in range(100)]
    after = [*before[:50], tool(1_000), *before[50:]]
    known = {item.digest: item for item in before}
    (part,) = listing_messages("s", after, known)
    assert [item for item in part.items if isinstance(item, Tool)] == [tool(1_000)]
    assert len(m.encode(part)) < 2_000


def test_an_empty_listing_is_a_part_too() -> None:
    assert list(listing_messages("s", [], {})) == [m.Listing("s", (), first=True)]


def feed(assembler: Assembler, server: Server, known: dict[str, Tool] | None = None) -> None:
    for part in listing_messages(server.raw, server.tools, known or {}):
        assert not assembler.feed(part)
    assert assembler.feed(server_update(server, len(server.tools)))


def test_parts_become_a_catalogue() -> None:
    assembler = Assembler()
    server = Server(
        "s",
        tuple(tool(number, 1_000) for number in range(200)),
        ServerState.READY,
        problems=(Problem("limit", "x"),),
    )
    feed(assembler, server)
    assert assembler.catalogue.servers == {"s": server}
    assert assembler.catalogue.version == 1


def test_versions_rise_and_what_did_not_change_makes_none() -> None:
    assembler = Assembler()
    server = Server("s", (tool(1),), ServerState.READY)
    feed(assembler, server)
    first = assembler.catalogue
    assert not assembler.feed(server_update(server, None))
    assert assembler.catalogue is first
    assert assembler.feed(server_update(replace(server, stale=True), None))
    assert assembler.catalogue.version == 2
    assert assembler.catalogue.servers["s"].tools is first.servers["s"].tools
    # What somebody holds does not change under them.
    assert not first.servers["s"].stale


def test_a_changed_listing_shares_the_tools_that_stayed() -> None:
    assembler = Assembler()
    one, two, three = tool(1), tool(2), tool(3)
    feed(assembler, Server("s", (one, two), ServerState.READY))
    held = assembler.catalogue.servers["s"].tools
    feed(assembler, Server("s", (two, three), ServerState.READY), {"d1": one, "d2": two})
    new = assembler.catalogue.servers["s"].tools
    assert [item.raw for item in new] == ["t2", "t3"]
    assert new[0] is held[1]


def test_native_tools_and_problems_belong_to_no_server() -> None:
    assembler = Assembler()
    for part in listing_messages(None, [tool(1)], {}):
        assembler.feed(part)
    assert assembler.feed(m.NativeUpdate(1))
    assert assembler.feed(m.Problems((Problem("config", "x"),)))
    assert assembler.catalogue.native == (tool(1),)
    assert assembler.catalogue.problems == (Problem("config", "x"),)


def test_a_server_that_is_no_longer_configured_is_gone() -> None:
    assembler = Assembler()
    feed(assembler, Server("s", (tool(1),), ServerState.READY))
    feed(assembler, Server("t", (), ServerState.READY))
    assert assembler.feed(m.Configured(servers=("t",)))
    assert set(assembler.catalogue.servers) == {"t"}


@pytest.mark.parametrize(
    "said",
    [
        [m.Listing("s", ("unknown",), first=True)],
        [m.Listing("s", (tool(2),))],
        [
            m.Listing("s", (tool(2),), first=True),
            m.ServerUpdate(Server("s", state=ServerState.READY), tools=2),
        ],
        [m.ServerUpdate(Server("s", state=ServerState.READY), tools=1)],
        [m.NativeUpdate(1)],
    ],
    ids=["unknown digest", "no first part", "part lost", "nothing staged", "no native listing"],
)
def test_a_listing_with_a_hole_is_refused_and_the_old_one_stays(said: list[m.FromChild]) -> None:
    assembler = Assembler()
    feed(assembler, Server("s", (tool(1),), ServerState.READY))
    before = assembler.catalogue
    with pytest.raises(m.MessageError):
        _feed_all(assembler, said)
    assert assembler.catalogue is before


def _feed_all(assembler: Assembler, said: list[m.FromChild]) -> None:
    for message in said:
        assembler.feed(message)


def test_an_unfinished_listing_is_dropped_by_the_next() -> None:
    assembler = Assembler()
    assembler.feed(m.Listing("s", (tool(1),), first=True))
    feed(assembler, Server("s", (tool(2),), ServerState.READY))
    assert [item.raw for item in assembler.catalogue.servers["s"].tools] == ["t2"]


def test_a_new_child_starts_from_nothing_and_the_old_names_stay_until_then() -> None:
    assembler = Assembler()
    feed(assembler, Server("s", (tool(1),), ServerState.READY))
    assert assembler.mark_stale()
    assert assembler.catalogue.servers["s"].stale
    assert assembler.catalogue.servers["s"].state is ServerState.RECONNECTING
    assembler.feed(m.Hello(2))
    assert [item.raw for item in assembler.catalogue.servers["s"].tools] == ["t1"]
    with pytest.raises(m.MessageError):
        assembler.feed(m.Listing("s", ("d1",), first=True))


def test_what_no_process_vouches_for_is_not_made_stale() -> None:
    assembler = Assembler()
    feed(assembler, Server("s", (tool(1),), ServerState.SNAPSHOT))
    assert not assembler.mark_stale()
