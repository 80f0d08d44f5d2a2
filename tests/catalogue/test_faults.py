"""What a broken or hostile server may do, and what stays true all the while.

The others are fresh, one clear problem is shown at the entry, and no process stays behind.
"""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.model import Server, ServerState

from .conftest import Remote, Workspace, is_alive, watching

LISTED = {ServerState.READY, ServerState.ASLEEP}
NO_ANSWER = {"hang": ["initialize", "server/discover"]}
ENDLESS_NOISE = "Example 1.2.3\n\n[info] { not json\n123\n[]\n"
LONG_RESULT = '{"other":"' + "x" * 90_000 + '"}'
LIMITS = Limits(tools=100, pages=5, listing_bytes=1_000_000, rest=50_000)

FAULTS: list[tuple[dict[str, Any], str, str]] = [
    # What the server does, the problem's kind, words of its message.
    (NO_ANSWER, "failed-to-start", "did not answer within 1 s"),
    ({"die_at_start": True, "stderr": "no key\n"}, "failed-to-start", "'no key'"),
    ({"die": ["initialize", "server/discover"]}, "failed-to-start", "closed"),
    ({**NO_ANSWER, "banner": "loading ...\n"}, "failed-to-start", "'loading ...'"),
    ({"version": "1999-01-01"}, "failed-to-start", "1999-01-01"),
    ({"hang": ["tools/list"]}, "listing-failed", "did not answer tools/list"),
    ({"die": ["tools/list"]}, "connection-lost", ""),
    ({"wrong_ids": True}, "listing-failed", "did not answer"),
    ({"refuse": {"tools/list": -32603}}, "listing-failed", "refused"),
    ({"raw_result": '{"tools": 7}'}, "listing-failed", 'no list "tools"'),
    ({"raw_result": "{}"}, "listing-failed", 'no list "tools"'),
    ({"raw_result": '"tools"'}, "listing-failed", "did not answer"),
    ({"raw_result": '{"tools": ['}, "listing-failed", "did not answer"),
    ({"pages": "refuse second"}, "listing-failed", "no more"),
    ({"banner": ENDLESS_NOISE}, "stdout-noise", "stdout"),
    ({"noise_flood": 5_000}, "stdout-noise", "stdout"),
    ({"pages": "repeat"}, "paging", "nothing new"),
    ({"pages": "number"}, "paging", "no string"),
    ({"pages": "endless"}, "limit", "more than 5 pages"),
    ({"huge": {"count": 120}}, "limit", "more than 100 tools"),
    ({"huge": {"count": 1, "size": 30_000}}, "limit", "cut at 20,000"),
    ({"huge": {"count": 60, "size": 19_000}}, "limit", "more than 1,000,000 bytes"),
    ({"raw_result": LONG_RESULT}, "listing-failed", "the limit is 50,000"),
]
HARMLESS: list[dict[str, Any]] = [
    {"glue": "loading plugin ..."},
    {"stderr_flood": 5_000},
    {"drip": {"bytes": 20, "seconds": 0.001}},
    {"pages": "empty"},
    {"slow": {"initialize": 0.2, "tools/list": 0.2}},
]


async def test_each_fault_is_one_problem_at_its_entry_and_the_other_server_is_listed(
    workspace: Workspace,
) -> None:
    pids = workspace.path("pids")
    workspace.configure(
        other=workspace.hostile(pid_file=str(pids)),
        **{
            str(number): {
                **workspace.hostile(**script, pid_file=str(pids)),
                **({"timeout": 1} if script.get("hang") == NO_ANSWER["hang"] else {}),
            }
            for number, (script, _, _) in enumerate(FAULTS)
        },
    )
    workspace.approve()

    def shows(server: Server, kind: str, words: str) -> bool:
        return [kind] == [p.kind for p in server.problems] and words in server.problems[0].message

    async with watching(workspace, limits=LIMITS) as w:
        unseen = dict(enumerate(FAULTS))

        def seen() -> bool:
            for number, (_, kind, words) in list(unseen.items()):
                if shows(w.server(str(number)), kind, words):
                    del unseen[number]
            return not unseen

        try:
            await w.until(seen)
        except TimeoutError:
            shown = {number: w.server(str(number)).problems for number in unseen}
            pytest.fail(f"not shown: {unseen}, but {shown}")
        assert w.names("other") == ["a"]
        assert w.server("other").problems == ()
        assert w.server("0").problems[0].path == str(workspace.folder / ".mcp.json")
    assert not any(is_alive(int(pid)) for pid in pids.read_text().split())


