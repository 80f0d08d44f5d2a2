from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue.model import Catalogue, Hints, Problem, Server, ServerState, Tool
from codeact_lsp.ide.describe import describe
from codeact_lsp.ide.model import Target
from codeact_lsp.ide.prose import markdown, plain
from tests.support.cells import BINDINGS, STRING, bindings, tool


def shown(target: Target, made: Bindings = BINDINGS) -> str:
    return plain(describe(made, target))


def parameter(raw: str, *others: str) -> str:
    """What is said of a parameter of a tool with these parameters."""
    made = bindings({"s": [tool("t", dict.fromkeys((raw, *others), STRING))]})
    return shown(Target("s", "t", (raw,)), made)


@pytest.mark.parametrize(
    ("raw", "others", "said"),
    [
        ("from", (), 'sent as "from"; `from` is a Python keyword, so it is spelled `from_` here'),
        (
            "file-path",
            (),
            (
                'sent as "file-path"; a hyphen is a minus sign in Python, '
                "so it is spelled `file_path` here"
            ),
        ),
        (
            "a b",
            (),
            '"a b" cannot be written as a Python name: pass it as a dict key, `**{"a b": ...}`',
        ),
        (
            "file-path",
            ("file_path",),
            (
                '`file_path` already means the parameter "file_path", so "file-path" has no name of '
                'its own: pass it as a dict key, `**{"file-path": ...}`'
            ),
        ),
        (
            "a_b-c",
            ("a-b_c",),
            'sent as "a_b-c"; a hyphen is a minus sign in Python, so it is spelled `a_b_c` here',
        ),
    ],
)
def test_a_rename_in_one_plain_sentence(raw: str, others: tuple[str, ...], said: str) -> None:
    assert said in parameter(raw, *others).split("\n\n")


def test_nothing_is_said_of_a_name_that_did_not_change() -> None:
    assert "spelled" not in parameter("type")


def test_a_tool() -> None:
    said = shown(Target("web", "search"))
    assert said.startswith("async def search(\n    *,\n    query: str,")
    assert "Search the web." in said
    assert "The server says: read-only." in said
    assert 'server "web" · live' in said


def test_the_rename_table() -> None:
    lines = markdown(describe(BINDINGS, Target("web", "search"))).splitlines()
    assert lines[lines.index("| JSON key | Python | why |") :][:5] == [
        "| JSON key | Python | why |",
        "| --- | --- | --- |",
        '| "max-results" | `max_results` | a hyphen is a minus sign |',
        '| "from" | `from_` | a Python keyword |',
        '| "page\\[size\\]" | `**{"page[size]": ...}` | not a Python name |',
    ]
    assert "JSON key" not in markdown(describe(BINDINGS, Target("notion", "ping")))


def test_a_renamed_tool() -> None:
    assert (
        'listed as "API-patch-page"; a hyphen is a minus sign in Python, '
        "so it is spelled `API_patch_page` here"
    ) in shown(Target("notion", "API-patch-page"))


def test_a_tool_that_only_getattr_reaches() -> None:
    said = shown(Target("redis", "a.b"))
    assert (
        '"a.b" cannot be written as a Python name: reach it with `getattr(mcp.redis, "a.b")`'
    ) in said
    assert "`import` is a Python keyword: reach it with" in shown(Target("redis", "import"))


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        (Hints(read_only=True), "The server says: read-only."),
        (Hints(destructive=True), "The server says: destructive."),
        (Hints(read_only=True, destructive=True), "The server says: read-only."),
        (Hints(idempotent=True, open_world=True),
         "The server says: idempotent, reaches the outside world."),
    ],
)  # fmt: skip
def test_hints(hints: Hints, said: str) -> None:
    made = bindings({"s": [tool("t", hints=hints)]})
    assert said in shown(Target("s", "t"), made).split("\n\n")


def test_no_hint_no_line() -> None:
    assert "The server says" not in shown(Target("s", "t"), bindings({"s": [tool("t")]}))


def test_freshness_is_said() -> None:
    stale = bindings({"s": [tool("t")]}, stale=True, state=ServerState.RECONNECTING)
    assert (
        'server "s" · reconnecting, its tools are the last known ones and not confirmed yet'
    ) in shown(Target("s", "t"), stale)
    snapshot = bindings({"s": [tool("t")]}, state=ServerState.SNAPSHOT)
    assert 'server "s" · from a snapshot file' in shown(Target("s", "t"), snapshot)


def test_a_changed_definition_is_said() -> None:
    made = bindings({"s": [replace(tool("t"), changed=True)]})
    assert "its definition changed since you last looked at it" in shown(Target("s", "t"), made)


