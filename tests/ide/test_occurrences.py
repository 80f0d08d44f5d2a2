from __future__ import annotations

import pytest

from codeact_lsp.ide.definition import definition
from codeact_lsp.ide.explain import explain
from codeact_lsp.ide.inlay_hints import inlay_hints
from codeact_lsp.ide.model import Empty, Target
from codeact_lsp.ide.occurrences import Role, highlights, occurrences, references
from codeact_lsp.ide.symbols import symbols
from codeact_lsp.syntax.expressions import Span
from tests.support.cells import BINDINGS, IMPORT, cell, view

BODY = """\
from codeact_lsp.tools.mcp.web import search as s
await s(query="a", from_="b")
await mcp.web.search(**{"from": "c"})
getattr(mcp.web, "search")
mcp.notion.search
"""


def places(marked: str) -> list[str]:
    at = cell(marked)
    found = highlights(view(at.text), at.offset)
    assert found.value is not None, found.empty
    return [at.text[one.span.start : one.span.end] for one in found.value]


def test_every_place_of_a_tool() -> None:
    body = BODY.replace("mcp.web.search(", "mcp.web.sea‸rch(")
    assert places(IMPORT + body) == ["search", "s", "s", "search", '"search"']


def test_every_place_of_a_parameter() -> None:
    assert places(IMPORT + BODY.replace("from_=", "fr‸om_=")) == ["from_", '"from"']


def test_every_place_of_a_server() -> None:
    assert places(IMPORT + BODY.replace("mcp.web.search(", "mcp.we‸b.search(")) == [
        "web",
        "web",
        "web",
    ]


def test_roles() -> None:
    text = IMPORT + "await mcp.web.search(query='a', from_='b')"
    found = [(text[o.span.start : o.span.end], o.role, o.binds) for o in occurrences(view(text))]
    assert found == [
        ("mcp", Role.MODULE, True),
        ("mcp", Role.MODULE, False),
        ("web", Role.SERVER, False),
        ("search", Role.TOOL, False),
        ("query", Role.PARAMETER, False),
        ("from_", Role.RENAMED_PARAMETER, False),
    ]


def test_references_to_a_target() -> None:
    found = references(view(IMPORT + BODY), Target("notion", "search"))
    assert len(found) == 1


def test_no_highlight_elsewhere() -> None:
    assert highlights(view("x = 1"), 0).empty is Empty.NO_BINDING_HERE


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("await mcp.web.search(query='a', from_='b')", ['"from": from_=']),
        ("r = await mcp.notion.search(query='a')", [": NotionSearchOutput"]),
        ("r = await mcp.web.search(query='a')", [": str"]),
        ("r = mcp.web.search(query='a')", []),
        ("x = r", []),
    ],
)
def test_inlay_hints(body: str, expected: list[str]) -> None:
    text = IMPORT + body
    found = inlay_hints(view(text), Span(0, len(text)))
    shown = [
        one.label if one.is_type else f"{one.label} {text[one.offset : one.offset + 6]}"
        for one in found
    ]
    assert shown == expected


def test_hints_of_the_range_only() -> None:
    text = IMPORT + "r = await mcp.web.search(query='a')\n" * 3
    assert len(inlay_hints(view(text), Span(0, len(IMPORT) + 5))) == 1


def test_a_definition_stands_in_the_stub() -> None:
    at = cell(IMPORT + "mcp.web.sea‸rch")
    found = definition(view(at.text), at.offset)
    assert found.value is not None
    (one,) = found.value
    assert one.stub.path.endswith("/mcp/web.pyi")
    assert "def search(" in one.stub.text.splitlines()[one.line]


def test_a_renamed_keyword_leads_to_its_parameter() -> None:
    at = cell(IMPORT + "mcp.web.search(from‸_='a')")
    found = definition(view(at.text), at.offset)
    assert found.value is not None
    (one,) = found.value
    assert one.stub.text.splitlines()[one.line].strip().startswith("from_: str")


@pytest.mark.parametrize("marked", ["x‸ = 1", "# mcp.we‸b", "mcp.nope‸"])
def test_no_definition_has_a_reason(marked: str) -> None:
    at = cell(IMPORT + marked)
    assert definition(view(at.text), at.offset).empty is not None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("API-pa", ["API_patch_page"]),
        ("ping", ["ping", "ping"]),
        ("native", ["native_note"]),
        ("zzz", []),
    ],
)
def test_workspace_symbols(query: str, expected: list[str]) -> None:
    assert [one.name for one in symbols(BINDINGS, query, 10)] == expected


def test_symbols_are_cut() -> None:
    assert len(symbols(BINDINGS, "", 3)) == 3


def test_explain_says_why_there_is_nothing() -> None:
    at = cell(IMPORT + "# mcp.‸")
    found = explain(view(at.text), at.offset)
    assert found.completion is Empty.IN_COMMENT
    assert found.hover is Empty.IN_COMMENT
    assert found.sentences()[0] == "Completion: The cursor is in a comment."
