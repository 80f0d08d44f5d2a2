"""Whether a dict that a variable holds still is, at a call, what the text wrote into it."""

from __future__ import annotations

import enum
from typing import Final

from codeact_lsp.ide.model import View
from codeact_lsp.ide.uses import uses
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.document import path_at, statements
from codeact_lsp.syntax.expressions import ArgumentKind, Span
from codeact_lsp.syntax.origins import Assigned
from codeact_lsp.syntax.scopes import lookup
from codeact_lsp.syntax.statements import StatementKind

_READ: Final = frozenset({"copy", "get", "items", "keys", "values"})
_ADD: Final = frozenset({"setdefault", "update"})


class Trust(enum.IntEnum):
    """How far the keys of a dict variable are known."""

    NONE = 0
    KEYS = 1
    """The written keys are there, and others may be."""
    ALL = 2


def trust(view: View, variable: ast.Name) -> Trust:
    """How far the display or `dict(…)` that `variable` was given tells its keys.

    Everything that the document does with the variable counts, before the call or behind it, since
    either may run first.
    """
    found = lookup(view.chain, variable.name, variable.span.start)
    if len(found) != 1 or found[0].document != len(view.chain) - 1:
        return Trust.NONE
    match found[0].origin:
        case Assigned(ast.Dict() | ast.Call(), ()):
            places = uses(view, found[0])
        case _:
            return Trust.NONE
    if places is None:
        return Trust.NONE
    return min((_use(view, place) for place in places), default=Trust.ALL)


def _use(view: View, place: Span) -> Trust:
    """What is left of the trust after one use."""
    path = path_at(view.document, place.start)
    if len(path) < 2:
        return Trust.NONE
    match path[-2]:
        case ast.Argument(_, ArgumentKind.DOUBLE_STAR) | ast.Entry(_, None):
            return Trust.ALL
        case ast.Operation():
            return Trust.ALL
        case ast.Attribute(_, _, name):
            return Trust.ALL if name in _READ else Trust.KEYS if name in _ADD else Trust.NONE
        case ast.Subscript(_, value) if value.span == place:
            return Trust.NONE if _is_deleted(view, place) else Trust.KEYS
        case _:
            return Trust.NONE


def _is_deleted(view: View, place: Span) -> bool:
    return any(
        statement.kind is StatementKind.DELETE for statement in statements(view.document, place)
    )
