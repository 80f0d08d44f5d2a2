"""Completion of a text that is compared with a part of a result: `r["state"] == "‸"`."""

from __future__ import annotations

from codeact_lsp.ide.completion.items import Found, nothing
from codeact_lsp.ide.completion.values import known_values
from codeact_lsp.ide.model import Empty, Target, View
from codeact_lsp.ide.refs import Value
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.document import path_at
from codeact_lsp.syntax.expressions import Display, Expression, Operation, String, bare

_EQUAL = {"==", "!="}
_AMONG = {"in", "not in"}


def compared(view: View, string: String, offset: int) -> Found:
    """The values that may stand on the other side of the comparison that `string` is in."""
    other = _other_side(view, offset)
    for ref in () if other is None else resolve(view, other):
        if isinstance(ref, Value):
            target = Target(ref.tool.server, ref.tool.raw, ref.path, result=True)
            prefix = view.document.text[string.content.start : offset]
            return known_values(ref.type, target, string, prefix, string.content)
    return nothing(Empty.IN_STRING)


def _other_side(view: View, offset: int) -> Expression | None:
    path = path_at(view.document, offset)
    inner = path[-1] if path else None
    for outer in reversed(path[:-1]):
        match outer:
            case Operation(_, operator, _, (left, right)) if operator in _EQUAL:
                return right if inner is left else left
            case Operation(_, operator, _, (left, right)) if operator in _AMONG:
                return left if inner is right and isinstance(bare(right), Display) else None
            case Display():
                inner = outer
            case _:
                return None
    return None
