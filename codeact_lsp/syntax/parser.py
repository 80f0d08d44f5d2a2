"""Tokens to expressions. Tolerant: any sequence of tokens gives some expression, in one pass.

The grammar is Python's (https://docs.python.org/3/reference/grammar.html); where an operand is not
there, `Missing` stands for it and nothing is read.
"""

from __future__ import annotations

import keyword
import unicodedata
from typing import Final

from codeact_lsp.syntax import brackets
from codeact_lsp.syntax.expressions import (
    Attribute,
    Await,
    Conditional,
    Display,
    DisplayKind,
    Expression,
    Lambda,
    Missing,
    Name,
    Operation,
    ParameterNode,
    Span,
    Starred,
    Walrus,
    Yield,
)
from codeact_lsp.syntax.literals import STRING_KINDS, Parse, constant, strings
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind

KEYWORDS: Final = frozenset(keyword.kwlist)
_CONSTANTS: Final = frozenset({"True", "False", "None"})
_NOT: Final = 3
_PRECEDENCE: Final = {
    "or": 1, "and": 2,
    "in": 4, "not": 4, "is": 4, "<": 4, ">": 4, "==": 4, ">=": 4, "<=": 4, "!=": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8, "+": 9, "-": 9,
    "*": 10, "/": 10, "//": 10, "%": 10, "@": 10,
}  # fmt: skip
_COMPARISON: Final = 4


def expression_list(stream: Stream) -> Expression:
    """One expression, or several with commas as a tuple without parentheses."""
    start = stream.start
    first = _starred_or_expression(stream)
    if stream.text != ",":
        return first
    items = [first]
    while stream.accept(","):
        before = stream.index
        item = _starred_or_expression(stream)
        if stream.index == before:
            break
        items.append(item)
    return Display(stream.since(start), DisplayKind.TUPLE, tuple(items), None, None)


def _starred_or_expression(stream: Stream) -> Expression:
    if stream.text != "*":
        return expression(stream)
    start = stream.take().start
    value = _binary(stream, _COMPARISON)
    return Starred(stream.since(start), value)


def expression(stream: Stream) -> Expression:
    """Anything that can stand between two commas."""
    return _nested(stream, _expression)


def _nested(stream: Stream, read: Parse) -> Expression:
    if stream.too_deep():
        return Missing(stream.gap())
    stream.depth += 1
    found = read(stream)
    stream.depth -= 1
    return found


def _expression(stream: Stream) -> Expression:
    if stream.text == "lambda":
        return _lambda(stream)
    if stream.text == "yield":
        return _yield(stream)
    return _conditional(stream, _binary(stream, 0))


def argument(stream: Stream) -> Expression:
    """An expression, or a keyword alone: `f(from` waits for its `=`, `f(order=as` for its `c`."""
    word = stream.text
    if word in KEYWORDS and word not in _CONSTANTS and stream.next_text() in {"", ",", ")", "-"}:
        start = stream.start
        name = Name(stream.take(), word)
        while stream.text == "-" and stream.glued():
            name = Name(Span(start, stream.take().end), word)
            if stream.kind in {TokenKind.NAME, TokenKind.NUMBER}:
                name = Name(Span(start, stream.take().end), word)
        return name
    return expression(stream)


def target(stream: Stream) -> Expression:
    """One target of an assignment, `for` or `with`."""
    return _nested(stream, _target)


def _target(stream: Stream) -> Expression:
    return _binary(stream, _COMPARISON)


def condition(stream: Stream) -> Expression:
    """What stands behind `in` or `if` in a comprehension."""
    return _nested(stream, _condition)


def _condition(stream: Stream) -> Expression:
    if stream.text == "lambda":
        return _lambda(stream)
    value = _binary(stream, 0)
    return _walrus(stream, value) if stream.text == ":=" else value


_GRAMMAR: Final = brackets.Grammar(expression, condition, target, argument)


def _conditional(stream: Stream, body: Expression) -> Expression:
    if stream.text == ":=":
        return _walrus(stream, body)
    if stream.text != "if":
        return body
    stream.advance()
    test = _binary(stream, 0)
    orelse = expression(stream) if stream.accept("else") else Missing(stream.gap())
    return Conditional(stream.since(body.span.start), body, test, orelse)


def _walrus(stream: Stream, name: Expression) -> Expression:
    stream.advance()
    value = expression(stream)
    if not isinstance(name, Name):
        return value
    return Walrus(stream.since(name.span.start), name, value)


def _yield(stream: Stream) -> Expression:
    start = stream.take().start
    if stream.accept("from"):
        value = expression(stream)
        return Yield(stream.since(start), value, delegates=True)
    if stream.ended() or stream.text in {"=", ";"}:
        return Yield(stream.since(start), None)
    value = expression_list(stream)
    return Yield(stream.since(start), value)


def _lambda(stream: Stream) -> Expression:
    start = stream.take().start
    names = parameters(stream, annotated=False)
    body = expression(stream) if stream.accept(":") else Missing(stream.gap())
    return Lambda(stream.since(start), names, body)


