"""What of a file is run: all of it, or one `# %%` section or notebook cell and what that needs."""

from __future__ import annotations

import json
import linecache
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.places import STDIN, read_text
from codeact_lsp.syntax.cells import sections
from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.statements import StatementKind

_NOTEBOOK: Final = ".ipynb"
_IPYTHON: Final = frozenset({StatementKind.MAGIC, StatementKind.QUERY})
_NOT_A_BREAK: Final = re.compile(r"[^\r\n]")


@dataclass(frozen=True, slots=True)
class Cell:
    """A section of a file, or a cell of a notebook.

    Attributes:
        name: what a traceback calls it.
        text: its Python. In place of what stands above a section there are blank lines, so that
            line numbers are the file's.
        first: its first line in the file, from 1; of a notebook, its number among the code cells.
        last: the same for its end.

    """

    name: str
    text: str
    first: int
    last: int


def read_cells(path: str, *, split: bool) -> tuple[Cell, ...]:
    """The code cells of a notebook in order; of another file its sections, or all of it as one.

    Raises:
        NotRunError: the file cannot be read.

    """
    if Path(path).suffix == _NOTEBOOK:
        return _read_notebook(path)
    text = _read_python(path)
    if not split:
        return (Cell(path, text, 1, text.count("\n") + 1),)
    document = Document.parse(text)
    cells = []
    for section in sections(document):
        start, end = section.span
        above = text.count("\n", 0, start)
        # Behind the last line break editors have one more line.
        last = text.count("\n", 0, end) + (end == len(text))
        cells.append(Cell(path, "\n" * above + text[start:end], above + 1, last))
    return tuple(cells)


def cell_at(cells: tuple[Cell, ...], number: int) -> int:
    """The index of the cell with a line, or of the notebook's cell with that number, from 1.

    Raises:
        NotRunError: there is none.

    """
    found = [index for index, cell in enumerate(cells) if cell.first <= number]
    if not found or number < 1 or (found[-1] == len(cells) - 1 and number > cells[-1].last):
        raise NotRunError(f"there is no cell at {number}")
    return found[-1]


def without_ipython(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` with `pass` in place of what only IPython reads, such as `%magic`; and those lines."""
    left_out = []
    document = Document.parse(text)
    for statement in reversed(statements(document)):
        if statement.kind in _IPYTHON:
            start, end = statement.span
            left_out.append(text[start:end])
            blank = _NOT_A_BREAK.sub(" ", text[start:end])
            text = f"{text[:start]}pass{blank}{text[end:]}"
    return text, tuple(reversed(left_out))


def _read_python(path: str) -> str:
    if path == STDIN:
        return read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    try:
        with tokenize.open(path) as stream:
            return stream.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise NotRunError(f"{path}: {error}") from error


def _read_notebook(path: str) -> tuple[Cell, ...]:
    try:
        book = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise NotRunError(f"{path} is no notebook: {error}") from error
    entries = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(entries, list):
        raise NotRunError(f"{path} is no notebook: it has no cells")
    sources = [_source(entry) for entry in entries if _is_code(entry)]
    cells = []
    for number, source in enumerate(sources, 1):
        name = f"{path}, cell {number}"
        # Tracebacks look the text of a line up by name.
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        cells.append(Cell(name, source, number, number))
    return tuple(cells)


def _is_code(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("cell_type") == "code"


def _source(entry: dict[str, Any]) -> str:
    source = entry.get("source", "")
    return "".join(map(str, source)) if isinstance(source, list) else str(source)
