"""Literals, also behind a name that surely holds one."""

from __future__ import annotations

from typing import Final

from codeact_lsp.ide.model import View
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import Expression
from codeact_lsp.syntax.origins import Assigned
from codeact_lsp.syntax.scopes import lookup

_DEPTH: Final = 20
"""The most names that are followed one after the other."""


def literal(
    view: View, expression: Expression, document: int | None = None, depth: int = 0
) -> str | int | None:
    """The text or whole number that an expression surely is; None otherwise.

    A name counts when its one binding is a plain assignment of a literal.
    """
    at = len(view.chain) - 1 if document is None else document
    expression = ast.bare(expression)
    match expression:
        case ast.Constant(_, written) if written.isdecimal():
            return int(written)
        case ast.Operation(_, "-", _, (ast.Constant(_, written),)) if written.isdecimal():
            return -int(written)
        case ast.Name(span, name) if depth < _DEPTH:
            found = lookup(view.chain[: at + 1], name, span.start)
            if len(found) != 1:
                return None
            match found[0].origin:
                case Assigned(value, ()):
                    return literal(view, value, found[0].document, depth + 1)
                case _:
                    return None
        case _:
            return ast.literal_text(expression)
