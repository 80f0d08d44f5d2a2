"""The user's word on what a workspace's files would run."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.desk import Desk, tool


@pytest.fixture
def workspace(desk: Desk) -> Desk:
    desk.tools_file("desk").write_text(json.dumps({"tools": [tool("echo")]}))
    config = {"mcpServers": {"desk": desk.entry("desk"), "other": desk.entry("other")}}
    (desk.folder / ".mcp.json").write_text(json.dumps(config))
    return desk


def answers(run: Run, *arguments: str) -> dict[str, str | None]:
    ran = run("approve", *arguments, "--format", "json")
    return {one["server"]: one["answer"] for one in json.loads(ran.out)["servers"]}


def test_the_whole_command_line_is_shown(workspace: Desk, run: Run) -> None:
    ran = run("approve", "--list")
    assert ran.code == 1
    for part in workspace.entry("desk")["args"]:
        assert part in ran.out
    assert str(workspace.folder / ".mcp.json") in ran.out


def test_listing_answers_nothing(workspace: Desk, run: Run) -> None:
    assert answers(run, "--list") == {"desk": None, "other": None}
    assert answers(run, "--list") == {"desk": None, "other": None}


def test_one_server_is_approved_by_name(workspace: Desk, run: Run) -> None:
    assert answers(run, "desk", "--always") == {"desk": "always"}
    assert answers(run, "--list") == {"desk": "always", "other": None}


def test_all_that_are_open_are_answered_and_what_was_said_stays(workspace: Desk, run: Run) -> None:
    run("approve", "other", "--never")
    assert answers(run, "--always") == {"desk": "always", "other": "never"}


def test_a_changed_entry_asks_again(workspace: Desk, run: Run) -> None:
    run("approve", "--always")
    path = workspace.folder / ".mcp.json"
    config = json.loads(path.read_text())
    config["mcpServers"]["desk"]["args"].append("--more")
    path.write_text(json.dumps(config))
    assert answers(run, "--list") == {"desk": None, "other": "always"}


def test_where_there_is_no_terminal_nobody_is_asked(
    workspace: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/dev/null").open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        ran = run("approve")
    assert ran.code == 2
    assert "there is no terminal to ask in" in ran.err
    assert answers(run, "--list") == {"desk": None, "other": None}


class Terminal(io.StringIO):
    """A standard input in which somebody types."""

    def isatty(self) -> bool:
        return True


def test_in_a_terminal_each_open_server_is_shown_and_asked_about(
    workspace: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("always\nskip\n"))
    shown = run("approve").out
    assert shown.index("desk, of ") < shown.index("Run it?") < shown.index("other, of ")
    assert answers(run, "--list") == {"desk": "always", "other": None}


def test_an_approved_server_is_listed(workspace: Desk, run: Run) -> None:
    run("approve", "desk", "--always")
    ran = run("catalogue", "list", "--format", "json")
    servers = json.loads(ran.out)["servers"]
    assert [one["name"] for one in servers["desk"]["tools"]] == ["echo"]
    assert servers["other"]["state"] == "not approved"
