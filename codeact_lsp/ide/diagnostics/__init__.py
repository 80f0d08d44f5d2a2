"""Everything that is wrong with a document's bindings, each with its fixes.

One walk over the statements; each module here holds the checks of one family. After an edit, only
the top-level statements, or lines of long ones, are walked whose findings may be others than before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

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
from codeact_lsp.ide.diagnostics.reuse import Found, Kept, Part, comparable, keyed
from codeact_lsp.ide.diagnostics.rules import RULES
from codeact_lsp.ide.diagnostics.site import site
from codeact_lsp.ide.model import Cycles, Diagnostic, Severity, View
from codeact_lsp.ide.names_held import names_held
from codeact_lsp.syntax.expressions import Attribute, Call, Name, Node, Span, walk
from codeact_lsp.syntax.raw import raw_names_in
from codeact_lsp.syntax.statements import Statement

_SHARE: Final = 8


def diagnose(view: View) -> tuple[Diagnostic, ...]:
    """The diagnostics of the view's document, in the order of the text."""
    return diagnose_again(view, None)[0]


def diagnose_again(view: View, before: Kept | None) -> tuple[tuple[Diagnostic, ...], Kept]:
    """The same, with what the diagnosis of an earlier version left, and what this one leaves."""
    if view.bindings.catalogue.version == 0 and not view.bindings.servers:
        # Nothing was read yet, so nothing can be called unknown.
        return (), Kept(view)
    if before is not None and not comparable(before.view, view):
        before = None
    kept, parts = keyed(view, before)
    old = {} if before is None else before.found
    filled = [(*part.key, kept.filling, part.filling) for part in parts]
    new = [
        part
        for part, longer in zip(parts, filled, strict=True)
        if part.key not in old and longer not in old
    ]
    names = names_held(view) if _is_much(new, parts) else None
    view = replace(view, names=names)
    found: list[Diagnostic] = []
    for part, longer in zip(parts, filled, strict=True):
        key = longer if longer in old else part.key
        known = old.get(key)
        if known is None:
            alone = replace(view, resolved={}, cycles=Cycles(), searched=set(), filled=set())
            known = Found(part.start, tuple(_of_part(alone, part)))
            kept.diagnosed += 1
            if alone.searched:
                found += known.diagnostics
                continue
            nothing = names is not None and not names.carriers
            key = longer if alone.filled or nothing else key
        kept.found[key] = known.at(part.start)
        found += kept.found[key].diagnostics
    return _shown(view, found), kept


def _is_much(new: Sequence[Part], parts: Sequence[Part]) -> bool:
    """Whether looking at all names of the chain costs less than looking up each that is met."""
    return _SHARE * sum(len(one.lines) for one in new) > sum(len(part.lines) for part in parts)


def _shown(view: View, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """What the text does not silence, in its order, each once."""
    silent = ignores(view.document)
    kept = {one: None for one in found if not is_ignored(view.document, silent, one)}
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


def _of_part(view: View, part: Part) -> Iterator[Diagnostic]:
    """What is wrong in one part of the document, by the severities of the settings."""
    among = tuple(
        statement
        for start, line in part.lines
        for statement in line.statements(start, view.document.work)
    )
    for diagnostic in _found(view, among):
        settled = _with_severity(view, diagnostic)
        if settled.severity is not Severity.OFF:
            yield settled


def _found(view: View, among: Sequence[Statement]) -> Iterator[Diagnostic]:
    raw_spans: list[Span] = []
    for statement in among:
        for raw in raw_names_in(view.document.text, statement):
            found = tuple(unknown_names.check_raw_name(view, raw))
            raw_spans += [one.span for one in found]
            yield from found
    for statement in among:
        for diagnostic in _statement(view, statement):
            # What is wrong with a part of a raw name is that it is a part of one.
            if any(_holds(span, diagnostic.span) for span in raw_spans):
                continue
            if diagnostic.code == "raw-tool-name":
                raw_spans.append(diagnostic.span)
            yield diagnostic


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _statement(view: View, statement: Statement) -> Iterator[Diagnostic]:
    if statement.source is not None:
        yield from unknown_names.check_import(view, statement.source)
    for module in statement.modules:
        yield from unknown_names.check_module(view, module)
    if view.names is not None and not view.names.carriers:
        # Only an import can be wrong where no name holds anything of the catalogue.
        return
    yield from shadowing.check_bindings(view, statement)
    yield from awaits.check_dropped(view, statement)
    yield from awaits.check_loop(view, statement)
    for expression in statement.expressions:
        for node in walk(expression):
            yield from _node(view, node)


def _node(view: View, node: Node) -> Iterator[Diagnostic]:
    yield from awaits.check_used(view, node)
    match node:
        case Attribute():
            yield from unknown_names.check_attribute(view, node)
            yield from result_attributes.check_result_attribute(view, node)
        case Name():
            yield from unknown_names.check_name(view, node)
        case Call():
            yield from unknown_names.check_getattr(view, node)
            called = site(view, node)
            if called is not None:
                yield from keys.check_keys(called)
                yield from parameters.check_parameters(called)
                yield from argument_types.check_types(called)
        case _:
            return
