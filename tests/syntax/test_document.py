from __future__ import annotations

import random
from typing import Final

import pytest

from codeact_lsp.syntax.document import Change, Document
from codeact_lsp.syntax.lines import Encoding, LineIndex

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


@pytest.mark.parametrize("seed", range(4))
def test_text_never_drifts_and_incremental_analysis_is_a_fresh_one(seed: int) -> None:
    dice = random.Random(seed)
    document, text = Document.parse(""), ""
    for _ in range(5000):
        if len(text) > 400:
            document, text = Document.parse(""), ""
        encoding = dice.choice(ENCODINGS)
        change = random_change(text, dice)
        text = plain_edit(text, change, encoding)
        document = document.edit([change], encoding)
        assert document.text == text
        assert shape(document) == shape(Document.parse(text))
        fresh = LineIndex.of(text)
        assert [document.lines.start(n) for n in range(document.lines.count)] == [
            fresh.start(n) for n in range(fresh.count)
        ]
