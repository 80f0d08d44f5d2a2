from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.catalogue import snapshot
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.model import Catalogue, Hints, ServerState

TOOL = {
    "name": "API-patch-page",
    "title": "Patch",
    "description": "Changes a page.",
    "inputSchema": {"type": "object", "properties": {"b": {}, "a": {}}},
    "outputSchema": {"type": "object"},
    "annotations": {"title": "T", "readOnlyHint": False, "destructiveHint": True},
}
anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["tools", "servers", "native", "name", "version", "inputSchema", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


def kinds(catalogue: Catalogue) -> list[str]:
    own = [problem.kind for problem in catalogue.problems]
    return own + [p.kind for server in catalogue.servers.values() for p in server.problems]


def test_every_field_of_a_tool_is_read() -> None:
    text = json.dumps({"version": 1, "servers": {"notion": {"tools": [TOOL]}}})
    catalogue = snapshot.parse_snapshot(text)
    server = catalogue.servers["notion"]
    (tool,) = server.tools
    assert server.state is ServerState.SNAPSHOT
    assert tool.raw == "API-patch-page"
    assert tool.title == "Patch"
    assert tool.description == "Changes a page."
    # As sent: the schema's order is the parameters' order.
    assert tool.input_schema == '{"type":"object","properties":{"b":{},"a":{}}}'
    assert tool.output_schema == '{"type":"object"}'
    assert tool.hints == Hints(title="T", read_only=False, destructive=True)
    assert kinds(catalogue) == []


def test_a_bare_listing_is_a_server_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "notion.json"
    path.write_text(json.dumps({"tools": [TOOL]}))
    assert list(snapshot.read_snapshot(path).servers) == ["notion"]


def test_native_tools_stand_beside_the_servers() -> None:
    catalogue = snapshot.parse_snapshot(json.dumps({"native": {"tools": [TOOL]}, "servers": {}}))
    assert [tool.raw for tool in catalogue.native] == ["API-patch-page"]


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    value = {
        "version": 1,
        "native": {"tools": [TOOL]},
        "servers": {"b": {"tools": []}, "a": {"tools": [TOOL, {**TOOL, "name": "x\ud800"}]}},
    }
    first = snapshot.parse_snapshot(json.dumps(value))
    path = tmp_path / "new" / "all.json"
    snapshot.save_snapshot(first, path)
    again = snapshot.read_snapshot(path)
    assert again.native == first.native
    assert {raw: server.tools for raw, server in again.servers.items()} == {
        raw: server.tools for raw, server in first.servers.items()
    }
    assert json.loads(path.read_text())["servers"]["a"]["tools"][0] == TOOL
    # The same tools make the same file, so that a commit shows what changed and nothing else.
    assert snapshot.dump_snapshot(again) == path.read_text()


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 0, 0),
        ("{", 0, 1),
        ('{"servers": {\n  "a": x}}', 1, 7),
        ("7", 0, 0),
        ("{}", 0, 0),
        ('{"servers": 7}', 0, 0),
        ('{"native": 7}', 0, 0),
        ('{"version": 9, "servers": {}}', 0, 0),
    ],
)
def test_what_cannot_be_read_is_one_problem_at_its_place(text: str, line: int, column: int) -> None:
    catalogue = snapshot.parse_snapshot(text, path="/x/names.json")
    (problem,) = catalogue.problems
    assert (problem.kind, problem.path) == ("snapshot", "/x/names.json")
    assert (problem.line, problem.column) == (line, column)


@pytest.mark.parametrize(
    ("data", "words"),
    [(None, "cannot be read"), (b"\xff\xfe{\0}\0", "not UTF-8"), (b"x" * 101, "larger than 100")],
)
def test_a_file_that_is_no_text_is_a_problem(
    tmp_path: Path, data: bytes | None, words: str
) -> None:
    path = tmp_path / "names.json"
    if data is not None:
        path.write_bytes(data)
    (problem,) = snapshot.read_snapshot(path, Limits(listing_bytes=100)).problems
    assert words in problem.message


def test_a_byte_order_mark_is_no_problem(tmp_path: Path) -> None:
    path = tmp_path / "n.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"tools": [TOOL]}).encode())
    assert kinds(snapshot.read_snapshot(path)) == []


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (7, ["bad-tool"]),
        ({}, ["bad-tool"]),
        ({"name": None}, ["bad-tool"]),
        ({**TOOL, "name": "API-patch-page"}, ["duplicate-tool"]),
        ({"name": "n"}, ["schema"]),
        ({**TOOL, "name": "n", "description": 7}, ["bad-tool"]),
        ({**TOOL, "name": "n" * 1_001}, ["limit"]),
        ({**TOOL, "name": "n", "description": "x" * 20_001}, ["limit"]),
        ({**TOOL, "name": "n", "inputSchema": {"x": "y" * 2_097_152}}, ["limit"]),
    ],
    ids=[
        *("no object", "no name", "null name", "twice", "no schema", "odd description"),
        *("long name", "long description", "large schema"),
    ],
)
def test_a_bad_tool_costs_only_itself(bad: Any, expected: list[str]) -> None:
    value = {"servers": {"s": {"tools": [TOOL, bad, {**TOOL, "name": "last"}]}, "t": {"tools": []}}}
    catalogue = snapshot.parse_snapshot(json.dumps(value), path="/x")
    names = [tool.raw for tool in catalogue.servers["s"].tools]
    assert names[0] == "API-patch-page"
    assert names[-1] == "last"
    assert kinds(catalogue) == expected
    assert catalogue.servers["s"].problems[0].path == "/x"


