"""`soft-keyword-shadowing`, `builtin-shadowing` and `binding-overwritten`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codeact_lsp import text
from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from codeact_lsp.ide.aliases import BUILTINS
from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.model import Diagnostic, Fix, TextEdit, View
from codeact_lsp.ide.refs import Refs, ServerRef, ToolRef
from codeact_lsp.ide.resolve import resolve_binding
from codeact_lsp.ide.uses import fresh_name, uses
from codeact_lsp.names import is_soft_keyword
from codeact_lsp.syntax.expressions import Constant, Span
from codeact_lsp.syntax.origins import Assigned, Binding, Imported
from codeact_lsp.syntax.scopes import lookup
from codeact_lsp.syntax.statements import Statement

_LOST = {
    "_": "the last result of an interactive session is no longer reached by `_`",
    "type": "the builtin `type` is hidden for the rest of the session",
    "match": "`match` means this tool for the rest of the session, also to whoever reads a `match` statement",
    "case": "`case` means this tool for the rest of the session, also to whoever reads a `match` statement",
    "lazy": "`lazy` is a keyword of imports in newer Pythons",
}


def check_bindings(view: View, statement: Statement) -> Iterator[Diagnostic]:
    """What the names that a statement binds take away."""
    for written in statement.bindings:
        binding = replace(written, document=len(view.chain) - 1)
        refs = resolve_binding(view, binding)
        held = _held(refs)
        if held is not None:
            yield from _hiding(view, statement, binding, held)
        elif view.names is None or binding.name in view.names.again:
            yield from _overwriting(view, binding)


def _held(refs: Refs) -> ToolBinding | ServerBinding | None:
    """The one tool or server that a name holds."""
    match refs:
        case (ToolRef(tool),):
            return tool
        case (ServerRef(server),):
            return server
        case _:
            return None


def _hiding(
    view: View, statement: Statement, binding: Binding, held: ToolBinding | ServerBinding
) -> Iterator[Diagnostic]:
    name = binding.name
    if is_soft_keyword(name):
        said = _LOST.get(name, f"`{name}` is a keyword in some places")
        code = "soft-keyword-shadowing"
    elif name in BUILTINS:
        said = f"the builtin `{name}` is hidden for the rest of the session"
        code = "builtin-shadowing"
    else:
        return
    wanted = _alias(held)
    fix = _rename(view, statement, binding, fresh_name(view, wanted, binding.span.start))
    yield finding(code, binding.span, f"{said}: name it `{wanted}`", fix)


def _alias(held: ToolBinding | ServerBinding) -> str:
    """A name that says whose the tool is, and hides nothing."""
    if isinstance(held, ServerBinding):
        return f"mcp_{held.name or 'server'}"
    return f"{held.server_name or 'native'}_{held.name or 'tool'}"


def _rename(view: View, statement: Statement | None, binding: Binding, new: str) -> Fix | None:
    """Renames the binding and its uses; None where a use may mean something else."""
    places = uses(view, binding)
    if places is None:
        return None
    source = None if statement is None else statement.source
    plain_import = source is not None and any(
        one.span == binding.span and one.alias is None for one in source.names
    )
    own = (
        TextEdit(Span(binding.span.end, binding.span.end), f" as {new}")
        if plain_import
        else TextEdit(binding.span, new)
    )
    changes = sorted((own, *(TextEdit(place, new) for place in places)), key=lambda e: e.span)
    return Fix(f"Name it {new}", tuple(changes), safe=False, renames=new)


def _overwriting(view: View, binding: Binding) -> Iterator[Diagnostic]:
    """`search = await search(…)`: the name no longer holds the tool."""
    match binding.origin:
        case Assigned(Constant(_, "None")) | Imported():
            # `except ImportError: search = None` says that there may be no tool.
            return
        case _:
            pass
    before = lookup(view.chain, binding.name, binding.span.start)
    if len(before) != 1 or before[0].span == binding.span:
        return
    held = _held(resolve_binding(view, before[0]))
    if held is None:
        return
    what = "the tool" if isinstance(held, ToolBinding) else "the server"
    path = held.path if isinstance(held, ToolBinding) else text.escaped_name(held.raw)
    new = fresh_name(view, f"{binding.name}_result", binding.span.start)
    assigned = isinstance(binding.origin, Assigned)
    fix = _rename(view, None, binding, new) if assigned else None
    yield finding(
        "binding-overwritten",
        binding.span,
        f"`{binding.name}` no longer holds {what} `{path}` after this: the next call would fail",
        fix,
    )
