from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeact_lsp.runtime.session import use
from tests.support.desk import Desk, forget_modules


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for kind in ("config", "state", "cache"):
        monkeypatch.setenv(f"CODEACT_LSP_{kind.upper()}_DIR", str(tmp_path / kind))
    monkeypatch.chdir(tmp_path)
    desk = Desk(tmp_path)
    yield desk
    use(None)
    if desk.session is not None:
        desk.session.close()
    forget_modules()
