"""Work off the event loop, in threads that nobody waits for when the process ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def off_loop(work: Callable[[], T]) -> asyncio.Future[T]:
    """The result of `work`, run in a thread of its own.

    `asyncio.to_thread` would do, but its pool is joined when the interpreter exits: an editor that
    closed its end would wait for whatever is still being worked out.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]  # no error: `work` returned it

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as raised:  # noqa: BLE001 - it is raised again where it is awaited
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            # The loop is closed: nobody is left who could want the result.
            return

    threading.Thread(target=run, daemon=True, name="codeact-lsp-work").start()
    return future
