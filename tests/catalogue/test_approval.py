from __future__ import annotations

import stat
from dataclasses import fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from codeact_lsp.catalogue import approval
from codeact_lsp.catalogue.approval import Store
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.messages import Answer

ENVIRONMENT = {"PATH": "/usr/bin:/bin"}
STDIO = ServerConfig(
    name="s",
    path="/w/.mcp.json",
    transport="stdio",
    command="sh",
    args=("-c", "echo $X"),
    env=MappingProxyType({"K": "v"}),
    cwd="/w",
    shown=("sh", "-c", "echo $X"),
    written_env=(("K", "${TOK}"),),
)
HTTP = ServerConfig(
    name="s",
    path="/w/.mcp.json",
    transport="http",
    url="https://x/mcp?k=secret",
    headers=MappingProxyType({"Authorization": "Bearer secret"}),
    shown=("https://x/mcp?k=${TOK}",),
)
NAMES = {field.name for field in fields(ServerConfig)}


def test_the_key_is_the_same_for_the_same() -> None:
    assert approval.key(STDIO, ENVIRONMENT) == approval.key(replace(STDIO), ENVIRONMENT)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "t"},
        {"path": "/w/other.json"},
        {"command": "cat"},
        {"args": ("-c", "echo $X", "")},
        {"args": ("-c echo $X",)},
        {"cwd": "/elsewhere"},
        {"written_env": (("K", "${OTHER}"),)},
        {"written_env": (("L", "${TOK}"),)},
        {"written_env": ()},
        {"transport": "http"},
        {"url": "https://y"},
        {"headers": MappingProxyType({"X": ""})},
    ],
    ids=str,
)
def test_any_change_of_what_runs_asks_again(change: dict[str, Any]) -> None:
    assert approval.key(replace(STDIO, **change), ENVIRONMENT) != approval.key(STDIO, ENVIRONMENT)


@pytest.mark.parametrize(
    "change",
    [
        {"line": 9, "column": 9},
        {"timeout": 9.0},
        {"include": ("a",)},
        {"exclude": ("a",)},
        # The value of a variable may rotate; what is written does not.
        {"env": MappingProxyType({"K": "other"})},
    ],
    ids=str,
)
def test_what_does_not_decide_what_runs_does_not_ask_again(change: dict[str, Any]) -> None:
    assert change.keys() <= NAMES
    assert approval.key(replace(STDIO, **change), ENVIRONMENT) == approval.key(STDIO, ENVIRONMENT)


def test_another_program_of_the_same_name_asks_again(tmp_path: Path) -> None:
    program = tmp_path / "sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    first = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    assert approval.find_command(STDIO, first) == str(program)
    assert approval.key(STDIO, first) != approval.key(STDIO, ENVIRONMENT)
    own = replace(STDIO, env=MappingProxyType({"PATH": str(tmp_path)}))
    assert approval.find_command(own, ENVIRONMENT) == str(program)


def test_a_relative_program_is_looked_for_in_the_servers_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("#!/bin/sh\n")
    (tmp_path / "run").chmod(0o755)
    server = replace(STDIO, command="./run", cwd=str(tmp_path))
    assert approval.find_command(server, ENVIRONMENT) == str(tmp_path / "run")
    # A name without a slash is not looked for there: it could be anything that was cloned.
    assert approval.find_command(replace(server, command="run"), ENVIRONMENT) is None


def test_the_whole_command_line_is_shown_and_no_secret() -> None:
    long = "x" * 5_000
    server = replace(STDIO, args=("-c", "s3cret", long), shown=("sh", "-c", "${TOK}", long))
    shown = approval.shown(server, ENVIRONMENT)
    assert shown.startswith(("/usr/bin/sh -c '${TOK}' xxx", "/bin/sh -c '${TOK}' xxx"))
    assert long in shown
    assert shown.endswith("(env: K)")
    assert approval.shown(HTTP, ENVIRONMENT) == "https://x/mcp?k=${TOK}  (headers: Authorization)"


def test_what_is_shown_cannot_deceive_a_terminal() -> None:
    evil = "\x1b[2Kls\r\n\u202e\u200b"
    server = replace(STDIO, args=(evil,), shown=("sh", evil), name="\x1b[2K")
    shown = approval.shown(server, ENVIRONMENT)
    assert shown.isprintable()
    assert "\\x1b[2Kls\\n\\u202e\\u200b" in shown


def store(tmp_path: Path) -> Store:
    return Store({**ENVIRONMENT, "CODEACT_LSP_STATE_DIR": str(tmp_path / "state")})


@pytest.mark.parametrize(
    ("answer", "now", "later"),
    [
        (Answer.ONCE, True, False),
        (Answer.ALWAYS, True, True),
        (Answer.NEVER, False, False),
    ],
)
def test_answers_are_kept_as_they_were_meant(
    tmp_path: Path,
    answer: Answer,
    now: bool,  # noqa: FBT001 - a table's columns
    later: bool,  # noqa: FBT001 - a table's columns
) -> None:
    first = store(tmp_path)
    assert not first.is_approved(STDIO)
    first.record(STDIO, answer)
    assert first.is_approved(STDIO) == now
    again = store(tmp_path)
    assert again.is_approved(STDIO) == later
    assert again.answer(approval.key(STDIO, ENVIRONMENT)) == (
        None if answer is Answer.ONCE else answer
    )


def test_a_later_answer_replaces_an_earlier_one(tmp_path: Path) -> None:
    store(tmp_path).record(STDIO, Answer.ALWAYS)
    store(tmp_path).record(HTTP, Answer.ALWAYS)
    store(tmp_path).record(STDIO, Answer.NEVER)
    assert not store(tmp_path).is_approved(STDIO)
    assert store(tmp_path).is_approved(HTTP)


def test_a_user_level_entry_is_approved_by_being_there(tmp_path: Path) -> None:
    assert store(tmp_path).is_approved(replace(STDIO, user_level=True))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"answers": 7}', '{"answers": {"k": 7}}', "\xff"])
def test_a_file_that_cannot_be_read_approves_nothing(tmp_path: Path, text: str) -> None:
    first = store(tmp_path)
    first.path.parent.mkdir()
    first.path.write_text(text.replace("k", approval.key(STDIO, ENVIRONMENT)), "latin-1")
    assert not first.is_approved(STDIO)
    first.record(STDIO, Answer.ALWAYS)
    assert store(tmp_path).is_approved(STDIO)


def test_the_file_is_the_users_alone_and_holds_no_secret(tmp_path: Path) -> None:
    kept = store(tmp_path)
    kept.record(HTTP, Answer.ALWAYS)
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert "secret" not in kept.path.read_text()


def test_an_answer_that_cannot_be_written_counts_until_the_end(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    kept = store(tmp_path)
    with pytest.raises(OSError, match="state"):
        kept.record(STDIO, Answer.ALWAYS)
    assert kept.is_approved(STDIO)
