"""Documentation as frozen blocks, and its two renderings: markdown and plain text.

Whatever came from a server stays in its own kind of part until it is rendered, so there is one place
where it is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from codeact_lsp import text


@dataclass(frozen=True, slots=True)
class Name:
    """Something typed in code, shown as inline code."""

    code: str


@dataclass(frozen=True, slots=True)
class Key:
    """A raw name or key, shown as a JSON string."""

    raw: str


@dataclass(frozen=True, slots=True)
class Said:
    """Text of a server, shown literally on one line."""

    text: str


Part: TypeAlias = str | Name | Key | Said
"""A plain `str` is this project's own words."""


@dataclass(frozen=True, slots=True)
class Code:
    """A block of Python."""

    source: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph of our own words around names."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """What a server says, lines kept."""

    text: str


@dataclass(frozen=True, slots=True)
class Points:
    """A list of short sentences."""

    points: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header, all of one length."""

    header: tuple[str, ...]
    rows: tuple[tuple[Sentence, ...], ...]


Block: TypeAlias = Code | Sentence | Text | Points | Table


def sentence(*parts: Part) -> Sentence:
    """A sentence from its parts."""
    return Sentence(parts)


def markdown(blocks: tuple[Block, ...]) -> str:
    """`blocks` as CommonMark with tables; nothing of a server's text is markup."""
    return "\n\n".join(_markdown_block(block) for block in blocks)


def plain(blocks: tuple[Block, ...]) -> str:
    """`blocks` for a client that shows no markdown."""
    return "\n\n".join(_plain_block(block) for block in blocks)


def _markdown_block(block: Block) -> str:
    match block:
        case Code(source):
            return text.markdown_code(source, "python")
        case Sentence(parts):
            return "".join(map(_markdown_part, parts))
        case Text(said):
            return text.markdown(said.strip("\n"))
        case Points(points):
            return "\n".join(f"- {_markdown_block(point)}" for point in points)
        case Table(header, rows):
            cells = [
                header,
                ("---",) * len(header),
                *(tuple(_cell(_markdown_block(cell)) for cell in row) for row in rows),
            ]
            return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _cell(shown: str) -> str:
    # GitHub's tables split at a bar even inside a code span, unless it is escaped.
    return shown.replace("\\|", "|").replace("|", "\\|")


def _markdown_part(part: Part) -> str:
    match part:
        case Name(code):
            return text.markdown_span(code)
        case Key(raw):
            return text.markdown(text.json_key(raw))
        case Said(said):
            return text.markdown(text.one_line(said))
        case _:
            return part


def _plain_block(block: Block) -> str:
    match block:
        case Code(source):
            return text.visible(source)
        case Sentence(parts):
            return "".join(map(_plain_part, parts))
        case Text(said):
            return text.visible(said.strip("\n"))
        case Points(points):
            return "\n".join(f"- {_plain_block(point)}" for point in points)
        case Table(_, rows):
            return "\n".join("  ".join(map(_plain_block, row)) for row in rows)


def _plain_part(part: Part) -> str:
    match part:
        case Name(code):
            return f"`{text.one_line(code)}`"
        case Key(raw):
            return text.json_key(raw)
        case Said(said):
            return text.one_line(said)
        case _:
            return part
