"""Workspace symbols: every tool, by name or raw name."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp import text
from codeact_lsp.bindings.model import Bindings
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
    native = matching.names((tool.name or tool.raw, tool) for tool in bindings.native)
    indexes = [native, *map(tool_index, bindings.servers)]
    return tuple(
        Symbol(
            text.escaped_name(tool.name or tool.raw),
            text.escaped_name(tool.server or ""),
            tool_target(tool),
        )
        for tool in matching.best(indexes, query, limit)[0]
    )
