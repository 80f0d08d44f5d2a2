from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

import pytest

from codeact_lsp.syntax.call import calls
from codeact_lsp.syntax.cells import sections
from codeact_lsp.syntax.context import context_at
from codeact_lsp.syntax.document import Change, Document, path_at, statements
from codeact_lsp.syntax.expressions import walk
from codeact_lsp.syntax.lines import Encoding
from codeact_lsp.syntax.logical import Item
from codeact_lsp.syntax.raw import raw_names
from codeact_lsp.syntax.scopes import lookup

PIECES: Final = (
    "a", "mcp.", "x = 1", "\n", "\n", "\r\n", "\r", "\f", "\u2028", "😋", "é", "\ud800", "    ",
    "(", ")", "[", "]", "{", "}", '"', "'", '"""', "'''", 'f"', "f'{", "#", "\\", ":", ",", ";",
    "def f():\n", "if x:\n    y\n", "else:\n", "@d\n", "@", "class", "return ", "import a\n",
    "await f(a=", "for x in y:\n", "%time x\n", "!ls\n", "%%bash\n", "# %%\n", "x = !ls\n", "f?\n",
    "global x\n", "\t", " ", "=", "", "from a import b\n", "match x:\n", "case y:\n", ", b=2)",
)  # fmt: skip
ENCODINGS: Final[tuple[Encoding, ...]] = ("utf-8", "utf-16", "utf-32")


def shape(document: Document) -> list[list[tuple[str, object]]]:
    return [[(line.text, line.tokens) for line in top.lines] for _, top in document.top_levels()]


def units(character: str, encoding: Encoding) -> int:
    return len(character.encode(f"{encoding}-le".replace("8-le", "8"), "surrogatepass")) // {
        "utf-8": 1, "utf-16": 2, "utf-32": 4,
    }[encoding]  # fmt: skip


def plain_offset(text: str, line: int, character: int, encoding: Encoding) -> int:
    """Positions as LSP defines them, the slow and obvious way."""
    place = 0
    while line and place < len(text):
        place += 2 if text.startswith("\r\n", place) else 1
        line -= text[place - 1] in "\r\n"
    if line:
        return len(text)
    while place < len(text) and text[place] not in "\r\n":
        character -= units(text[place], encoding)
        if character < 0:
            break
        place += 1
    return place


def random_change(text: str, dice: random.Random) -> Change:
    lines = text.count("\n") + text.count("\r") + 2

    def position() -> tuple[int, int]:
        return dice.randrange(lines + 1), dice.choice((0, 1, 2, 3, 5, 8, 40))

    inserted = "".join(dice.choices(PIECES, k=dice.choice((0, 1, 1, 1, 2, 4))))
    if dice.random() < 0.004:
        return Change(inserted)
    start = position()
    if dice.random() < 0.5:
        return Change(inserted, start, start)
    near = (start[0] + dice.choice((0, 0, 1, 2, -1)), dice.choice((0, 1, 4, 40)))
    return Change(inserted, start, (max(near[0], 0), near[1]))


def plain_edit(text: str, change: Change, encoding: Encoding) -> str:
    if change.start is None or change.end is None:
        return change.text
    ends = [plain_offset(text, *place, encoding) for place in (change.start, change.end)]
    return text[: min(ends)] + change.text + text[max(ends) :]


def blocks(items: Sequence[Item]) -> list[object]:
    """The tree of statements: where each stands, what it may bind, and its clauses."""
    return [
        (item.start, item.line.text, item.names, [(c.start, blocks(c.body)) for c in item.clauses])
        for item in items
    ]


def meaning(document: Document, names: Sequence[str], offsets: Sequence[int]) -> list[object]:
    """Statements, blocks, and what names are bound to at some places."""
    return [
        statements(document),
        [(start, top.declared, blocks(top.items)) for start, top in document.top_levels()],
        [lookup([document], name, offset) for name in names for offset in offsets],
    ]


