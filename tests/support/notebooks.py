"""A notebook as an editor holds it, and the messages by which the editor says what changed in it.

Each method changes the notebook and returns the `params` of the notification that says so. Positions
are counted here, by nothing of the server's.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import Any

from codeact_lsp.syntax.lines import Encoding

Json = dict[str, Any]

_LINE_END = re.compile(r"\r\n|\n|\r")
_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def position(text: str, offset: int, encoding: Encoding) -> Json:
    """The `Position` of an offset that does not stand between CR and LF."""
    ends = [found.end() for found in _LINE_END.finditer(text, 0, offset)]
    before = text[ends[-1] if ends else 0 : offset]
    units = len(before.encode(_CODEC[encoding])) // _UNIT[encoding]
    return {"line": len(ends), "character": units}


@dataclass
class Cell:
    """One cell; `version` grows with every change of its text."""

    uri: str
    text: str
    language: str = "python"
    version: int = 1

    def item(self) -> Json:
        """Its `TextDocumentItem`."""
        return {
            "uri": self.uri,
            "languageId": self.language,
            "version": self.version,
            "text": self.text,
        }

    def listed(self) -> Json:
        """Its `NotebookCell`."""
        return {"kind": 1 if self.language == "markdown" else 2, "document": self.uri}


class Book:
    """A notebook that is open in an editor."""

    def __init__(
        self, *texts: str, uri: str = "file:///w/n.ipynb", encoding: Encoding = "utf-16"
    ) -> None:
        self.uri = uri
        self.encoding = encoding
        self.version = 1
        self._numbers = itertools.count()
        self.cells = [self._new(text) for text in texts]

    def _new(self, text: str, language: str = "python") -> Cell:
        path = self.uri.removeprefix("file:")
        return Cell(f"vscode-notebook-cell:{path}#{next(self._numbers)}", text, language)

    def opened(self) -> Json:
        """`notebookDocument/didOpen`."""
        notebook = {
            "uri": self.uri,
            "notebookType": "jupyter-notebook",
            "version": self.version,
            "cells": [cell.listed() for cell in self.cells],
        }
        return {
            "notebookDocument": notebook,
            "cellTextDocuments": [cell.item() for cell in self.cells],
        }

    def closed(self) -> Json:
        """`notebookDocument/didClose`."""
        return {
            "notebookDocument": {"uri": self.uri},
            "cellTextDocuments": [{"uri": cell.uri} for cell in self.cells],
        }

    def _changed(self, change: Json) -> Json:
        """`notebookDocument/didChange`."""
        self.version += 1
        identifier = {"uri": self.uri, "version": self.version}
        return {"notebookDocument": identifier, "change": change}

    def splice(self, start: int, delete: int, cells: list[Cell]) -> Json:
        """Replace cells; what is new is opened, what has left is closed."""
        removed = self.cells[start : start + delete]
        kept = {cell.uri for cell in cells}
        known = {cell.uri for cell in self.cells}
        self.cells[start : start + delete] = cells
        array = {
            "start": start,
            "deleteCount": delete,
            "cells": [cell.listed() for cell in cells],
        }
        structure = {
            "array": array,
            "didOpen": [cell.item() for cell in cells if cell.uri not in known],
            "didClose": [{"uri": cell.uri} for cell in removed if cell.uri not in kept],
        }
        return self._changed({"cells": {"structure": structure}})

    def insert(self, at: int, *texts: str, language: str = "python") -> Json:
        """New cells."""
        return self.splice(at, 0, [self._new(text, language) for text in texts])

    def remove(self, at: int, count: int = 1) -> Json:
        """Cells that go."""
        return self.splice(at, count, [])

    def clear(self) -> Json:
        """All cells go."""
        return self.splice(0, len(self.cells), [])

    def move(self, source: int, target: int) -> Json:
        """A cell that changes its place: the stretch between is listed anew."""
        low, high = min(source, target), max(source, target) + 1
        order = list(self.cells)
        order.insert(target, order.pop(source))
        return self.splice(low, high - low, order[low:high])

    def speak(self, at: int, language: str) -> Json:
        """A cell whose language changes: its text is closed and opened anew under the same URI."""
        cell = self.cells[at]
        cell.language, cell.version = language, 1
        array = {"start": at, "deleteCount": 1, "cells": [cell.listed()]}
        structure = {"array": array, "didOpen": [cell.item()], "didClose": [{"uri": cell.uri}]}
        return self._changed({"cells": {"structure": structure}})

    def edit(self, at: int, start: int, end: int, text: str) -> Json:
        """Replace a stretch of a cell."""
        cell = self.cells[at]
        where = {
            "start": position(cell.text, start, self.encoding),
            "end": position(cell.text, end, self.encoding),
        }
        cell.text = cell.text[:start] + text + cell.text[end:]
        return self._edited(cell, {"range": where, "text": text})

    def rewrite(self, at: int, text: str) -> Json:
        """Replace the text of a cell."""
        cell = self.cells[at]
        cell.text = text
        return self._edited(cell, {"text": text})

    def _edited(self, cell: Cell, change: Json) -> Json:
        cell.version += 1
        document = {"uri": cell.uri, "version": cell.version}
        return self._changed(
            {"cells": {"textContent": [{"document": document, "changes": [change]}]}}
        )

    def ran(self, at: int) -> Json:
        """A cell that was run: it has an order now, and outputs that LSP does not tell."""
        summary = {"executionOrder": self.version, "success": True}
        data = [{**self.cells[at].listed(), "executionSummary": summary}]
        return self._changed({"metadata": {"kernel": "python3"}, "cells": {"data": data}})


OPERATIONS = ("insert", "remove", "move", "speak", "edit", "rewrite", "clear", "ran")
"""The kinds of `changed`."""


def changed(book: Book, name: str, one: int, two: int, text: str) -> Json | None:
    """The `params` of an operation on whatever `one` and `two` mean in this notebook.

    None where it has no cell for it.
    """
    count = len(book.cells)
    if name == "insert":
        return book.insert(one % (count + 1), text)
    if not count:
        return None
    at = one % count
    size = len(book.cells[at].text)
    start = two % (size + 1)
    # Between CR and LF there is no position.
    start += book.cells[at].text[start - 1 : start + 1] == "\r\n"
    match name:
        case "remove":
            return book.remove(at, 1 + two % 2)
        case "move":
            return book.move(at, two % count)
        case "speak":
            return book.speak(at, ("python", "markdown", "sql")[two % 3])
        case "edit":
            return book.edit(at, start, min(start + one % 4, size), text[: two % 9])
        case "rewrite":
            return book.rewrite(at, text)
        case "clear":
            return book.clear()
        case _:
            return book.ran(at)
