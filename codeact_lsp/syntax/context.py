"""What kind of place the cursor is in."""

from __future__ import annotations

import re
from typing import Final

from codeact_lsp.syntax.boundaries import wants_operand
from codeact_lsp.syntax.call import CallSite, call_at
from codeact_lsp.syntax.contexts import (
    AttributeName,
    BareName,
    Context,
    ImportName,
    InCall,
    KeyRoute,
    ModulePath,
    NothingHere,
    Silence,
    StringKey,
)
from codeact_lsp.syntax.document import Document, PlacedLine, path_at, statement_at
from codeact_lsp.syntax.expressions import (
    Argument,
    Attribute,
    Await,
    Call,
    Constant,
    Expression,
    Missing,
    Name,
    Node,
    Operation,
    ParameterNode,
    Span,
    String,
    Subscript,
)
from codeact_lsp.syntax.import_context import in_import
from codeact_lsp.syntax.raw import hyphenated
from codeact_lsp.syntax.slots import SlotKind, last_token
from codeact_lsp.syntax.statements import Statement, StatementKind
from codeact_lsp.syntax.tokens import Token, TokenKind

__all__ = [
    "AttributeName",
    "BareName",
    "Context",
    "ImportName",
    "InCall",
    "KeyRoute",
    "ModulePath",
    "NothingHere",
    "Silence",
    "StringKey",
    "context_at",
    "word_key",
]

_RAW_WORD: Final = re.compile(r"\w*(?:-\w*)*")
_GETTERS: Final = frozenset({"get", "pop", "setdefault"})
_DEFINES: Final = frozenset({StatementKind.FUNCTION, StatementKind.CLASS, StatementKind.TYPE_ALIAS})


def context_at(document: Document, offset: int) -> Context:
    """The kind of place that the cursor is in. Never fails."""
    placed = document.line_at(offset)
    token = _token_under(placed, offset)
    if token is not None and token.kind is TokenKind.COMMENT:
        return NothingHere(Silence.COMMENT)
    if token is not None and token.kind is TokenKind.MAGIC and token.text[0] != "?":
        return NothingHere(Silence.MAGIC)
    statement = statement_at(document, offset)
    if statement is not None:
        found = in_import(document, statement, offset) or _in_definition(statement, offset)
        if found is not None:
            return found
    path = path_at(document, offset)
    if path:
        return _in_expression(document, path, offset)
    return _at_word(document, offset, None)


def _token_under(placed: PlacedLine | None, offset: int) -> Token | None:
    """The token that the cursor is in or behind."""
    if placed is None:
        return None
    place = offset - placed.start
    return next((t for t in placed.line.tokens if t.start < place <= t.end), None)


def _at_word(document: Document, offset: int, call: CallSite | None) -> Context:
    """A keyword, the start of an operand or of a statement, or behind something complete."""
    placed = document.line_at(offset)
    token = _token_under(placed, offset)
    span = Span(offset, offset)
    if placed is not None and token is not None and token.kind is TokenKind.NAME:
        return _bare(
            document, Span(placed.start + token.start, placed.start + token.end), offset, call
        )
    last = last_token(placed, offset)
    if last is None or last.kind is TokenKind.MAGIC or wants_operand(last.text):
        return _bare(document, span, offset, call)
    return NothingHere(Silence.OPERATOR)


def _bare(document: Document, span: Span, offset: int, call: CallSite | None) -> BareName:
    called = document.text.startswith("(", span.end)
    return BareName(document.text[span.start : offset], span, called, call)


def _in_definition(statement: Statement, offset: int) -> Context | None:
    """The cursor is on a name that the statement makes up."""
    made = statement.bindings if statement.kind in _DEFINES else ()
    if any(b.span.touches(offset) for b in (*made, *statement.parameters)):
        return NothingHere(Silence.DEFINITION)
    return None


def _in_expression(document: Document, path: tuple[Node, ...], offset: int) -> Context:
    node = path[-1]
    site = call_at(document, offset)
    if isinstance(node, String):
        return _in_string(document, path, offset, site)
    attribute = _attribute_under(document.text, path, offset)
    if attribute is not None:
        return _attribute(document, path, attribute, offset)
    if isinstance(node, ParameterNode):
        return NothingHere(Silence.DEFINITION)
    key = _key_without_quote(document, path, offset)
    if key is not None:
        return key
    if site is not None and site.slot.kind is not SlotKind.NONE:
        return InCall(site)
    if isinstance(node, Missing):
        return _bare(document, Span(offset, offset), offset, site)
    if isinstance(node, Constant):
        return NothingHere(Silence.NUMBER)
    return _at_word(document, offset, site)


