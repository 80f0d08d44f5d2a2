"""Which names may hold anything of the catalogue: the others need not be looked up.

Scopes are not looked at: a name that holds a binding anywhere counts everywhere. That errs on the
safe side, and leaves out nearly all names of ordinary Python.
"""

from __future__ import annotations

from collections.abc import Iterator

from codeact_lsp.ide.called import FOLLOWED_MODULES
from codeact_lsp.ide.model import View
from codeact_lsp.ide.uses import nodes
from codeact_lsp.syntax.document import statements
from codeact_lsp.syntax.expressions import Call, Clause, Dict, Expression, Name, Walrus, bare
from codeact_lsp.syntax.origins import Assigned, Imported


def carriers(view: View) -> frozenset[str] | None:
    """The names, of all documents of the chain, that may hold a binding or a result.

    Empty when no document reaches a bindings module. None when any name may hold one, because a
    star import brought names that are not written down.
    """
    seeds: set[str] = set()
    helpers: set[str] = set()
    tables: set[str] = set()
    made_of: dict[str, set[str]] = {}
    for document in view.chain:
        for statement in statements(document):
            for binding in statement.bindings:
                match binding.origin:
                    case Imported() as imported:
                        if _leads_there(view, imported):
                            if imported.star:
                                return None
                            seeds.add(binding.name)
                        elif imported.module.split(".")[0] in FOLLOWED_MODULES:
                            helpers.add(binding.name)
                    case Assigned(value):
                        _note(made_of, binding.name, value)
                        if _is_table(value):
                            tables.add(binding.name)
                    case _:
                        pass
            for expression in statement.expressions:
                for target, value in _inner(expression):
                    _note(made_of, target, value)
    if not seeds:
        return frozenset()
    return _closure(seeds | tables, made_of) | helpers


def _leads_there(view: View, imported: Imported) -> bool:
    if imported.level:
        return False
    dotted = imported.module if imported.name is None else f"{imported.module}.{imported.name}"
    return any(
        f"{dotted}.".startswith(f"{root}.")
        or f"{root}.".startswith(f"{dotted}.")
        or (imported.star and f"{imported.module}.".startswith(f"{root}."))
        for root in view.settings.bindings_modules
    )


def _is_table(value: Expression) -> bool:
    """Whether a name holds a dict, which a call may unpack."""
    value = bare(value)
    return isinstance(value, Dict) or (
        isinstance(value, Call)
        and isinstance(value.function, Name)
        and value.function.name == "dict"
    )


def _inner(expression: Expression) -> Iterator[tuple[str, Expression]]:
    """(name, what it is made of) for the names that an expression itself binds."""
    for node in nodes(expression):
        match node:
            case Clause(_, target, iterable):
                for inner in nodes(target):
                    if isinstance(inner, Name):
                        yield inner.name, iterable
            case Walrus(_, target, value):
                yield target.name, value
            case _:
                pass


def _note(made_of: dict[str, set[str]], name: str, value: Expression) -> None:
    for node in nodes(value):
        if isinstance(node, Name):
            made_of.setdefault(node.name, set()).add(name)


def _closure(seeds: set[str], made_of: dict[str, set[str]]) -> frozenset[str]:
    """The seeds, and every name that is made of one of the result."""
    found = set(seeds)
    waiting = list(seeds)
    while waiting:
        new = made_of.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return frozenset(found)
