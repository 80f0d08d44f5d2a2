from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from codeact_lsp.ide import matching

TOOLS = ["API-patch-page", "API_get_page", "list_pages", "patchwork", "search", "type", "naïve-é"]
INDEX = matching.names((name, name) for name in TOOLS)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        pytest.param("API-pa", ["API-patch-page"], id="the raw name"),
        pytest.param("API_pa", ["API-patch-page"], id="the Python name"),
        pytest.param("api_pa", ["API-patch-page"], id="case does not count"),
        pytest.param("patch", ["patchwork", "API-patch-page"], id="a start, then a word"),
        pytest.param("age", ["API_get_page", "API-patch-page", "list_pages"], id="inside"),
        pytest.param("lpg", ["list_pages"], id="characters in order"),
        pytest.param("naïve_", ["naïve-é"], id="letters beyond ASCII"),
        pytest.param("zzz", [], id="nothing"),
    ],
)
def test_what_a_typed_prefix_finds(typed: str, found: list[str]) -> None:
    assert list(matching.best([INDEX], typed, 100)[0]) == found


def test_a_cut_list_says_that_there_is_more() -> None:
    assert matching.best([INDEX], "", 3) == (("API_get_page", "API-patch-page", "list_pages"), True)
    assert matching.best([INDEX], "", 7)[1] is False


def test_an_empty_index_finds_nothing() -> None:
    assert matching.best([matching.names(())], "a", 10) == ((), False)


class CountingTuple(tuple[str, ...]):
    """Keys that count how many of them were looked at."""

    __slots__ = ()
    looked_at = 0

    def __getitem__(self, at: Any) -> Any:
        CountingTuple.looked_at += 1
        return super().__getitem__(at)


def test_a_prefix_costs_no_walk_over_the_names() -> None:
    index = matching.names((f"tool_{number}", number) for number in range(10_000))
    counted = replace(index, keys=CountingTuple(index.keys))
    assert len(matching.best([counted], "tool_123", 5)[0]) == 5
    assert CountingTuple.looked_at < 40


def test_every_name_is_found_by_itself_among_many() -> None:
    many = [f"tool_{number}" for number in range(2_000)]
    index = matching.names((name, name) for name in many)
    assert all(matching.best([index], name, 1)[0] == (name,) for name in many)


def test_characters_in_order_cost_no_backtracking() -> None:
    # A pattern that backtracks would take longer than the test's time limit here.
    hostile = matching.names([("a" * 20_000 + "b", 1)])
    assert matching.best([hostile], "a" * 60 + "c", 5) == ((), False)


@pytest.mark.parametrize(
    ("typed", "ordered"),
    [
        pytest.param("", ["path", "file_path", "pattern"], id="the given order stays"),
        pytest.param("pa", ["path", "pattern", "file_path"], id="a start is better than a word"),
        pytest.param("file-p", ["file_path"], id="the raw spelling"),
    ],
)
def test_a_short_list_keeps_its_order_among_equals(typed: str, ordered: list[str]) -> None:
    names = ["path", "file_path", "pattern"]
    assert list(matching.order([(name, name) for name in names], typed)) == ordered
