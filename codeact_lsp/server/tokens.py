"""Semantic tokens in LSP's packed form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from codeact_lsp.ide.occurrences import Occurrence, Role
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.lines import Encoding

LEGEND: Final = MappingProxyType(
    {"tokenTypes": ["namespace", "function", "parameter"], "tokenModifiers": ["renamed"]}
)
# A parameter that keeps its name is left to the Python server's colours.
_TOKENS: Final[Mapping[Role, tuple[int, int]]] = MappingProxyType(
    {Role.MODULE: (0, 0), Role.SERVER: (0, 0), Role.TOOL: (1, 0), Role.RENAMED_PARAMETER: (2, 1)}
)


def encode(document: Document, found: Iterable[Occurrence], encoding: Encoding) -> list[int]:
    """Five integers a token, each token relative to the one before it."""
    data: list[int] = []
    before_line, before_start = 0, 0
    for one in found:
        if one.role not in _TOKENS:
            continue
        line, start = document.lines.position(document.text, one.span.start, encoding)
        last, end = document.lines.position(document.text, one.span.end, encoding)
        if last != line or end <= start:
            continue
        data += (
            line - before_line,
            start - before_start if line == before_line else start,
            end - start,
            *_TOKENS[one.role],
        )
        before_line, before_start = line, start
    return data
