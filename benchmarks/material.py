"""Catalogues and cells of any size."""

from __future__ import annotations

from typing import Final

from benchmarks.client import Json

SERVERS: Final = 20
INDENT: Final = "    "
DESCRIPTION: Final = (
    "Search the records of the service and return one page of matches, newest first. " * 5
)


def tool(number: int) -> Json:
    return {
        "name": f"tool-{number}",
        "description": f"{DESCRIPTION}Tool number {number}.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "p1": {"type": "string", "description": "The query text."},
                "p-2": {"type": "integer"},
                "p3": {"enum": ["a", "b", "c"]},
                "opts": {
                    "type": "object",
                    "properties": {k: {"type": "string"} for k in ("alpha", "beta", "gamma")},
                },
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["p1"],
        },
        "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    }


def snapshot(count: int) -> Json:
    per = count // SERVERS
    return {
        "version": 1,
        "servers": {f"server{n}": {"tools": [tool(i) for i in range(per)]} for n in range(SERVERS)},
    }


def cell(lines: int, count: int) -> str:
    """A cell that ends in a function, where the last line is typed; indented by four."""
    per = count // SERVERS
    out = ["import asyncio", "from codeact_lsp.tools import mcp", ""]
    block = 0
    while len(out) < lines - 4:
        server, number = (block * 7 + 1) % SERVERS, (block * 5) % per
        out += [
            f"async def block_{block}(query: str, limit: int = 10) -> list[str]:",
            "    found: list[str] = []",
            f"    page = await mcp.server{server}.tool_{number}(p1=query, p_2=limit)",
            '    for word in page["id"].split():',
            "        if word and not word.startswith('#'):",
            "            found.append(word.strip().lower())",
            "    return sorted(set(found))[:limit]",
            "",
        ]
        block += 1
    return "\n".join([*out, "async def typed() -> None:", f"{INDENT}"])
