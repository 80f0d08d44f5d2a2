# ruff: noqa: INP001 — a script, not a package
"""Runs the copy of codeact-lsp that comes with the extension: `run.py FOLDER ARGUMENT…`.

The packages that it needs are one archive, for every Python that they were built for: copies of one
compiled module differ little, so together they take little more room than one. What this Python
needs is unpacked into FOLDER, once for each archive.
"""

import os
import shutil
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ARCHIVE = Path(__file__).with_name("packages.tar.xz")
SERVER = Path(__file__).with_name("server")
DIGEST = Path(__file__).with_name("packages.sha256")
UNUSED_SECONDS = 30 * 24 * 3600


def unpacked(storage: Path, tag: str) -> Path:
    """The folder of packages for `tag`; unpacked there when it is the first time."""
    digest = DIGEST.read_text(encoding="ascii").strip()
    target = storage / f"{digest[:16]}-{tag}"
    if target.is_dir():
        os.utime(target)
        return target
    storage.mkdir(parents=True, exist_ok=True)
    # Unpacked beside its place and renamed: two windows may start at once.
    partial = Path(tempfile.mkdtemp(dir=storage, prefix=".unpacking-"))
    try:
        with tarfile.open(ARCHIVE, "r|xz") as archive:
            # Pythons before 3.11.4 know no filters.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            for member in archive:
                if member.name.split("/", 1)[0] in {"common", tag}:
                    archive.extract(member, partial)
        try:
            partial.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    remove_old(storage)
    return target


def remove_old(storage: Path) -> None:
    """Drop what other versions of the extension left and nobody has used for a month."""
    for folder in storage.iterdir():
        if folder.stat().st_mtime < time.time() - UNUSED_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    tag = sys.implementation.cache_tag
    folder = unpacked(Path(sys.argv[1]), tag)
    paths = [str(SERVER), str(folder / "common"), str(folder / tag)]
    sys.path[:0] = paths
    # For the catalogue process; MCP servers get an environment without it.
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    sys.argv[1:] = sys.argv[2:]

    from codeact_lsp.cli import main as command_line

    sys.exit(command_line())


if __name__ == "__main__":
    main()
