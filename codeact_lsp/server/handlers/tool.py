"""`codeact-lsp/tool`: one tool, looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.ide.definition import place_of
from codeact_lsp.ide.insert_call import import_for
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
    """Signature, call and place of a tool; its stub is rendered off the loop.

    With the `position` of a call to come in the text `uri`: also the edits that it needs there.
    """
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

    edits = _edits(session, given, binding)
    return {**describe_tool(bindings, binding), "edits": edits, "location": await off_loop(place)}


def _edits(session: Session, given: Json, tool: ToolBinding) -> list[Json]:
    seen = session.look(read.text(given, "uri")) if given.get("uri") is not None else None
    if seen is None:
        return []
    document, encoding = seen[1].document, session.client.encoding
    offset = convert.offset(document, read.position(given), encoding)
    return [convert.text_edit(document, e, encoding) for e in import_for(seen[1], tool, offset)]
