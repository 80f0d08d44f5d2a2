"""Work off the loop: its result, its failure, and nobody who waits for it at the end."""

from __future__ import annotations

import asyncio
import threading

import pytest

from codeact_lsp.server.threads import off_loop


async def test_a_result_comes_back_from_another_thread() -> None:
    assert await off_loop(threading.get_ident) != threading.get_ident()


async def test_a_failure_comes_back() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await off_loop(fail)


async def test_a_result_that_nobody_wants_any_more_is_dropped() -> None:
    go, done = threading.Event(), threading.Event()

    def work() -> None:
        go.wait()
        done.set()

    future = off_loop(work)
    future.cancel()
    go.set()
    await asyncio.to_thread(done.wait)
    assert future.cancelled()


def test_a_loop_that_is_closed_is_left_alone() -> None:
    go = threading.Event()
    threads: list[threading.Thread] = []

    async def begin() -> None:
        off_loop(go.wait)
        threads.extend(t for t in threading.enumerate() if t.name == "codeact-lsp-work")

    asyncio.run(begin())
    go.set()
    for thread in threads:
        thread.join()
    assert all(thread.daemon for thread in threads)
