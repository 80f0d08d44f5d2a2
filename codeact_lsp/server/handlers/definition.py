"""`textDocument/definition` and `textDocument/declaration`: a place in the generated stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.definition import Definition
from codeact_lsp.ide.definition import definition as find_definition
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.server.threads import off_loop

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def definition(session: Session, params: Any) -> list[Json] | None:
    """Where the thing under the cursor is defined; the stub is rendered off the loop."""
    given = read.obj(params)
    uri, place = read.uri(given), read.position(given)
    client = session.client
    seen = session.look(uri)
    if seen is None:
        return None
    _, view = seen
    document = view.document
    offset = convert.offset(document, place, client.encoding)

    def find() -> list[tuple[Definition, str]]:
        found = find_definition(view, offset).value or ()
        uris = ((one, session.stub_uri(one.stub)) for one in found)
        return [(one, uri) for one, uri in uris if uri is not None]

    found = await off_loop(find)
    return [
        convert.location(document, one.origin, uri, one.line, client) for one, uri in found
    ] or None
