"""`workspace/textDocumentContent`: the text of a generated stub."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server import params as read
from codeact_lsp.server.errors import REQUEST_FAILED, RpcError
from codeact_lsp.server.params import Json
from codeact_lsp.server.stub_files import stub_at
from codeact_lsp.server.threads import off_loop

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def text_document_content(session: Session, params: Any) -> Json:
    """The stub at a `codeact-lsp:` URI."""
    uri = read.text(read.obj(params), "uri")
    bindings = session.knowledge.bindings
    stub = await off_loop(lambda: stub_at(bindings, uri))
    if stub is None:
        raise RpcError(REQUEST_FAILED, "no server has this stub")
    session.shown_stubs.add(uri)
    return {"text": stub.text}
