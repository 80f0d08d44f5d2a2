"""Where the editor finds the stub that a definition stands in: a virtual document or a real file.

A client that fetches `codeact-lsp:` documents gets those. For any other one the stub is a file in
the user's cache folder, written when it is asked for and not to be edited.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.bindings.stubs import StubFile, module_files, native_stub, server_stub
from codeact_lsp.server.uris import from_path

SCHEME: Final = "codeact-lsp"

log = logging.getLogger(__name__)


def virtual_uri(stub: StubFile) -> str:
    """The URI under which `stub_at` finds the stub again."""
    return f"{SCHEME}:/{stub.path}"


def stub_at(bindings: Bindings, uri: str) -> StubFile | None:
    """The stub of a virtual URI; None when nothing has it (any more). Renders a whole server."""
    path = uri.removeprefix(f"{SCHEME}:/")
    for raw, module in module_files(bindings).items():
        if path.endswith(f"/mcp/{module}.pyi"):
            return server_stub(bindings, bindings.servers_by_raw[raw])
    native = native_stub(bindings)
    return native if path == native.path else None


def real_uri(stub: StubFile, folders: Iterable[Path]) -> str | None:
    """The URI of a file that holds the stub now; None when it cannot be written."""
    from codeact_lsp.catalogue.folders import cache_folder

    # Two workspaces may have different servers of one name.
    workspace = hashlib.sha256("\0".join(map(str, folders)).encode()).hexdigest()[:16]
    path = cache_folder(os.environ) / "stubs" / workspace / stub.path
    try:
        _write(path, stub.text)
    except (OSError, UnicodeError) as error:
        log.warning("the stub cannot be written: %s", error)
        return None
    return from_path(path)


def _write(path: Path, text: str) -> None:
    """Replace the file whole, so that no reader sees half of it."""
    try:
        if path.read_text("utf-8") == text:
            return
    except (OSError, UnicodeError) as error:
        log.debug("no stub to compare with: %s", error)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, fresh = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        Path(fresh).chmod(0o444)
        Path(fresh).replace(path)
    except OSError:
        Path(fresh).unlink(missing_ok=True)
        raise
