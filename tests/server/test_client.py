"""The gates that a client's capabilities open."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.server.client import Client, read_client


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7", "utf-16"], "utf-16"),
        (["utf-7"], "utf-16"),
        ([7], "utf-16"),
        ([], "utf-16"),
        (None, "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
def test_the_position_encoding(offered: Any, chosen: str) -> None:
    assert read_client({"general": {"positionEncodings": offered}}).encoding == chosen


def test_a_client_that_says_nothing_gets_the_plainest_answers() -> None:
    assert read_client({}) == Client()


@pytest.mark.parametrize(
    "odd",
    [
        {"textDocument": None, "workspace": [], "general": 3, "window": "x", "experimental": []},
        {"textDocument": {"completion": {"completionItem": {"snippetSupport": "yes"}}}},
        {"textDocument": {"completion": {"completionItem": {"tagSupport": {"valueSet": 1}}}}},
        {"experimental": {"codeactLsp": {"status": 1}}},
    ],
)
def test_an_odd_capability_is_a_closed_gate(odd: Any) -> None:
    assert read_client(odd) == Client()


def test_our_own_messages_are_announced_one_by_one() -> None:
    own = {"codeactLsp": {"status": True, "approval": False, "log": True}}
    assert read_client({"experimental": own}).own == {"status", "log"}
