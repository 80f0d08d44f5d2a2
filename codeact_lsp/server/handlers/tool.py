"""`codeact-lsp/tool`: one tool, looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.ide.definition import place_of
from codeact_lsp.ide.model import Target
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.server.threads import off_loop
from codeact_lsp.server.tree import describe_tool
from codeact_lsp.syntax.expressions import Span

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def tool(session: Session, params: Any) -> Json | None:
    """Signature, call and place of a tool; its stub is rendered off the loop."""
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

    return {**describe_tool(bindings, binding), "location": await off_loop(place)}
