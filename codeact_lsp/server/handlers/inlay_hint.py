"""`textDocument/inlayHint`: off unless the setting turns it on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.ide.inlay_hints import inlay_hints
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.syntax.expressions import Span

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

_TYPE: Final = 1
_PARAMETER: Final = 2


def inlay_hint(session: Session, params: Any) -> list[Json] | None:
    """The hints of a range."""
    given = read.obj(params)
    uri, places = read.uri(given), read.span(given)
    client = session.client
    seen = session.look(uri)
    if seen is None or not session.editor.inlay_hints:
        return None
    _, view = seen
    document = view.document
    where = Span(*(convert.offset(document, place, client.encoding) for place in places))
    return [
        {
            "position": convert.position(document, hint.offset, client.encoding),
            "label": hint.label,
            "kind": _TYPE if hint.is_type else _PARAMETER,
            "paddingRight": not hint.is_type,
        }
        for hint in inlay_hints(view, where)
    ]