def test_a_parameter() -> None:
    said = shown(Target("web", "search", ("max-results",)))
    assert said.split("\n\n") == [
        "max_results: int = ...",
        (
            'sent as "max-results"; a hyphen is a minus sign in Python, '
            "so it is spelled `max_results` here"
        ),
        "- optional\n- default `10`\n- at least 1",
        "a parameter of `mcp.web.search`",
    ]
    assert "what to look for" in shown(Target("web", "search", ("query",)))


def test_a_nested_key_keeps_its_spelling() -> None:
    said = shown(Target("notion", "API-patch-page", ("parent", "database-id")))
    assert said.split("\n\n") == [
        '"database-id": str',
        "- required",
        "a key inside an argument, never respelled, of `mcp.notion.API_patch_page`",
    ]


def test_a_key_of_a_result() -> None:
    said = shown(Target("notion", "search", ("items", 0, "page-id"), result=True))
    assert said.startswith('"page-id": str')
    assert "a key of the result of `mcp.notion.search`" in said


def test_the_classes_that_an_annotation_names_are_spelled_out() -> None:
    assert (
        'NotionAPIPatchPageArgsParent = TypedDict(\n    "NotionAPIPatchPageArgsParent",\n'
    ) in shown(Target("notion", "API-patch-page", ("parent",)))
    assert "class NotionSearchOutput(TypedDict):" in shown(Target("notion", "search"))


def test_a_class_of_many_keys_is_cut() -> None:
    wide = {"type": "object", "properties": {f"key{n}": STRING for n in range(500)}}
    made = bindings({"s": [tool("t", {"p": wide})]})
    said = shown(Target("s", "t", ("p",)), made)
    assert "# … 461 more lines" in said
    assert len(said.splitlines()) < 60


def test_positions_of_a_list() -> None:
    pair = {"type": "array", "prefixItems": [STRING, {"type": "integer"}]}
    made = bindings({"s": [tool("t", {"p": pair})]})
    said = shown(Target("s", "t", ("p",)), made)
    assert "p: list[str | int] = ..." in said
    assert "- item 0: `str`\n- item 1: `int`" in said


def test_patterns_of_keys() -> None:
    headers = {
        "type": "object",
        "patternProperties": {"^x-": STRING, "^n-": {"type": "integer"}},
        "additionalProperties": False,
    }
    named = {**headers, "properties": {"a": STRING}}
    made = bindings({"s": [tool("t", {"p": headers, "q": named})]})
    assert "p: dict[str, str | int] = ..." in shown(Target("s", "t", ("p",)), made)
    for raw in "pq":
        said = shown(Target("s", "t", (raw,)), made)
        assert "- a key that matches `^x-`: `str`\n- a key that matches `^n-`: `int`" in said


def test_an_enum_member() -> None:
    said = shown(Target("web", "search", ("order",), value='"asc"'))
    assert said.startswith('the value `"asc"`')


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 5}, ["at least 1", "at most 5"]),
        ({"type": "number", "exclusiveMinimum": 0.5}, ["more than 0.5"]),
        ({"type": "integer", "multipleOf": 5}, ["a multiple of 5"]),
        ({"type": "string", "minLength": 2, "maxLength": 2}, ["exactly 2 characters"]),
        ({"type": "string", "maxLength": 1}, ["at most 1 character"]),
        ({"type": "string", "pattern": "^a`b$"}, ["matches ``^a`b$``"]),
        ({"type": "string", "format": "date"}, ["format `date`"]),
        ({"type": "array", "minItems": 1, "uniqueItems": True}, ["at least 1 item", "no item twice"]),
    ],
)  # fmt: skip
def test_limits(limits: dict[str, object], said: list[str]) -> None:
    made = bindings({"s": [tool("t", {"p": limits})]})
    lines = markdown(describe(made, Target("s", "t", ("p",)))).splitlines()
    assert [line for line in lines if line.startswith("- ")][1:] == [f"- {one}" for one in said]


def test_a_server() -> None:
    server = Server(
        "my-files",
        (tool("t"),),
        ServerState.READY,
        title="Files",
        version="1.2",
        protocol="2025-11-25",
        address="npx files",
        listed_at=0.0,
        problems=(Problem("stdout-noise", "it writes to stdout"),),
    )
    made = bind(Catalogue(MappingProxyType({"my-files": server}), version=1))
    assert shown(Target("my-files"), made).split("\n\n") == [
        "mcp.my_files",
        'MCP server "my-files": Files 1.2',
        (
            'configured as "my-files"; a hyphen is a minus sign in Python, '
            "so it is spelled `my_files` here"
        ),
        (
            "- state: live\n- 1 tool\n- address: npx files\n- MCP revision 2025-11-25\n"
            "- last listed 1970-01-01 00:00 UTC\n- problem: it writes to stdout"
        ),
    ]


