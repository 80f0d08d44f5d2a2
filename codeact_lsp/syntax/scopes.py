"""Which binding a name has at a place: scopes and flow as Python has them."""

from __future__ import annotations

from collections.abc import Sequence

from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.origins import Binding


def lookup(chain: Sequence[Document], name: str, offset: int) -> tuple[Binding, ...]:
    """The bindings that `name` may have at `offset` of the last document of `chain`.

    Nearest first; several where the flow is conditional; empty where it is not bound. The documents
    before the last count as run before it, in order (the prelude, earlier cells). A star import that
    precedes is among the answers (`Imported.star`), followed by what holds if it lacks the name.
    """
    raise NotImplementedError


def visible_names(chain: Sequence[Document], offset: int) -> frozenset[str]:
    """Every name that the text itself binds and that can be seen at `offset`."""
    raise NotImplementedError
