"""Every place of a document that means one thing of the catalogue: highlights, references, tokens."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, replace

from codeact_lsp.bindings.details import details
from codeact_lsp.ide.calls import arguments, parameter_of, sure_tool
from codeact_lsp.ide.locate import from_refs, locate
from codeact_lsp.ide.members import attribute, resolve_module
from codeact_lsp.ide.model import Answer, Empty, Target, View
from codeact_lsp.ide.names_held import names_held
from codeact_lsp.ide.refs import External, Mcp, Ref, Refs, ServerRef, ToolRef
from codeact_lsp.ide.resolve import resolve, resolve_binding
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.document import statements
from codeact_lsp.syntax.expressions import Call, Node, Span, walk
from codeact_lsp.syntax.statements import Statement


class Role(enum.StrEnum):
    """What an occurrence stands for."""

    MODULE = "module"
    SERVER = "server"
    TOOL = "tool"
    PARAMETER = "parameter"
    RENAMED_PARAMETER = "renamed-parameter"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One place that means something of the catalogue.

    Attributes:
        binds: the place gives a name this meaning, as an import or an assignment does.
        target: None for `mcp` itself.

    """

    span: Span
    role: Role
    target: Target | None
    binds: bool = False


def occurrences(view: View, span: Span | None = None) -> tuple[Occurrence, ...]:
    """Every occurrence in the statements that touch `span` (default: all), in the order of the text."""
    if span is None:
        names = names_held(view)
        if names is not None and not names.carriers:
            return ()
        view = replace(view, names=names)
    found: dict[Span, Occurrence] = {}
    for statement in statements(view.document, span):
        for one in _statement(view, statement):
            found.setdefault(one.span, one)
    return tuple(found[place] for place in sorted(found))


def highlights(view: View, offset: int) -> Answer[tuple[Occurrence, ...]]:
    """The places of the document that mean the same server, tool or parameter as the one at `offset`."""
    located = locate(view, offset)
    if isinstance(located, Empty):
        return Answer(None, located)
    targets = {target for target in located.targets if not target.result and target.value is None}
    same = tuple(one for one in occurrences(view) if one.target in targets)
    return Answer(same) if same else Answer(None, Empty.NO_BINDING_HERE)


def references(view: View, target: Target) -> tuple[Occurrence, ...]:
    """The places of the document that mean `target`."""
    return tuple(one for one in occurrences(view) if one.target == target)


def _statement(view: View, statement: Statement) -> Iterator[Occurrence]:
    for written in statement.bindings:
        binding = replace(written, document=len(view.chain) - 1)
        yield from _of(binding.span, resolve_binding(view, binding), binds=True)
    source = statement.source
    if source is not None and not source.level:
        module = resolve_module(view, source.module)
        last = source.module_span.end - len(source.module.rsplit(".", 1)[-1])
        yield from _of(Span(last, source.module_span.end), module)
        for name in source.names:
            if name.name not in {"", "*"}:
                yield from _of(name.span, attribute(view, module, name.name), binds=True)
    for expression in statement.expressions:
        for node in walk(expression):
            yield from _node(view, node)


def _node(view: View, node: Node) -> Iterator[Occurrence]:
    match node:
        case ast.Name(span):
            yield from _of(span, resolve(view, node))
        case ast.Attribute(_, value, name, span) if name:
            yield from _of(span, attribute(view, resolve(view, value), name))
        case ast.Call():
            yield from _call(view, node)
        case _:
            return


def _call(view: View, call: Call) -> Iterator[Occurrence]:
    refs = resolve(view, call.function)
    if refs == (External("builtins.getattr"),) and len(call.arguments) > 1:
        yield from _of(call.arguments[1].value.span, resolve(view, call))
    found = sure_tool(view, call)
    if found is None:
        return
    tool = found[0].tool
    known = details(tool, view.bindings.fold_characters)
    for given in arguments(view, call, partial=found[1]).given:
        parameter = parameter_of(known, given)
        if parameter is None or (given.by_key and given.entry is None):
            continue
        renamed = parameter.name != parameter.raw
        role = Role.RENAMED_PARAMETER if renamed else Role.PARAMETER
        yield Occurrence(given.span, role, Target(tool.server, tool.raw, (parameter.raw,)))


def _of(span: Span, refs: Refs, *, binds: bool = False) -> Iterator[Occurrence]:
    located = from_refs(span, refs)
    if located is None or len(located.refs) != 1:
        return
    role = _role(located.refs[0])
    if role is not None:
        target = located.targets[0] if located.targets else None
        yield Occurrence(span, role, target, binds)


def _role(ref: Ref) -> Role | None:
    match ref:
        case Mcp():
            return Role.MODULE
        case ServerRef():
            return Role.SERVER
        case ToolRef():
            return Role.TOOL
        case _:
            return None
