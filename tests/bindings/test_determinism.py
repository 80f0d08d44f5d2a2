"""One catalogue, the same bytes: whatever the hash seed and the interpreter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import hashlib, sys
from tests.support.wild import CATALOGUES, read
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.block import render
from codeact_lsp.bindings.stubs import stubs
bindings = bind(read(*(CATALOGUES / f"{name}.json" for name in ("memory", "mongodb", "notion"))))
seen = hashlib.sha256(render(bindings).encode())
for path, text in stubs(bindings).items():
    seen.update(path.encode() + text.encode())
print(seen.hexdigest())
"""


def rendered(python: str, seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [python, "-c", SCRIPT],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout


def test_the_hash_seed_changes_nothing() -> None:
    assert rendered(sys.executable, "1") == rendered(sys.executable, "2")


def others() -> list[str]:
    """Other interpreters of this machine that the package supports, pyenv's among them."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = []
    for minor in range(11, 16):
        if minor == sys.version_info.minor:
            continue
        places = [
            shutil.which(f"python3.{minor}"),
            *map(str, pyenv.glob(f"3.{minor}.*/bin/python3")),
        ]
        for place in filter(None, places):
            probe = subprocess.run([place, "-c", ""], capture_output=True, check=False)
            if probe.returncode == 0:
                found.append(place)
                break
    return found


@pytest.mark.parametrize("python", others())
def test_the_interpreter_changes_nothing(python: str, tmp_path: Path) -> None:
    folder = tmp_path / "venv"
    subprocess.run([python, "-m", "venv", folder], capture_output=True, check=True)
    install = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet"]
    needed = f"referencing=={version('referencing')}"
    subprocess.run([*install, needed], capture_output=True, check=True)
    assert rendered(str(folder / "bin/python"), "0") == rendered(sys.executable, "0")
