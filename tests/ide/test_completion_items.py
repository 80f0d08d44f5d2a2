"""What completion says of each item, and how it cuts long lists."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.model import ItemKind, Settings
from tests.support.cells import IMPORT, STRING, bindings, cell, tool
from tests.support.forms import CALL, MADE, R
from tests.support.offers import labels, listed, named


def test_an_item_says_type_and_whether_it_is_required() -> None:
    found = listed(f"{CALL}form(‸)", MADE)
    mode, old = named(found, "mode="), named(found, "old=")
    assert (mode.detail, mode.description) == (
        ': Literal["fast", "it\'s", 3, True] | None',
        "required",
    )
    assert (old.detail, old.description) == (": str", "optional")
    key = named(listed(f"{R}r['‸']"), "next")
    assert (key.detail, key.description) == (": str | None", "optional")
    nested = named(listed(f"{CALL}form(deep={{‸}})", MADE), "list")
    assert nested.description == "required"
    assert nested.detail.startswith(": list[")


@pytest.mark.parametrize(
    ("marked", "label", "filters"),
    [
        ("mcp.notion.‸", "API_patch_page", "API_patch_page API-patch-page"),
        ("mcp.notion.API-‸", "API_patch_page", "API-patch-page API_patch_page"),
        ("mcp.‸", "my_server", "my_server my-server"),
        ("mcp.web.search(‸)", "from_=", "from_ from"),
        ("mcp.web.search(max-‸)", "max_results=", "max-results max_results"),
        ("mcp.web.search(order=‸)", '"asc"', "asc"),
        ("mcp.web.search(order='‸')", '"asc"', "asc"),
        ("mcp.notion.API_patch_page(parent={‸})", "database-id", "database-id"),
        ("getattr(mcp.redis, ‸)", "a.b", "a.b"),
    ],
)
def test_an_item_is_found_by_its_raw_name_and_without_quotes(
    marked: str, label: str, filters: str
) -> None:
    assert named(listed(IMPORT + marked), label).filter_text == filters


@pytest.mark.parametrize(
    ("marked", "label", "kind"),
    [
        ("from codeact_lsp.‸", "tools", ItemKind.MODULE),
        ("from codeact_lsp.tools import ‸", "ToolCallError", ItemKind.CLASS),
        ("mcp.‸", "web", ItemKind.SERVER),
        ("mcp.web.‸", "search", ItemKind.TOOL),
        ("mcp.web.search(‸)", "query=", ItemKind.PARAMETER),
        ("mcp.web.search(order=‸)", '"asc"', ItemKind.ENUM_MEMBER),
        ("mcp.web.search(max_results=‸)", "10", ItemKind.VALUE),
        ("mcp.notion.API_patch_page(parent={‸})", "note", ItemKind.KEY),
    ],
)
def test_an_item_has_a_kind(marked: str, label: str, kind: ItemKind) -> None:
    assert named(listed(IMPORT + marked), label).kind is kind


@pytest.mark.parametrize(
    ("marked", "label"),
    [
        ("form(ol‸)", "old="),
        ("form(**{'ol‸'})", "old"),
        ("form(nested={'ol‸'})", "old"),
        ("form(items=[{'ol‸'}])", "old"),
        ("r = await form()\nr['ol‸']", "old"),
    ],
)
def test_what_is_deprecated_is_marked(marked: str, label: str) -> None:
    old = {"type": "object", "properties": {"old": {"type": "string", "deprecated": True}}}
    properties = {**old["properties"], "nested": old, "items": {"type": "array", "items": old}}  # type: ignore[dict-item]  # a schema
    made = bindings({"forms": [tool("form", properties, output=old)]})
    assert named(listed(CALL + marked, made), label).deprecated


def many(schema: dict[str, Any]) -> Bindings:
    return bindings({"s": [tool("t", {"p": schema}, output={"type": "object", "properties": {f"k{n}": {} for n in range(300)}})]})  # fmt: skip


WIDE = many({"type": "object", "properties": {f"k{n}": STRING for n in range(300)}})


@pytest.mark.parametrize(
    ("marked", "made"),
    [
        pytest.param("mcp.‸", bindings({f"s{n}": [] for n in range(300)}), id="servers"),
        pytest.param("from codeact_lsp.tools.mcp import ‸", bindings({f"s{n}": [] for n in range(300)}), id="imported servers"),
        pytest.param("mcp.s.‸", bindings({"s": [tool(f"t{n}") for n in range(300)]}), id="tools"),
        pytest.param("from codeact_lsp.tools.mcp.s import ‸", bindings({"s": [tool(f"t{n}") for n in range(300)]}), id="imported tools"),
        pytest.param("t‸", bindings({"s": [tool(f"t{n}") for n in range(300)]}), id="bare names"),
        pytest.param("t‸", bindings({}, tuple(tool(f"t{n}") for n in range(300))), id="tools without a server"),
        pytest.param("getattr(mcp.s, '‸')", bindings({"s": [tool(f"t{n}") for n in range(300)]}), id="raw names"),
        pytest.param("mcp.s.t(‸)", bindings({"s": [tool("t", {f"p{n}": STRING for n in range(300)})]}), id="keywords"),
        pytest.param("mcp.s.t(p=‸)", many({"enum": [f"v{n}" for n in range(300)]}), id="values"),
        pytest.param("mcp.s.t(p={‸})", WIDE, id="keys"),
        pytest.param("r = await mcp.s.t()\nr['‸']", WIDE, id="keys of a result"),
    ],
)  # fmt: skip
def test_a_long_list_of_anything_is_cut_and_marked(marked: str, made: Bindings) -> None:
    found = listed(IMPORT + marked, made)
    assert len(found.items) == Settings().limit
    assert found.incomplete


def test_the_best_matches_are_what_is_left_of_a_long_list() -> None:
    made = many({"enum": [*(f"x-stop-{n}" for n in range(300)), "stop"]})
    found = listed(f"{IMPORT}mcp.s.t(p='stop‸')", made)
    assert found.items[0].text == "stop"


@pytest.mark.parametrize("marked", ["mcp.‸", "mcp.notion.‸", "form(‸)", "form(mode=‸)", "r[‸]"])
def test_the_order_of_a_list_is_kept(marked: str) -> None:
    keys = [item.sort_text for item in listed(f"{R}form = mcp.forms.form\n{marked}", MADE).items]
    assert keys == sorted(set(keys))


def test_the_word_around_the_cursor_is_what_is_replaced() -> None:
    at = cell(f"{IMPORT}mcp.notion.API-patch-pa‸ge")
    found = listed(f"{IMPORT}mcp.notion.API-patch-pa‸ge")
    assert at.text[found.span.start : found.span.end] == "API-patch-page"
    assert found.cursor == at.offset


def test_what_is_not_found_by_its_start_is_found_by_a_part() -> None:
    assert labels(f"{IMPORT}mcp.notion.page‸") == ["API_patch_page"]
    assert labels(f"{IMPORT}mcp.notion.apipp‸") == ["API_patch_page"]
