"""The tokens of one logical line, also of one that is not finished.

Tree-building parsers lose whole blocks behind an open bracket; a person who types always has one.
So a logical line ends here where Python would end it, or where what follows can only be the next
statement. Inside, f-strings are taken apart (PEP 701) and IPython's own lines are set aside.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from codeact_lsp.syntax import boundaries


class TokenKind(enum.Enum):
    """What a token is. The field kinds are the braces of an f-string's replacement field."""

    NAME = enum.auto()
    NUMBER = enum.auto()
    STRING = enum.auto()
    OPEN_STRING = enum.auto()
    FSTRING_START = enum.auto()
    FSTRING_END = enum.auto()
    FIELD_OPEN = enum.auto()
    FIELD_CLOSE = enum.auto()
    OPERATOR = enum.auto()
    COMMENT = enum.auto()
    MAGIC = enum.auto()
    UNKNOWN = enum.auto()


class Token(NamedTuple):
    """One token; `start` and `end` count from the start of the logical line."""

    kind: TokenKind
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Lexed:
    """One logical line.

    Attributes:
        length: code points up to the next logical line, terminator included.
        tokens: its tokens, comments included.
        unfinished: whether it ends without a terminator of its own: in an open bracket, or with the
            text.
        reach: how many code points behind the line were looked at to end it. An edit there can
            change the line; 0 for every line that Python accepts.

    """

    length: int
    tokens: tuple[Token, ...]
    unfinished: bool = False
    reach: int = 0


_TOKEN: Final = re.compile(
    r"""
      (?P<space>(?:[^\S\r\n]|\\(?:\r\n|\n|\r))+)
    | (?P<string>(?:[rR][bBfFtT]|[bBfFtT][rR]|[rRbBuUfFtT])?(?:'''|\"\"\"|'|"))
    | (?P<name>(?:[A-Za-z_]|[^\x00-\x7f\s])(?:[A-Za-z0-9_]|[^\x00-\x7f\s])*)
    | (?P<number>(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+
        |(?:[0-9][0-9_]*(?:\.(?:[0-9][0-9_]*)?)?|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?)[jJ]?)
    | (?P<newline>\r\n|\n|\r)
    | (?P<comment>\#[^\r\n]*)
    | (?P<operator>\*\*=?|//=?|>>=?|<<=?|->|:=|\.\.\.|[-+*/%@&|^=!<>]=|[-+*/%@&|^~<>=()\[\]{},:;.])
    | (?P<unknown>[\s\S])
    """,
    re.VERBOSE,
)
_STRING_BODY: Final = {
    "'": re.compile(r"[^'\\\r\n]*(?:\\(?:\r\n|[\s\S])[^'\\\r\n]*)*"),
    '"': re.compile(r'[^"\\\r\n]*(?:\\(?:\r\n|[\s\S])[^"\\\r\n]*)*'),
    "'''": re.compile(r"[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*"),
    '"""': re.compile(r'[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*'),
}
_CLOSED_ON_LINE: Final = {
    "'": re.compile(r"[^'\\\r\n]*(?:\\[^\r\n][^'\\\r\n]*)*'"),
    '"': re.compile(r'[^"\\\r\n]*(?:\\[^\r\n][^"\\\r\n]*)*"'),
    "'''": re.compile(r"[^'\r\n]*'''"),
    '"""': re.compile(r'[^"\r\n]*"""'),
}
_NAMED_CHARACTER: Final = re.compile(r"\\N\{[^}\r\n]*\}?")
HEADERS: Final = frozenset("async class def elif else except finally for if try while with".split())
"""The words that start the header of a compound statement (`match` and `case` depend on the rest)."""
# How many brackets may be opened behind a guess before it is taken. Without a limit, a text in which
# every line leaves one open would be read once for each of its lines.
_PATIENCE: Final = 20
_LITERAL_STOP: Final = re.compile(r"[{}\\'\"\r\n]")
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}
_KINDS: Final = {
    "name": TokenKind.NAME,
    "number": TokenKind.NUMBER,
    "operator": TokenKind.OPERATOR,
    "comment": TokenKind.COMMENT,
    "unknown": TokenKind.UNKNOWN,
}


class _Frame(NamedTuple):
    """An open bracket ("(", "[", "{"), f-string ("text"), field ("field") or its format ("format")."""

    kind: str
    quote: str = ""
    raw: bool = False