def parameters(stream: Stream, *, annotated: bool) -> tuple[ParameterNode, ...]:
    """Parameters up to the closer, or up to the colon of a lambda."""
    found: list[ParameterNode] = []
    while not stream.ended() and (annotated or stream.text != ":"):
        start = stream.start
        if stream.kind is not TokenKind.NAME or stream.text in KEYWORDS:
            stream.advance()
            continue
        name = stream.text
        span = stream.take()
        annotation = None
        if annotated and stream.accept(":"):
            annotation = _starred_or_expression(stream)
        default = expression(stream) if stream.accept("=") else None
        found.append(
            ParameterNode(stream.since(start), normalised(name), span, annotation, default)
        )
    return tuple(found)


def _binary(stream: Stream, lowest: int) -> Expression:
    """Operators that bind tighter than `lowest`."""
    left = _prefixed(stream) if stream.text == "not" else _unary(stream)
    while True:
        precedence = _PRECEDENCE.get(stream.text, -1)
        if precedence <= lowest or (stream.text == "not" and stream.next_text() != "in"):
            return left
        operator, span, glued = _operator(stream)
        if glued and operator == "-" and stream.text in KEYWORDS:
            right = _primary(stream, word=True)
        else:
            right = _binary(stream, precedence)
        left = _operation(stream, operator, span, (left, right))


def _operator(stream: Stream) -> tuple[str, Span, bool]:
    """The operator, where it stands, and whether no blank is around it."""
    before = stream.last_end
    operator = stream.text
    span = stream.take()
    if operator in {"is", "not"} and stream.text == {"is": "not", "not": "in"}[operator]:
        operator = f"{operator} {stream.text}"
        span = Span(span.start, stream.take().end)
    return operator, span, before == span.start and stream.start == span.end


def _operation(
    stream: Stream, operator: str, span: Span, operands: tuple[Expression, ...]
) -> Operation:
    start = min(span.start, operands[0].span.start)
    return Operation(stream.since(start), operator, span, operands)


def _prefixed(stream: Stream) -> Expression:
    """`not`, `-`, `+` or `~`, and its operand."""
    operator, span = stream.text, stream.take()
    operand = _nested(stream, _negated if operator == "not" else _unary)
    return _operation(stream, operator, span, (operand,))


def _negated(stream: Stream) -> Expression:
    return _binary(stream, _NOT)


def _unary(stream: Stream) -> Expression:
    if stream.text in {"-", "+", "~"}:
        return _prefixed(stream)
    left = _awaited(stream)
    if stream.text != "**":
        return left
    span = stream.take()
    right = _nested(stream, _unary)
    return _operation(stream, "**", span, (left, right))


def _awaited(stream: Stream) -> Expression:
    if stream.text != "await":
        return _primary(stream)
    start = stream.take().start
    value = _primary(stream)
    return Await(stream.since(start), value)


def _primary(stream: Stream, *, word: bool = False) -> Expression:
    """An atom with its attributes, calls and subscripts; `word` lets a keyword be a name."""
    value = _name(stream) if word else _atom(stream)
    if isinstance(value, Missing) and stream.text != ".":
        return value
    while True:
        text = stream.text
        if text == ".":
            value = _attribute(stream, value)
        elif text == "(":
            value = brackets.call(stream, _GRAMMAR, value)
        elif text == "[":
            value = brackets.subscript(stream, _GRAMMAR, value)
        else:
            return value


def _attribute(stream: Stream, value: Expression) -> Attribute:
    # `x = [mcp. for …]`: a keyword is the attribute's (raw) name only right behind the dot.
    glued = stream.glued()
    dot = stream.take()
    if stream.kind is TokenKind.NAME and (glued or stream.text not in KEYWORDS):
        name = normalised(stream.text)
        span = stream.take()
    else:
        name, span = "", Span(dot.end, dot.end)
    return Attribute(Span(value.span.start, span.end), value, name, span)


def _atom(stream: Stream) -> Expression:
    text, kind = stream.text, stream.kind
    if kind is TokenKind.NAME:
        if text not in KEYWORDS:
            return _name(stream)
        if text in _CONSTANTS:
            return constant(text, stream.take())
        return Missing(stream.gap())
    if kind is TokenKind.NUMBER or text == "...":
        return constant(text, stream.take())
    if kind in STRING_KINDS:
        return strings(stream, expression)
    if kind is TokenKind.OPERATOR and text in _OPENERS:
        return _OPENERS[text](stream, _GRAMMAR)
    return Missing(stream.gap())


_OPENERS: Final = {
    "(": brackets.parenthesised,
    "[": brackets.listed,
    "{": brackets.braced,
}


def _name(stream: Stream) -> Name:
    text = stream.text
    return Name(stream.take(), normalised(text))


def normalised(name: str) -> str:
    """An identifier as Python reads it (PEP 3131)."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)
