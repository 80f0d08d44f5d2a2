"""Every place that uses one binding of a name, for highlights, references and renaming."""

from __future__ import annotations

from collections.abc import Iterator

from codeact_lsp.ide.model import View
from codeact_lsp.syntax.document import statements_naming
from codeact_lsp.syntax.expressions import Name, Span, walk
from codeact_lsp.syntax.origins import Augmented, Binding
from codeact_lsp.syntax.scopes import lookup, visible_names


def names(view: View, name: str) -> Iterator[Name]:
    """Every place of the document where `name` stands in an expression."""
    for statement in statements_naming(view.document, name):
        for expression in statement.expressions:
            for node in walk(expression):
                if isinstance(node, Name) and node.name == name:
                    yield node


def uses(view: View, binding: Binding) -> tuple[Span, ...] | None:
    """Where the view's document uses what `binding` binds, the binding's own place left out.

    `binding` is one of that document or of one that ran before it.

    None where a place may use another binding of the name as well, so that no renaming is safe.
    """
    view.searched.add(binding.name)
    found: list[Span] = []
    own = binding.document == len(view.chain) - 1
    anew = {
        other.span
        for statement in statements_naming(view.document, binding.name)
        for other in statement.bindings
        if other.name == binding.name and not isinstance(other.origin, Augmented)
    }
    for node in names(view, binding.name):
        if node.span in anew:
            continue
        held = lookup(view.chain, binding.name, node.span.start)
        mine = [one for one in held if _same(one, binding)]
        if mine and len(held) > 1:
            return None
        if mine:
            found.append(node.span)
    for statement in statements_naming(view.document, binding.name):
        if binding.name not in statement.names:
            continue
        if not own or statement.span.start > binding.span.start:
            return None
    return tuple(found)


def _same(one: Binding, other: Binding) -> bool:
    return one.span == other.span and one.document == other.document


def fresh_name(view: View, wanted: str, offset: int) -> str:
    """`wanted`, with a number behind it where the name is taken at `offset`."""
    view.searched.add(wanted)
    taken = visible_names(view.chain, offset)
    name, number = wanted, 2
    while name in taken:
        name = f"{wanted}{number}"
        number += 1
    return name