class _Guess(NamedTuple):
    """Where the line ends if its bracket stays open: the first place that looks like a statement.

    `tokens` and `depth` are the numbers of tokens and of open brackets there.
    """

    line: int
    tokens: int
    depth: int


def lex(text: str, start: int) -> Lexed:
    """The logical line that starts at `start`, which is where a physical line starts."""
    indent = boundaries.indentation(text, start)
    special = boundaries.magic(text, indent.end)
    tokens: list[Token] = []
    position = indent.end
    if special is not None:
        tokens.append(_token(TokenKind.MAGIC, text, start, indent.end, special.end))
        if not special.code_follows:
            unfinished = special.stop == special.end
            return Lexed(special.stop - start, tuple(tokens), unfinished, special.reach)
        position = special.end
    return _Lexer(text, start, indent.columns, tokens).run(position)


def _token(kind: TokenKind, text: str, base: int, start: int, end: int) -> Token:
    return Token(kind, start - base, end - base, text[start:end])


class _Lexer:
    """The state of reading one logical line."""

    __slots__ = ("checked", "columns", "frames", "guess", "start", "text", "tokens")

    def __init__(self, text: str, start: int, columns: int, tokens: list[Token]) -> None:
        self.text = text
        self.start = start
        self.columns = columns
        self.tokens = tokens
        self.frames: list[_Frame] = []
        self.checked = 0
        self.guess: _Guess | None = None

    def run(self, position: int) -> Lexed:
        text, size, frames = self.text, len(self.text), self.frames
        while position < size:
            if frames and frames[-1].kind in {"text", "format"}:
                position = self.literal(position)
                continue
            match = _TOKEN.match(text, position)
            assert match is not None  # the last alternative takes any character
            group, end = match.lastgroup, match.end()
            assert group is not None
            if group == "space":
                position = end
            elif group == "newline":
                if not frames:
                    return self.done(end)
                stop = self.newline(end)
                if stop is not None:
                    return stop
                position = end
            elif group == "string":
                position = self.string(position, end)
            elif group == "operator":
                position = self.operator(position, end)
            elif group == "unknown" and text[position] == "!" and self.after_equals():
                position = self.rest_is_magic(position)
            else:
                self.add(_KINDS[group], position, end)
                position = end
        if frames and self.guess is not None:
            return self.cut(self.guess, size)
        return self.done(size, unfinished=True)

    def add(self, kind: TokenKind, start: int, end: int) -> None:
        base = self.start
        self.tokens.append(Token(kind, start - base, end - base, self.text[start:end]))

    def done(self, end: int, *, unfinished: bool = False, reach: int = 0) -> Lexed:
        return Lexed(end - self.start, tuple(self.tokens), unfinished, reach)

    def cut(self, guess: _Guess, looked: int) -> Lexed:
        del self.tokens[guess.tokens :]
        return self.done(guess.line, unfinished=True, reach=looked - guess.line)

    def newline(self, after: int) -> Lexed | None:
        """Decide whether the statement goes on behind a newline inside brackets."""
        if after < self.checked:
            return None
        following = boundaries.following(self.text, after)
        self.checked = following.line
        if following.end_of_text:
            return None if self.guess is None else self.cut(self.guess, len(self.text))
        last = self.last_code()
        # What is indented behind a header may be its body.
        inside = following.columns > self.columns and self.tokens[0].text not in HEADERS
        here = _Guess(following.line, len(self.tokens), len(self.frames))
        guess = self.guess or here
        lost = here.depth > guess.depth + _PATIENCE
        if lost or boundaries.starts_statement(self.text, following.start, last, inside=inside):
            return self.cut(guess, following.looked)
        if not inside and self.text[following.start] not in ")]}":
            self.guess = guess
        return None

    def last_code(self) -> str:
        """The last token that is no comment: its text, or a quote for any string."""
        for token in reversed(self.tokens):
            if token.kind in {TokenKind.STRING, TokenKind.OPEN_STRING, TokenKind.FSTRING_END}:
                return '"'
            if token.kind is not TokenKind.COMMENT:
                return token.text
        return ""

    def after_equals(self) -> bool:
        return not self.frames and bool(self.tokens) and self.tokens[-1].text == "="

    def rest_is_magic(self, position: int) -> int:
        code = boundaries.code_magic(self.text, position)
        end = boundaries.line_end(self.text, position) if code is None else code
        self.add(TokenKind.MAGIC, position, end)
        return end

    def operator(self, position: int, end: int) -> int:
        text, frames = self.text, self.frames
        operator = text[position:end]
        in_field = bool(frames) and frames[-1].kind == "field"
        if operator in {"(", "[", "{"}:
            frames.append(_Frame(operator))
        elif in_field and operator[0] == ":":
            end = position + 1
            frames.append(frames[-1]._replace(kind="format"))
        elif operator in _CLOSERS:
            kind = self.close(_CLOSERS[operator])
            self.add(kind, position, end)
            return end
        elif operator[0] == "%" and self.after_equals():
            return self.rest_is_magic(position)
        self.add(TokenKind.OPERATOR, position, end)
        return end

    def close(self, opener: str) -> TokenKind:
        """Close the innermost bracket of a kind, or field, and what was left open inside it."""
        for index in range(len(self.frames) - 1, -1, -1):
            kind = self.frames[index].kind
            in_field = kind == "field"
            if kind == opener or (in_field and opener == "{"):
                del self.frames[index:]
                return TokenKind.FIELD_CLOSE if in_field else TokenKind.OPERATOR
            if in_field:
                break
        return TokenKind.OPERATOR

    def string(self, position: int, end: int) -> int:
        text = self.text
        opening = text[position:end]
        quote = opening.lstrip("rRbBuUfFtT")
        holder = next((f.quote for f in reversed(self.frames) if f.kind == "field"), "")
        if holder and quote[: len(holder)] == holder and not self.nested(end, quote):
            begin = end - len(quote)
            if begin > position:
                self.add(TokenKind.NAME, position, begin)
            return self.end_fstring(begin, begin + len(holder))
        prefix = opening[: len(opening) - len(quote)].lower()
        if "f" in prefix or "t" in prefix:
            self.add(TokenKind.FSTRING_START, position, end)
            self.frames.append(_Frame("text", quote, "r" in prefix))
            return end
        body = _STRING_BODY[quote].match(text, end)
        assert body is not None  # it matches the empty text too
        stop = body.end()
        if text.startswith(quote, stop):
            self.add(TokenKind.STRING, position, stop + len(quote))
            return stop + len(quote)
        # What is left is a lone backslash at the end, or the newline that a plain string cannot hold.
        stop = len(text) if len(quote) == 3 or text[stop : stop + 1] == "\\" else stop
        self.add(TokenKind.OPEN_STRING, position, stop)
        return stop

    def nested(self, end: int, quote: str) -> bool:
        """Whether the f-string's own quote inside a field opens a string (PEP 701) or ends it.

        Where an operand is wanted it opens one; elsewhere, and directly behind the brace, only if
        it is closed on the same line.
        """
        last = self.tokens[-1]
        if last.kind is TokenKind.FIELD_OPEN or last.kind in {
            TokenKind.STRING,
            TokenKind.FSTRING_END,
        }:
            return _CLOSED_ON_LINE[quote].match(self.text, end) is not None
        return boundaries.wants_operand(last.text)

    def end_fstring(self, position: int, end: int) -> int:
        while self.frames.pop().kind != "text":
            pass
        self.add(TokenKind.FSTRING_END, position, end)
        return end

    def literal(self, position: int) -> int:
        """Read the literal part of an f-string up to the next field, its end or an escape."""
        text, frame = self.text, self.frames[-1]
        found = _LITERAL_STOP.search(text, position)
        if found is None:
            return self.end_fstring(len(text), len(text))
        at, character = found.start(), found.group()
        if character in "\r\n":
            return at + 1 if len(frame.quote) == 3 else self.end_fstring(at, at)
        if character == "\\":
            named = None if frame.raw else _NAMED_CHARACTER.match(text, at)
            if named is not None:
                return named.end()
            skipped = text[at + 1 : at + 3]
            # A backslash does not escape a brace: the field starts behind it.
            return at + (1 if skipped[:1] in {"{", "}"} else 3 if skipped == "\r\n" else 2)
        if character == "{":
            if text.startswith("{", at + 1) and frame.kind == "text":
                return at + 2
            self.add(TokenKind.FIELD_OPEN, at, at + 1)
            self.frames.append(frame._replace(kind="field"))
            return at + 1
        if character == "}":
            if frame.kind == "text":
                return at + 1
            del self.frames[-2:]
            self.add(TokenKind.FIELD_CLOSE, at, at + 1)
            return at + 1
        if text.startswith(frame.quote, at):
            return self.end_fstring(at, at + len(frame.quote))
        return at + 1
