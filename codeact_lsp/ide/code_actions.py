"""Code actions: the fixes of the diagnostics, and a few rewrites of the code at the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolDetails
from codeact_lsp.ide import edits
from codeact_lsp.ide.calls import arguments, by_parameter
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.diagnostics.parameters import required_text
from codeact_lsp.ide.members import resolve_module
from codeact_lsp.ide.model import Diagnostic, Fix, TextEdit, View
from codeact_lsp.ide.refs import ServerRef, ToolRef
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.ide.uses import names, uses
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.call import call_at, calls
from codeact_lsp.syntax.document import statements
from codeact_lsp.syntax.expressions import ArgumentKind, Call, Span, walk
from codeact_lsp.syntax.origins import Binding


@dataclass(frozen=True, slots=True)
class Action:
    """One entry of the menu.

    Attributes:
        kind: LSP's `CodeActionKind`: `quickfix`, `refactor.rewrite` or `source.fixAll.codeact-lsp`.
        diagnostic: what it repairs; None for a rewrite.
        preferred: the one fix that the key for "auto fix" takes.
        later: what it changes in each cell that runs later; empty where it changes none.

    """

    title: str
    kind: str
    edits: tuple[TextEdit, ...]
    diagnostic: Diagnostic | None = None
    preferred: bool = False
    later: tuple[tuple[TextEdit, ...], ...] = ()


QUICK_FIX = "quickfix"
REWRITE = "refactor.rewrite"
FIX_ALL = "source.fixAll.codeact-lsp"


def code_actions(
    view: View,
    span: Span,
    diagnostics: tuple[Diagnostic, ...] | None = None,
    later: Sequence[View] = (),
) -> tuple[Action, ...]:
    """What can be done at `span`.

    Args:
        view: the document.
        span: where in it.
        diagnostics: the document's, where they are known already.
        later: the cells that run after it, in order.

    """
    known = diagnose(view) if diagnostics is None else diagnostics
    touching = [one for one in known if one.span.start <= span.end and span.start <= one.span.end]
    quick = [
        Action(fix.title, QUICK_FIX, fix.edits, one, preferred=at == 0, later=follow)
        for one in touching
        for at, fix in enumerate(one.fixes)
        if (follow := _following(view, one, fix, later)) is not None
    ]
    return (*quick, *_rewrites(view, span))


def _following(
    view: View, repaired: Diagnostic, fix: Fix, later: Sequence[View]
) -> tuple[tuple[TextEdit, ...], ...] | None:
    """What a fix that renames changes in later cells; None where one may mean something else."""
    if fix.renames is None or not later:
        return ()
    edits_of: list[tuple[TextEdit, ...]] = []
    for binding in _bound_at(view, repaired.span):
        for cell in later:
            places = uses(cell, replace(binding, document=len(view.chain) - 1))
            if places is None:
                return None
            edits_of.append(tuple(TextEdit(place, fix.renames) for place in places))
    return tuple(edits_of)


def _bound_at(view: View, span: Span) -> tuple[Binding, ...]:
    """The binding that stands at `span`."""
    found = (
        binding
        for statement in statements(view.document, span)
        for binding in statement.bindings
        if binding.span == span
    )
    return tuple(found)[:1]


def fix_all(view: View, diagnostics: tuple[Diagnostic, ...] | None = None) -> Action | None:
    """One action for every safe fix; None where there is none."""
    known = diagnose(view) if diagnostics is None else diagnostics
    fixes = (next((fix for fix in one.fixes if fix.safe), None) for one in known)
    changes = without_overlaps(tuple(fix for fix in fixes if fix is not None))
    if not changes:
        return None
    return Action("Fix all that codeact-lsp can fix safely", FIX_ALL, changes)


def without_overlaps(fixes: tuple[Fix, ...]) -> tuple[TextEdit, ...]:
    """The edits of as many of `fixes` as do not touch each other's text, in the order of the text.

    A fix is taken as a whole or not at all.
    """
    taken: list[TextEdit] = []
    for fix in fixes:
        new = [edit for edit in fix.edits if edit not in taken]
        if not any(_collide(edit.span, other.span) for edit in new for other in taken):
            taken += new
    return tuple(sorted(taken, key=lambda edit: edit.span))


def _collide(one: Span, other: Span) -> bool:
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def _rewrites(view: View, span: Span) -> Iterator[Action]:
    yield from _fill_required(view, span)
    yield from _from_json(view, span)
    yield from _expand_star(view, span)


def _fill_required(view: View, span: Span) -> Iterator[Action]:
    """Every required argument that the call at the cursor does not give."""
    for call in _calls(view, span):
        known = _tool(view, call)
        if known is None or call.close is None:
            continue
        given = arguments(view, call)
        taken = by_parameter(known, given.given)
        missing = tuple(
            parameter
            for parameter in known.parameters
            if parameter.required and parameter.raw not in taken
        )
        if missing and not given.open and not given.positional:
            edit = edits.added_arguments(call, required_text(missing))
            if edit is not None:
                yield Action("Fill in required arguments", REWRITE, (edit,))
                return


def _from_json(view: View, span: Span) -> Iterator[Action]:
    """`f({"file-path": "x"})`, a pasted JSON object, becomes `f(file_path="x")`."""
    for call in _calls(view, span):
        known = _tool(view, call)
        if known is None or len(call.arguments) != 1:
            continue
        argument = call.arguments[0]
        display = ast.bare(argument.value)
        if argument.kind is not ArgumentKind.POSITIONAL or not isinstance(display, ast.Dict):
            continue
        written = _keywords(view, known, display)
        if written is not None:
            edit = TextEdit(argument.span, written)
            yield Action("Convert the JSON object to arguments", REWRITE, (edit,))
            return


def _keywords(view: View, known: ToolDetails, display: ast.Dict) -> str | None:
    named: list[str] = []
    keyed: list[str] = []
    for entry in display.entries:
        key = None if entry.key is None else ast.literal_text(entry.key)
        if key is None:
            return None
        parameter = known.by_raw.get(key) or known.by_name.get(key)
        name = None if parameter is None else parameter.name
        value = _python_value(view, entry.value)
        if name is None:
            keyed.append(f"{text.literal(key)}: {value}")
        else:
            named.append(f"{name}={value}")
    if keyed:
        named.append(f"**{{{', '.join(keyed)}}}")
    return ", ".join(named)


_JSON_WORDS = {"true": "True", "false": "False", "null": "None"}


def _python_value(view: View, value: ast.Expression) -> str:
    """The text of a value, JSON's words as Python's."""
    source = edits.source(view.document, value.span)
    words = [
        node for node in walk(value) if isinstance(node, ast.Name) and node.name in _JSON_WORDS
    ]
    for node in reversed(words):
        start, end = node.span.start - value.span.start, node.span.end - value.span.start
        source = source[:start] + _JSON_WORDS[node.name] + source[end:]
    return source


def _expand_star(view: View, span: Span) -> Iterator[Action]:
    """`from codeact_lsp.tools.mcp.s import *` names the tools that the document uses."""
    for statement in statements(view.document, span):
        source = statement.source
        if source is None or source.level or not source.names or source.names[0].name != "*":
            continue
        refs = resolve_module(view, source.module)
        if len(refs) != 1 or not isinstance(refs[0], ServerRef):
            continue
        used = [
            tool.name
            for tool in refs[0].server.tools
            if tool.name is not None
            and any(
                ref.tool is tool
                for name in names(view, tool.name)
                for ref in resolve(view, name)
                if isinstance(ref, ToolRef)
            )
        ]
        if used:
            edit = TextEdit(source.names[0].span, ", ".join(used))
            yield Action("Expand the star import", REWRITE, (edit,))


def _calls(view: View, span: Span) -> Iterator[Call]:
    """The calls around the start of `span`, innermost first; or those whose function is there."""
    at = call_at(view.document, span.start)
    while at is not None:
        yield at.call
        at = at.enclosing
    for call in calls(view.document, span):
        if call.function.span.touches(span.start):
            yield call


def _tool(view: View, call: Call) -> ToolDetails | None:
    refs = resolve(view, call.function)
    if len(refs) != 1 or not isinstance(refs[0], ToolRef):
        return None
    return details(refs[0].tool, view.bindings.fold_characters)