def test_problems_are_counted_and_then_cut() -> None:
    catalogue = snapshot.parse_snapshot(json.dumps({"tools": [7] * 1_000}))
    assert len(kinds(catalogue)) == 201


def test_more_tools_than_the_limit_are_left_out() -> None:
    tools = [{**TOOL, "name": str(number)} for number in range(5)]
    catalogue = snapshot.parse_snapshot(json.dumps({"tools": tools}), limits=Limits(tools=3))
    assert len(catalogue.servers["tools"].tools) == 3
    assert kinds(catalogue) == ["limit"]


def test_a_definition_is_the_same_whatever_the_order_of_its_keys() -> None:
    def digest(**changes: Any) -> str:
        text = json.dumps({"tools": [{**TOOL, **changes}]})
        return snapshot.parse_snapshot(text).servers["tools"].tools[0].digest

    turned = {"properties": {"a": {}, "b": {}}, "type": "object"}
    assert digest() == digest(inputSchema=turned)
    changed = [
        digest(description="Changes a page. Always."),
        digest(title="P"),
        digest(inputSchema={"type": "object"}),
        digest(outputSchema={}),
        digest(annotations={"readOnlyHint": True}),
        digest(description="x" * 30_000),
        digest(description="x" * 30_000 + "y"),
        digest(),
    ]
    assert len(set(changed)) == len(changed)


def test_of_two_snapshots_the_first_one_stands() -> None:
    one = snapshot.parse_snapshot(json.dumps({"tools": [TOOL]}), name="s")
    two = snapshot.parse_snapshot(json.dumps({"tools": []}), name="s")
    merged = snapshot.merge([one, two])
    assert len(merged.servers["s"].tools) == 1
    assert [problem.kind for problem in merged.problems] == ["duplicate-server"]


@settings(deadline=None, max_examples=300)
@given(anything)
def test_any_json_is_read_and_written_again(value: Any) -> None:
    catalogue = snapshot.parse_snapshot(json.dumps(value))
    again = snapshot.parse_snapshot(snapshot.dump_snapshot(catalogue))
    assert [tool.raw for tool in again.native] == [tool.raw for tool in catalogue.native]
    assert again.servers.keys() == catalogue.servers.keys()


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=50))
def test_any_text_is_read_without_failing(text: str) -> None:
    snapshot.parse_snapshot(text)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("re\u0430d_file", "re\\u0430d_file"),
        ("a\u200bb", "a\\u200bb"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_a_name_that_may_look_like_another_is_reported(name: str, shown: str) -> None:
    found = snapshot.parse_snapshot(json.dumps({"tools": [{**TOOL, "name": name}]}))
    (server,) = found.servers.values()
    assert [tool.raw for tool in server.tools] == [name]
    (problem,) = [one for one in server.problems if one.kind == "look-alike"]
    assert shown in problem.message


@pytest.mark.parametrize("name", ["read_file", "файл", "获取天气", "日本語ツール", "naïve"])
def test_a_name_in_one_script_is_not(name: str) -> None:
    found = snapshot.parse_snapshot(json.dumps({"tools": [{**TOOL, "name": name}]}))
    assert "look-alike" not in [p.kind for s in found.servers.values() for p in s.problems]


def test_what_is_null_is_not_said() -> None:
    listed: dict[str, Any] = {
        "name": "a",
        "inputSchema": {},
        "description": None,
        "title": None,
        "annotations": None,
    }
    catalogue = snapshot.parse_snapshot(json.dumps({"tools": [listed]}), name="s")
    (tool,) = catalogue.servers["s"].tools
    assert (tool.description, tool.title, tool.hints.title) == ("", None, None)
    assert kinds(catalogue) == []


@pytest.mark.parametrize("raw", ["\u0441\u043e", "w\u0435b"])
def test_a_server_that_may_look_like_another_is_reported(raw: str) -> None:
    value = {"servers": {raw: {"tools": [TOOL]}}}
    catalogue = snapshot.parse_snapshot(json.dumps(value), path="/x")
    (problem,) = catalogue.servers[raw].problems
    assert (problem.kind, problem.server, problem.tool) == ("look-alike", raw, None)
