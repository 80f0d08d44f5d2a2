"""`notebookDocument/didOpen`, `didChange`, `didClose`: the cells of a notebook share names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server import params as read
from codeact_lsp.server.handlers import text_sync
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def did_open(session: Session, params: Any) -> None:
    """A notebook and the texts of its cells."""
    given = read.obj(params)
    notebook = read.inner(given, "notebookDocument")
    session.documents.open_notebook(read.text(notebook, "uri"), _cells(notebook))
    for text in read.items(given, "cellTextDocuments"):
        text_sync.did_open(session, {"textDocument": text})


def did_change(session: Session, params: Any) -> None:
    """Cells moved, came, went or were edited."""
    given = read.obj(params)
    uri = read.text(read.inner(given, "notebookDocument"), "uri")
    cells = read.optional(read.inner(given, "change"), "cells")
    structure = read.optional(cells, "structure")
    if structure:
        array = read.inner(structure, "array")
        start, delete = read.integer(array, "start"), read.integer(array, "deleteCount")
        session.documents.splice_notebook(uri, start, delete, _cells(array))
        for text in read.items(structure, "didOpen", optional=True):
            text_sync.did_open(session, {"textDocument": text})
        for text in read.items(structure, "didClose", optional=True):
            text_sync.did_close(session, {"textDocument": text})
    for edit in read.items(cells, "textContent", optional=True):
        text_sync.did_change(
            session,
            {"textDocument": edit.get("document"), "contentChanges": edit.get("changes")},
        )
    # A cell that only moved was not edited, yet it may see other names now.
    session.publisher.schedule(session.documents.cells(uri))


def did_close(session: Session, params: Any) -> None:
    """A notebook and all its cells."""
    given = read.obj(params)
    session.documents.close_notebook(read.text(read.inner(given, "notebookDocument"), "uri"))
    for text in read.items(given, "cellTextDocuments"):
        text_sync.did_close(session, {"textDocument": text})


def _cells(holder: Json) -> list[str]:
    return [read.text(c, "document", "cells") for c in read.items(holder, "cells", optional=True)]
