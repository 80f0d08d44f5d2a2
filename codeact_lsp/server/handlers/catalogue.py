"""`codeact-lsp/catalogue`: every server and tool, for a tree view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server.params import Json
from codeact_lsp.server.tree import tree

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def catalogue(session: Session, _params: Any) -> Json:
    """The catalogue in force."""
    return tree(session.knowledge.bindings, session.survey.problems)
