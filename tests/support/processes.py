"""What `/proc` says of processes, for tests of what is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="children are read from /proc"
)


def _fields(stat: Path) -> list[str]:
    """State and parent onwards; empty when the process is gone."""
    try:
        return stat.read_text().rpartition(")")[2].split()
    except OSError:
        return []


def children(pid: int) -> set[int]:
    """The processes that descend from `pid` now."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        fields = _fields(stat)
        if fields and int(fields[1]) == pid:
            child = int(stat.parent.name)
            found |= {child} | children(child)
    return found


def is_running(pid: int) -> bool:
    """Whether the process is there and not a zombie."""
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return bool(fields) and fields[0] != "Z"


def command_line(pid: int) -> bytes:
    """The arguments, each ended by a zero byte; empty when the process is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
