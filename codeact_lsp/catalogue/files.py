"""Files written whole or not at all, and a way to notice that one changed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def write_atomically(path: Path, parts: Iterable[str], *, mode: int = 0o644) -> None:
    """Write a text, given in parts, so that a reader sees the old file or the new one, never a part.

    Raises:
        OSError: when the file cannot be written; nothing is left behind.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(parts)
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


Signature = tuple[tuple[int, int, int] | None, ...]


def signature(paths: Iterable[Path]) -> Signature:
    """What tells one state of some files from another: inode, size and time of each."""
    found: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            stat = path.stat()
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return tuple(found)
