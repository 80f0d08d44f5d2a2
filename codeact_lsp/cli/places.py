"""Files and places in them, as a command line names them: 1-based, columns in characters."""

from __future__ import annotations

import codecs
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from codeact_lsp.bindings.model import BINDINGS_MODULE, BINDINGS_MODULE_ALIASES
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.options import Tools
from codeact_lsp.ide.model import Settings, Severity, View
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Span

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Place:
    """`FILE:LINE:COLUMN`, from 0 here."""

    file: str
    line: int
    column: int


class _PlaceType(click.ParamType[Place]):
    name = "FILE:LINE:COLUMN"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Place:
        if isinstance(value, Place):
            return value
        # From the right: a Windows path has a colon of its own.
        file, _, column = str(value).rpartition(":")
        file, _, line = file.rpartition(":")
        # Nine digits are more than any text has; Python refuses to read thousands of them.
        counted = all(part.isdecimal() and len(part) <= 9 and int(part) for part in (line, column))
        if not (file and counted):
            self.fail(f"{value!r} is not FILE:LINE:COLUMN, both counted from 1", param, ctx)
        return Place(file, int(line) - 1, int(column) - 1)


place_argument = click.argument("place", type=_PlaceType(), metavar="FILE:LINE:COLUMN")


def read_text(file: str) -> str:
    """A file's text with its line ends as they are; standard input for `-`.

    Raises:
        NotRunError: it cannot be read, or is not UTF-8.

    """
    return read_marked(file)[0]


def read_marked(file: str) -> tuple[str, bytes]:
    """The same, and the byte order mark that stands before the text, if any."""
    try:
        data = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        return data[len(mark) :].decode(), mark
    except OSError as error:
        raise NotRunError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise NotRunError(f"{file} is not UTF-8 (byte {error.start})") from error


def view_of(text: str, tools: Tools) -> View:
    """What the editor would have of a file with this text."""
    project = tools.settings
    modules = (BINDINGS_MODULE, *BINDINGS_MODULE_ALIASES, *project.bindings_modules)
    severities = {severity.value: severity for severity in Severity}
    settings = Settings(
        bindings_modules=tuple(dict.fromkeys(modules)),
        rules={
            code: severities[word] for code, word in project.rules.items() if word in severities
        },
    )
    prelude = (Document.parse(project.prelude),) if project.prelude else ()
    return View(tools.bindings, (*prelude, Document.parse(text)), settings)


def offset_of(document: Document, place: Place) -> int:
    """The offset of a place.

    Raises:
        NotRunError: the text has no such line.

    """
    if place.line >= document.lines.count:
        raise NotRunError(
            f"{place.file} has {document.lines.count} lines, so there is no line {place.line + 1}"
        )
    return document.lines.offset(document.text, place.line, place.column, "utf-32")


def span_json(document: Document, span: Span) -> dict[str, int]:
    """A range as `line`, `column`, `endLine`, `endColumn`, from 1."""
    line, column = document.lines.position(document.text, span.start, "utf-32")
    end_line, end_column = document.lines.position(document.text, span.end, "utf-32")
    return {
        "line": line + 1,
        "column": column + 1,
        "endLine": end_line + 1,
        "endColumn": end_column + 1,
    }
