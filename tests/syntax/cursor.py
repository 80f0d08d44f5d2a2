"""Snippets with a cursor: `‸` marks the offset and is no part of the text."""

from __future__ import annotations

from codeact_lsp.syntax.document import Document


def at_cursor(snippet: str) -> tuple[Document, int]:
    offset = snippet.index("‸")
    return Document.parse(snippet.replace("‸", "", 1)), offset


def all_cursors(snippet: str) -> tuple[Document, list[int]]:
    parts = snippet.split("‸")
    offsets = [len("".join(parts[: n + 1])) for n in range(len(parts) - 1)]
    return Document.parse("".join(parts)), offsets
