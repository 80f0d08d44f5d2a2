"""The one place where an expression becomes what it means in the catalogue.

Every feature asks `resolve`. It follows imports, aliases, displays, `getattr`, `functools.partial`,
awaits and results; whatever is not followed is `OTHER`, never a guess.
"""

from __future__ import annotations

from typing import Final

from codeact_lsp.ide import results
from codeact_lsp.ide.called import called
from codeact_lsp.ide.constants import literal
from codeact_lsp.ide.contents import Place, held_at, stored_at
from codeact_lsp.ide.functions import parameter, result_of_function
from codeact_lsp.ide.known_functions import FOLLOWED_BUILTINS, joined, with_all_of, with_entry
from codeact_lsp.ide.members import UNKNOWN, attribute, member, resolve_module, together
from codeact_lsp.ide.model import View
from codeact_lsp.ide.narrowing import captured, narrowed
from codeact_lsp.ide.refs import (
    Anonymous,
    External,
    Follow,
    Function,
    Many,
    Other,
    Package,
    Pending,
    Ref,
    Refs,
    Row,
    Table,
    UnknownServer,
    UnknownTool,
    Value,
)
from codeact_lsp.names import is_bare_importable
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.bodies import subject_of
from codeact_lsp.syntax.document import statement_at
from codeact_lsp.syntax.expressions import DisplayKind, Expression
from codeact_lsp.syntax.origins import (
    Assigned,
    Augmented,
    Binding,
    Captured,
    Defined,
    Imported,
    Parameter,
    Step,
)
from codeact_lsp.syntax.private_names import read_as
from codeact_lsp.syntax.scopes import lookup

DEPTH: Final = 60
"""The most steps from one expression: aliases of aliases end somewhere."""
_ROUNDS: Final = 4
"""How often a value that is made from itself is worked out, if it comes out another each time."""


def resolve(view: View, expression: Expression, document: int | None = None) -> Refs:
    """What `expression` of a document of the chain (by default the last) may be.

    `document` is an index into the chain. Several values where several may hold, `Other` among them
    where something unknown may hold too; never empty.
    """
    return _resolve(view, expression, len(view.chain) - 1 if document is None else document, 0)


def resolve_binding(view: View, binding: Binding) -> Refs:
    """What a name holds because of one binding of it, right behind it."""
    return _binding(view, binding, _follow(view, binding.document, 0))


def _resolve(view: View, of: Expression | Function, document: int, depth: int) -> Refs:
    if isinstance(of, Function):
        place = (of.binding.document, of.binding.span, "def")
    else:
        place = (document, of.span, type(of).__name__)
    known = view.resolved.get(place)
    if known is not None:
        return known
    cycles = view.cycles
    if place in cycles.assumed:
        # A value that is made from itself: what it was found to be so far.
        cycles.met.add(place)
        return cycles.assumed[place]
    if depth > DEPTH:
        return UNKNOWN
    follow = _follow(view, document, depth + 1)
    met_before, cycles.met = cycles.met, set()
    cycles.assumed[place] = refs = UNKNOWN
    for _ in range(_ROUNDS):
        refs = _found(view, of, document, follow)
        if place not in cycles.met or refs == cycles.assumed[place] or cycles.exhausted:
            break
        cycles.assumed[place] = refs
    del cycles.assumed[place]
    cycles.met.discard(place)
    if not cycles.met or cycles.exhausted:
        view.resolved[place] = refs
    else:
        # It holds for as long only as what is assumed does.
        cycles.spared += 1
    cycles.met |= met_before
    return refs


def _found(view: View, of: Expression | Function, document: int, follow: Follow) -> Refs:
    match of:
        case Function(binding):
            return result_of_function(view, binding, follow)
        case ast.Name():
            return narrowed(view, of, document, _name(view, of, document, follow), follow)
        case ast.Subscript():
            return narrowed(view, of, document, _subscript(view, of, document, follow), follow)
        case _:
            return _expression(view, of, document, follow)


def _follow(view: View, document: int, depth: int) -> Follow:
    def follow(of: Expression | Function, other: int | None = None, /) -> Refs:
        return _resolve(view, of, document if other is None else other, depth)

    return follow


def _expression(view: View, expression: Expression, document: int, follow: Follow) -> Refs:
    match expression:
        case ast.Attribute(_, value, name, name_span):
            read = read_as(view.chain[document], name, name_span.start)
            return attribute(view, follow(value), read)
        case ast.Group(_, value) | ast.Walrus(_, _, value):
            return follow(value)
        case ast.Await(_, value):
            return together(_awaited(ref) for ref in follow(value))
        case ast.Conditional(_, body, _, orelse):
            return together((follow(body), follow(orelse)))
        case ast.Operation(_, "or" | "and", _, operands):
            return together(map(follow, operands))
        case ast.Operation(_, "+" | "|" as operator, _, operands) if len(operands) > 1:
            joined = results.cut if operator == "+" else results.merged
            return together(joined(ref) for one in operands for ref in follow(one))
        case ast.Call(_, function):
            return together(
                called(view, expression, document, ref, follow) for ref in follow(function)
            )
        case ast.Lambda():
            return (Anonymous(expression, document),)
        case ast.Display(_, _, items):
            return (_display(expression, items, follow),)
        case ast.Dict(_, entries):
            return _table(entries, follow)
        case ast.Comprehension(_, (element,)):
            return (Many(follow(element)),)
        case ast.Comprehension(_, (_, value)):
            return (Table(((None, follow(value)),), whole=False),)
        case _:
            return UNKNOWN


