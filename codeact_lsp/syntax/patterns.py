"""The names that a `case` pattern captures."""

from __future__ import annotations

from codeact_lsp.syntax.origins import Binding, Opaque, OpaqueReason
from codeact_lsp.syntax.parser import KEYWORDS, normalised
from codeact_lsp.syntax.stream import Stream
from codeact_lsp.syntax.tokens import TokenKind


def captures(stream: Stream) -> tuple[Binding, ...]:
    """Step over the pattern, up to its guard or colon.

    A name captures unless it is part of a dotted name, a class, or the keyword of a class pattern.
    """
    found: list[Binding] = []
    depth = 0
    while stream.text and not (depth == 0 and stream.text in {":", "if", ";"}):
        before = stream.texts[stream.index - 1] if stream.index else ""
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(stream.text, 0)
        if stream.kind is not TokenKind.NAME or stream.text in KEYWORDS:
            stream.advance()
            continue
        name, following = stream.text, stream.next_text()
        span = stream.take()
        if before != "." and following not in {".", "(", "="} and name != "_":
            found.append(Binding(normalised(name), span, Opaque(OpaqueReason.MATCH)))
    return tuple(found)
