"""What statements have in common: how they end, the names that they give, type parameters."""

from __future__ import annotations

from codeact_lsp.syntax.expressions import Expression, Span
from codeact_lsp.syntax.origins import Binding, Opaque, OpaqueReason
from codeact_lsp.syntax.parser import expression_list, normalised, parameters
from codeact_lsp.syntax.statements import Statement, StatementKind
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind


def finish(
    stream: Stream,
    kind: StatementKind,
    start: int,
    expressions: list[Expression],
    bindings: tuple[Binding, ...] = (),
    *,
    header: bool = False,
) -> Statement:
    """Take what is left of the statement: broken code still holds calls worth seeing."""
    while stream.text not in {"", ";"} or stream.kind is TokenKind.FSTRING_END:
        if header and stream.accept(":"):
            break
        before = stream.index
        item = expression_list(stream)
        if stream.index == before:
            stream.advance()
        else:
            expressions.append(item)
    return Statement(kind, stream.since(start), bindings, tuple(expressions))


def word(stream: Stream) -> tuple[str, Span]:
    if stream.kind is not TokenKind.NAME:
        return "", Span(stream.last_end, stream.last_end)
    name = normalised(stream.text)
    return name, stream.take()


def type_parameters(stream: Stream) -> list[Binding]:
    """`[T: bound, *Ts]` of PEP 695."""
    if not stream.accept("["):
        return []
    stream.closers.append("]")
    nodes = parameters(stream, annotated=True)
    stream.close("]")
    return [opaque(node.name, node.name_span, OpaqueReason.TYPE) for node in nodes]


def opaque(name: str, span: Span, reason: OpaqueReason) -> Binding:
    return Binding(name, span, Opaque(reason))