@pytest.mark.parametrize(
    "target",
    [
        Target("nope"),
        Target("web", "nope"),
        Target("web", "search", ("nope",)),
        Target("notion", "search", ("nope",), result=True),
        Target(None, "nope"),
    ],
)
def test_what_is_gone_has_no_description(target: Target) -> None:
    assert describe(BINDINGS, target) == ()


HOSTILE = [
    "![](https://evil.example/p.png?u=1) <img src=x> ![x](../../etc/passwd)",
    "```\n![](https://evil.example/r)\n```",
    "[run](command:workbench.action.terminal.new)",
    "<scheme>://<host>/<path>?<q> & List<T> <a href=x>y</a> <!-- z",
    "Get_user_by_id for `x` **bold** [a](b)\n===\n1. one",
    '"""\nPWNED=1\n"""',
    "\x1b[2J\u202e\u200b",
]


def hostile(said: str) -> Tool:
    return tool(
        f"t {said}",
        {f"p {said}": {"type": "string", "description": said, "enum": [said]}},
        (f"p {said}",),
        description=said,
        output={"type": "object", "properties": {said: STRING}},
    )


@pytest.mark.parametrize("said", HOSTILE)
def test_no_text_of_a_server_is_markup(said: str) -> None:
    one = hostile(said)
    server = Server(said, (one,), title=said, version=said, address=said)
    made = bind(Catalogue(MappingProxyType({said: server}), version=1))
    raw = f"p {said}"
    for target in (
        Target(said),
        Target(said, one.raw),
        Target(said, one.raw, (raw,)),
        Target(said, one.raw, (said,), result=True),
    ):
        text = outside_code(markdown(describe(made, target)))
        for mark in ("![", "](", "<", "\x1b", "\u202e", "\u200b"):
            assert mark not in text.replace(f"\\{mark}", "").replace("\\]\\(", ""), (target, mark)


def outside_code(shown: str) -> str:
    """The markdown without what CommonMark shows literally: fenced blocks and code spans."""
    kept = []
    fence = ""
    for line in shown.split("\n"):
        run = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line.startswith(fence) and not line.strip("`") else fence
        elif len(run) >= 3:
            fence = run
        else:
            kept.append(_without_spans(line))
    assert not fence, "an open fence"
    return "\n".join(kept)


def _without_spans(line: str) -> str:
    out, at = "", 0
    while at < len(line):
        if line[at] == "\\":
            out += line[at : at + 2]
            at += 2
        elif line[at] == "`":
            run = len(line[at:]) - len(line[at:].lstrip("`"))
            ticks = "`" * run
            close = line.find(ticks, at + run)
            while close != -1 and line[close + run : close + run + 1] == "`":
                close = line.find(
                    ticks,
                    close + run + len(line[close + run :]) - len(line[close + run :].lstrip("`")),
                )
            assert close != -1, f"an open code span in {line!r}"
            at = close + run
        else:
            out += line[at]
            at += 1
    return out


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"enum": [0.5, 1, 2.0]}, "one of 0.5, 1, 2.0"),
        ({"enum": ["a", 0.5, None]}, 'one of "a", 0.5'),
        ({"enum": [{"on": True}, [1, None]]}, 'one of {"on": True}, [1, None]'),
        ({"const": {"a": "b"}}, 'one of {"a": "b"}'),
        ({"type": "array", "items": {"enum": [1.5, 2.5]}}, "each item one of 1.5, 2.5"),
        (
            {"enum": [number + 0.5 for number in range(25)]},
            "one of " + ", ".join(f"{number}.5" for number in range(20)) + ", and 5 more",
        ),
        ({"enum": [["x" * 200]]}, 'one of ["' + "x" * 78 + "\u2026"),
        ({"enum": ["a", "b", 1, True, None]}, None),
    ],
)
def test_the_values_that_an_annotation_cannot_name(
    schema: dict[str, Any], said: str | None
) -> None:
    made = bindings({"s": [tool("t", {"p": schema})]})
    lines = shown(Target("s", "t", ("p",)), made).replace("`", "").splitlines()
    found = [line.removeprefix("- ") for line in lines if "one of " in line]
    assert found == ([] if said is None else [said])
