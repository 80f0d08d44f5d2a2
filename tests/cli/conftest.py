from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.cli import main
from tests.support.desk import Desk, forget_modules


@dataclass(frozen=True)
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for kind in ("config", "state", "cache"):
        monkeypatch.setenv(f"CODEACT_LSP_{kind.upper()}_DIR", str(tmp_path / kind))
    monkeypatch.chdir(tmp_path)
    yield Desk(tmp_path)
    forget_modules()


@pytest.fixture
def run(desk: Desk, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = main(arguments)
        return Ran(code, *capsys.readouterr())

    return run
