"""`textDocument/diagnostic`: diagnostics that the client pulls, a result id for each state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.model import View
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.documents import OpenDocument
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def diagnostic(session: Session, params: Any) -> Json:
    """The report of one document."""
    given = read.obj(params)
    seen = session.look(read.uri(given))
    if seen is None:
        return {"kind": "full", "items": []}
    return await report(session, *seen, given.get("previousResultId"))


async def report(session: Session, opened: OpenDocument, view: View, previous: Any) -> Json:
    """The report of one document, or that it is still the one with the id `previous`."""
    result_id = session.result_id(opened)
    if previous == result_id:
        return {"kind": "unchanged", "resultId": result_id}
    found = await session.checks.of(opened, view)
    items = convert.diagnostics(view.document, found, session.client)
    return {"kind": "full", "resultId": result_id, "items": items}
