"""`codeact-lsp/catalogue` and `codeact-lsp/tool`: what a view of servers and tools shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import server_path
from codeact_lsp.bindings.model import BINDINGS_MODULE, Bindings, ToolBinding
from codeact_lsp.bindings.signature import signature
from codeact_lsp.ide.definition import place_of
from codeact_lsp.ide.literals import snippet_text
from codeact_lsp.ide.model import Target
from codeact_lsp.names import Spelling
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.server.threads import off_loop
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.text import one_line

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def catalogue(session: Session, _params: Any) -> Json:
    """Every server and tool, no schema parsed."""
    bindings = session.knowledge.bindings
    servers: list[Json] = []
    if bindings.native:
        servers.append({"raw": None, "name": None, "tools": [_tool(t) for t in bindings.native]})
    for server in bindings.servers:
        seen = server.server
        servers.append(
            {
                **_spelling(server.spelling),
                "path": server_path(server.spelling),
                "state": seen.state.value,
                "stale": seen.stale,
                "title": seen.title and one_line(seen.title),
                "version": seen.version and one_line(seen.version),
                "address": seen.address and one_line(seen.address),
                "listedAt": seen.listed_at,
                "problems": [one_line(problem.message) for problem in seen.problems],
                "tools": [_tool(tool) for tool in server.tools],
            }
        )
    return {"version": bindings.catalogue.version, "module": BINDINGS_MODULE, "servers": servers}


async def tool(session: Session, params: Any) -> Json | None:
    """One tool, looked at; its stub is rendered off the loop."""
    given = read.obj(params)
    bindings = session.knowledge.bindings
    name, raw_server = read.text(given, "tool"), given.get("server")
    server = bindings.servers_by_raw.get(raw_server) if isinstance(raw_server, str) else None
    tools = bindings.native_by_raw if raw_server is None else server.by_raw if server else {}
    binding = tools.get(name)
    if binding is None:
        return None
    target = Target(binding.server, binding.raw)

    def place() -> Json | None:
        found = place_of(bindings, target, Span(0, 0))
        uri = None if found is None else session.stub_uri(found.stub)
        return {"uri": uri, "range": convert.line_range(found.line)} if found and uri else None

    return {**describe(bindings, binding), "location": await off_loop(place)}


def describe(bindings: Bindings, binding: ToolBinding) -> Json:
    """All of a tool but where its stub is."""
    known = details(binding, bindings.fold_characters)
    required = [p.name for p in known.parameters if p.required and p.name]
    filled = ", ".join(f"{name}=${{{i}:…}}" for i, name in enumerate(required, 1))
    return {
        "signature": signature(binding, fold_characters=bindings.fold_characters).text,
        "call": f"await {binding.path}({', '.join(f'{name}=…' for name in required)})",
        "snippet": f"await {snippet_text(binding.path)}({filled})",
        "import": f"from {BINDINGS_MODULE} import {'mcp' if binding.server else binding.name}",
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
