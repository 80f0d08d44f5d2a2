"""A logical line to its statements: a header, simple statements, or several of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from codeact_lsp.syntax.expressions import Expression, Missing, Name, Span
from codeact_lsp.syntax.headers import HEADERS, ParseStatement, case_header, match_header
from codeact_lsp.syntax.imports import import_from, import_modules
from codeact_lsp.syntax.origins import Augmented, Binding, OpaqueReason
from codeact_lsp.syntax.parser import KEYWORDS, expression, expression_list, normalised
from codeact_lsp.syntax.parts import finish, opaque, type_parameters, word
from codeact_lsp.syntax.statements import Statement, StatementKind
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.targets import bound, with_walruses
from codeact_lsp.syntax.tokens import Token, TokenKind

_AUGMENTED: Final = frozenset(
    {"+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="}
)


def parse_line(line: str, tokens: tuple[Token, ...], base: int) -> tuple[Statement, ...]:
    """The statements of one logical line that starts at `base`. Never fails."""
    stream = Stream(line, tokens, base)
    found: list[Statement] = []
    while stream.index < stream.size:
        before = stream.index
        if not stream.accept(";"):
            found.append(_statement(stream))
        if stream.index == before:
            found.pop()
            stream.advance()
    if ":=" in stream.texts:
        found = [with_walruses(statement) for statement in found]
    return tuple(found)


def _statement(stream: Stream) -> Statement:
    start = stream.start
    if stream.kind is TokenKind.MAGIC:
        return _magic(stream)
    stream.accept("async")
    parse = _STATEMENTS.get(stream.text) if stream.kind is TokenKind.NAME else None
    if parse is None and stream.text == "@":
        parse = _decorator
    if parse is None:
        parse = _soft(stream) or _expression_statement
    return parse(stream, start)


def _magic(stream: Stream) -> Statement:
    start, text = stream.start, stream.text
    stream.advance()
    if text[0] == "?":
        return finish(stream, StatementKind.QUERY, start, [])
    if stream.index < stream.size:
        return _statement(stream)
    return Statement(StatementKind.MAGIC, stream.since(start))


def _soft(stream: Stream) -> ParseStatement | None:
    """The parser for a statement that starts with a soft keyword, if it is one here."""
    following, kind = stream.next_text(), stream.kinds[min(stream.index + 1, stream.size)]
    named = kind is TokenKind.NAME and following not in {
        "in",
        "is",
        "and",
        "or",
        "if",
        "else",
        "not",
    }
    if stream.text == "type" and kind is TokenKind.NAME and following not in KEYWORDS:
        return _type_alias
    if stream.text not in {"match", "case"}:
        return None
    if not named and following in {"", "=", ".", ",", ")", ":", ";", "]", "}", ":="} | _AUGMENTED:
        return None
    if not named and not _has_colon(stream):
        return None
    return case_header if stream.text == "case" else match_header


def _has_colon(stream: Stream) -> bool:
    depth = 0
    for text in stream.texts[stream.index :]:
        if text in {"(", "[", "{"}:
            depth += 1
        elif text in {")", "]", "}"}:
            depth -= 1
        elif text == "=" and not depth:
            return False
        elif text == ":" and not depth:
            return True
    return False


def _expression_statement(stream: Stream, start: int) -> Statement:
    first = expression_list(stream)
    if stream.text == "?":
        return finish(stream, StatementKind.QUERY, start, [first])
    if stream.text in _AUGMENTED:
        operator = stream.text
        stream.advance()
        value = expression_list(stream)
        names = (first,) if isinstance(first, Name) else ()
        bindings = tuple(Binding(n.name, n.span, Augmented(operator, value)) for n in names)
        return finish(stream, StatementKind.AUGMENTED, start, [first, value], bindings)
    annotation: list[Expression] = []
    if stream.text == ":" and not isinstance(first, Missing):
        stream.advance()
        annotation.append(expression(stream))
        if stream.text != "=":
            return finish(stream, StatementKind.ASSIGNMENT, start, [first, *annotation])
    if stream.text != "=":
        return finish(stream, StatementKind.EXPRESSION, start, [first])
    return _assignment(stream, start, first, annotation)


def _assignment(
    stream: Stream, start: int, first: Expression, annotation: list[Expression]
) -> Statement:
    assigned = [first]
    value: Expression = Missing(stream.gap())
    while stream.accept("="):
        span = stream.take() if stream.kind is TokenKind.MAGIC else None
        if span is not None and stream.index == stream.size:
            magic = [b for t in assigned for b in bound(t, value, (), OpaqueReason.MAGIC)]
            return Statement(
                StatementKind.ASSIGNMENT, Span(start, span.end), tuple(magic), tuple(assigned)
            )
        value = expression_list(stream)
        if stream.text == "=":
            assigned.append(value)
    bindings = tuple(b for t in assigned for b in bound(t, value))
    return finish(
        stream, StatementKind.ASSIGNMENT, start, [*assigned, *annotation, value], bindings
    )


def _return(stream: Stream, start: int) -> Statement:
    stream.advance()
    return finish(stream, StatementKind.RETURN, start, [expression_list(stream)])


def _type_alias(stream: Stream, start: int) -> Statement:
    stream.advance()
    name, span = word(stream)
    inner = type_parameters(stream)
    stream.accept("=")
    value = expression(stream)
    bindings = (opaque(name, span, OpaqueReason.TYPE),)
    made = finish(stream, StatementKind.TYPE_ALIAS, start, [value], bindings)
    return replace(made, parameters=tuple(inner))


def _delete(stream: Stream, start: int) -> Statement:
    stream.advance()
    removed = expression_list(stream)
    made = finish(stream, StatementKind.DELETE, start, [removed])
    names = tuple(b.name for b in bound(removed, removed))
    return replace(made, names=names)


def _declaration(stream: Stream, start: int) -> Statement:
    kind = StatementKind.GLOBAL if stream.text == "global" else StatementKind.NONLOCAL
    stream.advance()
    names: list[str] = []
    while stream.text not in {"", ";"}:
        if stream.kind is TokenKind.NAME:
            names.append(normalised(stream.text))
        stream.advance()
    return Statement(kind, stream.since(start), names=tuple(names))


def _import(stream: Stream, start: int) -> Statement:
    if stream.text == "from" and stream.next_text() in {"=", ","}:
        return _expression_statement(stream, start)
    parse = import_from if stream.text == "from" else import_modules
    return parse(stream, start)


def _decorator(stream: Stream, start: int) -> Statement:
    stream.advance()
    return finish(stream, StatementKind.DECORATOR, start, [expression(stream)])


_STATEMENTS: Final[dict[str, ParseStatement]] = {
    **HEADERS,
    "import": _import,
    "from": _import,
    "del": _delete,
    "global": _declaration,
    "nonlocal": _declaration,
    "return": _return,
}
