"""`textDocument/references`: in all open texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.locate import locate
from codeact_lsp.ide.model import Empty, Target, View
from codeact_lsp.ide.occurrences import references as find_references
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.documents import OpenDocument
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def references(session: Session, params: Any) -> list[Json] | None:
    """Where the thing under the cursor is used."""
    given = read.obj(params)
    uri, place = read.uri(given), read.position(given)
    declarations = read.inner(given, "context").get("includeDeclaration") is True
    client = session.client
    seen = session.look(uri)
    if seen is None:
        return None
    located = locate(seen[1], convert.offset(seen[1].document, place, client.encoding))
    if isinstance(located, Empty):
        return None
    locations: list[Json] = []
    for other in session.documents:
        looked = session.look(other.uri)
        if looked is not None:
            locations += await _in(session, *looked, located.targets, declarations=declarations)
    return locations


async def _in(
    session: Session,
    opened: OpenDocument,
    view: View,
    targets: tuple[Target, ...],
    *,
    declarations: bool,
) -> list[Json]:
    found = await session.compute(
        view, lambda: [one for target in targets for one in find_references(view, target)]
    )
    return [
        {"uri": opened.uri, "range": convert.span(view.document, one.span, session.client.encoding)}
        for one in found
        if declarations or not one.binds
    ]
