"""`textDocument/documentHighlight`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.ide.occurrences import highlights
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

_READ: Final = 2
_WRITE: Final = 3


async def document_highlight(session: Session, params: Any) -> list[Json] | None:
    """The places that mean the same as the one under the cursor."""
    given = read.obj(params)
    uri, place = read.uri(given), read.position(given)
    client = session.client
    seen = session.look(uri)
    if seen is None:
        return None
    _, view = seen
    offset = convert.offset(view.document, place, client.encoding)
    found = await session.compute(view, lambda: highlights(view, offset).value)
    return [
        {
            "range": convert.span(view.document, one.span, client.encoding),
            "kind": _WRITE if one.binds else _READ,
        }
        for one in found or ()
    ]
