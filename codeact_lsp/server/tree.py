"""Servers and tools as a tree view shows them (`docs/editor-protocol.md`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import server_path
from codeact_lsp.bindings.model import BINDINGS_MODULE, Bindings, ServerBinding, ToolBinding
from codeact_lsp.bindings.signature import signature
from codeact_lsp.catalogue.model import Problem, Server, headline
from codeact_lsp.ide.literals import snippet_text
from codeact_lsp.names import Spelling
from codeact_lsp.server.params import Json
from codeact_lsp.text import one_line


def tree(bindings: Bindings, problems: Callable[[Server], Iterable[Problem]]) -> Json:
    """Every server and tool; no schema is parsed for it."""
    servers = [_server(server, problems(server.server)) for server in bindings.servers]
    if bindings.native:
        native = [_tool(tool) for tool in bindings.native]
        servers.insert(0, {"raw": None, "name": None, "tools": native})
    return {"version": bindings.catalogue.version, "module": BINDINGS_MODULE, "servers": servers}


def _server(server: ServerBinding, problems: Iterable[Problem]) -> Json:
    seen = server.server
    return {
        **_spelling(server.spelling),
        "path": server_path(server.spelling),
        "state": seen.state.value,
        "stale": seen.stale,
        "title": seen.title and one_line(seen.title),
        "version": seen.version and one_line(seen.version),
        "address": seen.address and one_line(seen.address),
        "listedAt": seen.listed_at,
        "problems": [headline(problem) for problem in problems],
        "tools": [_tool(tool) for tool in server.tools],
    }


def describe_tool(bindings: Bindings, binding: ToolBinding) -> Json:
    """All of a tool but where its stub is."""
    known = details(binding, bindings.fold_characters)
    required = [p.name for p in known.parameters if p.required and p.name]
    filled = ", ".join(f"{name}=${{{i}:…}}" for i, name in enumerate(required, 1))
    return {
        "signature": signature(binding, fold_characters=bindings.fold_characters).text,
        "call": f"await {binding.path}({', '.join(f'{name}=…' for name in required)})",
        "snippet": f"await {snippet_text(binding.path)}({filled})",
        "summary": one_line(binding.tool.description.strip().split("\n", 1)[0]),
        "parameters": [
            {**_spelling(p.spelling), "required": p.required, "type": p.annotation}
            for p in known.parameters
        ],
    }


def _tool(binding: ToolBinding) -> Json:
    return {
        **_spelling(binding.spelling),
        "path": binding.path,
        "changed": binding.tool.changed,
    }


def _spelling(spelling: Spelling) -> Json:
    reason = spelling.reason
    return {
        "raw": spelling.raw,
        "name": spelling.name,
        "reason": None if reason is None else reason.value,
    }
