"""`workspace/diagnostic`: the same for everything that is open, held until something changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server import params as read
from codeact_lsp.server.handlers.diagnostic import report
from codeact_lsp.server.params import Json
from codeact_lsp.server.uris import key

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def workspace_diagnostic(session: Session, params: Any) -> Json:
    """The reports of all open documents; a client that knows them all waits for the next change.

    Clients ask again as soon as they are answered, so an answer without news would make them poll.
    """
    ids = {
        key(read.text(known, "uri")): known.get("value")
        for known in read.items(read.obj(params), "previousResultIds")
    }
    while True:
        changed = session.changed
        reports = []
        for opened in session.documents:
            seen = session.look(opened.uri)
            if seen is not None:
                found = await report(session, *seen, ids.get(key(opened.uri)))
                reports.append({**found, "uri": opened.uri, "version": opened.version})
        if not ids or any(found["kind"] == "full" for found in reports):
            return {"items": reports}
        await changed.wait()
