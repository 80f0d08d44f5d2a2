"""The tokens of one logical line, as its parser reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.tokens import Token, TokenKind

_DEEPEST: Final = 50


class Stream:
    """A place in the tokens. Offsets that come out of it are the document's.

    `text` is the current token's, or "" where no expression goes on: at the end, and where an f-string
    ends. `closers` are the brackets that are open around the place, innermost last; `depth` is how
    many expressions are being read around it. What holds an open bracket reaches as far as that does,
    up to `open_end`.
    """

    __slots__ = (
        "base",
        "closers",
        "depth",
        "index",
        "kinds",
        "line",
        "open_end",
        "size",
        "text",
        "texts",
        "tokens",
    )

    def __init__(self, line: str, tokens: Sequence[Token], base: int) -> None:
        self.line = line
        self.tokens = [token for token in tokens if token.kind is not TokenKind.COMMENT]
        self.texts = [
            "" if token.kind is TokenKind.FSTRING_END else token.text for token in self.tokens
        ]
        self.texts.append("")
        self.kinds: list[TokenKind | None] = [token.kind for token in self.tokens]
        self.kinds.append(None)
        self.size = len(self.tokens)
        self.base = base
        self.index = 0
        self.text = self.texts[0]
        self.closers: list[str] = []
        self.depth = 0
        self.open_end = 0

    @property
    def kind(self) -> TokenKind | None:
        """The current token's kind; None at the end."""
        return self.kinds[self.index]

    @property
    def start(self) -> int:
        """Where the current token starts; at the end, where the line ends."""
        if self.index < self.size:
            return self.base + self.tokens[self.index].start
        return self.base + len(self.line)

    @property
    def last_end(self) -> int:
        """Where the token before the current one ends."""
        return self.base + (self.tokens[self.index - 1].end if self.index else 0)

    def advance(self) -> None:
        """Step over the current token, if there is one."""
        if self.index < self.size:
            self.index += 1
            self.text = self.texts[self.index]

    def back(self, index: int) -> None:
        """Return to an earlier token."""
        self.index = index
        self.text = self.texts[index]

    def accept(self, text: str) -> bool:
        """Step over the current token if it reads `text`."""
        if self.text != text:
            return False
        self.advance()
        return True

    def take(self) -> Span:
        """The span of the current token, which is stepped over."""
        token = self.tokens[self.index]
        self.advance()
        return Span(self.base + token.start, self.base + token.end)

    def since(self, start: int) -> Span:
        """From `start` to the end of the last token, or of the open bracket that ends here."""
        return Span(start, max(self.last_end, self.open_end, start))

    def gap(self) -> Span:
        """Between the last token and the current one."""
        return Span(self.last_end, max(self.start, self.last_end))

    def source(self, span: Span) -> str:
        """The text of a span of this line."""
        return self.line[span.start - self.base : span.end - self.base]

    def next_text(self, ahead: int = 1) -> str:
        """The text of a later token; "" behind the end."""
        return self.texts[min(self.index + ahead, self.size)]

    def glued(self, ahead: int = 0) -> bool:
        """Whether no blank stands between the token `ahead` of the current one and the next."""
        place = self.index + ahead
        return place + 1 < self.size and self.tokens[place].end == self.tokens[place + 1].start

    def ended(self) -> bool:
        """Whether a bracket around the place, or the line, ends here."""
        return not self.text or self.text in self.closers

    def close(self, closer: str) -> int | None:
        """Leave the innermost bracket: the offset of its closer, None if it is not there."""
        self.closers.pop()
        if self.text != closer:
            return None
        return self.take().start

    def too_deep(self) -> bool:
        """Whether nothing more is read inside what is being read; if so, a token is stepped over.

        Each level costs up to fifteen calls, and the interpreter allows about a thousand.
        """
        if self.depth < _DEEPEST:
            return False
        self.advance()
        return True
