"""Removes the guards of `names.py` one by one and reports every one that no test misses.

Runs in a copy of the tree, so that nothing is left in the checkout. Ends with 1 when a survivor is
not explained in `explained.txt`, or when an explanation is no longer needed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPLAINED = Path(__file__).with_name("explained.txt")
# A mutant that never ends is found by its time limit, which is a kill.
SURVIVOR_STATES = ("survived", "no tests", "suspicious", "skipped")


def explanations() -> dict[str, str]:
    lines = (line.strip() for line in EXPLAINED.read_text(encoding="utf-8").splitlines())
    pairs = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {name.strip(): why.strip() for name, why in pairs}


def run(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(
            f"mutmut {' '.join(arguments)} failed in {folder}:\n{done.stdout[-2000:]}{done.stderr}"
        )
    return done.stdout


def main() -> int:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "tree"
        keep = shutil.ignore_patterns(".*", "node_modules", "mutants", "__pycache__")
        folder.mkdir()
        for name in ("codeact_lsp", "tests"):
            shutil.copytree(ROOT / name, folder / name, ignore=keep)
        shutil.copy(ROOT / "pyproject.toml", folder)
        run(folder, "run")
        results = [
            line.strip().split(": ")
            for line in run(folder, "results", "--all", "true").splitlines()
            if ": " in line
        ]
        survivors = {name for name, state in results if state in SURVIVOR_STATES}
        explained = explanations()
        for name in sorted(survivors - explained.keys()):
            print(f"{name} survives and is not explained:\n{run(folder, 'show', name)}")
        for name in sorted(explained.keys() - survivors):
            print(f"{name} is explained but does not survive: take it out of {EXPLAINED.name}")
    print(f"{len(results)} mutants, {len(survivors)} survive, {len(explained)} of them explained")
    return int(not results or survivors != explained.keys())


if __name__ == "__main__":
    sys.exit(main())
