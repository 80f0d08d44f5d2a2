"""What is offered for a problem of a config file, by its kind."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.server.commands import COMMANDS
from codeact_lsp.server.config_actions import config_actions

Json = dict[str, Any]


def problem(kind: str, **more: Any) -> Json:
    return {
        "source": "codeact-lsp",
        "code": "catalogue-problem",
        "data": {"server": "we\u200bb", "kind": kind},
        **more,
    }


@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        ("not-approved", ["approve"]),
        ("failed", ["restart", "showLogs"]),
        ("variable", ["restart", "showLogs"]),
        ("duplicate-tool", ["restart", "showLogs"]),
        ("schema", ["restart", "showLogs"]),
    ],
)
def test_by_kind(kind: str, commands: list[str]) -> None:
    found = config_actions([problem(kind)], ())
    assert [action["command"]["command"] for action in found] == [
        f"codeact-lsp.{name}" for name in commands
    ]
    assert all(action["command"]["command"] in COMMANDS for action in found)
    assert all(action["command"]["arguments"] == [{"server": "we\u200bb"}] for action in found)
    assert all("we\\u200bb" in action["title"] for action in found)
    assert all(action["diagnostics"] == [problem(kind)] for action in found)


@pytest.mark.parametrize(
    "foreign",
    [
        problem("failed", source="other"),
        problem("failed", data=None),
        problem("failed", data={"server": 3, "kind": "failed"}),
        {},
    ],
)
def test_nothing_is_offered_for_what_is_not_ours(foreign: Json) -> None:
    assert config_actions([foreign], ()) == []


@pytest.mark.parametrize(
    ("only", "count"),
    [((), 2), (("quickfix",), 2), (("source",), 0), (("refactor", "quickfix"), 2)],
)
def test_only_what_is_asked_for(only: tuple[str, ...], count: int) -> None:
    assert len(config_actions([problem("failed")], only)) == count
