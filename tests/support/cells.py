"""Cells with markers over a small catalogue: what a test of the editor's answers starts from.

`‸` in a cell marks a cursor. Earlier cells and the prelude go before it, in order.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue.model import Catalogue, Hints, Server, ServerState, Tool, digest
from codeact_lsp.ide.model import DEFAULT_SETTINGS, Settings, TextEdit, View
from codeact_lsp.syntax.document import Document

MARKER = "‸"
NO_HINTS = Hints()
IMPORT = "from codeact_lsp.tools import mcp\n"


def tool(
    raw: str,
    properties: dict[str, Any] | None = None,
    required: tuple[str, ...] = (),
    *,
    output: dict[str, Any] | None = None,
    description: str = "",
    hints: Hints = NO_HINTS,
    **schema: Any,
) -> Tool:
    """A tool as a server lists it; `schema` are further keywords of the input schema."""
    given: dict[str, Any] = {"type": "object", "properties": properties or {}, **schema}
    if required:
        given["required"] = list(required)
    texts = json.dumps(given), None if output is None else json.dumps(output)
    return Tool(raw, description, *texts, hints=hints, digest=digest(raw, description, *texts))


def bindings(
    servers: dict[str, list[Tool]],
    native: tuple[Tool, ...] = (),
    *,
    state: ServerState = ServerState.READY,
    stale: bool = False,
    version: int = 1,
) -> Bindings:
    """Bindings of servers with these tools."""
    made = {raw: Server(raw, tuple(tools), state, stale) for raw, tools in servers.items()}
    return bind(Catalogue(MappingProxyType(made), native, version=version))


STRING = {"type": "string"}
PARENT = {
    "type": "object",
    "properties": {
        "type": {"enum": ["page", "base"]},
        "database-id": STRING,
        "note": STRING,
    },
    "required": ["database-id"],
    "additionalProperties": False,
}
PAGES = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"page-id": STRING, "title": STRING},
                "required": ["page-id", "title"],
            },
        },
        "next": {"type": ["string", "null"]},
    },
    "required": ["items"],
}
WEB_SEARCH = tool(
    "search",
    {
        "query": {"type": "string", "description": "what to look for"},
        "max-results": {"type": "integer", "default": 10, "minimum": 1},
        "from": STRING,
        "order": {"type": "string", "enum": ["asc", "desc"]},
        "page[size]": {"type": "integer"},
    },
    ("query",),
    description="Search the web.",
    hints=Hints(read_only=True),
)
SERVERS: dict[str, list[Tool]] = {
    "web": [WEB_SEARCH],
    "notion": [
        tool(
            "API-patch-page",
            {
                "page_id": STRING,
                "archived": {"type": "boolean"},
                "parent": PARENT,
                "children": {"type": "array", "items": PARENT},
            },
            ("page_id",),
            additionalProperties=False,
        ),
        tool("search", {"query": STRING}, ("query",), output=PAGES),
        tool("ping"),
    ],
    "redis": [
        tool("type", {"key": STRING}, ("key",)),
        tool("open", {"path": STRING}),
        tool("import", {"file": STRING}),
        tool("a.b"),
        tool("my-tool", {"q": STRING}),
    ],
    "shell": [
        tool(
            "run",
            {"command": STRING},
            ("command",),
            output={
                "type": "object",
                "properties": {"exit-code": {"type": "integer"}, "stdout": STRING},
                "required": ["exit-code"],
            },
        )
    ],
    "my-server": [tool("ping")],
}
BINDINGS = bindings(SERVERS, (tool("native-note", {"text": STRING}, ("text",)),))


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell taken apart: its text without markers, and where they stood."""

    text: str
    offsets: tuple[int, ...]

    @property
    def offset(self) -> int:
        """The only marker."""
        (offset,) = self.offsets
        return offset


def cell(marked: str) -> Cell:
    """A cell with its markers taken out."""
    parts = marked.split(MARKER)
    offsets = tuple(sum(map(len, parts[: at + 1])) for at in range(len(parts) - 1))
    return Cell("".join(parts), offsets)


def view(
    text: str,
    made: Bindings = BINDINGS,
    *,
    before: tuple[str, ...] = (),
    settings: Settings = DEFAULT_SETTINGS,
) -> View:
    """A view of `text` behind earlier cells."""
    return View(made, tuple(map(Document.parse, (*before, text))), settings)


def applied(text: str, edits: tuple[TextEdit, ...]) -> str:
    """`text` after edits that do not overlap, as an LSP client applies them."""
    for before, after in zip(
        ordered := sorted(edits, key=lambda edit: edit.span), ordered[1:], strict=False
    ):
        assert before.span.end <= after.span.start, f"{before} overlaps {after}"
    for edit in reversed(ordered):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text
