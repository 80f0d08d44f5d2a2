"""Inlay hints: the raw key behind a renamed keyword, the result type of a call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.ide.calls import arguments, parameter_of, sure_tool
from codeact_lsp.ide.describe import type_text
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import Value
from codeact_lsp.ide.resolve import resolve_binding
from codeact_lsp.syntax.document import statements
from codeact_lsp.syntax.expressions import Call, Span, walk
from codeact_lsp.syntax.origins import Assigned
from codeact_lsp.syntax.statements import Statement, StatementKind


@dataclass(frozen=True, slots=True)
class InlayHint:
    """Text shown at `offset` that is not in the document; `is_type` says which kind of hint it is."""

    offset: int
    label: str
    is_type: bool


def inlay_hints(view: View, span: Span) -> tuple[InlayHint, ...]:
    """The hints of the statements that touch `span`, in the order of the text."""
    found = [
        hint
        for statement in statements(view.document, span)
        for hint in (*_types(view, statement), *_raw_keys(view, statement))
        if span.start <= hint.offset <= span.end
    ]
    return tuple(sorted(found, key=lambda hint: hint.offset))


def _types(view: View, statement: Statement) -> Iterator[InlayHint]:
    if statement.kind is not StatementKind.ASSIGNMENT:
        return
    for written in statement.bindings:
        if not isinstance(written.origin, Assigned):
            continue
        refs = resolve_binding(view, replace(written, document=len(view.chain) - 1))
        if len(refs) == 1 and isinstance(refs[0], Value) and not refs[0].path:
            known = details(refs[0].tool, view.bindings.fold_characters)
            shown = text.one_line(type_text(refs[0].type, known))
            yield InlayHint(written.span.end, f": {shown}", is_type=True)


def _raw_keys(view: View, statement: Statement) -> Iterator[InlayHint]:
    for expression in statement.expressions:
        for node in walk(expression):
            if not isinstance(node, Call):
                continue
            found = sure_tool(view, node)
            if found is None:
                continue
            known = details(found[0].tool, view.bindings.fold_characters)
            for given in arguments(view, node, partial=found[1]).given:
                parameter = parameter_of(known, given)
                renamed = parameter is not None and parameter.raw != given.spelled
                if parameter is not None and renamed and not given.by_key:
                    label = text.json_key(parameter.raw)
                    yield InlayHint(given.span.start, f"{label}:", is_type=False)