EDITS: Final = 100_000
SEEDS: Final = 10


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_text_never_drifts_and_incremental_analysis_is_a_fresh_one(seed: int) -> None:
    dice = random.Random(seed)
    document, text = Document.parse(""), ""
    longest = 400 if seed == 0 else 150
    for number in range(EDITS // SEEDS):
        if len(text) > longest:
            document, text = Document.parse(""), ""
        encoding = dice.choice(ENCODINGS)
        change = random_change(text, dice)
        text = plain_edit(text, change, encoding)
        document = document.edit([change], encoding)
        fresh = Document.parse(text)
        assert document.text == text
        assert shape(document) == shape(fresh)
        assert starts(document) == starts(fresh)
        if number % 8 == 0:
            offsets = [dice.randrange(len(text) + 1) for _ in range(2)]
            assert meaning(document, "ax", offsets) == meaning(fresh, "ax", offsets)


def starts(document: Document) -> list[int]:
    return [document.lines.start(number) for number in range(document.lines.count)]


LINES: Final = "".join(
    f"r{i} = await mcp.notion.API_x(page_id='{i}', archived=True)\n" for i in range(5000)
)


def work(document: Document) -> tuple[int, int, int]:
    done = document.work
    return done.lines_lexed, done.lines_parsed, done.statements_grouped


@pytest.mark.parametrize(
    "typed", ["x", ", query=", "(", "'", "\n", "r = await f(", "\nfor x in y:\n    pass"]
)
def test_a_character_in_5000_lines_reads_again_only_what_it_touches(typed: str) -> None:
    document = Document.parse(LINES)
    offset = LINES.index("archived", len(LINES) // 2)
    lexed, parsed, grouped = work(document)
    for character in typed:
        document = document.replaced(offset, offset, character)
        offset += 1
        path_at(document, offset)
    now = work(document)
    assert now[0] - lexed <= 4 * len(typed)
    assert now[1] - parsed <= len(typed)
    assert now[2] - grouped <= 4 * len(typed)


def test_a_name_from_the_first_line_is_found_without_parsing_the_others() -> None:
    document = Document.parse("from tools import mcp\n" + LINES)
    assert len(lookup([document], "mcp", len(document.text))) == 1
    assert document.work.lines_parsed <= 2


def test_all_the_text_sent_anew_is_an_edit_of_what_differs() -> None:
    document = Document.parse(LINES)
    lexed = document.work.lines_lexed
    changed = document.edit([Change(LINES.replace("'2500'", "'x'"))], "utf-16")
    assert changed.text == LINES.replace("'2500'", "'x'")
    assert changed.work.lines_lexed - lexed <= 3


def test_statements_that_an_edit_leaves_alone_are_the_same_objects() -> None:
    before = Document.parse("a = 1\nif b:\n    c = 2\nd = 3\n")
    after = before.replaced(4, 5, "1000")
    old, new = list(before.top_levels()), list(after.top_levels())
    assert [a.top is b.top for a, b in zip(old, new, strict=True)] == [False, True, True]
    assert [placed.start for placed in new] == [0, 9, 25]


@pytest.mark.parametrize("size", [500, 1000])
@pytest.mark.parametrize("unit", ["f(", "a = (\n", "# c\n", "f(a,\n", "'''", "f'{", "x = [\n1,\n"])
def test_work_is_linear_in_the_text(unit: str, size: int) -> None:
    document = Document.parse(unit * size)
    statements(document)
    assert document.work.characters_read <= 45 * len(document.text)
    assert document.work.lines_parsed <= document.work.lines_lexed <= unit.count("\n") * size + 1


DEEP: Final = (
    "(", "[", "{'a':", "f(", "f(**{'a':", "not ", "-", "lambda: ", "[a for a in ", "a if b else ",
    "(x := ", "yield ", "a**", "f'{a:{", "print(f'{", "case (", "class A((", "for (", "with (a as (",
)  # fmt: skip


@pytest.mark.parametrize("unit", DEEP)
def test_no_depth_exhausts_the_stack(unit: str) -> None:
    document = Document.parse(unit * 2000)
    calls(document)
    context_at(document, len(document.text))
    lookup([document], "x", len(document.text))


@pytest.mark.parametrize("word", ["if y:", "while y:", "try:", "def f():", "class A:", "with y:"])
def test_no_indentation_exhausts_the_stack(word: str) -> None:
    lines = [" " * depth + word for depth in range(1000)]
    document = Document.parse("\n".join([*lines, " " * 1000 + "x = 1", " " * 1000 + "x"]))
    assert lookup([document], "x", len(document.text))


FRAGMENTS: Final = (
    *PIECES, "lambda ", "yield ", "not ", "*", "**", "a-b", "from ", "import ", "as ", "try:\n",
    "with a as b:\n", "except E as a:\n", "[a for a in b]", "a := ", "del a\n", "nonlocal a\n",
    "async ", "await ", "type X = int\n", "f'{a!r:>{w}}'", "{'a': 1}", "in ", "is ", "1.5e3", "0x",
    "...", "->", "\\N{", "?", "$", "!", "class A(B):\n    ", "def g(a, *b, c=1):\n    ",
)  # fmt: skip


def test_nothing_fails_on_any_text() -> None:
    dice = random.Random(1)
    for _ in range(200):
        text = "".join(dice.choices(FRAGMENTS, k=dice.randrange(1, 14)))
        document = Document.parse(text)
        calls(document)
        raw_names(document)
        sections(document)
        for statement in statements(document):
            for expression in statement.expressions:
                for node in walk(expression):
                    assert 0 <= node.span.start <= node.span.end <= len(text)
        for offset in range(len(text) + 1):
            context_at(document, offset)
            lookup([document], "a", offset)
