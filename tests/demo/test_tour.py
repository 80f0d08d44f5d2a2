"""The tour, which is the language server, the MCP server, the command line and the runtime in one."""

from __future__ import annotations

import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from codeact_lsp.demo import tour


def test_the_tour_keeps_its_promises_and_draws_its_picture(tmp_path: Path) -> None:
    picture = tmp_path / "demo.svg"
    ran = subprocess.run(
        [sys.executable, "-m", "codeact_lsp", "demo", "--picture", str(picture)],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
        cwd=tmp_path,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.endswith("as promised\n")
    drawn = picture.read_text("utf-8")
    assert drawn.startswith("<svg")
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "").replace(
        "https://www.textualize.io", ""
    )


def test_a_broken_promise_ends_the_tour_with_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tour, "_RECEIVED", ())
    assert tour.take() == 1
    assert capsys.readouterr().out.endswith("not as promised: the raw keys reach the server\n")


def test_the_cell_is_not_python_before_it_is_fixed() -> None:
    cell = resources.files("codeact_lsp.demo").joinpath("cell.txt").read_text("utf-8")
    with pytest.raises(SyntaxError):
        compile(cell, "cell", "exec")
