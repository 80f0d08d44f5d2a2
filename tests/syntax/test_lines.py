from __future__ import annotations

import pytest

from codeact_lsp.syntax.document import Change, Document
from codeact_lsp.syntax.lines import Encoding, LineIndex

ASTRAL = 's = "😋😋"; x'


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", [0]),
        ("a", [0]),
        ("a\n", [0, 2]),
        ("a\r\nb", [0, 3]),
        ("a\rb", [0, 2]),
        ("\r\r\n\n", [0, 1, 3, 4]),
        ("a\fb\vc\x1cd\x85e\u2028f\u2029g", [0]),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_only(text: str, starts: list[int]) -> None:
    index = LineIndex.of(text)
    assert [index.start(line) for line in range(index.count)] == starts


@pytest.mark.parametrize(
    ("encoding", "character", "offset"),
    [
        ("utf-32", 6, 6),
        ("utf-16", 7, 6),
        ("utf-8", 9, 6),
        ("utf-16", 12, 10),
        ("utf-8", 16, 10),
    ],
)
def test_both_ways_behind_astral_characters(
    encoding: Encoding, character: int, offset: int
) -> None:
    index = LineIndex.of(ASTRAL)
    assert index.offset(ASTRAL, 0, character, encoding) == offset
    assert index.position(ASTRAL, offset, encoding) == (0, character)


@pytest.mark.parametrize(
    ("text", "line", "character", "offset"),
    [
        ("ab\r\ncd", 0, 99, 2),
        ("ab\r\ncd", 0, 3, 2),
        ("ab\r\ncd", 1, 99, 6),
        ("ab\r\ncd", 2, 0, 6),
        ("ab\r\ncd", 99, 99, 6),
        ("ab", -1, 5, 0),
        ("ab", 0, -5, 0),
        ("a😋b", 0, 2, 1),
        ("a\ud800b", 0, 2, 2),
        ("", 0, 0, 0),
    ],
)
def test_positions_are_clamped(text: str, line: int, character: int, offset: int) -> None:
    assert LineIndex.of(text).offset(text, line, character, "utf-16") == offset


def test_between_cr_and_lf_is_the_end_of_the_line() -> None:
    assert LineIndex.of("ab\r\ncd").position("ab\r\ncd", 3, "utf-16") == (0, 2)


def test_inside_a_utf_8_sequence_is_before_the_character() -> None:
    assert [LineIndex.of("aé").offset("aé", 0, n, "utf-8") for n in range(4)] == [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        pytest.param(
            's = "😋😋"; web.sea\n', [Change("rch(", (0, 19), (0, 19))],
            's = "😋😋"; web.search(\n', id="after astral characters",
        ),
        pytest.param(
            "a = 1\fb = 2\ny = 3\n", [Change("z", (1, 0), (1, 1))],
            "a = 1\fb = 2\nz = 3\n", id="form feed is no line end",
        ),
        pytest.param(
            "a\nb\n",
            [Change("", (0, 0), (2, 0)), Change("\n", (0, 0), (0, 0)), Change("x", (3, 0), (3, 0))],
            "\nx", id="past the end",
        ),
        pytest.param(
            "a = 1\r\nweb.search(\r\n",
            [Change("\r\n", (0, 5), (1, 0)), Change('query="x")', (1, 11), (1, 11))],
            'a = 1\r\nweb.search(query="x")\r\n', id="CRLF is kept",
        ),
        pytest.param("abc", [Change("X", (0, 2), (0, 1))], "aXc", id="swapped ends"),
        pytest.param("abc", [Change("xyz")], "xyz", id="all of the text"),
        pytest.param("a\rb", [Change("\n", (1, 0), (1, 0))], "a\r\nb", id="CR becomes CRLF"),
    ],
)  # fmt: skip
def test_edits(before: str, changes: list[Change], after: str) -> None:
    document = Document.parse(before).edit(changes, "utf-16")
    assert document.text == after
    fresh = LineIndex.of(after)
    assert document.lines.count == fresh.count
    assert [document.lines.start(n) for n in range(fresh.count)] == [
        fresh.start(n) for n in range(fresh.count)
    ]
