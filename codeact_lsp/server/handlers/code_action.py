"""`textDocument/codeAction`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.code_actions import code_actions, fix_all
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.config_actions import config_actions
from codeact_lsp.server.params import Json
from codeact_lsp.syntax.expressions import Span

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def code_action(session: Session, params: Any) -> list[Json] | None:
    """The fixes of what is wrong in a range, the one that takes all safe ones, and rewrites."""
    given = read.obj(params)
    uri, places = read.uri(given), read.span(given)
    context = read.inner(given, "context")
    only = tuple(read.strings(context, "only", "params.context"))
    client = session.client
    if not client.code_action_literals:
        return None
    seen = session.look(uri)
    if seen is None:
        return config_actions(read.items(context, "diagnostics", "params.context"), only)
    opened, view = seen
    where = Span(*(convert.offset(view.document, place, client.encoding) for place in places))
    known = session.checks.at_hand(opened, view)
    renames = any(fix.renames for one in known for fix in one.fixes)
    later = session.later(uri) if renames else ()
    views = tuple(one for _, one in later)
    offered = (*code_actions(view, where, known, views), fix_all(view, known))
    return [
        convert.action(opened, action, client, tuple(one for one, _ in later))
        for action in offered
        if action is not None and convert.is_wanted(action.kind, only)
    ]
