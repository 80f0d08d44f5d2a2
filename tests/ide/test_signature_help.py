from __future__ import annotations

import pytest

from codeact_lsp.bindings import details as details_module
from codeact_lsp.bindings.model import ToolBinding, ToolDetails
from codeact_lsp.ide.model import Empty
from codeact_lsp.ide.prose import plain
from codeact_lsp.ide.signature_help import SignatureHelp, signature_help
from tests.support.cells import IMPORT, bindings, cell, tool, view

WEB = "from codeact_lsp.tools.mcp import web\n"


def help_at(marked: str) -> SignatureHelp:
    at = cell(WEB + IMPORT + marked)
    found = signature_help(view(at.text), at.offset)
    assert found.value is not None, found.empty
    (one,) = found.value
    return one


def active(marked: str) -> str | None:
    """The label of the parameter that is marked."""
    shown = help_at(marked)
    if shown.active is None:
        return None
    label = shown.parameters[shown.active].label
    return shown.label[label.start : label.end]


def test_a_lone_star_is_no_parameter() -> None:
    shown = help_at("web.search(‸)")
    assert [shown.label[one.label.start : one.label.end] for one in shown.parameters] == [
        "query: str",
        "max_results: int = ...",
        "from_: str = ...",
        'order: Literal["asc", "desc"] = ...',
        "**kwargs: Any",
    ]


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("web.search(‸)", "query: str", id="the first required one"),
        pytest.param("web.search(‸", "query: str", id="unfinished"),
        pytest.param('web.search(query="x", ‸', "max_results: int = ...", id="the next one"),
        pytest.param('web.search(order="asc", ‸', "query: str", id="a required one first"),
        pytest.param(
            'web.search(query="x", order=‸',
            'order: Literal["asc", "desc"] = ...',
            id="the keyword that the cursor is in",
        ),
        pytest.param("web.search(max-results=‸)", "max_results: int = ...", id="a raw keyword"),
        pytest.param("web.search(from=‸)", "from_: str = ...", id="a Python keyword"),
        pytest.param("web.search(fro‸)", "query: str", id="half a word"),
        pytest.param('web.search(**{"‸"})', "**kwargs: Any", id="in the dict"),
        pytest.param('web.search(**{"page[size]": ‸})', "**kwargs: Any", id="in a value of it"),
        pytest.param('web.search(query="x", nope=‸', "**kwargs: Any", id="an unknown keyword"),
        pytest.param(
            "print(web.search(order=‸", 'order: Literal["asc", "desc"] = ...', id="nested"
        ),
        pytest.param("mcp.shell.run(command=[1, ‸])", "command: str", id="in a display"),
        pytest.param("mcp.shell.run(command='a', nope=‸)", None, id="no place for it"),
        pytest.param("mcp.shell.run(command='a', ‸)", None, id="nothing is left"),
    ],
)
def test_the_parameter_at_the_cursor(marked: str, expected: str | None) -> None:
    assert active(marked) == expected


def test_a_parameter_says_its_rename() -> None:
    shown = help_at("web.search(from_=‸)")
    assert shown.active is not None
    assert plain(shown.parameters[shown.active].blocks).startswith('sent as "from"; `from` is')


def test_the_catch_all_names_its_keys() -> None:
    said = plain(help_at("web.search(‸)").parameters[-1].blocks)
    assert '"page[size]": `int`' in said


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("web.search‸()", Empty.NO_CALL_HERE),
        ("print(‸)", Empty.NO_BINDING_HERE),
        ("web.nope(‸)", Empty.UNKNOWN_TOOL),
        ("x = (‸)", Empty.NO_CALL_HERE),
        ("web.search(query=str(‸))", Empty.NO_BINDING_HERE),
    ],
)
def test_nothing_to_show_has_a_reason(marked: str, why: Empty) -> None:
    at = cell(WEB + marked)
    assert signature_help(view(at.text), at.offset).empty is why


def test_each_tool_that_may_be_meant() -> None:
    at = cell(IMPORT + "f = mcp.web.search if x else mcp.notion.search\nf(‸)")
    found = signature_help(view(at.text), at.offset)
    assert found.value is not None
    assert len(found.value) == 2


def test_no_index_beyond_the_parameters() -> None:
    made = bindings({"s": [tool("t")]})
    at = cell(IMPORT + "mcp.s.t(a=1, ‸)")
    found = signature_help(view(at.text, made), at.offset)
    assert found.value is not None
    assert found.value[0].active is None


def test_details_that_were_worked_out_twice_are_the_same_parameters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Two threads that look at a tool for the first time each get objects of their own.
    def anew(tool: ToolBinding, fold_characters: str) -> ToolDetails:
        return details_module._details.__wrapped__(tool.server, tool.tool, fold_characters)

    monkeypatch.setattr("codeact_lsp.ide.signature_help.details", anew)
    assert active("web.search(order=‸)") == 'order: Literal["asc", "desc"] = ...'
