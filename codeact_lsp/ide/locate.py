"""What the cursor is on: the question behind hover, definition and highlights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolDetails
from codeact_lsp.ide import shapes
from codeact_lsp.ide.calls import called_tools
from codeact_lsp.ide.members import attribute, raw_attribute, resolve_module
from codeact_lsp.ide.model import Empty, Target, View
from codeact_lsp.ide.refs import (
    External,
    Other,
    Path,
    Ref,
    Refs,
    ServerRef,
    ToolRef,
    UnknownServer,
    UnknownTool,
    Value,
)
from codeact_lsp.ide.resolve import resolve, resolve_binding
from codeact_lsp.names import normalise
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.context import InCall, NothingHere, Silence, StringKey, context_at
from codeact_lsp.syntax.document import path_at, statements
from codeact_lsp.syntax.expressions import Argument, ArgumentKind, Call, Entry, Node, Span
from codeact_lsp.syntax.raw import hyphenated_word, raw_names
from codeact_lsp.syntax.statements import ImportedName, Statement


@dataclass(frozen=True, slots=True)
class Located:
    """What is at the cursor.

    Attributes:
        span: where it is written.
        refs: what it may be, for a name or an expression.
        targets: what of the catalogue it is, where it is described by one.

    """

    span: Span
    refs: Refs = ()
    targets: tuple[Target, ...] = ()


def locate(view: View, offset: int) -> Located | Empty:
    """The thing at `offset`, or why there is none."""
    for raw in raw_names(view.document, Span(offset, offset)):
        if raw.span.touches(offset):
            found = _raw_name(view, raw.value, raw.raw, raw.span)
            if found is not None:
                return found
    for statement in statements(view.document, Span(offset, offset)):
        imported = _import(view, statement, offset)
        if imported is not None:
            return imported
    path = path_at(view.document, offset)
    if not path:
        return _silence(view, offset)
    return _node(view, path, offset) or _silence(view, offset)


def _silence(view: View, offset: int) -> Empty:
    match context_at(view.document, offset):
        case NothingHere(Silence.COMMENT):
            return Empty.IN_COMMENT
        case NothingHere(Silence.MAGIC):
            return Empty.NOT_PYTHON
        case NothingHere(Silence.STRING) | StringKey():
            return Empty.IN_STRING
        case InCall(site) if site.slot.string is not None:
            return Empty.IN_STRING
        case _:
            return Empty.NO_BINDING_HERE


def from_refs(span: Span, refs: Refs) -> Located | None:
    """A located name; None where it is nothing of the catalogue."""
    known = tuple(ref for ref in refs if not isinstance(ref, Other | External))
    if not known:
        return None
    return Located(span, known, tuple(t for t in map(target_of, known) if t is not None))


def target_of(ref: Ref) -> Target | None:
    """What describes `ref`."""
    match ref:
        case ServerRef(server):
            return Target(server.raw)
        case ToolRef(tool):
            return Target(tool.server, tool.raw)
        case Value(tool, _, path) if path:
            return Target(tool.server, tool.raw, path, result=True)
        case _:
            return None


def _raw_name(view: View, value: ast.Expression, raw: str, span: Span) -> Located | None:
    return _by_raw_name(view, resolve(view, value), raw, span)


def _by_raw_name(view: View, holders: Refs, raw: str, span: Span) -> Located | None:
    """The tool or server of a raw name, which no Python code reaches where it is written."""
    named = (one for ref in holders for one in raw_attribute(view, ref, raw))
    return from_refs(span, tuple(one for one in named if isinstance(one, ToolRef | ServerRef)))


def _member(view: View, holders: Refs, name: str, span: Span) -> Located | None:
    """What `name` is on `holders`, by its raw name where it is no other name there."""
    refs = attribute(view, holders, name)
    unknown = all(isinstance(ref, UnknownServer | UnknownTool) for ref in refs)
    raw = _by_raw_name(view, holders, name, span) if unknown else None
    return raw or from_refs(span, refs)


def _import(view: View, statement: Statement, offset: int) -> Located | None:
    source = statement.source
    word = hyphenated_word(view.document.text, offset)
    if word is not None:
        raw = view.document.text[word.start : word.end]
        return _by_raw_name(view, _holder(view, statement, word.start), raw, word)
    if source is not None and not source.level:
        if source.module_span.touches(offset):
            return _dotted(view, source.module, source.module_span, offset)
        for name in source.names:
            if _touches(name, offset):
                holders = resolve_module(view, source.module)
                return _member(view, holders, name.name, _touched(name, offset))
    for name in statement.modules:
        if name.span.touches(offset):
            return _dotted(view, name.name, name.span, offset)
        if _touches(name, offset):
            return from_refs(_touched(name, offset), resolve_module(view, name.name))
    return None


def _holder(view: View, statement: Statement, start: int) -> Refs:
    """What the word that starts at `start` of an import is looked for in."""
    source = statement.source
    if source is not None and source.import_keyword is not None and start > source.import_keyword:
        return resolve_module(view, source.module)
    spans = [module.span for module in statement.modules]
    spans += [source.module_span] if source is not None else []
    before = (view.document.text[span.start : start] for span in spans if span.touches(start))
    return resolve_module(view, next(before, "").rstrip("."))


def _touches(name: ImportedName, offset: int) -> bool:
    in_alias = name.alias_span is not None and name.alias_span.touches(offset)
    return name.name not in {"", "*"} and (name.span.touches(offset) or in_alias)


def _touched(name: ImportedName, offset: int) -> Span:
    return name.span if name.span.touches(offset) or name.alias_span is None else name.alias_span


def _dotted(view: View, dotted: str, span: Span, offset: int) -> Located | None:
    """The part of a dotted module that the cursor is in."""
    start = span.start
    for at, part in enumerate(parts := dotted.split(".")):
        here = Span(start, start + len(part))
        if here.touches(offset):
            return from_refs(here, resolve_module(view, ".".join(parts[: at + 1])))
        start = here.end + 1
    return None


def _node(view: View, path: Sequence[Node], offset: int) -> Located | None:
    inner = path[-1]
    match inner:
        case ast.Name(span):
            return _name(view, inner)
        case ast.Attribute(_, value, name, span) if span.touches(offset):
            return _member(view, resolve(view, value), name, span)
        case _:
            pass
    calling = _argument(view, path, offset)
    if calling is not None:
        return calling
    text = inner if isinstance(inner, ast.String | ast.Strings) else None
    return None if text is None else _string_key(view, path, text)


def _name(view: View, name: ast.Name) -> Located | None:
    for statement in statements(view.document, name.span):
        for binding in statement.bindings:
            if binding.span == name.span:
                here = replace(binding, document=len(view.chain) - 1)
                return from_refs(name.span, resolve_binding(view, here))
    return from_refs(name.span, resolve(view, name))


def _string_key(view: View, path: Sequence[Node], text: ast.String | ast.Strings) -> Located | None:
    """`r["k"]`, `r.get("k")`, `getattr(mcp.s, "raw")`."""
    for node in reversed(path[:-1]):
        match node:
            case ast.Subscript(_, _, index) if ast.bare(index) is text:
                return from_refs(text.span, resolve(view, node))
            case ast.Call():
                return (
                    from_refs(text.span, resolve(view, node)) if _is_key(view, node, text) else None
                )
            case Argument() | ast.Group():
                continue
            case _:
                if node is not text:
                    return None
    return None


def _is_key(view: View, call: Call, text: ast.String | ast.Strings) -> bool:
    """Whether `text` is what `call` asks a result or `getattr` for."""
    values = [ast.bare(argument.value) for argument in call.arguments]
    function = ast.bare(call.function)
    if isinstance(function, ast.Attribute):
        return function.name in {"get", "pop", "setdefault"} and values[0] is text
    is_getattr = resolve(view, function) == (External("builtins.getattr"),)
    return is_getattr and len(values) > 1 and values[1] is text


def _argument(view: View, path: Sequence[Node], offset: int) -> Located | None:
    """A keyword, a dict key or a literal value in the arguments of a tool."""
    for at in range(len(path) - 2, -1, -1):
        call, argument = path[at], path[at + 1]
        if not isinstance(call, Call) or not isinstance(argument, Argument):
            continue
        tools = [ref.tool for ref in called_tools(view, call)[0]]
        if not tools:
            return None
        for tool in tools:
            known = details(tool, view.bindings.fold_characters)
            place = _place(known, argument, path[at + 2 :], offset)
            if place is not None:
                span, keys, value = place
                target = Target(tool.server, tool.raw, keys, value=value)
                return Located(span, (), (target,))
        return None
    return None


def _place(
    known: ToolDetails, argument: Argument, inner: Sequence[Node], offset: int
) -> tuple[Span, Path, str | None] | None:
    """(where, path from the parameter, enum member) of the place in `argument`; None for no place."""
    keys: list[str | int] = []
    if argument.kind is ArgumentKind.KEYWORD and argument.name is not None:
        spelled = normalise(argument.name)
        parameter = known.by_name.get(spelled) or known.by_raw.get(spelled)
        if parameter is None:
            return None
        keys.append(parameter.raw)
        if argument.name_span is not None and argument.name_span.touches(offset):
            return argument.name_span, tuple(keys), None
    elif argument.kind is not ArgumentKind.DOUBLE_STAR:
        return None
    for at, node in enumerate(inner):
        below = inner[at + 1] if at + 1 < len(inner) else None
        match node:
            case ast.Dict() | ast.Group():
                continue
            case Entry(_, key, _) if (
                key is not None and (said := ast.literal_text(key)) is not None
            ):
                if not keys:
                    parameter = known.by_name.get(said) or known.by_raw.get(said)
                    if parameter is None:
                        return None
                    said = parameter.raw
                keys.append(said)
                if below is key or below is None:
                    return (key.span, tuple(keys), None) if below is key else None
            case ast.Display(_, _, items):
                position = next((i for i, item in enumerate(items) if item is below), None)
                if position is None:
                    return None
                keys.append(position)
            case ast.String() | ast.Strings() | ast.Constant():
                return _literal(known, tuple(keys), node)
            case _:
                return None
    return None


def _literal(
    known: ToolDetails, keys: Path, node: ast.String | ast.Strings | ast.Constant
) -> tuple[Span, Path, str] | None:
    """A literal that is one of the values that the schema names."""
    if not keys or not isinstance(keys[0], str):
        return None
    parameter = known.by_raw.get(keys[0])
    of = (
        None
        if parameter is None
        else shapes.at(parameter.field.type, keys[1:], known.schemas.shapes)
    )
    if of is None or isinstance(node.value, complex):
        return None
    if node.value is None and not (isinstance(node, ast.Constant) and node.text == "None"):
        return None
    named = shapes.literals(of)
    for said in (json.dumps(node.value), json.dumps(node.value, ensure_ascii=False)):
        if said in named:
            return node.span, keys, said
    return None
