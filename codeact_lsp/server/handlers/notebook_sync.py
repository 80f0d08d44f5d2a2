"""`notebookDocument/didOpen`, `didChange`, `didClose`: the cells of a notebook share names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from codeact_lsp.server import params as read
from codeact_lsp.server.handlers import text_sync
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def did_open(session: Session, params: Any) -> None:
    """A notebook and the texts of its cells; one that was open is replaced."""
    given = read.obj(params)
    notebook = read.inner(given, "notebookDocument")
    uri, cells = read.text(notebook, "uri"), _cells(notebook)
    _close_cells(session, uri, ())
    session.documents.open_notebook(uri, cells)
    for text in read.items(given, "cellTextDocuments"):
        text_sync.did_open(session, {"textDocument": text})


def did_change(session: Session, params: Any) -> None:
    """Cells moved, came, went or were edited; of outputs and metadata nothing is known here."""
    given = read.obj(params)
    uri = read.text(read.inner(given, "notebookDocument"), "uri")
    cells = read.optional(read.inner(given, "change"), "cells")
    structure = read.optional(cells, "structure")
    if structure:
        array = read.inner(structure, "array")
        start, delete = read.integer(array, "start"), read.integer(array, "deleteCount")
        closed = read.items(structure, "didClose", optional=True)
        # A cell whose language changes is closed and opened under one URI.
        for text in closed:
            text_sync.did_close(session, {"textDocument": text})
        affected = session.documents.splice_notebook(uri, start, delete, _cells(array))
        for text in read.items(structure, "didOpen", optional=True):
            text_sync.did_open(session, {"textDocument": text})
        session.documents_changed(affected)
    for edit in read.items(cells, "textContent", optional=True):
        text_sync.did_change(
            session,
            {"textDocument": edit.get("document"), "contentChanges": edit.get("changes")},
        )


def did_close(session: Session, params: Any) -> None:
    """A notebook and all its cells, those that the client forgot to list among them."""
    given = read.obj(params)
    uri = read.text(read.inner(given, "notebookDocument"), "uri")
    listed = [read.text(text, "uri", "cells") for text in read.items(given, "cellTextDocuments")]
    _close_cells(session, uri, listed)


def _close_cells(session: Session, uri: str, listed: Iterable[str]) -> None:
    cells = [cell.uri for cell in session.documents.cells(uri)]
    # First the notebook: no cell is to be looked at again because one before it goes.
    session.documents.close_notebook(uri)
    for cell in (*cells, *listed):
        text_sync.did_close(session, {"textDocument": {"uri": cell}})


def _cells(holder: Json) -> list[str]:
    return [read.text(c, "document", "cells") for c in read.items(holder, "cells", optional=True)]
