"""The end of a child's pipes."""

from __future__ import annotations

import asyncio
from contextlib import suppress


async def close_pipes(process: asyncio.subprocess.Process) -> None:
    """Close our ends of a child's pipes, also when something else still holds the others.

    Waiting for the child waits for its pipes, and nothing public closes them.
    """
    transport = getattr(process, "_transport", None)
    if isinstance(transport, asyncio.SubprocessTransport):
        # Closing kills a child that still runs, and a set-user-id one cannot be.
        with suppress(ProcessLookupError, PermissionError):
            transport.close()
    # The files are closed by callbacks; a loop that ends now would leave them open.
    for _ in range(2):
        await asyncio.sleep(0)
