"""`unknown-server`, `unknown-tool`, `raw-tool-name` and `needless-getattr`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from codeact_lsp import text
from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from codeact_lsp.ide import edits
from codeact_lsp.ide.constants import literal
from codeact_lsp.ide.diagnostics.freshness import is_complete, is_settled
from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.members import attribute, resolve_module, together
from codeact_lsp.ide.model import Diagnostic, Fix, Severity, TextEdit, View
from codeact_lsp.ide.nearest import nearest
from codeact_lsp.ide.refs import (
    External,
    Mcp,
    Ref,
    Refs,
    Root,
    ServerRef,
    ToolRef,
    UnknownServer,
    UnknownTool,
)
from codeact_lsp.ide.resolve import resolve, resolve_binding
from codeact_lsp.names import is_dunder
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import Attribute, Call, Expression, Span
from codeact_lsp.syntax.private_names import read_as
from codeact_lsp.syntax.raw import RawName, hyphenated_word
from codeact_lsp.syntax.scopes import lookup
from codeact_lsp.syntax.statements import ImportedName, ImportFrom

_WORDS: Final = 8
"""The most dots of a raw name that is looked for."""


def check_attribute(view: View, node: Attribute) -> Iterator[Diagnostic]:
    """`mcp.<unknown>` and `mcp.s.<unknown>`."""
    if not node.name or is_dunder(node.name):
        return
    read = read_as(view.document, node.name, node.name_span.start)
    holders = resolve(view, node.value)
    refs = attribute(view, holders, read)
    raw = _raw_attribute(view, node)
    if raw is not None:
        yield raw
    elif read != node.name and _is_one(attribute(view, holders, node.name)):
        value = edits.source(view.document, node.value.span)
        written = f"getattr({value}, {text.literal(node.name)})"
        fix = Fix(edits.writes(written), (TextEdit(node.span, written),))
        yield _private(node.name, read, node.name_span, holders, fix)
    elif len(refs) == 1 and isinstance(refs[0], UnknownServer | UnknownTool):
        yield _unknown(view, refs[0], node.name_span, node)


def check_name(view: View, node: ast.Name) -> Iterator[Diagnostic]:
    """The name of a tool that Python reads as another one inside a class."""
    read = read_as(view.document, node.name, node.span.start)
    if read == node.name or resolve(view, node) != (External(f"builtins.{node.name}"),):
        return
    bindings = lookup(view.chain, node.name, node.span.start)
    held = together(resolve_binding(view, binding) for binding in bindings)
    if bindings and _is_one(held):
        yield _private(node.name, read, node.span, held, None)


def _is_one(refs: Refs) -> bool:
    """Whether this is a server or a tool, and nothing else."""
    return len(refs) == 1 and isinstance(refs[0], ServerRef | ToolRef)


def _private(name: str, read: str, span: Span, of: Refs, fix: Fix | None) -> Diagnostic:
    code = "unknown-server" if isinstance(of[0], Mcp) else "unknown-tool"
    how = "" if fix is None else ": reach it with `getattr`"
    return finding(code, span, f"inside a class Python reads `{name}` as `{read}`{how}", fix)


def _raw_attribute(view: View, node: Attribute) -> Diagnostic | None:
    """`mcp.s.import` and `mcp.s.a.b`: raw names that only `getattr` reaches, written as attributes."""
    words = [node.name]
    value = node.value
    while len(words) <= _WORDS:
        for ref in resolve(view, value):
            raw = ".".join(reversed(words))
            tool = ref.server.by_raw.get(raw) if isinstance(ref, ServerRef) else None
            if tool is not None and tool.name is None:
                written = f"getattr({edits.source(view.document, value.span)}, {text.literal(raw)})"
                return finding(
                    "raw-tool-name",
                    node.span,
                    f"{text.json_key(raw)} is no attribute: reach it with `{written}`",
                    Fix(edits.writes(written), (TextEdit(node.span, written),)),
                )
        if not isinstance(value, Attribute):
            break
        words.append(value.name)
        value = value.value
    return None


def check_import(view: View, source: ImportFrom) -> Iterator[Diagnostic]:
    """`from codeact_lsp.tools.mcp.<unknown> import <unknown>`."""
    if source.level:
        return
    holders = resolve_module(view, source.module)
    if len(holders) != 1:
        return
    holder = holders[0]
    if isinstance(holder, UnknownServer):
        yield _unknown_module(view, holder, source.module, source.module_span)
        return
    if not isinstance(holder, Root | Mcp | ServerRef):
        return
    end = 0
    for name in source.names:
        if name.name in {"", "*"} or name.span.start < end:
            continue
        raw = _raw_import(view, holder, name.span.start)
        if raw is not None:
            end = raw.span.end
            yield raw
            continue
        read = read_as(view.document, name.name, name.span.start)
        if read != name.name and _is_one(attribute(view, holders, name.name)):
            yield _private(name.name, read, name.span, holders, None)
            continue
        found = attribute(view, holders, name.name)
        if len(found) == 1 and isinstance(found[0], UnknownServer | UnknownTool):
            yield _unknown(view, found[0], name.span, None)


def check_module(view: View, module: ImportedName) -> Iterator[Diagnostic]:
    """`import codeact_lsp.tools.mcp.<unknown>`."""
    refs = resolve_module(view, module.name)
    if len(refs) == 1 and isinstance(refs[0], UnknownServer):
        yield _unknown_module(view, refs[0], module.name, module.span)


def _unknown_module(view: View, ref: UnknownServer, dotted: str, span: Span) -> Diagnostic:
    """What is wrong with the last part of `dotted`, which names a server."""
    last = span.end - len(dotted.rsplit(".", 1)[-1])
    return _raw_import(view, Mcp(), last) or _unknown(view, ref, Span(last, span.end), None)


def _raw_import(view: View, holder: Root | Mcp | ServerRef, start: int) -> Diagnostic | None:
    """A raw name with hyphens at `start` of an import, which Python cannot import."""
    word = hyphenated_word(view.document.text, start)
    raw = "" if word is None else view.document.text[word.start : word.end]
    named = _by_raw(view, holder, raw)
    if word is None or named is None or named.name is None:
        return None
    return finding(
        "raw-tool-name",
        word,
        f"no import takes a hyphen: {text.json_key(raw)} is spelled `{named.name}` here",
        Fix(edits.writes(named.name), (TextEdit(word, named.name),)),
    )


def _by_raw(view: View, holder: Ref, raw: str) -> ToolBinding | ServerBinding | None:
    match holder:
        case ServerRef(server):
            return server.by_raw.get(raw)
        case Mcp():
            return view.bindings.servers_by_raw.get(raw)
        case Root():
            return view.bindings.native_by_raw.get(raw)
        case _:
            return None


def check_getattr(view: View, call: Call) -> Iterator[Diagnostic]:
    """`getattr(mcp.s, "raw")`: needless where the tool has a name, wrong where there is no such tool."""
    if resolve(view, call.function) != (External("builtins.getattr"),):
        return
    values = [argument.value for argument in call.arguments]
    if len(values) < 2 or call.close is None:
        return
    holder, key = values[0], ast.literal_text(values[1])
    if key is None or literal(view, values[1]) != key:
        return
    refs = resolve(view, call)
    if len(refs) != 1:
        return
    match refs[0]:
        case UnknownServer() | UnknownTool() as unknown if len(values) == 2:
            yield _unknown(view, unknown, values[1].span, None, quoted=True)
        case ToolRef(tool) if _holds(view, holder, tool):
            yield from _needless(view, call, holder, tool.name, key)
        case ServerRef(server) if isinstance(resolve(view, holder)[0], Mcp):
            yield from _needless(view, call, holder, server.name, key)
        case _:
            return


def _holds(view: View, holder: Expression, tool: ToolBinding) -> bool:
    """Whether the tool is an attribute of `holder`, and not reached by its flat name only."""
    match resolve(view, holder)[0]:
        case ServerRef(server):
            return server.by_raw.get(tool.raw) is tool
        case Root():
            return tool.server is None
        case _:
            return False


def _needless(
    view: View, call: Call, holder: Expression, name: str | None, key: str
) -> Iterator[Diagnostic]:
    if name is None or read_as(view.document, name, call.span.start) != name:
        return
    written = f"{edits.source(view.document, holder.span)}.{name}"
    yield finding(
        "needless-getattr",
        call.span,
        f"{text.json_key(key)} has a name: `{written}`",
        Fix(edits.writes(written), (TextEdit(call.span, written),)),
    )


def check_raw_name(view: View, raw: RawName) -> Iterator[Diagnostic]:
    """`mcp.s.my-tool(…)`, which Python reads as a subtraction."""
    holders = resolve(view, raw.value)
    if len(holders) != 1:
        return
    found = _by_raw(view, holders[0], raw.raw)
    if found is None:
        return
    value = edits.source(view.document, raw.value.span)
    whole = Span(raw.value.span.start, raw.span.end)
    written = (
        f"{value}.{found.name}"
        if found.name is not None
        else f"getattr({value}, {text.literal(found.raw)})"
    )
    yield finding(
        "raw-tool-name",
        whole,
        f"Python reads this as a subtraction: {text.json_key(raw.raw)} is spelled `{written}` here",
        Fix(edits.writes(written), (TextEdit(whole, written),)),
    )


def _unknown(
    view: View,
    ref: UnknownServer | UnknownTool,
    span: Span,
    node: Attribute | None,
    *,
    quoted: bool = False,
) -> Diagnostic:
    if isinstance(ref, UnknownServer):
        return _unknown_server(view, ref, span, node, quoted=quoted)
    tools = view.bindings.native if ref.server is None else ref.server.tools
    like = nearest(
        ref.name, ((name, tool) for tool in tools for name in (tool.raw, tool.name or tool.raw))
    )
    where = (
        "the bindings module" if ref.server is None else f"server {text.json_key(ref.server.raw)}"
    )
    settled = is_complete(view.bindings) and is_settled(
        view.bindings, None if ref.server is None else ref.server.raw
    )
    return finding(
        "unknown-tool",
        span,
        f"{where} has no tool {text.json_key(ref.name)}{_meant(like)}",
        None if like is None else _respell(view, like, span, node, quoted=quoted),
        severity=None if settled else Severity.HINT,
    )


def _unknown_server(
    view: View, ref: UnknownServer, span: Span, node: Attribute | None, *, quoted: bool
) -> Diagnostic:
    servers = view.bindings.servers
    like = nearest(
        ref.name,
        ((name, server) for server in servers for name in (server.raw, server.name or server.raw)),
    )
    return finding(
        "unknown-server",
        span,
        f"no server is called {text.json_key(ref.name)}{_meant(like)}",
        None if like is None else _respell(view, like, span, node, quoted=quoted),
        severity=None if is_complete(view.bindings) else Severity.HINT,
    )


def _meant(like: ToolBinding | ServerBinding | None) -> str:
    return "" if like is None else f"; did you mean `{like.name or text.json_key(like.raw)}`?"


def _respell(
    view: View,
    like: ToolBinding | ServerBinding,
    span: Span,
    node: Attribute | None,
    *,
    quoted: bool,
) -> Fix | None:
    if quoted:
        key = text.literal(like.raw)
        return Fix(edits.writes(key), (TextEdit(span, key),), safe=False)
    if like.name is not None:
        return Fix(f"Write {like.name}", (TextEdit(span, like.name),), safe=False)
    if node is None:
        return None
    written = f"getattr({edits.source(view.document, node.value.span)}, {text.literal(like.raw)})"
    return Fix(edits.writes(written), (TextEdit(node.span, written),), safe=False)
