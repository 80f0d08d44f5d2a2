"""`textDocument/codeAction`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.code_actions import code_actions, fix_all
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.capabilities import FIX_ALL
from codeact_lsp.server.params import Json
from codeact_lsp.syntax.expressions import Span

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def code_action(session: Session, params: Any) -> list[Json] | None:
    """The fixes of what is wrong in a range, and the one that takes all safe ones."""
    given = read.obj(params)
    uri, (start, end) = read.uri(given), read.span(given)
    only = tuple(read.strings(read.inner(given, "context"), "only", "params.context"))
    client = session.client
    seen = session.look(uri)
    if seen is None or not client.code_action_literals:
        return None
    opened, view = seen
    document = view.document
    where = Span(*(convert.offset(document, place, client.encoding) for place in (start, end)))
    raise NotImplementedError(opened, where, only, fix_all, code_actions, FIX_ALL)
