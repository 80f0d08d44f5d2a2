"""Sections of a text: `# %%` starts one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.tokens import TokenKind

_MARK: Final = re.compile(r"#\s*(?:%%|<codecell>|In\[)(.*)")


@dataclass(frozen=True, slots=True)
class Section:
    """One section, its mark included; `title` is what stands behind the mark."""

    span: Span
    title: str


def sections(document: Document) -> tuple[Section, ...]:
    """The sections in order; the text before the first mark is one of its own, unless it is empty."""
    marks = [
        (placed.start + start, match.group(1).strip())
        for placed in document.top_levels()
        for start, line in zip(placed.top.starts, placed.top.lines, strict=False)
        if not line.word and line.tokens and line.tokens[0].kind is TokenKind.COMMENT
        if (match := _MARK.match(line.tokens[0].text)) is not None
    ]
    starts = [start for start, _ in marks]
    if not starts or starts[0] > 0:
        marks.insert(0, (0, ""))
    ends = [*(start for start, _ in marks[1:]), len(document.text)]
    return tuple(
        Section(Span(start, end), title)
        for (start, title), end in zip(marks, ends, strict=True)
        if end > start or not starts
    )