async def test_what_is_only_odd_is_no_problem(workspace: Workspace) -> None:
    workspace.configure(
        **{str(number): workspace.hostile(**script) for number, script in enumerate(HARMLESS)}
    )
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: all(w.server(str(n)).state in LISTED for n in range(len(HARMLESS))))
        for number in range(len(HARMLESS)):
            assert w.names(str(number)) == ["a"]
            assert w.kinds(str(number)) <= {"stdout-noise"}


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_faults_over_http(workspace: Workspace, remote: Remote, transport: str) -> None:
    first = ["GET"] if transport == "sse" else ["initialize", "server/discover"]
    faults: dict[str, tuple[dict[str, Any], str]] = {
        "hang": (NO_ANSWER, "failed-to-start"),
        "error": ({"status": dict.fromkeys(first, 500)}, "failed-to-start"),
        "listing": ({"hang": ["tools/list"]}, "listing-failed"),
        "500": ({"status": {"tools/list": 500}}, "connection-lost"),
        "ids": ({"wrong_ids": True}, "listing-failed"),
        "dies": ({"die": ["tools/list"]}, "connection-lost"),
        "odd": ({"raw_result": '{"tools": 7}'}, "listing-failed"),
        "large": ({"raw_result": LONG_RESULT}, "listing-failed"),
    }
    kind = "http" if transport == "http" else "sse"
    workspace.configure(
        other={"type": kind, "url": remote(transport=transport)},
        gone={"type": kind, "url": "http://127.0.0.1:9/mcp"},
        **{
            name: {
                "type": kind,
                "url": remote(transport=transport, **script),
                **({"timeout": 1} if name == "hang" else {}),
            }
            for name, (script, _) in faults.items()
        },
    )
    workspace.approve()
    async with watching(workspace, limits=LIMITS) as w:
        wanted = {"gone": "failed-to-start"} | {name: kind for name, (_, kind) in faults.items()}

        def all_shown() -> bool:
            for name in [name for name, kind in wanted.items() if kind in w.kinds(name)]:
                assert w.names(name) == []
                del wanted[name]
            return not wanted

        await w.until(lambda: all_shown() and w.names("other") == ["a"])
        assert w.server("other").problems == ()


async def test_nothing_but_listing_is_ever_asked_of_a_server(
    workspace: Workspace, remote: Remote
) -> None:
    ask = ["sampling/createMessage", "elicitation/create", "roots/list", "ping", "odd/request"]
    scripts: dict[str, dict[str, Any]] = {
        "old": {"ask": ask},
        "new": {"era": "2026-07-28", "list_changed": True},
        "http": {"ask": ask, "transport": "http", "list_changed": True},
    }
    logs = {name: str(workspace.path(f"log-{name}")) for name in scripts}
    workspace.configure(
        old=workspace.hostile(**scripts["old"], log=logs["old"]),
        new=workspace.hostile(**scripts["new"], log=logs["new"]),
        http={"url": remote(**scripts["http"], log=logs["http"])},
    )
    workspace.approve()

    def answers() -> list[dict[str, Any]]:
        return [note["answer"] for note in workspace.notes("log-old") if "answer" in note]

    async with watching(workspace) as w:
        await w.until(lambda: all(w.names(name) == ["a"] for name in scripts))
        await w.until(lambda: len(answers()) == len(ask))
        await w.until(lambda: workspace.asked("ping", "log-http"))
    for name in scripts:
        methods = {note["method"] for note in workspace.notes(f"log-{name}") if "method" in note}
        assert methods <= {
            "initialize",
            "server/discover",
            "notifications/initialized",
            "notifications/cancelled",
            "tools/list",
            "subscriptions/listen",
            "ping",
        }
    # Everything that a server asks for is declined, but for a ping.
    assert ["result" in answer for answer in sorted(answers(), key=lambda a: a["id"])] == [
        method == "ping" for method in ask
    ]


async def test_the_first_page_is_asked_for_without_a_cursor(workspace: Workspace) -> None:
    workspace.configure(s=workspace.hostile(log=str(workspace.path("log"))))
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.names() == ["a"])
    (listing,) = [note for note in workspace.notes() if note.get("method") == "tools/list"]
    assert "cursor" not in (listing["params"] or {})
    assert listing["params"] != {"cursor": None}


async def test_a_bad_tool_costs_only_itself(workspace: Workspace) -> None:
    deep = '{"properties":{"p":' * 3_000 + "{}" + "}}" * 3_000
    good = '{"name":"good","inputSchema":{"type":"object"}}'
    bad = [
        "7",
        "null",
        "{}",
        '{"name":7}',
        good,
        '{"name":"none"}',
        '{"name":"odd","inputSchema":[1],"description":{"x":1},"annotations":3}',
        '{"name":"lone\\ud800","description":"\\udfff","inputSchema":{"k\\ud800":1}}',
        '{"name":"bytes","description":"\xff\xfe","inputSchema":{"type":"object"}}',
        '{"name":"long","inputSchema":{"maximum":' + "9" * 5_000 + "}}",
        '{"name":"deep","inputSchema":' + deep + "}",
    ]
    workspace.configure(
        s=workspace.hostile(raw_result='{"tools":[' + ",".join([good, *bad]) + "]}")
    )
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state in LISTED)
        assert w.names() == ["good", "none", "odd", "lone\ud800", "bytes", "long", "deep"]
        tools = {tool.raw: tool for tool in w.server().tools}
        assert tools["none"].input_schema == "null"
        assert tools["odd"].description == ""
        assert tools["odd"].input_schema == "[1]"
        assert tools["lone\ud800"].input_schema == '{"k\\ud800":1}'
        assert tools["bytes"].description == "\ufffd\ufffd"
        assert [problem.kind for problem in w.server().problems] == [
            *["bad-tool"] * 4,
            "duplicate-tool",
            "schema",
            "bad-tool",
            # Half of a surrogate pair cannot be seen.
            "look-alike",
        ]


async def test_a_packed_body_is_refused_before_it_is_unpacked(
    workspace: Workspace, remote: Remote
) -> None:
    workspace.configure(s={"url": remote(packed=True)})
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.kinds() == {"failed-to-start"})
