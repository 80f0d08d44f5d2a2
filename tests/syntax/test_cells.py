from __future__ import annotations

import pytest

from codeact_lsp.syntax.cells import sections
from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.raw import raw_names
from codeact_lsp.syntax.statements import StatementKind


def test_sections_start_at_their_marks() -> None:
    text = "import a\n# %% One\nx = 1\n'''\n# %% no\n'''\n#%%\nif x:\n    # %% Two\n    y\n"
    found = sections(Document.parse(text))
    assert [(text[s.span.start : s.span.start + 8], s.title) for s in found] == [
        ("import a", ""),
        ("# %% One", "One"),
        ("#%%\nif x", ""),
        ("    # %%", "Two"),
    ]
    assert [s.span.end for s in found] == [*(s.span.start for s in found[1:]), len(text)]


def test_a_text_without_marks_is_one_section() -> None:
    assert [tuple(s.span) for s in sections(Document.parse("x = 1\n"))] == [(0, 6)]


CELL = """%pip install x
!ls -la {path}
files = !ls
web.search?
??web
x = 10 %3
s = '''
%no
!no
'''
%time y = f()
f(a);
"""


def test_ipython_lines_leave_the_rest_of_a_cell_alone() -> None:
    kinds = [statement.kind for statement in statements(Document.parse(CELL))]
    magic, assignment, query = (
        StatementKind.MAGIC,
        StatementKind.ASSIGNMENT,
        StatementKind.QUERY,
    )
    expression = StatementKind.EXPRESSION
    assert kinds == [
        magic, magic, assignment, query, query, assignment, assignment, assignment, expression,
    ]  # fmt: skip


@pytest.mark.parametrize("query", ["web.search?", "web.search??", "?web.search", "??web.search"])
def test_the_expression_of_a_query(query: str) -> None:
    (statement,) = statements(Document.parse(query))
    (expression,) = statement.expressions
    assert query[expression.span.start : expression.span.end] == "web.search"


def test_a_cell_in_another_language_is_opaque_up_to_the_next_section() -> None:
    text = "%%bash\nf(\n# %% next\nx = 1\n"
    assert [s.kind for s in statements(Document.parse(text))] == [
        StatementKind.MAGIC,
        StatementKind.ASSIGNMENT,
    ]


@pytest.mark.parametrize(
    ("text", "value", "raw", "called"),
    [
        ("mcp.n.API-patch-page(x=1)", "mcp.n", "API-patch-page", True),
        ("r = await mcp.n.a-b(x=1)", "mcp.n", "a-b", True),
        ("mcp.n.get-from-class()", "mcp.n", "get-from-class", True),
        ("f(mcp.n.a-b)", "mcp.n", "a-b", False),
        ("await gather(mcp.n.a-b-c(x=1), 2)", "mcp.n", "a-b-c", True),
        ("mcp.my-server.tool()", "mcp", "my-server", False),
    ],
)
def test_raw_names(text: str, value: str, raw: str, *, called: bool) -> None:
    (found,) = raw_names(Document.parse(text))
    assert text[found.value.span.start : found.value.span.end] == value
    assert (found.raw, text[found.span.start : found.span.end]) == (raw, raw)
    assert found.call_open == (found.span.end if called else None)


@pytest.mark.parametrize("text", ["a.b - c", "a.b -c", "a.b- c", "a - b", "-a.b", "a.b"])
def test_subtractions_with_blanks_are_no_raw_names(text: str) -> None:
    assert raw_names(Document.parse(text)) == ()
