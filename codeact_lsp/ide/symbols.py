"""Workspace symbols: every tool, by name or raw name."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp import text
from codeact_lsp.bindings.model import Bindings, ToolBinding
from codeact_lsp.ide import matching
from codeact_lsp.ide.completion.items import tool_index, tool_target
from codeact_lsp.ide.model import Target


@dataclass(frozen=True, slots=True)
class Symbol:
    """A tool: what is shown, the raw name of its server ("" for a native one), and what it is."""

    name: str
    container: str
    target: Target


def symbols(bindings: Bindings, query: str, limit: int) -> tuple[Symbol, ...]:
    """At most `limit` tools whose name fits `query`, best first."""
    found: list[ToolBinding] = []
    for server in bindings.servers:
        found += matching.best(tool_index(server), query, limit)[0]
    found += bindings.native
    ranked = matching.order([(tool.name or tool.raw, tool) for tool in found], query)
    return tuple(
        Symbol(
            text.escaped_name(tool.name or tool.raw),
            text.escaped_name(tool.server or ""),
            tool_target(tool),
        )
        for tool in ranked[:limit]
    )
