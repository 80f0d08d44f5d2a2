"""`initialize` and `initialized`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeact_lsp.server import editor_settings, uris
from codeact_lsp.server import params as read
from codeact_lsp.server.capabilities import initialize_result
from codeact_lsp.server.client import read_client
from codeact_lsp.server.documents import Documents
from codeact_lsp.server.endpoint import Phase
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


def initialize(session: Session, params: Any) -> Json:
    """Answer at once: nothing is started or read before `initialized`."""
    given = read.obj(params)
    session.client = read_client(read.inner(given, "capabilities"))
    session.documents = Documents(session.client.encoding)
    session.folders = _folders(given)
    options = given.get("initializationOptions")
    options = options if isinstance(options, dict) else {}
    session.trusted = options.get("trusted") is not False
    given_settings = options.get("settings", options)
    session.use_editor(editor_settings.section(given_settings) or given_settings)
    session.parent = given.get("processId") if isinstance(given.get("processId"), int) else None
    session.endpoint.phase = Phase.RUNNING
    return initialize_result(session.client)


def _folders(params: Json) -> tuple[Path, ...]:
    """The workspace folders; none where no folder is open, as a working directory means nothing."""
    folders = read.items(params, "workspaceFolders", optional=True)
    found = [uris.to_path(read.text(f, "uri", "params.workspaceFolders")) for f in folders]
    root = params.get("rootUri")
    if not found and isinstance(root, str):
        found = [uris.to_path(root)]
    return tuple(path for path in found if path is not None)


def initialized(session: Session, _params: Any) -> None:
    """Start what runs beside the conversation."""
    session.begin()
