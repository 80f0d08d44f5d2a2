"""`shutdown`: nothing is answered after it but `exit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server.endpoint import Phase

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def shutdown(session: Session, _params: Any) -> None:
    """End the children now, so that `exit` has nothing to wait for."""
    session.endpoint.phase = Phase.SHUT_DOWN
    session.endpoint.spawn(session.stop(), "shutdown")
