"""`workspace/symbol`: every tool, by name or raw name, at its place in a stub."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.bindings.stubs import StubFile, native_stub, server_stub
from codeact_lsp.ide.symbols import symbols
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.server.threads import off_loop

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

MOST_SYMBOLS: Final = 50
_FUNCTION: Final = 12


async def workspace_symbol(session: Session, params: Any) -> list[Json]:
    """The tools that fit a query; the stubs that hold them are rendered off the loop."""
    query = read.text(read.obj(params), "query")
    bindings = session.knowledge.bindings
    return await off_loop(lambda: list(_found(session, bindings, query)))


def _found(session: Session, bindings: Bindings, query: str) -> Iterator[Json]:
    stubs: dict[str | None, tuple[StubFile, str | None]] = {}
    for symbol in symbols(bindings, query, MOST_SYMBOLS):
        server = symbol.target.server
        if server not in stubs:
            made = (
                native_stub(bindings)
                if server is None
                else server_stub(bindings, bindings.servers_by_raw[server])
            )
            stubs[server] = made, session.stub_uri(made)
        stub, uri = stubs[server]
        if uri is None or symbol.target.tool is None:
            continue
        place = convert.line_range(stub.tools.get(symbol.target.tool, 0))
        yield {
            "name": symbol.name,
            "kind": _FUNCTION,
            "containerName": symbol.container,
            "location": {"uri": uri, "range": place},
        }