def _attribute_under(text: str, path: tuple[Node, ...], offset: int) -> Attribute | None:
    """The attribute whose name, or whose raw name read as a subtraction, holds the cursor."""
    node = path[-1]
    if isinstance(node, Attribute) and offset >= node.name_span.start:
        return node
    subtraction = next((n for n in path if isinstance(n, Operation) and n.operator == "-"), node)
    raw = hyphenated(subtraction)
    if raw is None:
        return None
    word = _RAW_WORD.match(text, raw.name_span.start)
    inside = word is not None and raw.name_span.end < offset <= word.end()
    return raw if inside else None


def _attribute(
    document: Document, path: tuple[Node, ...], node: Attribute, offset: int
) -> AttributeName:
    text = document.text
    raw = _RAW_WORD.match(text, node.name_span.start)
    assert raw is not None  # it matches the empty text too
    end = raw.end() if offset > node.name_span.end else node.name_span.end
    return AttributeName(
        value=node.value,
        prefix=text[node.name_span.start : min(offset, node.name_span.end)],
        span=node.name_span,
        raw_prefix=text[node.name_span.start : offset],
        raw_span=Span(node.name_span.start, max(raw.end(), node.name_span.end)),
        called=text.startswith("(", end),
        awaited=any(isinstance(parent, Await) for parent in path),
    )


def _in_string(
    document: Document, path: tuple[Node, ...], offset: int, site: CallSite | None
) -> Context:
    string = path[-1]
    assert isinstance(string, String)  # the caller has looked
    if not string.content.touches(offset):
        return NothingHere(Silence.STRING, string)
    route = _route(path)
    if route is not None and not string.fields:
        span = string.content
        return StringKey(route[0], route[1], document.text[span.start : offset], span, string)
    if site is not None and site.slot.kind is not SlotKind.NONE and site.slot.string is string:
        return InCall(site)
    return NothingHere(Silence.STRING, string)


def _key_without_quote(document: Document, path: tuple[Node, ...], offset: int) -> StringKey | None:
    """`value[‸]` and `getattr(value, ‸)`: a key is wanted and no quote is typed."""
    node, here = path[-1], Span(offset, offset)
    parent = path[-2] if len(path) > 1 else None
    if isinstance(node, Missing) and isinstance(parent, Subscript) and parent.index is node:
        return StringKey(KeyRoute.SUBSCRIPT, parent.value, "", here, None)
    if not isinstance(node, Call) or offset <= node.open:
        return None
    wanted = _key_argument(node)
    last = last_token(document.line_at(offset), offset)
    free = last is not None and last.text in {"(", ","}
    if wanted is None or not free or len(node.arguments) != wanted[2]:
        return None
    return StringKey(wanted[0], wanted[1], "", here, None)


def word_key(document: Document, offset: int) -> StringKey | None:
    """The key that a word may be the start of, whose quotes are not typed: `value[wo‸]`."""
    path = path_at(document, offset)
    route = _route(path)
    word = path[-1].span if path and isinstance(path[-1], Name) else None
    if route is None or word is None:
        return None
    return StringKey(route[0], route[1], document.text[word.start : offset], word, None)


def _route(path: tuple[Node, ...]) -> tuple[KeyRoute, Expression] | None:
    """How what is at the end of the path is a key, and of which value."""
    parent = path[-2] if len(path) > 1 else None
    if isinstance(parent, Subscript) and parent.index is path[-1]:
        return KeyRoute.SUBSCRIPT, parent.value
    call = path[-3] if len(path) > 2 else None
    if not isinstance(parent, Argument) or not isinstance(call, Call):
        return None
    wanted = _key_argument(call)
    if wanted is None or call.arguments[wanted[2] : wanted[2] + 1] != (parent,):
        return None
    return wanted[0], wanted[1]


def _key_argument(call: Call) -> tuple[KeyRoute, Expression, int] | None:
    """The route, the value, and which argument is the key."""
    match call.function:
        case Attribute(value=value, name=name) if name in _GETTERS:
            return KeyRoute.GET, value, 0
        case Name(name="getattr") if call.arguments:
            return KeyRoute.GETATTR, call.arguments[0].value, 1
    return None
