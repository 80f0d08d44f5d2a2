"""The server's texts are the client's, whatever order its messages come in."""

from __future__ import annotations

import pytest

from codeact_lsp.server.documents import Documents
from codeact_lsp.syntax.document import Change
from codeact_lsp.syntax.lines import Encoding

URI = "file:///w/a.py"
Place = tuple[int, int]


def opened(text: str, *, encoding: Encoding = "utf-16", version: int = 1) -> Documents:
    documents = Documents(encoding)
    documents.open(URI, "python", version, text)
    return documents


def text_of(documents: Documents, uri: str = URI) -> str | None:
    found = documents.get(uri)
    return None if found is None else found.document.text


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        ('s = "😋😋"; web.sea\n', [((0, 19), (0, 19), "rch(")], 's = "😋😋"; web.search(\n'),
        ("a = 1\fb = 2\ny = 3\n", [((1, 0), (1, 1), "z")], "a = 1\fb = 2\nz = 3\n"),
        ("a = '\u2028'\ny = 3\n", [((1, 0), (1, 1), "z")], "a = '\u2028'\nz = 3\n"),
        (
            "a\nb\n",
            [((0, 0), (2, 0), ""), ((0, 0), (0, 0), "\n"), ((3, 0), (3, 0), "x")],
            "\nx",
        ),
        (
            "a = 1\r\nweb.search(\r\n",
            [((0, 5), (1, 0), "\r\n"), ((1, 11), (1, 11), 'query="x")')],
            'a = 1\r\nweb.search(query="x")\r\n',
        ),
        ("a\rb\rc", [((1, 0), (1, 1), "x")], "a\rx\rc"),
    ],
)
def test_edits_land_where_the_client_means(
    before: str, changes: list[tuple[Place, Place, str]], after: str
) -> None:
    documents = opened(before)
    documents.change(URI, 2, [Change(text, start, end) for start, end, text in changes])
    assert text_of(documents) == after


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_characters_count_units_of_the_encoding(encoding: Encoding, character: int) -> None:
    documents = opened("😋b", encoding=encoding)
    documents.change(URI, 2, [Change("a", (0, character), (0, character))])
    assert text_of(documents) == "😋ab"


def test_a_late_version_is_dropped_and_the_next_one_counts() -> None:
    documents = opened("new", version=5)
    assert not documents.change(URI, 4, [Change("old")])
    assert text_of(documents) == "new"
    assert documents.change(URI, 6, [Change("newest")])
    assert text_of(documents) == "newest"


def test_a_client_without_versions_is_followed() -> None:
    documents = opened("a")
    assert documents.change(URI, None, [Change("b")])
    assert documents.change(URI, None, [Change("c")])
    assert text_of(documents) == "c"


def test_a_text_that_is_opened_again_starts_again() -> None:
    documents = opened("a", version=9)
    documents.open(URI, "python", 1, "b")
    assert documents.change(URI, 2, [Change("c")])
    assert text_of(documents) == "c"


def test_an_unknown_text_counts_from_its_first_whole_text() -> None:
    documents = Documents()
    assert not documents.change(URI, 3, [Change("x", (0, 0), (0, 0))])
    assert text_of(documents) is None
    edits = [Change("x", (0, 0), (0, 0)), Change("ab"), Change("c", (0, 2), (0, 2))]
    assert documents.change(URI, 3, edits)
    assert text_of(documents) == "abc"


def test_a_text_is_found_however_its_uri_is_spelled() -> None:
    documents = Documents()
    documents.open("file:///C:/w/a.py", "python", 1, "x")
    found = documents.get("file:///c%3A/w/a.py")
    assert found is not None
    assert found.uri == "file:///C:/w/a.py"


def test_what_is_closed_is_gone() -> None:
    documents = opened("x")
    assert documents.close(URI) is not None
    assert documents.close(URI) is None
    assert text_of(documents) is None


@pytest.mark.parametrize(
    ("language", "expected"),
    [("python", True), ("Python", True), ("ipython", True), ("markdown", False), ("", False)],
)
def test_what_is_python(language: str, *, expected: bool) -> None:
    documents = Documents()
    documents.open(URI, language, 1, "")
    found = documents.get(URI)
    assert found is not None
    assert found.is_python is expected


def notebook(*cells: str) -> Documents:
    """A notebook whose cells hold their own names; `m…` is markdown."""
    documents = Documents()
    documents.open_notebook("nb:1", [f"cell:{name}" for name in cells])
    for name in cells:
        language = "markdown" if name.startswith("m") else "python"
        documents.open(f"cell:{name}", language, 1, name)
    return documents


def names(documents: Documents, cell: str) -> list[str]:
    """What the cells that `cell` can see hold, its own text last."""
    return [seen.document.text for seen in documents.upto(f"cell:{cell}")]


def test_a_cell_sees_the_python_cells_before_it() -> None:
    documents = notebook("a", "m", "b", "c")
    assert names(documents, "b") == ["a", "b"]
    assert [cell.document.text for cell in documents.affected("cell:b")] == ["b", "c"]


def test_cells_move_come_and_go() -> None:
    documents = notebook("a", "b", "c")
    documents.splice_notebook("nb:1", 2, 1, [])
    documents.splice_notebook("nb:1", 0, 0, ["cell:c"])
    assert names(documents, "b") == ["c", "a", "b"]
    documents.splice_notebook("nb:1", 1, 1, [])
    assert names(documents, "b") == ["c", "b"]


@pytest.mark.parametrize(("start", "delete"), [(99, 1), (-1, 0), (2, 99), (0, -5)])
def test_a_splice_out_of_bounds_does_no_harm(start: int, delete: int) -> None:
    documents = notebook("a", "b")
    documents.splice_notebook("nb:1", start, delete, [])
    assert names(documents, "a")[-1] == "a"


def test_a_cell_that_is_not_open_is_skipped() -> None:
    documents = notebook("a", "b")
    documents.close("cell:a")
    assert names(documents, "b") == ["b"]


def test_a_closed_notebook_leaves_single_texts() -> None:
    documents = notebook("a", "b")
    documents.close_notebook("nb:1")
    assert names(documents, "b") == ["b"]