def _display(display: ast.Display, items: tuple[Expression, ...], follow: Follow) -> Row | Many:
    """A row, or where the number or the order of its items is not known, many of what is in it."""
    starred = any(isinstance(item, ast.Starred) for item in items)
    if not starred and display.kind is not DisplayKind.SET:
        return Row(tuple(map(follow, items)))
    held = [
        refs
        for item in items
        for refs in (
            map(results.iterate, follow(item.value))
            if isinstance(item, ast.Starred)
            else (follow(item),)
        )
    ]
    return Many(together(held))


def _table(entries: tuple[ast.Entry, ...], follow: Follow) -> Refs:
    """A dict, and the results that were unpacked into it."""
    table = Table(())
    taken: list[Refs] = []
    for entry in entries:
        if entry.key is not None:
            table = with_entry(table, ast.literal_text(entry.key), follow(entry.value))
        else:
            table, held = with_all_of(table, follow(entry.value))
            taken += [held] if held else []
    return joined(table, taken)


def _subscript(view: View, expression: ast.Subscript, document: int, follow: Follow) -> Refs:
    refs = follow(expression.value)
    index, value = ast.bare(expression.index), ast.bare(expression.value)
    if isinstance(index, ast.Slice):
        return together(map(results.cut, refs))
    key = literal(view, index, document)
    found = [results.subscript(view.bindings, ref, key) for ref in refs]
    if isinstance(value, ast.Name) and isinstance(key, str) and _has_result(refs):
        bindings = lookup(view.chain[: document + 1], value.name, value.span.start)
        found.append(stored_at(view, bindings, key, Place(document, value.span.start), follow))
    return together(found)


def _has_result(refs: Refs) -> bool:
    return any(isinstance(ref, Value) for ref in refs)


def _name(view: View, expression: ast.Name, document: int, follow: Follow) -> Refs:
    name = expression.name
    place = Place(document, expression.span.start)
    read = read_as(view.chain[document], name, place.offset)
    if view.names is not None and read == name:
        if name not in view.names.carriers and name not in FOLLOWED_BUILTINS:
            if name in view.names.fillable:
                view.filled.add(name)
            return UNKNOWN
        once = view.names.once.get(name)
        if once is not None and (once[0].document, once[1]) <= (document, place.offset):
            return held_at(view, once[0], _binding(view, once[0], follow), place, follow)
    found = lookup(view.chain[: document + 1], name, place.offset)
    if read != name:
        found = tuple(one for one in found if _read(view, one) == read)
    refs: list[Refs] = []
    for binding in found:
        held = held_at(view, binding, _binding(view, binding, follow), place, follow)
        star = isinstance(binding.origin, Imported) and binding.origin.star
        if star and (not _is_exported(view, name) or _lacks(held)):
            continue
        refs.append(held)
        if star and (binding.document, binding.span.start) < (document, place.offset):
            # The star import is nearest and really has the name: it hides what follows.
            break
    return together(refs) if refs else (External(f"builtins.{name}"),)


def _read(view: View, binding: Binding) -> str:
    return read_as(view.chain[binding.document], binding.name, binding.span.start)


def _is_exported(view: View, name: str) -> bool:
    """Whether a star import may bring the name: no keyword of either kind, and no flat name."""
    return is_bare_importable(name) and name not in view.bindings.flat


def _lacks(refs: Refs) -> bool:
    """Whether a star import brings no binding of this name."""
    return all(isinstance(ref, UnknownTool | UnknownServer | External | Other) for ref in refs)


def _binding(view: View, binding: Binding, follow: Follow) -> Refs:
    match binding.origin:
        case Imported(module, None, 0):
            return resolve_module(view, module)
        case Imported(module, str() as name, 0):
            return _imported(view, module, name)
        case Assigned(value, steps):
            return _stepped(view, follow(value, binding.document), steps)
        case Captured(steps):
            return _captured(view, binding, steps, follow)
        case Augmented(operator, value):
            return _augmented(view, binding, operator, follow(value, binding.document), follow)
        case Parameter():
            return parameter(view, binding, follow)
        case Defined(is_class=False):
            return (Function(binding),)
        case _:
            return UNKNOWN


def _augmented(view: View, binding: Binding, operator: str, added: Refs, follow: Follow) -> Refs:
    """`name += value`, from what the name held before."""
    if operator not in {"+=", "|="}:
        return UNKNOWN
    place = Place(binding.document, binding.span.start)
    before = together(
        held_at(view, one, _binding(view, one, follow), place, follow)
        for one in lookup(view.chain[: binding.document + 1], binding.name, place.offset)
        # In a loop it is one of those before it.
        if one.span != binding.span
    )
    taken_over = results.cut if operator == "+=" else results.merged
    return together(map(taken_over, (*before, *added)))


def _captured(view: View, binding: Binding, steps: tuple[Step, ...], follow: Follow) -> Refs:
    document, offset = view.chain[binding.document], binding.span.start
    subject, case = subject_of(document, offset), statement_at(document, offset)
    if subject is None or case is None:
        return UNKNOWN
    return captured(view, follow(subject, binding.document), steps, case.tests)


def _stepped(view: View, refs: Refs, steps: tuple[Step, ...]) -> Refs:
    for step in steps:
        refs = together(results.step(view.bindings, ref, step) for ref in refs)
    return refs


def _imported(view: View, module: str, name: str) -> Refs:
    """`from module import name`: an attribute, or a submodule on the way to a bindings module."""
    return together(
        resolve_module(view, f"{module}.{name}")
        if isinstance(ref, Package | External)
        else member(view, ref, name)
        for ref in resolve_module(view, module)
    )


def _awaited(ref: Ref) -> Refs:
    return ref.value if isinstance(ref, Pending) else UNKNOWN
