"""`textDocument/semanticTokens/full` and `/range`: servers, tools and renamed parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.occurrences import occurrences
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.server.tokens import encode
from codeact_lsp.syntax.expressions import Span

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def semantic_tokens(session: Session, params: Any) -> Json | None:
    """The tokens of a text, or of a range of it."""
    given = read.obj(params)
    seen = session.look(read.uri(given))
    if seen is None:
        return None
    _, view = seen
    document, encoding = view.document, session.client.encoding
    where = None
    if "range" in given:
        places = read.span(given)
        where = Span(*(convert.offset(document, place, encoding) for place in places))
    found = await session.compute(view, lambda: occurrences(view, where))
    return {"data": encode(document, found, encoding)}
