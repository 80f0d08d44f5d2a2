"""Which parameter signature help marks, wherever the cursor is in a call."""

from __future__ import annotations

import pytest

from codeact_lsp.ide.model import Empty
from codeact_lsp.ide.prose import plain
from codeact_lsp.ide.signature_help import SignatureHelp, signature_help
from tests.support.cells import IMPORT, cell, view
from tests.support.forms import MADE

WEB = f"{IMPORT}web = mcp.web\n"
QUERY, RESULTS, FROM = "query: str", "max_results: int = ...", "from_: str = ..."
ORDER, REST = 'order: Literal["asc", "desc"] = ...', "**kwargs: Any"


def help_at(marked: str) -> SignatureHelp:
    at = cell(WEB + marked)
    found = signature_help(view(at.text, MADE), at.offset)
    assert found.value is not None, found.empty
    (one,) = found.value
    return one


def active(marked: str) -> str | None:
    """The label of the parameter that is marked."""
    shown = help_at(marked)
    return (
        None if shown.active is None else shown.label[slice(*shown.parameters[shown.active].label)]
    )


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("web.search(‸", QUERY, id="behind the bracket"),
        pytest.param("web.search(‸)", QUERY, id="between brackets"),
        pytest.param("web.search(   ‸", QUERY, id="behind blanks"),
        pytest.param("web.search(\n    # Why.\n    ‸\n)", QUERY, id="behind a comment"),
        pytest.param("web.search(query='a',‸", RESULTS, id="behind a comma"),
        pytest.param("web.search(order='asc', ‸", QUERY, id="the required one first"),
        pytest.param("web.search(query=1, order=1, ‸)", RESULTS, id="then the schema's order"),
        pytest.param("web.search(query=1, max-results=1, ‸)", FROM, id="a raw keyword counts"),
        pytest.param('web.search(query=1, **{"max-results": 1}, ‸)', FROM, id="a raw key counts"),
        pytest.param("web.search(**more, ‸)", QUERY, id="behind what may hold anything"),
        pytest.param("web.search(order=‸)", ORDER, id="in a value"),
        pytest.param("web.search(order='a‸sc')", ORDER, id="in a text"),
        pytest.param("web.search(order='asc'‸)", ORDER, id="at the end of a value"),
        pytest.param("web.search(or‸der='asc')", ORDER, id="in a keyword"),
        pytest.param("web.search(query=1, ‸order='asc')", ORDER, id="before a keyword"),
        pytest.param("web.search(order=x + ‸)", ORDER, id="in an expression"),
        pytest.param("web.search(order=lambda: ‸)", ORDER, id="in a lambda"),
        pytest.param("web.search(order=[1, ‸", ORDER, id="in a list"),
        pytest.param("web.search(order={'a': ‸", ORDER, id="in a dict"),
        pytest.param("web.search(order=d[‸", ORDER, id="in a subscript"),
        pytest.param("web.search(from=‸)", FROM, id="in a raw keyword's value"),
        pytest.param("web.search(max-results=‸)", RESULTS, id="in a hyphenated one's"),
        pytest.param("web.search(max-re‸)", QUERY, id="half a raw keyword"),
        pytest.param("web.search(**{‸})", REST, id="in the dict"),
        pytest.param('web.search(**{"page‸[size]": 1})', REST, id="in a key of it"),
        pytest.param('web.search(**{"page[size]": ‸})', REST, id="in a value of it"),
        pytest.param('web.search(**{"page[size]": 1}‸)', REST, id="at its end"),
        pytest.param('web.search(**{"page[size]": 1}, ‸)', QUERY, id="behind it"),
        pytest.param("web.search(**‸)", REST, id="behind two stars"),
        pytest.param("web.search(**mo‸re)", REST, id="in what is unpacked"),
        pytest.param("web.search(nope=‸)", REST, id="an unknown keyword"),
        pytest.param("web.search(query=web.search(order=‸", ORDER, id="the inner call"),
        pytest.param("web.search(order=web.search(query=1), ‸", QUERY, id="behind an inner call"),
        pytest.param("web.search(order=web.search(query=1‸), max_results=1)", QUERY, id="the end of an inner one"),
        pytest.param("print(web.search(order=‸", ORDER, id="inside a call of something else"),
        pytest.param("f'{web.search(order=‸)}'", ORDER, id="in an f-string"),
        pytest.param("@web.search(order=‸)\ndef f(): ...", ORDER, id="in a decorator"),
        pytest.param("[web.search(order=‸) for x in y]", ORDER, id="in a comprehension"),
        pytest.param("%time await web.search(order=‸", ORDER, id="behind a magic"),
        pytest.param("x = %time await web.search(order=‸", ORDER, id="behind an assigned magic"),
        pytest.param("getattr(mcp.web, 'search')(order=‸)", ORDER, id="by the raw name"),
        pytest.param("from functools import partial\npartial(web.search, order=‸)", ORDER, id="in partial"),
        pytest.param("web.search(order=‸\nx = 1\n", ORDER, id="unfinished above other code"),
        pytest.param("if x:\n    web.search(order=‸\n", ORDER, id="unfinished in a block"),
        pytest.param("mcp.shell.run(nope=‸)", None, id="no place for it"),
        pytest.param("mcp.shell.run(command=1, ‸)", None, id="nothing is left"),
        pytest.param("mcp.notion.ping(‸)", None, id="nothing is taken"),
    ],
)  # fmt: skip
def test_the_parameter_at_the_cursor(marked: str, expected: str | None) -> None:
    assert active(marked) == expected


