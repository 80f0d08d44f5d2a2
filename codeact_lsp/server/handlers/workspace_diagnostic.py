"""`workspace/diagnostic`: the same for everything that is open, held until something changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.server import params as read
from codeact_lsp.server.handlers.diagnostic import report
from codeact_lsp.server.params import Json
from codeact_lsp.server.uris import key

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

_CLOSED: Final = "closed"
"""The result id of a text of which nothing is known."""


async def workspace_diagnostic(session: Session, params: Any) -> Json:
    """The reports of all open documents; a client that knows them all waits for the next change.

    Clients ask again as soon as they are answered, so an answer without news would make them poll.
    """
    known = [
        (read.text(one, "uri"), one.get("value"))
        for one in read.items(read.obj(params), "previousResultIds")
    ]
    ids = {key(uri): value for uri, value in known}
    while True:
        changed = session.changed
        # What was reported of a text counts until another report, also when the text is closed.
        reports: list[Json] = [
            {"kind": "full", "resultId": _CLOSED, "uri": uri, "version": None, "items": []}
            for uri, value in known
            if value != _CLOSED and session.look(uri) is None
        ]
        for opened in session.documents:
            seen = session.look(opened.uri)
            if seen is not None:
                found = await report(session, *seen, ids.get(key(opened.uri)))
                reports.append({**found, "uri": opened.uri, "version": opened.version})
        if not ids or any(found["kind"] == "full" for found in reports):
            return {"items": reports}
        await changed.wait()
