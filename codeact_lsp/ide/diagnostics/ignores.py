"""`# codeact: ignore[code]`: what a line keeps silent about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from codeact_lsp.ide.model import Diagnostic
from codeact_lsp.syntax.context import NothingHere, Silence, context_at
from codeact_lsp.syntax.document import Document

_COMMENT: Final = re.compile(r"\bcodeact:[ \t]*ignore(?:[ \t]*\[([^\]\r\n]*)\])?")
EVERYTHING: Final = "*"


def ignores(document: Document) -> Mapping[int, frozenset[str]]:
    """Line, from 0 → the codes that a comment on it silences; `EVERYTHING` without brackets."""
    found: dict[int, frozenset[str]] = {}
    if "codeact:" not in document.text:  # many times faster than the pattern
        return found
    for match in _COMMENT.finditer(document.text):
        place = context_at(document, match.start())
        if not isinstance(place, NothingHere) or place.reason is not Silence.COMMENT:
            continue
        codes = (
            frozenset({EVERYTHING})
            if match[1] is None
            else frozenset(code.strip() for code in match[1].split(","))
        )
        line = _line(document, match.start())
        found[line] = found.get(line, frozenset()) | codes
    return found


def is_ignored(
    document: Document, silent: Mapping[int, frozenset[str]], diagnostic: Diagnostic
) -> bool:
    """Whether a comment on a line of the diagnostic silences it."""
    if not silent:
        return False
    first, last = _line(document, diagnostic.span.start), _line(document, diagnostic.span.end)
    return any(
        first <= line <= last and (diagnostic.code in codes or EVERYTHING in codes)
        for line, codes in silent.items()
    )


def _line(document: Document, offset: int) -> int:
    return document.lines.position(document.text, offset, "utf-32")[0]
