"""`textDocument/hover`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.hover import hover as find_hover
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def hover(session: Session, params: Any) -> Json | None:
    """What the thing under the cursor is."""
    given = read.obj(params)
    uri, place = read.uri(given), read.position(given)
    client = session.client
    seen = session.look(uri)
    if seen is None:
        return None
    _, view = seen
    offset = convert.offset(view.document, place, client.encoding)
    found = session.value("hover", find_hover(view, offset))
    if found is None:
        return None
    session.looked_at(view, offset)
    return {
        "contents": convert.documentation(found.blocks, markdown=client.hover_markdown),
        "range": convert.span(view.document, found.span, client.encoding),
    }
