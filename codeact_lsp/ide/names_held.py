"""One look at all names of the documents, so that most of them need not be looked up one by one.

Which names may hold anything of the catalogue is told without scopes: a name that holds a binding
anywhere counts everywhere. That errs on the safe side, and leaves out nearly all of ordinary Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from codeact_lsp.ide.known_functions import FOLLOWED_BUILTINS, FOLLOWED_MODULES
from codeact_lsp.ide.model import NamesHeld, PlacedChange, View
from codeact_lsp.syntax.changes import made_by, stored_by
from codeact_lsp.syntax.document import Document, statements_of
from codeact_lsp.syntax.expressions import (
    Call,
    Clause,
    Dict,
    Expression,
    Lambda,
    Name,
    Node,
    ParameterNode,
    Walrus,
    Yield,
    bare,
    walk,
)
from codeact_lsp.syntax.origins import (
    Assigned,
    Augmented,
    Binding,
    Captured,
    Defined,
    Imported,
    Parameter,
)
from codeact_lsp.syntax.statements import Statement, StatementKind

_PLAIN = {
    StatementKind.ASSIGNMENT,
    StatementKind.FUNCTION,
    StatementKind.IMPORT,
    StatementKind.IMPORT_FROM,
}


@dataclass(slots=True, eq=False)
class _Seen:
    """What was seen in one document, or in all.

    Attributes:
        roots: the bindings modules that it was looked at with.
        number: the place of the document in the chain.
        seeds: names that were imported from a bindings module.
        helpers: names of modules and functions that are followed.
        tables: names that hold a dict, which a call may unpack.
        made_of: name → the names whose values it is part of.
        bound: how often each name is bound, deleted or declared, in any scope.
        plain: name → its last binding by a plain statement at the margin, and that statement's end.
        changes: name → the changes of what it holds.
        stars: a star import of a bindings module was met.

    """

    roots: tuple[str, ...]
    number: int = 0
    seeds: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)
    made_of: dict[str, set[str]] = field(default_factory=dict)
    bound: Counter[str] = field(default_factory=Counter)
    plain: dict[str, tuple[Binding, int]] = field(default_factory=dict)
    changes: dict[str, list[PlacedChange]] = field(default_factory=dict)
    stars: bool = False


def names_held(view: View) -> NamesHeld | None:
    """What the names of the chain may hold; no carriers when no document reaches a bindings module.

    None when any name may hold a binding, because a star import brought names that nobody wrote.
    """
    roots = view.settings.bindings_modules
    seen = _together([_seen(one, roots, number) for number, one in enumerate(view.chain)], roots)
    if seen.stars:
        return None
    if not seen.seeds:
        return NamesHeld(frozenset(), {})
    carriers = _closure(seen.seeds | seen.tables, seen.made_of) | seen.helpers
    wanted = carriers | FOLLOWED_BUILTINS
    once = {name: seen.plain[name] for name in seen.plain.keys() & wanted if seen.bound[name] == 1}
    again = frozenset(name for name in carriers if seen.bound[name] > 1)
    changes = {name: tuple(seen.changes[name]) for name in seen.changes.keys() & carriers}
    fillable = _closure(seen.changes.keys() - carriers, seen.made_of) - carriers
    return NamesHeld(carriers, once, again, changes, fillable)


def _seen(document: Document, roots: tuple[str, ...], number: int) -> _Seen:
    """What document number `number` holds, worked out once for as long as it stands there."""
    known = document.derived.get(_Seen)
    if isinstance(known, _Seen) and (known.roots, known.number) == (roots, number):
        return known
    seen = _Seen(roots, number)
    for placed in document.top_levels():
        among = statements_of(document, placed)
        for statement in among:
            _statement(seen, document, statement)
        _given(seen, among)
    document.derived[_Seen] = seen
    return seen


def _together(every: Sequence[_Seen], roots: tuple[str, ...]) -> _Seen:
    """What all of them hold."""
    if len(every) == 1:
        return every[0]
    whole = _Seen(roots, stars=any(one.stars for one in every))
    for one in every:
        whole.seeds |= one.seeds
        whole.helpers |= one.helpers
        whole.tables |= one.tables
        for name, made in one.made_of.items():
            whole.made_of.setdefault(name, set()).update(made)
        for name, count in one.bound.items():
            whole.bound[name] += count
        whole.plain.update(one.plain)
        for name, found in one.changes.items():
            whole.changes.setdefault(name, []).extend(found)
    return whole


def _statement(seen: _Seen, document: Document, statement: Statement) -> None:
    plain = statement.kind in _PLAIN and _at_margin(document, statement)
    for binding in statement.bindings:
        seen.bound[binding.name] += 1
        if plain:
            seen.plain[binding.name] = replace(binding, document=seen.number), statement.span.end
        match binding.origin:
            case Imported() as imported:
                _imported(seen, binding.name, imported)
            case Augmented(_, value):
                _note(seen.made_of, binding.name, value)
            case Assigned(value):
                _note(seen.made_of, binding.name, value)
                if _is_table(value):
                    seen.tables.add(binding.name)
            case _:
                pass
    for parameter in statement.parameters:
        seen.bound[parameter.name] += 1
        if isinstance(parameter.origin, Parameter) and parameter.origin.default is not None:
            _note(seen.made_of, parameter.name, parameter.origin.default)
    changes = list(stored_by(statement))
    seen.bound.update(statement.names)
    for expression in statement.expressions:
        for node in walk(expression):
            if isinstance(node, Call):
                changes += made_by(node)
            for name, part in _inner(node):
                seen.bound[name] += 1
                if part is not None:
                    _note(seen.made_of, name, part)
    for change in changes:
        seen.changes.setdefault(change.name.name, []).append(PlacedChange(seen.number, change))
        if change.value is not None:
            _note(seen.made_of, change.name.name, change.value)


def _given(seen: _Seen, among: Sequence[Statement]) -> None:
    """What leaves functions, and what is matched, in one top-level statement.

    It counts for every function, and for every capture, in it.
    """
    bound = [binding for statement in among for binding in statement.bindings]
    functions = {one.name for one in bound if isinstance(one.origin, Defined)}
    captures = {one.name for one in bound if isinstance(one.origin, Captured)}
    for statement in among if functions or captures else ():
        matched = statement.kind is StatementKind.MATCH
        for expression in statement.expressions:
            for name in captures if matched else ():
                _note(seen.made_of, name, expression)
            leaves = statement.kind is StatementKind.RETURN or any(
                isinstance(node, Yield) for node in walk(expression)
            )
            for name in functions if leaves or statement.kind is StatementKind.DECORATOR else ():
                _note(seen.made_of, name, expression)


def _at_margin(document: Document, statement: Statement) -> bool:
    start = statement.span.start
    return start == 0 or document.text[start - 1] in "\r\n"


def _imported(seen: _Seen, name: str, imported: Imported) -> None:
    if _leads_there(seen.roots, imported):
        seen.seeds.add(name)
        seen.stars = seen.stars or imported.star
    elif imported.module.split(".")[0] in FOLLOWED_MODULES:
        seen.helpers.add(name)


def _leads_there(roots: tuple[str, ...], imported: Imported) -> bool:
    """Whether an import is of a bindings module, of something in it, or of a package on the way."""
    if imported.level:
        return False
    taken = None if imported.star else imported.name
    dotted = imported.module if taken is None else f"{imported.module}.{taken}"
    return any(
        f"{dotted}.".startswith(f"{root}.") or f"{root}.".startswith(f"{dotted}.") for root in roots
    )


def _is_table(value: Expression) -> bool:
    value = bare(value)
    return isinstance(value, Dict) or (
        isinstance(value, Call)
        and isinstance(value.function, Name)
        and value.function.name == "dict"
    )


def _inner(node: Node) -> Iterator[tuple[str, Expression | None]]:
    """(name, what it is made of) for the names that a part of an expression itself binds."""
    match node:
        case Clause(_, target, iterable):
            for inner in walk(target):
                if isinstance(inner, Name):
                    yield inner.name, iterable
        case Walrus(_, target, value):
            yield target.name, value
        case Call(_, _, arguments):
            # The function may call a lambda with anything that it is given.
            for argument in arguments:
                inner = bare(argument.value)
                if isinstance(inner, Lambda):
                    for parameter in inner.parameters:
                        yield parameter.name, node
        case ParameterNode(_, name, _, _, default):
            yield name, default
        case _:
            pass


def _note(made_of: dict[str, set[str]], name: str, value: Expression) -> None:
    for node in walk(value):
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
