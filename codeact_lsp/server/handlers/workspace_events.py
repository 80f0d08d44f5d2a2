"""What happens around the texts: settings, folders and files change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server import editor_settings, uris
from codeact_lsp.server import params as read

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def did_change_configuration(session: Session, params: Any) -> None:
    """Settings are other ones now; a client that can be asked is asked for them."""
    if session.client.configuration:
        await session.pull_settings()
        return
    ours = editor_settings.section(read.obj(params).get("settings"))
    if ours is not None and session.use_editor(ours):
        await session.source.reconfigure()


async def did_change_workspace_folders(session: Session, params: Any) -> None:
    """Folders came or went."""
    event = read.inner(read.obj(params), "event")
    removed = {uris.to_path(read.text(f, "uri")) for f in read.items(event, "removed")}
    added = (uris.to_path(read.text(f, "uri")) for f in read.items(event, "added"))
    kept = [folder for folder in session.folders if folder not in removed]
    session.folders = tuple(dict.fromkeys((*kept, *(path for path in added if path))))
    await session.source.reconfigure()


async def did_change_watched_files(session: Session, params: Any) -> None:
    """A file that config or snapshots were read from may have another content now."""
    changes = read.items(read.obj(params), "changes")
    paths = {uris.to_path(read.text(change, "uri")) for change in changes}
    if paths & session.source.files:
        await session.source.reconfigure()
