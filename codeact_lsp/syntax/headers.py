"""The headers of compound statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

from codeact_lsp.syntax import patterns
from codeact_lsp.syntax.brackets import targets
from codeact_lsp.syntax.expressions import Call, Expression, Missing, ParameterNode
from codeact_lsp.syntax.origins import Binding, Defined, Enter, Iterate, OpaqueReason, Parameter
from codeact_lsp.syntax.parser import expression, expression_list, parameters, target
from codeact_lsp.syntax.parts import finish, opaque, type_parameters, word
from codeact_lsp.syntax.statements import Statement, StatementKind
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.targets import bound
from codeact_lsp.syntax.tokens import TokenKind

ParseStatement: TypeAlias = Callable[[Stream, int], Statement]


def other_header(stream: Stream, start: int) -> Statement:
    stream.advance()
    expressions = [] if stream.text in {":", ";", ""} else [expression_list(stream)]
    return finish(stream, StatementKind.OTHER, start, expressions, header=True)


def _for(stream: Stream, start: int) -> Statement:
    asynchronous = _is_async(stream)
    stream.advance()
    variable = targets(stream, target)
    iterable = expression_list(stream) if stream.accept("in") else Missing(stream.gap())
    bindings = bound(variable, iterable, (Iterate(asynchronous),))
    return finish(stream, StatementKind.FOR, start, [variable, iterable], bindings, header=True)


def _with(stream: Stream, start: int) -> Statement:
    asynchronous = _is_async(stream)
    stream.advance()
    grouped = stream.text == "(" and _items_in_parentheses(stream)
    if grouped:
        stream.advance()
        stream.closers.append(")")
    expressions: list[Expression] = []
    bindings: list[Binding] = []
    while not stream.ended() and stream.text != ":":
        before = stream.index
        if stream.accept(","):
            continue
        value = expression(stream)
        expressions.append(value)
        if stream.accept("as"):
            variable = target(stream)
            expressions.append(variable)
            bindings.extend(bound(variable, value, (Enter(asynchronous),)))
        if stream.index == before:
            expressions.pop()
            break
    if grouped:
        stream.close(")")
    return finish(stream, StatementKind.WITH, start, expressions, tuple(bindings), header=True)


def _items_in_parentheses(stream: Stream) -> bool:
    """Whether `with (` opens a list of items, rather than an expression that goes on behind it."""
    depth = 0
    for place in range(stream.index, stream.size):
        text = stream.texts[place]
        if text in {"(", "[", "{"}:
            depth += 1
        elif text in {")", "]", "}"}:
            depth -= 1
            if depth == 0:
                return stream.texts[place + 1] in {":", ""}
        elif text == "as" and depth == 1:
            return True
    return False


def _function(stream: Stream, start: int) -> Statement:
    stream.advance()
    name, span = word(stream)
    inner = type_parameters(stream)
    expressions: list[Expression] = []
    nodes: tuple[ParameterNode, ...] = ()
    if stream.accept("("):
        stream.closers.append(")")
        nodes = parameters(stream, annotated=True)
        stream.close(")")
    for node in nodes:
        expressions += [part for part in (node.annotation, node.default) if part is not None]
    if stream.accept("->"):
        expressions.append(expression(stream))
    inner += [
        Binding(node.name, node.name_span, Parameter(node.annotation, node.default))
        for node in nodes
    ]
    bindings = (Binding(name, span, Defined(is_class=False)),) if name else ()
    header = finish(stream, StatementKind.FUNCTION, start, expressions, bindings, header=True)
    return replace(header, parameters=tuple(inner))


def _class(stream: Stream, start: int) -> Statement:
    stream.advance()
    name, span = word(stream)
    inner = type_parameters(stream)
    expressions: list[Expression] = []
    if stream.text == "(":
        stream.back(stream.index - 1)
        bases = expression(stream)  # the name and its bases read like a call
        expressions += [item.value for item in bases.arguments] if isinstance(bases, Call) else []
    bindings = (Binding(name, span, Defined(is_class=True)),) if name else ()
    header = finish(stream, StatementKind.CLASS, start, expressions, bindings, header=True)
    return replace(header, parameters=tuple(inner))


def _except(stream: Stream, start: int) -> Statement:
    stream.advance()
    stream.accept("*")
    expressions = [] if stream.text == ":" else [expression_list(stream)]
    bindings: tuple[Binding, ...] = ()
    if stream.accept("as") and stream.kind is TokenKind.NAME:
        name, span = word(stream)
        bindings = (opaque(name, span, OpaqueReason.EXCEPTION),)
    return finish(stream, StatementKind.EXCEPT, start, expressions, bindings, header=True)


def case_header(stream: Stream, start: int) -> Statement:
    stream.advance()
    read = patterns.pattern(stream)
    guarded = stream.accept("if")
    expressions = [expression(stream)] if guarded else []
    header = finish(stream, StatementKind.CASE, start, expressions, read.bindings, header=True)
    return replace(header, tests=read.tests, exact=read.exact and not guarded)


def match_header(stream: Stream, start: int) -> Statement:
    return replace(other_header(stream, start), kind=StatementKind.MATCH)


def _is_async(stream: Stream) -> bool:
    return stream.index > 0 and stream.texts[stream.index - 1] == "async"


HEADERS: Final[dict[str, ParseStatement]] = {
    "for": _for,
    "with": _with,
    "def": _function,
    "class": _class,
    "except": _except,
    **dict.fromkeys(("if", "elif", "else", "while", "try", "finally"), other_header),
}
"""By first word; `match` and `case` are words like others, so the caller tells."""
