"""Completion of a tool by its raw name where nothing is imported: Python reads a subtraction."""

from __future__ import annotations

import pytest

from tests.support.cells import cell
from tests.support.offers import chosen, labels


@pytest.mark.parametrize(
    "marked",
    ["API-‸", "API-pa‸", "await API-pa‸", "f(API-pa‸)", "x = [API-patch-p‸", 'f"{API-pa‸}"'],
)
def test_a_raw_name_finds_its_spelling(marked: str) -> None:
    assert labels(marked) == ["API_patch_page"]


def test_all_of_the_raw_name_is_replaced() -> None:
    after = "from codeact_lsp.tools.mcp.notion import API_patch_page\nawait API_patch_page()"
    assert chosen("await API-pa‸tch-page()", "API_patch_page") == after


@pytest.mark.parametrize(
    "marked", ["API = 3\nAPI-pa‸", "y[0]-pa‸", "API - pa‸", "other-pa‸", "(API)-pa‸"]
)
def test_in_a_subtraction_only_the_operand_is_replaced(marked: str) -> None:
    assert chosen(marked, "API_patch_page").endswith(f"{cell(marked).text[:-2]}API_patch_page")
