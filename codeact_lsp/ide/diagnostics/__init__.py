"""Everything that is wrong with a document's bindings, each with its fixes.

One walk over the statements; each module here holds the checks of one family.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codeact_lsp.ide.diagnostics import (
    argument_types,
    awaits,
    keys,
    parameters,
    result_attributes,
    shadowing,
    unknown_names,
)
from codeact_lsp.ide.diagnostics.ignores import ignores, is_ignored
from codeact_lsp.ide.diagnostics.rules import RULES
from codeact_lsp.ide.diagnostics.site import site
from codeact_lsp.ide.model import Diagnostic, Severity, View
from codeact_lsp.ide.names_held import names_held
from codeact_lsp.syntax.document import statements
from codeact_lsp.syntax.expressions import Attribute, Call, Node, Span, walk
from codeact_lsp.syntax.raw import raw_names
from codeact_lsp.syntax.statements import Statement


def diagnose(view: View) -> tuple[Diagnostic, ...]:
    """The diagnostics of the view's document, in the order of the text."""
    if view.bindings.catalogue.version == 0 and not view.bindings.servers:
        # Nothing was read yet, so nothing can be called unknown.
        return ()
    names = names_held(view)
    if names is not None and not names.carriers:
        return ()
    view = replace(view, names=names)
    silent = ignores(view.document)
    settled = (_with_severity(view, one) for one in _found(view))
    kept = {
        one: None
        for one in settled
        if one.severity is not Severity.OFF and not is_ignored(view.document, silent, one)
    }
    return tuple(sorted(kept, key=lambda one: (one.span, one.code)))


def _with_severity(view: View, diagnostic: Diagnostic) -> Diagnostic:
    """The severity of the settings, except that a hint for want of freshness stays one."""
    chosen = view.settings.rules.get(diagnostic.code)
    if chosen is None or (
        diagnostic.severity is Severity.HINT
        and RULES[diagnostic.code] is not Severity.HINT
        and chosen is not Severity.OFF
    ):
        return diagnostic
    return replace(diagnostic, severity=chosen)


def _found(view: View) -> Iterator[Diagnostic]:
    raw_spans: list[Span] = []
    for raw in raw_names(view.document):
        found = tuple(unknown_names.check_raw_name(view, raw))
        raw_spans += [one.span for one in found]
        yield from found
    again = shadowing.bound_again(view)
    for statement in statements(view.document):
        for diagnostic in _statement(view, statement, again):
            # What is wrong with a part of a raw name is that it is a part of one.
            if any(_holds(span, diagnostic.span) for span in raw_spans):
                continue
            if diagnostic.code == "raw-tool-name":
                raw_spans.append(diagnostic.span)
            yield diagnostic


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _statement(view: View, statement: Statement, again: frozenset[str]) -> Iterator[Diagnostic]:
    yield from shadowing.check_bindings(view, statement, again)
    yield from awaits.check_dropped(view, statement)
    yield from awaits.check_loop(view, statement)
    if statement.source is not None:
        yield from unknown_names.check_import(view, statement.source)
    for module in statement.modules:
        yield from unknown_names.check_module(view, module)
    for expression in statement.expressions:
        for node in walk(expression):
            yield from _node(view, node)


def _node(view: View, node: Node) -> Iterator[Diagnostic]:
    yield from awaits.check_used(view, node)
    match node:
        case Attribute():
            yield from unknown_names.check_attribute(view, node)
            yield from result_attributes.check_result_attribute(view, node)
        case Call():
            yield from unknown_names.check_getattr(view, node)
            called = site(view, node)
            if called is not None:
                yield from keys.check_keys(called)
                yield from parameters.check_parameters(called)
                yield from argument_types.check_types(called)
        case _:
            return
