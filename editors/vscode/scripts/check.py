# ruff: noqa: INP001 — a script, not a package
"""Check that a VSIX holds what runs, its licences and nothing else, and is small: `check.py FILE`."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 15_000_000
EXPECTED: Final = re.compile(
    r"\[Content_Types\]\.xml|extension\.vsixmanifest|extension/("
    r"package\.json|readme\.md|changelog\.md|LICENSE\.txt|THIRD_PARTY_LICENSES\.txt"
    r"|dist/extension\.js"
    r"|media/(icon\.png|tools\.svg|walkthrough/[\w-]+\.(md|png))"
    r"|bundled/(run\.py|packages\.(tar\.xz|sha256)|tags\.json|[\w.-]+\.whl)"
    r"|bundled/server/codeact_lsp(-[\w.]+\.dist-info)?/.+)"
)
LOCKS: Final = Path(__file__).resolve().parents[1] / "package-lock.json"


def main(vsix: Path) -> int:
    problems = []
    with zipfile.ZipFile(vsix) as archive:
        names = archive.namelist()
        licences = archive.read("extension/THIRD_PARTY_LICENSES.txt").decode()
    problems += [
        f"{name} does not belong into it" for name in names if not EXPECTED.fullmatch(name)
    ]
    size = vsix.stat().st_size
    if size > MOST_BYTES:
        problems.append(f"it has {size:,} bytes; at most {MOST_BYTES:,} are wanted")
    packages = json.loads(LOCKS.read_text("utf-8"))["packages"]
    shipped = [where for where, package in packages.items() if where and not package.get("dev")]
    problems += [
        f"the licence of {where} is missing"
        for where in shipped
        if f"\n{where.split('node_modules/')[-1]} " not in licences
    ]
    for problem in problems:
        print(f"{vsix.name}: {problem}", file=sys.stderr)  # noqa: T201 — a script prints
    print(f"{vsix.name}: {len(names)} files, {size / 1e6:.1f} MB")  # noqa: T201 — a script prints
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
