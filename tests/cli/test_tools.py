"""Commands that read tools: names, render, stubs, catalogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.desk import Desk, tool

CATALOGUE: dict[str, Any] = {
    "version": 1,
    "native": {"tools": [tool("match", {"q": {}})]},
    "servers": {
        "notion": {
            "tools": [
                tool(
                    "API-x",
                    {
                        "file-path": {},
                        "a b": {},
                        "from": {},
                        "file_path2": {},
                        "path-x": {},
                        "path_x": {},
                    },
                    required=("file-path",),
                ),
                tool("123tool"),
                tool("import"),
                tool("search", {"q": {"type": "string"}}),
            ]
        },
        "my-server": {"tools": []},
    },
}


@pytest.fixture
def saved(desk: Desk) -> str:
    path = desk.folder / "tools.json"
    path.write_text(json.dumps(CATALOGUE))
    return str(path)


def test_any_as_json(run: Run, saved: str) -> None:
    found = run("catalogue", "any", "--format", "json", "--catalogue", saved).json()
    place = {"server": "notion", "tool": "API-x", "path": "mcp.notion.API_x", "detail": ""}
    pointers = ["file-path", "a b", "from", "file_path2", "path-x", "path_x"]
    taken = [one for one in found["any"] if one["pointer"].startswith("/inputSchema")]
    assert taken[:7] == [
        *(
            {**place, "pointer": f"/inputSchema/properties/{raw}", "reason": "silent"}
            for raw in pointers
        ),
        {
            **place,
            "pointer": "/inputSchema",
            "reason": "unspelled",
            "detail": '`**kwargs` takes "a b", "path-x"',
        },
    ]
    # The helper's output schema has an object of unknown keys, once a tool.
    assert found["reasons"] == {"silent": 12, "unspelled": 1}


def test_any_as_text(run: Run, saved: str) -> None:
    lines = run("catalogue", "any", "--catalogue", saved).out.splitlines()
    start = lines.index("mcp.notion.API_x")
    assert lines[start + 1] == "  /inputSchema/properties/file-path silent"
    assert lines[-4:] == [
        'getattr(codeact_lsp.tools, "match")',
        "  /inputSchema/properties/q silent",
        "  /outputSchema/properties/received/additionalProperties silent",
        "13 Any of 5 tools: 12 silent, 1 unspelled",
    ]


def parameter(raw: str, name: str | None, reason: str | None, *, required: bool = False) -> Any:
    return {"raw": raw, "name": name, "reason": reason, "required": required}


def test_names_as_json(run: Run, saved: str) -> None:
    assert run("names", "--format", "json", "--catalogue", saved).json() == {
        "servers": {
            "my-server": {"name": "my_server", "tools": []},
            "notion": {
                "name": "notion",
                "tools": [
                    {"raw": "123tool", "name": None, "reason": "no-identifier", "parameters": []},
                    {
                        "raw": "API-x",
                        "name": "API_x",
                        "reason": "hyphen",
                        "parameters": [
                            parameter("file-path", "file_path", "hyphen", required=True),
                            parameter("a b", None, "no-identifier"),
                            parameter("from", "from_", "keyword"),
                            parameter("file_path2", "file_path2", None),
                            parameter("path-x", None, "collision"),
                            parameter("path_x", "path_x", None),
                        ],
                    },
                    {"raw": "import", "name": None, "reason": "reserved", "parameters": []},
                    {
                        "raw": "search",
                        "name": "search",
                        "reason": None,
                        "parameters": [parameter("q", "q", None)],
                    },
                ],
            },
        },
        "native": {
            "tools": [
                {
                    "raw": "match",
                    "name": None,
                    "reason": "reserved",
                    "parameters": [parameter("q", "q", None)],
                }
            ]
        },
    }


def test_names_as_text_are_the_renames(run: Run, saved: str) -> None:
    assert run("names", "--catalogue", saved).out.splitlines() == [
        "my-server → my_server  (hyphen)",
        '123tool → getattr(mcp.notion, "123tool")  (no-identifier)',
        "API-x → mcp.notion.API_x  (hyphen)",
        "    file-path → file_path  (hyphen)",
        "    a b → a dict key  (no-identifier)",
        "    from → from_  (keyword)",
        "    path-x → a dict key  (collision)",
        'import → getattr(mcp.notion, "import")  (reserved)',
        'match → getattr(codeact_lsp.tools, "match")  (reserved)',
    ]


def test_a_name_cannot_drive_a_terminal(desk: Desk, run: Run) -> None:
    path = desk.folder / "evil.json"
    path.write_text(json.dumps({"tools": [tool("\x1b[2Jx", {"a\u202eb": {}, "": {}})]}))
    shown = run("names", "--catalogue", str(path)).out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\u202e" in shown


@pytest.mark.parametrize(
    "command",
    [("names", "--all"), ("catalogue", "list"), ("catalogue", "any")],
    ids=" ".join,
)
def test_names_that_may_look_like_others_are_shown_escaped(
    desk: Desk, run: Run, command: tuple[str, ...]
) -> None:
    found: dict[str, Any] = {"p\u0430th": {}}
    tools = [tool(raw, found) for raw in ("s\u0435arch", "\u0441\u043e", "a\u2010b")]
    (desk.folder / "a.json").write_text(
        json.dumps({"version": 1, "servers": {"\u0440\u0430y": {"tools": tools}}})
    )
    ran = run(*command, "--catalogue", "a.json")
    assert "mcp.\\u0440\\u0430y.s\\u0435arch" in ran.out
    assert "mcp.\\u0440\\u0430y.\\u0441\\u043e" in ran.out
    assert 'getattr(mcp.\\u0440\\u0430y, "a\\u2010b")' in ran.out
    assert "p\\u0430th" in ran.out
    assert not {c for c in ran.out + ran.err if not c.isascii()} - {"\u2192"}
    assert ran.err.count("may look like another name") == 4


@pytest.mark.parametrize("command", ["hover", "complete", "signature", "definition"])
def test_what_the_editor_would_show_of_such_names_is_escaped(
    desk: Desk, run: Run, command: str
) -> None:
    tools = [tool("s\u0435arch", {"p\u0430th": {}})]
    (desk.folder / "a.json").write_text(json.dumps({"tools": tools}))
    line = "await mcp.a.s\u0435arch(p\u0430th=1)"
    column = {"complete": line.index("arch"), "signature": line.index("=")}.get(command, 15)
    (desk.folder / "cell.py").write_text(f"from codeact_lsp.tools import mcp\n{line}\n", "utf-8")
    ran = run(command, f"cell.py:2:{column + 1}", "--catalogue", "a.json")
    assert (ran.code, ran.out == "") == (0, False)
    assert "s\\u0435arch" in ran.out
    assert not {c for c in ran.out + ran.err if not c.isascii()} - set("·…→")


def test_places_of_schemas_that_are_not_understood_are_listed(desk: Desk, run: Run) -> None:
    schema = {"type": "object", "properties": {"q": {"$ref": "#/nowhere"}}}
    tools = [{"name": "odd-one", "inputSchema": schema}, {"name": "none"}]
    (desk.folder / "a.json").write_text(
        json.dumps({"version": 1, "servers": {"web": {"tools": tools}}})
    )
    none = "none: there is no inputSchema; every parameter is taken as it is given"
    odd = 'odd-one: "#/nowhere" leads nowhere in this schema: it is Any'
    assert run("catalogue", "list", "--catalogue", "a.json").out.splitlines() == [
        "web: snapshot, 2 tools",
        "  mcp.web.none",
        "  mcp.web.odd_one",
        f"  ! {none} (at /inputSchema of web)",
        f"  ! {odd} (at /inputSchema/properties/q/$ref of web)",
    ]
    found = run("catalogue", "list", "--catalogue", "a.json", "--format", "json").json()
    assert found["servers"]["web"]["problems"][1] == {
        "kind": "schema",
        "message": odd,
        "tool": "odd-one",
        "pointer": "/inputSchema/properties/q/$ref",
        "place": None,
    }


def test_a_bare_listing_is_a_server_named_after_the_file(desk: Desk, run: Run) -> None:
    (desk.folder / "my-desk.json").write_text(json.dumps({"tools": [tool("echo")]}))
    names = run("names", "--catalogue", "my-desk.json", "--format", "json").json()
    assert names["servers"]["my-desk"]["name"] == "my_desk"


def test_several_files_are_one_catalogue(desk: Desk, run: Run) -> None:
    for name in ("one", "two"):
        (desk.folder / f"{name}.json").write_text(json.dumps({"tools": [tool(name)]}))
    names = run("names", "--catalogue", "one.json", "--catalogue", "two.json", "--format", "json")
    assert list(names.json()["servers"]) == ["one", "two"]


def test_the_fold_setting_of_the_project_counts(desk: Desk, run: Run, saved: str) -> None:
    (desk.folder / "codeact-lsp.toml").write_text('fold-characters = "- "\n')
    [found] = [
        spelled
        for listed in run("names", "--format", "json", "--catalogue", saved).json()["servers"][
            "notion"
        ]["tools"]
        for spelled in listed["parameters"]
        if spelled["raw"] == "a b"
    ]
    assert found["name"] == "a_b"


def test_render_prints_a_block_that_executes(run: Run, saved: str) -> None:
    block = run("render", "--catalogue", saved).out
    assert block.startswith("from codeact_lsp.tools import ToolCallError, mcp")
    compile(block, "block", "exec")
    as_json = run("render", "--catalogue", saved, "--format", "json", "--detail", "brief").json()
    assert as_json["detail"] == "brief"
    assert "# mcp.notion.search(" in as_json["block"]


def test_stubs_are_written_below_the_folder(desk: Desk, run: Run, saved: str) -> None:
    said = run("stubs", "--catalogue", saved, "--output", "out", "--format", "json").json()
    assert said["folder"] == "out"
    written = [
        path.relative_to("out").as_posix() for path in Path("out").rglob("*") if path.is_file()
    ]
    assert sorted(written) == sorted(said["files"])
    assert any("def search(" in path.read_text() for path in Path("out").rglob("*.pyi"))


def test_catalogue_list(run: Run, saved: str) -> None:
    assert run("catalogue", "list", "--catalogue", saved).out.splitlines()[:4] == [
        "my-server: snapshot, 0 tools",
        "notion: snapshot, 4 tools",
        '  getattr(mcp.notion, "123tool")',
        "  mcp.notion.API_x",
    ]
    found = run("catalogue", "list", "--catalogue", saved, "--format", "json").json()
    assert found["servers"]["notion"]["state"] == "snapshot"
    assert found["servers"]["notion"]["tools"][1] == {
        "raw": "API-x",
        "name": "API_x",
        "path": "mcp.notion.API_x",
    }


def test_a_saved_snapshot_says_the_same_as_what_it_was_saved_from(
    desk: Desk, run: Run, saved: str
) -> None:
    said = run("catalogue", "save", "again.json", "--catalogue", saved, "--format", "json").json()
    assert said == {"file": "again.json", "tools": 5, "missing": []}
    before, after = (
        run("names", "--format", "json", "--catalogue", path).json()
        for path in (saved, "again.json")
    )
    assert before == after


def test_live_servers_are_listed_where_no_file_is_given(desk: Desk, run: Run) -> None:
    desk.serve(my__desk=[tool("to-do")])
    found = run("catalogue", "list", "--format", "json").json()["servers"]["my-desk"]
    assert found["state"] in {"ready", "asleep"}
    assert not found["stale"]
    assert found["tools"] == [{"raw": "to-do", "name": "to_do", "path": "mcp.my_desk.to_do"}]
    assert len(desk.starts("my-desk")) == 1


def test_a_server_that_is_not_approved_is_named_and_not_started(desk: Desk, run: Run) -> None:
    config = {"mcpServers": {"desk": desk.entry("desk")}}
    (desk.folder / ".mcp.json").write_text(json.dumps(config))
    ran = run("catalogue", "save", "tools.json")
    assert ran.code == 1
    assert ran.err.count("desk: not approved") == 1
    assert "codeact-lsp approve" in ran.err
    assert desk.starts("desk") == []


@pytest.mark.parametrize("listing", ['{"tools": 3}', '{"version": 1, "servers": {"a": 5}}'])
def test_what_is_wrong_with_a_snapshot_is_said(desk: Desk, run: Run, listing: str) -> None:
    (desk.folder / "a.json").write_text(listing)
    ran = run("names", "--catalogue", "a.json")
    assert ran.code == 0
    assert "has no list of tools" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_many_problems_are_counted(desk: Desk, run: Run) -> None:
    (desk.folder / "a.json").write_text(json.dumps({"tools": [5] * 30}))
    lines = run("names", "--catalogue", "a.json").err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "codeact-lsp: 10 more problems: codeact-lsp catalogue list"
