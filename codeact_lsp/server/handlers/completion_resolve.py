"""`completionItem/resolve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.describe import describe
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.completion_items import target_from_json
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def resolve(session: Session, params: Any) -> Json:
    """The same item with its documentation."""
    item = read.obj(params)
    target = target_from_json(item.get("data"))
    if target is None:
        return item
    blocks = describe(session.knowledge.bindings, target)
    if not blocks:
        return item
    markdown = session.client.item_markdown
    return {**item, "documentation": convert.documentation(blocks, markdown=markdown)}
