"""`textDocument/signatureHelp`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.signature_help import signature_help as find_signature
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def signature_help(session: Session, params: Any) -> Json | None:
    """The signature of the call around the cursor, and which parameter it is in."""
    given = read.obj(params)
    uri, place = read.uri(given), read.position(given)
    client = session.client
    seen = session.look(uri)
    if seen is None:
        return None
    _, view = seen
    offset = convert.offset(view.document, place, client.encoding)
    found = session.value("signature help", find_signature(view, offset))
    return None if found is None else convert.signature(found, client)
