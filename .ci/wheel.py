"""Check that a built wheel holds the package, its data and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

METADATA = re.compile(r"codeact_lsp-[^/]+\.dist-info/")


def main(wheel: str) -> int:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not METADATA.match(name)}
    listed = subprocess.run(
        ["git", "ls-files", "codeact_lsp"],  # noqa: S607 — git is whichever comes first on PATH
        check=True,
        capture_output=True,
        text=True,
    )
    tracked = set(listed.stdout.splitlines())
    for name in sorted(held - tracked):
        print(f"{wheel}: {name} is not a file of the repository")
    for name in sorted(tracked - held):
        print(f"{wheel}: {name} is missing")
    print(f"{Path(wheel).name}: {len(held)} files")
    return int(held != tracked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
