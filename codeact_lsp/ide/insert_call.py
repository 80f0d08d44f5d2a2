"""What a call that is put into a text needs before it."""

from __future__ import annotations

from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.ide.insertion import import_edit, import_place
from codeact_lsp.ide.model import TextEdit, View
from codeact_lsp.names import MCP
from codeact_lsp.syntax.origins import Imported
from codeact_lsp.syntax.scopes import lookup


def import_for(view: View, tool: ToolBinding, offset: int) -> tuple[TextEdit, ...]:
    """The import for a call of `tool` by its path at `offset`, above it; none if the name is there."""
    name = tool.name if tool.server is None else MCP
    modules = view.settings.bindings_modules
    if name is None or not modules or _is_bound(view, name, offset):
        return ()
    return (import_edit(import_place(view.document, offset), modules[0], name),)


def _is_bound(view: View, name: str, offset: int) -> bool:
    """Whether a name means something at a place; what somebody else's star import brings is unknown."""
    for binding in lookup(view.chain, name, offset):
        origin = binding.origin
        if not isinstance(origin, Imported) or not origin.star:
            return True
        if origin.module in view.settings.bindings_modules:
            return True
    return False
