"""`textDocument/completion`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.completion import complete
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.completion_items import completion_list
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def completion(session: Session, params: Any) -> Json | None:
    """What can be typed here."""
    given = read.obj(params)
    uri, place = read.uri(given), read.position(given)
    trigger = read.optional(given, "context").get("triggerCharacter")
    client = session.client
    seen = session.look(uri)
    if seen is None:
        return None
    _, view = seen
    offset = convert.offset(view.document, place, client.encoding)
    found = session.value("completion", complete(view, offset))
    # A hyphen is nearly always a minus: it counts only where it continues a raw name.
    if found is None or (trigger == "-" and found.span.start == found.span.end):
        return None
    return completion_list(view.document, found, client)
