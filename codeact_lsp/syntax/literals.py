"""String and number tokens: what they mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from codeact_lsp.syntax.expressions import Constant, Expression, Span, String, Strings
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind

Parse = Callable[[Stream], Expression]

STRING_KINDS: Final = frozenset({TokenKind.STRING, TokenKind.OPEN_STRING, TokenKind.FSTRING_START})
_OPENING: Final = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")")
_ESCAPE: Final = re.compile(
    r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<byte>[\da-fA-F]{2})|u(?P<short>[\da-fA-F]{4})"
    r"|U(?P<long>[\da-fA-F]{8})|N\{(?P<name>[^}]*)\}|(?P<newline>\r\n|\r|\n)|(?P<other>[\s\S]))"
)
_SIMPLE: Final = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b",
    "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_NAMED: Final = {"True": True, "False": False, "None": None}


def strings(stream: Stream, parse: Parse) -> String | Strings:
    """The literal at the stream's place, with those that follow it directly."""
    first = _string(stream, parse)
    parts = [first]
    while stream.kind in STRING_KINDS:
        parts.append(_string(stream, parse))
    if len(parts) == 1:
        return first
    return Strings(Span(first.span.start, parts[-1].span.end), tuple(parts))


def constant(text: str, span: Span) -> Constant:
    """A number or one of the named constants."""
    if text in _NAMED:
        return Constant(span, text, _NAMED[text])
    return Constant(span, text, _number(text))


def _number(text: str) -> float | complex | None:
    digits = text.replace("_", "").lower()
    try:
        if digits[-1] == "j" and not digits.startswith("0x"):
            return complex(digits)
        if digits[:2] in {"0x", "0o", "0b"}:
            return int(digits, 0)
        return int(digits) if digits.isdigit() else float(digits)
    except ValueError:
        return None  # `1_`, `0x`, or more digits than the interpreter converts


def _string(stream: Stream, parse: Parse) -> String:
    opening = _OPENING.match(stream.text)
    assert opening is not None  # the lexer made this token from a quote
    prefix, quote = opening.group(1).lower(), opening.group(2)
    if stream.kind is TokenKind.FSTRING_START:
        return _fstring(stream, prefix, quote, parse)
    closed = stream.kind is TokenKind.STRING
    token = stream.text
    span = stream.take()
    begin = span.start + opening.end()
    content = Span(begin, span.end - len(quote) if closed else span.end)
    body = token[opening.end() : opening.end() + (content.end - content.start)]
    return String(span, _meaning(body, prefix), content, prefix, quote, closed)


def _fstring(stream: Stream, prefix: str, quote: str, parse: Parse) -> String:
    opening = stream.take()
    fields: list[Expression] = []
    while stream.kind not in {TokenKind.FSTRING_END, None}:
        if stream.kind is TokenKind.FIELD_OPEN:
            fields.extend(_field(stream, parse))
        else:
            stream.advance()
    ending = stream.take() if stream.kind is not None else stream.gap()
    closed = ending.end > ending.start and stream.source(ending) == quote
    content = Span(opening.end, ending.start if closed else ending.end)
    value = None
    if not fields:
        literal = stream.source(content).replace("{{", "{").replace("}}", "}")
        value = _meaning(literal, prefix)
    return String(
        Span(opening.start, ending.end), value, content, prefix, quote, closed, tuple(fields)
    )


def _field(stream: Stream, parse: Parse) -> list[Expression]:
    """`{expression!r:format}`; the expressions of its format follow its own."""
    stream.advance()
    stream.closers.append("}")
    found = [parse(stream)]
    stream.depth += 1
    while stream.kind not in {TokenKind.FIELD_CLOSE, TokenKind.FSTRING_END, None}:
        if stream.kind is TokenKind.FIELD_OPEN and not stream.too_deep():
            found.extend(_field(stream, parse))
        else:
            stream.advance()
    stream.depth -= 1
    stream.close("}")
    return found


def _meaning(body: str, prefix: str) -> str | None:
    if "b" in prefix:
        return None
    if "\r" in body:
        body = body.replace("\r\n", "\n").replace("\r", "\n")
    if "r" in prefix or "\\" not in body:
        return body
    return _ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    kind, text = match.lastgroup, match.group(match.lastgroup or 0)
    if kind == "newline":
        return ""
    if kind == "other":
        return _SIMPLE.get(text, match.group())
    if kind == "name":
        try:
            return unicodedata.lookup(text)
        except KeyError:
            return match.group()
    point = int(text, 8 if kind == "octal" else 16)
    return chr(point) if point <= 0x10FFFF else match.group()
