"""The stubs that `codeact-lsp stubs` writes, as each type checker finds them by docs/command-line.md."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.desk import Desk, tool

BIN = Path(sys.executable).parent
PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")
(SETTINGS,) = re.findall(r"```toml\n(\[tool\.ty.*?)```", PAGE, re.DOTALL)
CATALOGUE = {
    "version": 1,
    "servers": {"notion": {"tools": [tool("search", {"q": {"type": "string"}})]}},
}
CELL = """from codeact_lsp.tools import mcp


async def main() -> None:
    await mcp.notion.search(q="right")
    await mcp.notion.search(q=5)
"""
CHECKERS = {
    "pyright": ["pyright", "--pythonpath", "{python}", "cells"],
    "ty": ["ty", "check", "--output-format=concise", "--python={prefix}", "cells"],
    "mypy": ["mypy", "--strict", "--no-incremental", "--python-executable={python}"],
}


@pytest.fixture
def project(desk: Desk) -> Path:
    """A folder with a cell whose last line is wrong, and a snapshot file of its tools."""
    (desk.folder / "tools.json").write_text(json.dumps(CATALOGUE))
    (desk.folder / "cells").mkdir()
    (desk.folder / "cells" / "a.py").write_text(CELL)
    return desk.folder


def wrong_lines(folder: Path, prefix: Path, *command: str) -> set[int]:
    """Lines, from 1, that a checker of the environment at `prefix` has an error in."""
    # Where no virtual environment is, Windows has the interpreter beside its folder.
    python = next(p for p in (prefix / "bin/python", prefix / "Scripts/python.exe") if p.exists())
    filled = [part.format(python=python, prefix=prefix) for part in command]
    done = subprocess.run(
        [str(BIN / filled[0]), *filled[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    found = re.findall(r"a\.py:(\d+)(?::\d+)?:? (?:- )?error", done.stdout)
    assert done.returncode == 1, done.stdout + done.stderr
    return set(map(int, found))


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_finds_the_stubs_with_the_settings_of_the_page(
    run: Run, project: Path, checker: str
) -> None:
    (project / "pyproject.toml").write_text(SETTINGS)
    assert run("stubs", "--catalogue", str(project / "tools.json")).code == 0
    assert wrong_lines(project, Path(sys.prefix), *CHECKERS[checker]) == {6}


def test_mypy_finds_the_stubs_that_are_named_before_a_cell(run: Run, project: Path) -> None:
    run("stubs", "--catalogue", str(project / "tools.json"))
    (command,) = re.findall(r"`mypy (typings/\S+) cells/a\.py`", PAGE)
    named = (*CHECKERS["mypy"], command, "cells/a.py")
    assert wrong_lines(project, Path(sys.prefix), *named) == {6}


@pytest.mark.parametrize("checker", CHECKERS)
def test_a_checker_finds_the_stubs_in_its_environment(
    run: Run, project: Path, checker: str
) -> None:
    environment = project / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (packages,) = environment.glob("[Ll]ib/**/site-packages")
    run("stubs", "--catalogue", str(project / "tools.json"), "--output", str(packages))
    files = ["cells/a.py"] if checker == "mypy" else []
    assert wrong_lines(project, environment, *CHECKERS[checker], *files) == {6}
