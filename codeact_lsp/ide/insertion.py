"""Where an import is added, and which line ending a text has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from codeact_lsp.ide.model import TextEdit
from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.expressions import Span, String, Strings
from codeact_lsp.syntax.statements import Statement, StatementKind

_ENDING = re.compile(r"\r\n|\n|\r")
_IMPORTS = {StatementKind.IMPORT, StatementKind.IMPORT_FROM}
_HEAD: Final = 16_384
"""Code points in which imports are looked for: they stand at the head."""
_COMMENT_BEHIND = re.compile(r"[^\S\r\n]*#[^\r\n]*")
_MARKS = re.compile(r"(?:[\s\S]*[\r\n])?[^\S\r\n]*#\s*%%[^\r\n]*(?:\r\n|\n|\r)")
"""Everything up to the last `# %%`, in a stretch of comments and blank lines."""
_HEADER = re.compile(
    r"(?:#[^\r\n]*(?:\r\n|\n|\r))+(?:[^\S\r\n]*(?:\r\n|\n|\r))+"
    r"|\#!.*(?:\r\n|\n|\r)(?:\#.*coding[:=].*(?:\r\n|\n|\r))?|\#.*coding[:=].*(?:\r\n|\n|\r)"
)
"""What stands before a module's first statement: a block of comments with a blank line behind it, or
the interpreter's line and the encoding's, which count in the first two lines only."""


def line_ending(document: Document) -> str:
    """The document's own line ending, that of its first line; a line feed if it has one line only."""
    found = _ENDING.search(document.text)
    return found[0] if found else "\n"


@dataclass(frozen=True, slots=True)
class ImportPlace:
    """Where imports of one document go.

    Attributes:
        extended: module → the end of the names that are already imported from it.
        at: the offset where a new line goes.
        below: the new line follows a line that ends at `at`; otherwise it goes before what is there.
        ending: the line ending.

    """

    extended: Mapping[str, int]
    at: int
    below: bool
    ending: str


def import_place(document: Document, before: int) -> ImportPlace:
    """Where an import runs before the statement at `before`.

    After the last import of the text's top level, or at its head: behind what comes before all code,
    the docstring and magics; in a text with sections, in that of its first statement.
    """
    extended: dict[str, int] = {}
    last: Statement | None = None
    head, start = 0, before
    in_head = True
    for at, statement in enumerate(statements(document, Span(0, min(before, _HEAD)))):
        if in_head:
            start = statement.span.start
            in_head = start < before and _is_head(document, statement, at)
        if statement.span.start >= before:
            break
        if in_head:
            head = start = _next_line(document, statement.span.end)
        if statement.kind in _IMPORTS and _at_margin(document, statement):
            last = statement
            source = statement.source
            if source and not source.level and source.names:
                written = source.names[-1]
                if written.name != "*" and written.span.start < written.span.end:
                    extended[source.module] = (written.alias_span or written.span).end
    ending = line_ending(document)
    if last is None:
        head = _behind_comments(document.text, head, start)
        return ImportPlace(extended, head, below=False, ending=ending)
    comment = _COMMENT_BEHIND.match(document.text, last.span.end)
    end = last.span.end if comment is None else comment.end()
    return ImportPlace(extended, end, below=True, ending=ending)


def _behind_comments(text: str, head: int, start: int) -> int:
    """The place between `head` and the first statement at `start` where code begins."""
    found = _MARKS.match(text, head, start) or (_HEADER.match(text, 0, start) if not head else None)
    return found.end() if found else head


def import_edit(place: ImportPlace, module: str, name: str) -> TextEdit:
    """The edit that adds `from module import name`, to an import of that module if there is one."""
    end = place.extended.get(module)
    if end is not None:
        return TextEdit(Span(end, end), f", {name}")
    line = f"from {module} import {name}"
    written = f"{place.ending}{line}" if place.below else f"{line}{place.ending}"
    return TextEdit(Span(place.at, place.at), written)


def _at_margin(document: Document, statement: Statement) -> bool:
    start = statement.span.start
    return start == 0 or document.text[start - 1] in "\r\n"


def _is_head(document: Document, statement: Statement, at: int) -> bool:
    """Whether a statement that only others like it precede stands above imports: docstring, magics."""
    if statement.kind is StatementKind.MAGIC:
        return _at_margin(document, statement)
    return (
        at == 0
        and statement.kind is StatementKind.EXPRESSION
        and len(statement.expressions) == 1
        and isinstance(statement.expressions[0], String | Strings)
    )


def _next_line(document: Document, offset: int) -> int:
    found = _ENDING.search(document.text, offset)
    return found.end() if found else len(document.text)
