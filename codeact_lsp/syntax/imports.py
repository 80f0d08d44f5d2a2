"""Import statements, also half-written ones."""

from __future__ import annotations

from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.origins import Binding, Imported
from codeact_lsp.syntax.parser import normalised
from codeact_lsp.syntax.parts import word
from codeact_lsp.syntax.statements import ImportedName, ImportFrom, Statement, StatementKind
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind


def import_modules(stream: Stream, start: int) -> Statement:
    """`import a.b, c as d`."""
    stream.advance()
    modules: list[ImportedName] = []
    while stream.text not in {"", ";"}:
        before = stream.index
        if not stream.accept(","):
            modules.append(_aliased(stream, *_dotted(stream)))
        if stream.index == before:
            modules.pop()
            stream.advance()
    bindings = tuple(_module_binding(module) for module in modules if module.name)
    return Statement(StatementKind.IMPORT, stream.since(start), bindings, modules=tuple(modules))


def _module_binding(module: ImportedName) -> Binding:
    if module.alias and module.alias_span:
        return Binding(module.alias, module.alias_span, Imported(module.name))
    first, _, rest = module.name.partition(".")
    span = Span(module.span.start, min(module.span.start + len(first), module.span.end))
    return Binding(first, span, Imported(first, submodule=module.name if rest else None))


def import_from(stream: Stream, start: int) -> Statement:
    """`from a.b import c as d, e`, `from . import x`, `from m import *`."""
    stream.advance()
    level = 0
    while stream.text in {".", "..."}:
        level += len(stream.text)
        stream.advance()
    module, module_span = _dotted(stream)
    keyword = stream.start if stream.text == "import" else None
    names: list[ImportedName] = []
    if keyword is not None:
        stream.advance()
        names = _names(stream)
    while stream.text not in {"", ";"}:
        stream.advance()
    bindings = tuple(_name_binding(module, level, item) for item in names if item.name)
    source = ImportFrom(module, module_span, level, tuple(names), keyword)
    return Statement(StatementKind.IMPORT_FROM, stream.since(start), bindings, source=source)


def _names(stream: Stream) -> list[ImportedName]:
    stream.accept("(")
    names: list[ImportedName] = []
    while stream.text not in {"", ";", ")"}:
        if stream.text == "*":
            names.append(ImportedName("*", stream.take()))
        elif stream.kind is TokenKind.NAME:
            names.append(_aliased(stream, *word(stream)))
        else:
            stream.advance()
    stream.accept(")")
    return names


def _name_binding(module: str, level: int, item: ImportedName) -> Binding:
    if item.name == "*":
        return Binding("*", item.span, Imported(module, "*", level, star=True))
    origin = Imported(module, item.name, level)
    return Binding(item.alias or item.name, item.alias_span or item.span, origin)


def _aliased(stream: Stream, name: str, span: Span) -> ImportedName:
    if not stream.accept("as"):
        return ImportedName(name, span)
    alias, alias_span = word(stream)
    return ImportedName(name, span, alias or None, alias_span if alias else None)


def _dotted(stream: Stream) -> tuple[str, Span]:
    """A dotted name; it ends with a dot where the next part is not there yet."""
    start = stream.start if stream.kind is TokenKind.NAME else stream.last_end
    parts: list[str] = []
    while stream.kind is TokenKind.NAME and not (stream.text in {"import", "as"} and not parts):
        parts.append(normalised(stream.text))
        stream.advance()
        if stream.text != "." or not stream.accept("."):
            return ".".join(parts), stream.since(start)
        if stream.text in {"import", "as"} and stream.start > stream.last_end:
            break
    return "".join(f"{part}." for part in parts), stream.since(start)
