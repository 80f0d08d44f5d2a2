"""Ends the servers of a process that was killed.

A process that ends by itself ends its servers too. One that is killed cannot, and a server may
ignore that its stdin has ended. So this file is also a program: it is fed process groups on stdin,
which ends with the process that it watches for.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable

GRACE_SECONDS = 1.0


class Guard:
    """Tells the watching process, which it starts for the first group, what there is to end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def report(self, group: int) -> None:
        """A group has started; its negative: it is gone."""
        if not hasattr(os, "killpg"):
            return
        with self._lock, contextlib.suppress(OSError):
            if self._process is None:
                # A session of its own: what kills this process's group must not kill the guard.
                self._process = subprocess.Popen(
                    [sys.executable, "-I", __file__],
                    stdin=subprocess.PIPE,
                    text=True,
                    start_new_session=True,
                )
            assert self._process.stdin is not None
            self._process.stdin.write(f"{group}\n")
            self._process.stdin.flush()

    def close(self) -> None:
        """End the watching process; it ends what was reported and is not gone."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError):
                process.communicate()


def watch(lines: Iterable[str]) -> set[int]:
    """The groups that are left when the lines end: a number adds one, its negative takes it away."""
    groups: set[int] = set()
    for line in lines:
        number = int(line)
        if number > 0:
            groups.add(number)
        else:
            groups.discard(-number)
    return groups


def end(groups: Iterable[int]) -> None:
    """Let the groups notice that their stdin has ended, then kill what is left of them."""
    left = set(groups)
    deadline = time.monotonic() + GRACE_SECONDS
    while left and time.monotonic() < deadline:
        left = {group for group in left if _send(group, 0)}
        time.sleep(0.02)
    for group in left:
        _send(group, signal.SIGKILL)


def _send(group: int, number: int) -> bool:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
        return True
    return False


if __name__ == "__main__":
    # Ctrl-C reaches the whole foreground group; this one has its work still before it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end(watch(sys.stdin))