@pytest.mark.parametrize(
    "marked",
    ["web.search(‸)", "mcp.forms.form(‸)", "mcp.notion.API_patch_page(‸)", "mcp.notion.ping(‸)"],
)
def test_a_lone_star_is_no_parameter_and_every_label_is_a_part_of_the_whole(marked: str) -> None:
    shown = help_at(marked)
    labels = [shown.label[slice(*one.label)] for one in shown.parameters]
    assert all(label and label.strip() == label for label in labels)
    assert "*" not in labels
    assert ("*, " in shown.label) is any(not label.startswith("**") for label in labels)
    assert "\n" not in shown.label


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("web.search(from_=‸)", 'sent as "from"; `from` is a Python keyword, so it is spelled `from_` here'),
        ("web.search(max_results=‸)", 'sent as "max-results"; a hyphen is a minus sign in Python, so it is spelled `max_results` here'),
        ("web.search(query=‸)", "what to look for"),
        ("web.search(max_results=‸)", "- default `10`\n- at least 1"),
        ("mcp.forms.form(old=‸)", "- deprecated"),
        ('web.search(**{"‸"})', '"page[size]": `int`'),
    ],
)  # fmt: skip
def test_what_is_said_of_the_parameter(marked: str, said: str) -> None:
    shown = help_at(marked)
    assert shown.active is not None
    assert said in plain(shown.parameters[shown.active].blocks)


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("web.search‸(query=1)", Empty.NO_CALL_HERE),
        ("web.search(query=1)‸", Empty.NO_CALL_HERE),
        ("web.search(query=1)  ‸", Empty.NO_CALL_HERE),
        ("(web.search, ‸)", Empty.NO_CALL_HERE),
        ("web.search[‸]", Empty.NO_CALL_HERE),
        ("# web.search(‸", Empty.NO_CALL_HERE),
        ("'web.search(‸", Empty.NO_CALL_HERE),
        ("!web.search(‸", Empty.NO_CALL_HERE),
        ("web.search(query=print(‸))", Empty.NO_BINDING_HERE),
        ("web.nope(‸)", Empty.UNKNOWN_TOOL),
        ("mcp.nope.search(‸)", Empty.NO_BINDING_HERE),
    ],
)
def test_where_there_is_none(marked: str, why: Empty) -> None:
    at = cell(WEB + marked)
    assert signature_help(view(at.text, MADE), at.offset).empty is why
