"""The cursor in an import statement."""

from __future__ import annotations

from codeact_lsp.syntax.contexts import (
    BareName,
    Context,
    ImportName,
    ModulePath,
    NothingHere,
    Silence,
)
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.raw import hyphenated_word
from codeact_lsp.syntax.slots import last_token
from codeact_lsp.syntax.statements import ImportedName, ImportFrom, Statement, StatementKind


def in_import(document: Document, statement: Statement, offset: int) -> Context | None:
    """What is typed at a place in an import; None in other statements and in its first word."""
    start = statement.span.start
    if statement.source is not None and offset > start + len("from"):
        return _in_from(document, statement.source, offset)
    if statement.kind is StatementKind.IMPORT and offset > start + len("import"):
        return _in_modules(document, statement.modules, offset)
    return None


def _in_modules(document: Document, modules: tuple[ImportedName, ...], offset: int) -> Context:
    for module in modules:
        if module.alias_span is not None and module.alias_span.touches(offset):
            return NothingHere(Silence.DEFINITION)
        span = _with_hyphens(document.text, module.span, offset)
        if span.touches(offset):
            return _module(document, span, offset)
    if _last(document, offset) in {"import", ","}:
        return _module(document, Span(offset, offset), offset)
    return _word(document, offset)


def _module(document: Document, span: Span, offset: int) -> ModulePath:
    parent, part = _parts(document.text, span, offset)
    prefix = document.text[part.start : offset]
    return ModulePath(parent, 0, prefix, part, is_from=False, imports=False)


def _parts(text: str, span: Span, offset: int) -> tuple[str, Span]:
    """What stands before the last dot before the cursor, and the part that the cursor is in."""
    dot = text.rfind(".", span.start, offset)
    end = text.find(".", offset, span.end)
    start = span.start if dot < 0 else dot + 1
    return text[span.start : max(dot, span.start)], Span(start, span.end if end < 0 else end)


def _in_from(document: Document, source: ImportFrom, offset: int) -> Context:
    keyword = source.import_keyword
    text = document.text
    before = keyword is None or offset < keyword
    module_span = _with_hyphens(text, source.module_span, offset)
    if before and (module_span.touches(offset) or not source.module):
        span = module_span if source.module else Span(offset, offset)
        parent, part = _parts(text, span, offset)
        prefix = text[part.start : offset]
        imports = keyword is not None
        return ModulePath(parent, source.level, prefix, part, is_from=True, imports=imports)
    if keyword is None or offset <= keyword + len("import"):
        return _word(document, offset)
    for name in source.names:
        if name.alias_span is not None and name.alias_span.touches(offset):
            return NothingHere(Silence.DEFINITION)
    touched = next((name for name in source.names if name.span.touches(offset)), None)
    if touched is None and _last(document, offset) not in {"import", ",", "("}:
        return _word(document, offset)
    span = Span(offset, offset) if touched is None else touched.span
    span = hyphenated_word(text, offset) or span
    given = tuple(name.name for name in source.names if not span.touches(name.span.start))
    aliased = touched is not None and touched.alias_span is not None
    prefix = text[span.start : offset]
    return ImportName(source.module, source.level, prefix, span, given, aliased=aliased)


def _with_hyphens(text: str, module: Span, offset: int) -> Span:
    """`module` with the rest of its last part, where somebody types a server's raw name there."""
    word = hyphenated_word(text, offset)
    joins = word is not None and word.start <= module.end < word.end
    return Span(module.start, word.end) if word is not None and joins else module


def _last(document: Document, offset: int) -> str:
    token = last_token(document.line_at(offset), offset)
    return "" if token is None else token.text


def _word(document: Document, offset: int) -> Context:
    """Where only a keyword goes on: `from m ‸`, `import a ‸`."""
    placed = document.line_at(offset)
    place = offset - placed.start if placed is not None else 0
    for token in placed.line.tokens if placed is not None else ():
        if token.start < place <= token.end and placed is not None and token.text.isidentifier():
            span = Span(placed.start + token.start, placed.start + token.end)
            return BareName(document.text[span.start : offset], span, called=False, call=None)
    return NothingHere(Silence.OPERATOR)
