"""`textDocument/didOpen`, `didChange`, `didClose`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.syntax.document import Change

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def did_open(session: Session, params: Any) -> None:
    """A text is the client's from now on."""
    item = read.inner(read.obj(params), "textDocument")
    uri, text = read.text(item, "uri"), read.text(item, "text")
    session.documents.open(uri, read.text(item, "languageId"), read.integer(item, "version"), text)
    session.document_changed(uri)


def did_change(session: Session, params: Any) -> None:
    """A text has a new version."""
    given = read.obj(params)
    identifier = read.inner(given, "textDocument")
    uri = read.text(identifier, "uri")
    changes = [content_change(change) for change in read.items(given, "contentChanges")]
    if session.documents.change(uri, version(identifier), changes):
        session.document_changed(uri)


def did_close(session: Session, params: Any) -> None:
    """A text is the file's again: nothing is known of it, so nothing is wrong with it."""
    uri = read.uri(read.obj(params))
    if session.documents.close(uri) is not None:
        session.checks.forget(uri)
        session.publisher.clear(uri)
        session.document_changed(uri)


def content_change(change: Json) -> Change:
    """One `TextDocumentContentChangeEvent`."""
    text = read.text(change, "text", "contentChanges")
    if change.get("range") is None:
        return Change(text)
    start, end = read.span(change, at="contentChanges")
    return Change(text, start, end)


def version(identifier: Json) -> int | None:
    """The version of a `VersionedTextDocumentIdentifier`; null in clients before LSP 3.17."""
    return None if identifier.get("version") is None else read.integer(identifier, "version")
