"""How far a listing can be trusted: what is not confirmed gives hints, never errors."""

from __future__ import annotations

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue.model import ServerState

_SETTLED = {ServerState.READY, ServerState.ASLEEP, ServerState.SNAPSHOT}


def is_settled(bindings: Bindings, server: str | None) -> bool:
    """Whether the server's listing is complete and of this session; a native tool's always is."""
    if server is None:
        return True
    known = bindings.servers_by_raw.get(server)
    return known is not None and known.server.state in _SETTLED and not known.server.stale


def is_complete(bindings: Bindings) -> bool:
    """Whether every configured server is known: before that, a server may still appear."""
    return bindings.catalogue.version > 0
