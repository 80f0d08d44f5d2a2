"""The client's texts, as the client has them: text documents and notebook cells.

Nothing here raises for what a client sends out of order. When a text is in doubt, the next whole
text heals it.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from codeact_lsp.server.uris import key
from codeact_lsp.syntax.document import Change, Document
from codeact_lsp.syntax.lines import Encoding

PYTHON: Final = frozenset({"python", "ipython", "jupyter"})

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One version of one text.

    Attributes:
        uri: as the client spells it.
        version: the client's number.
        language: the client's language id, lower-case.
        document: the text.
        serial: never the same for two versions of anything in this process.

    """

    uri: str
    version: int
    language: str
    document: Document
    serial: int

    @property
    def is_python(self) -> bool:
        """Whether anything here can be answered."""
        return self.language in PYTHON


class Documents:
    """What is open now."""

    def __init__(self, encoding: Encoding = "utf-16") -> None:
        self.encoding: Encoding = encoding
        self._open: dict[str, OpenDocument] = {}
        self._notebooks: dict[str, list[str]] = {}
        self._serial = itertools.count(1)

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> OpenDocument | None:
        """The text at `uri`, however it is spelled."""
        return self._open.get(key(uri))

    def open(self, uri: str, language: str, version: int, text: str) -> None:
        """Take a text in; one that was open is replaced."""
        self._open[key(uri)] = OpenDocument(
            uri, version, language.lower(), Document.parse(text), next(self._serial)
        )

    def change(self, uri: str, version: int | None, changes: Sequence[Change]) -> bool:
        """Apply `changes`; whether there is a new text.

        A change of a text that is not open counts from its first whole text on. A change with a
        version below the one that is there arrived late and is dropped.
        """
        before = self.get(uri)
        if before is None:
            whole = next((i for i, change in enumerate(changes) if change.start is None), None)
            if whole is None:
                log.warning("a change of a text that is not open: %s", uri)
                return False
            self.open(uri, "python", version or 0, "")
            return self.change(uri, version, changes[whole:])
        if version is not None and version < before.version:
            log.warning("version %d of %s came after %d", version, uri, before.version)
            return False
        self._open[key(uri)] = replace(
            before,
            version=before.version if version is None else version,
            document=before.document.edit(changes, self.encoding),
            serial=next(self._serial),
        )
        return True

    def close(self, uri: str) -> OpenDocument | None:
        """Forget the text at `uri`; what was there."""
        return self._open.pop(key(uri), None)

    def open_notebook(self, uri: str, cells: Iterable[str]) -> None:
        """The cells of a notebook, in order, by URI."""
        self._notebooks[key(uri)] = [key(cell) for cell in cells]

    def splice_notebook(
        self, uri: str, start: int, delete: int, cells: Iterable[str]
    ) -> tuple[OpenDocument, ...]:
        """Replace `delete` cells from index `start` on by `cells`.

        The open texts for which other cells come first now: those from `start` on, and those that
        have left.
        """
        order = self._notebooks.setdefault(key(uri), [])
        start = min(max(start, 0), len(order))
        end = start + max(delete, 0)
        removed = order[start:end]
        order[start:end] = [key(cell) for cell in cells]
        opened = map(self._open.get, dict.fromkeys((*order[start:], *removed)))
        return tuple(cell for cell in opened if cell)

    def close_notebook(self, uri: str) -> None:
        """Forget the order of a notebook's cells."""
        self._notebooks.pop(key(uri), None)

    def cells(self, uri: str) -> tuple[OpenDocument, ...]:
        """The open cells of a notebook, in order."""
        cells = (self._open.get(cell) for cell in self._notebooks.get(key(uri), ()))
        return tuple(opened for opened in cells if opened)

    def upto(self, uri: str) -> tuple[OpenDocument, ...]:
        """The Python cells before `uri` in its notebook, in order, and last its own text."""
        own, cells = self._siblings(uri)
        opened = (self._open.get(cell) for cell in cells[: cells.index(own) + 1])
        return tuple(cell for cell in opened if cell and cell.is_python)

    def affected(self, uri: str) -> tuple[OpenDocument, ...]:
        """The texts whose answers depend on `uri`: its own, if it is open, and the cells after it."""
        own, cells = self._siblings(uri)
        opened = (self._open.get(cell) for cell in cells[cells.index(own) :])
        return tuple(cell for cell in opened if cell)

    def _siblings(self, uri: str) -> tuple[str, list[str]]:
        own = key(uri)
        return own, next((cells for cells in self._notebooks.values() if own in cells), [own])
