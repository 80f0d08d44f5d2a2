"""The one place where an expression becomes what it means in the catalogue.

Every feature asks `resolve`. It follows imports, aliases, displays, `getattr`, `functools.partial`,
awaits and results; whatever is not followed is `OTHER`, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from codeact_lsp.ide import results
from codeact_lsp.ide.called import FOLLOWED_BUILTINS, called
from codeact_lsp.ide.constants import literal
from codeact_lsp.ide.members import UNKNOWN, attribute, member, resolve_module, together
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import (
    External,
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
)
from codeact_lsp.names import is_bare_importable
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import DisplayKind, Expression
from codeact_lsp.syntax.origins import (
    Assigned,
    Binding,
    Enter,
    Imported,
    Iterate,
    Rest,
    Step,
    Unpack,
)
from codeact_lsp.syntax.scopes import lookup

DEPTH: Final = 60
"""The most steps from one expression: aliases of aliases end somewhere."""
_Follow: TypeAlias = Callable[[Expression], Refs]


def resolve(view: View, expression: Expression, document: int | None = None) -> Refs:
    """What `expression` of a document of the chain (by default the last) may be.

    `document` is an index into the chain. Several values where several may hold, `Other` among them
    where something unknown may hold too; never empty.
    """
    return _resolve(view, expression, len(view.chain) - 1 if document is None else document, 0)


def resolve_binding(view: View, binding: Binding) -> Refs:
    """What a name holds because of one binding of it."""
    return _binding(view, binding, 0)


def _resolve(view: View, expression: Expression, document: int, depth: int) -> Refs:
    place = (document, expression.span, type(expression).__name__)
    known = view.resolved.get(place)
    if known is not None:
        return known
    if depth > DEPTH:
        return UNKNOWN
    # A name that is made from itself meets this entry and ends there.
    view.resolved[place] = UNKNOWN

    def follow(inner: Expression) -> Refs:
        return _resolve(view, inner, document, depth + 1)

    refs = (
        _name(view, expression, document, depth + 1)
        if isinstance(expression, ast.Name)
        else _expression(view, expression, document, follow)
    )
    view.resolved[place] = refs
    return refs


def _expression(view: View, expression: Expression, document: int, follow: _Follow) -> Refs:
    match expression:
        case ast.Attribute(_, value, name):
            return attribute(view, follow(value), name)
        case ast.Group(_, value) | ast.Walrus(_, _, value):
            return follow(value)
        case ast.Await(_, value):
            return together(_awaited(ref) for ref in follow(value))
        case ast.Conditional(_, body, _, orelse):
            return together((follow(body), follow(orelse)))
        case ast.Operation(_, "or" | "and", _, operands):
            return together(map(follow, operands))
        case ast.Subscript():
            return _subscript(view, expression, document, follow(expression.value))
        case ast.Call(_, function):
            return together(
                called(view, expression, document, ref, follow) for ref in follow(function)
            )
        case ast.Display(_, DisplayKind.LIST | DisplayKind.TUPLE, items):
            return (_display(items, follow),)
        case ast.Dict(_, entries):
            return (_table(entries, follow),)
        case ast.Comprehension(_, (element,)):
            return (Many(follow(element)),)
        case _:
            return UNKNOWN


def _display(items: tuple[Expression, ...], follow: _Follow) -> Row | Many:
    """A row, or where a starred item makes its length unknown, many of whatever is in it."""
    if not any(isinstance(item, ast.Starred) for item in items):
        return Row(tuple(map(follow, items)))
    return Many(
        together(
            together(results.iterate(ref) for ref in follow(item.value))
            if isinstance(item, ast.Starred)
            else follow(item)
            for item in items
        )
    )


def _table(entries: tuple[ast.Entry, ...], follow: _Follow) -> Table:
    keyed: dict[str, Refs] = {}
    whole = True
    for entry in entries:
        key = None if entry.key is None else ast.literal_text(entry.key)
        if key is not None:
            keyed[key] = follow(entry.value)
            continue
        inner = follow(entry.value) if entry.key is None else ()
        if len(inner) == 1 and isinstance(inner[0], Table):
            keyed.update(inner[0].entries)
            whole = whole and inner[0].whole
        else:
            whole = False
    return Table(tuple(keyed.items()), whole)


def _subscript(view: View, expression: ast.Subscript, document: int, refs: Refs) -> Refs:
    index = ast.bare(expression.index)
    if isinstance(index, ast.Slice):
        return together(map(results.cut, refs))
    key = literal(view, index, document)
    return together(results.subscript(view.bindings, ref, key) for ref in refs)


def _name(view: View, expression: ast.Name, document: int, depth: int) -> Refs:
    name = expression.name
    if view.names is not None:
        if name not in view.names.carriers and name not in FOLLOWED_BUILTINS:
            return UNKNOWN
        once = view.names.once.get(name)
        if once is not None and (once[0].document, once[1]) <= (document, expression.span.start):
            return _binding(view, once[0], depth)
    found = lookup(view.chain[: document + 1], name, expression.span.start)
    refs: list[Refs] = []
    for binding in found:
        held = _binding(view, binding, depth)
        star = isinstance(binding.origin, Imported) and binding.origin.star
        if star and (not _is_exported(view, name) or _lacks(held)):
            continue
        refs.append(held)
        if star:
            # The star import is nearest and really has the name: it hides what follows.
            break
    return together(refs) if refs else (External(f"builtins.{name}"),)


def _is_exported(view: View, name: str) -> bool:
    """Whether a star import may bring the name: no keyword of either kind, and no flat name."""
    return is_bare_importable(name) and name not in view.bindings.flat


def _lacks(refs: Refs) -> bool:
    """Whether a star import brings no binding of this name."""
    return all(isinstance(ref, UnknownTool | UnknownServer | External | Other) for ref in refs)


def _binding(view: View, binding: Binding, depth: int) -> Refs:
    match binding.origin:
        case Imported(module, None, 0):
            return resolve_module(view, module)
        case Imported(module, str() as name, 0):
            return _imported(view, module, name)
        case Assigned(value, steps):
            refs = _resolve(view, value, binding.document, depth)
            for step in steps:
                refs = together(_step(ref, step) for ref in refs)
            return refs
        case _:
            return UNKNOWN


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


def _step(ref: Ref, step: Step) -> Refs:
    match step:
        case Iterate():
            return results.iterate(ref)
        case Unpack(index, count):
            return results.unpack(ref, index, count)
        case Rest():
            return (Many(results.iterate(ref)),)
        case Enter():
            return UNKNOWN
