from __future__ import annotations

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.code_actions import (
    QUICK_FIX,
    REWRITE,
    Action,
    code_actions,
    fix_all,
    without_overlaps,
)
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.model import Fix, TextEdit
from codeact_lsp.syntax.expressions import Span
from tests.support.cells import BINDINGS, IMPORT, STRING, applied, bindings, cell, tool, view


def actions(marked: str, made: Bindings = BINDINGS) -> tuple[Action, ...]:
    at = cell(IMPORT + marked)
    return code_actions(view(at.text, made), Span(at.offset, at.offset))


def after(marked: str, title: str, made: Bindings = BINDINGS) -> str:
    (one,) = [action for action in actions(marked, made) if action.title == title]
    return applied(cell(IMPORT + marked).text, one.edits).removeprefix(IMPORT)


def test_a_diagnostic_s_fix_is_offered_where_the_diagnostic_stands() -> None:
    (one,) = [
        a for a in actions("await mcp.web.search(query='a', fr‸om='b')") if a.kind == QUICK_FIX
    ]
    assert one.title == "Write from_="
    assert one.preferred
    assert one.diagnostic is not None
    assert one.diagnostic.code == "raw-keyword"


def test_no_fix_elsewhere() -> None:
    assert actions("x‸ = 1\nawait mcp.web.search(query='a', from='b')") == ()


def test_known_diagnostics_are_not_looked_for_again() -> None:
    seen = view(IMPORT + "mcp.web.nope")
    assert code_actions(seen, Span(0, 60), ()) == ()
    assert len(code_actions(seen, Span(0, 60), diagnose(seen))) == 0


def test_fill_in_required_arguments() -> None:
    made = bindings({"s": [tool("t", {"a": STRING, "b c": STRING, "d": STRING}, ("a", "b c"))]})
    title = "Fill in required arguments"
    assert after("mcp.s.t(‸)", title, made) == 'mcp.s.t(a=..., **{"b c": ...})'
    assert after("mcp.s.t(d='x'‸)", title, made) == "mcp.s.t(d='x', a=..., **{\"b c\": ...})"


@pytest.mark.parametrize("marked", ["mcp.s.t(‸**more)", "mcp.s.t(a=1‸)", "f(‸)"])
def test_nothing_to_fill_in(marked: str) -> None:
    made = bindings({"s": [tool("t", {"a": STRING}, ("a",))]})
    assert not any(a.title == "Fill in required arguments" for a in actions(marked, made))


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('mcp.web.search(‸{"query": "a", "max-results": 3})', 'mcp.web.search(query="a", max_results=3)'),
        ('mcp.web.search({"from": null, "page[size]": ‸true})',
         'mcp.web.search(from_=None, **{"page[size]": True})'),
        ('mcp.notion.API_patch_page(‸{"page_id": "a", "parent": {"database-id": [false]}})',
         'mcp.notion.API_patch_page(page_id="a", parent={"database-id": [False]})'),
        ("mcp.web.search(‸{})", "mcp.web.search()"),
    ],
)  # fmt: skip
def test_a_pasted_json_object_becomes_arguments(marked: str, expected: str) -> None:
    assert after(marked, "Convert the JSON object to arguments") == expected


def test_expand_a_star_import() -> None:
    marked = "from codeact_lsp.tools.mcp.notion import ‸*\nawait search(query='a')\nawait ping()"
    assert after(marked, "Expand the star import") == (
        "from codeact_lsp.tools.mcp.notion import ping, search\n"
        "await search(query='a')\nawait ping()"
    )


def test_rewrites_are_rewrites() -> None:
    assert {a.kind for a in actions('mcp.web.search(‸{"query": "a"})') if a.diagnostic is None} == {
        REWRITE
    }


def test_fix_all_takes_the_safe_ones() -> None:
    body = (
        "await mcp.web.search(query='a', from='b', max-results=1)\n"
        "await getattr(mcp.redis, 'my-tool')(q='x')\n"
        "await mcp.notion.serch(query='a')\n"
    )
    action = fix_all(view(IMPORT + body))
    assert action is not None
    assert applied(IMPORT + body, action.edits) == IMPORT + (
        "await mcp.web.search(query='a', from_='b', max_results=1)\n"
        "await mcp.redis.my_tool(q='x')\n"
        "await mcp.notion.serch(query='a')\n"
    )


def test_fix_all_chooses_no_value() -> None:
    body = "await mcp.web.search(query='a', from_='b', **{'from': 'c'})\n"
    assert [found.code for found in diagnose(view(IMPORT + body))] == ["name-conflict"]
    assert fix_all(view(IMPORT + body)) is None


def test_nothing_to_fix() -> None:
    assert fix_all(view(IMPORT + "await mcp.notion.ping()")) is None


def test_fixes_that_touch_each_other_are_not_both_taken() -> None:
    first = Fix("a", (TextEdit(Span(0, 4), "x"),))
    second = Fix("b", (TextEdit(Span(3, 6), "y"), TextEdit(Span(9, 9), "z")))
    third = Fix("c", (TextEdit(Span(4, 6), "w"),))
    assert without_overlaps((first, second, third)) == (*first.edits, *third.edits)


def test_every_fix_leaves_nothing_for_the_same_code() -> None:
    # Applying everything that is safe, again and again, ends.
    body = (
        "await mcp.web.search(**{'query': 'a', 'from': 'b', 'max-results': 1})\n"
        "x = await mcp.redis.my-tool(q='x')\n"
    )
    text = IMPORT + body
    for _ in range(5):
        action = fix_all(view(text))
        if action is None:
            break
        text = applied(text, action.edits)
    assert diagnose(view(text)) == ()
