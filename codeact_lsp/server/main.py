"""The process of the language server: one transport, one conversation, one exit code."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from codeact_lsp.server.endpoint import Endpoint, Handler
from codeact_lsp.server.session import Options, Session
from codeact_lsp.server.transport import Start
from codeact_lsp.text import log_line

SLOW_SECONDS: Final = 0.010
WATCH_VARIABLE: Final = "CODEACT_LSP_WATCH_LOOP"
LEVEL_VARIABLE: Final = "CODEACT_LSP_LOG"
# A thread that computes gives way to the event loop after this long; Python's own 5 ms are felt.
_SWITCH_SECONDS: Final = 0.001


class _Formatter(logging.Formatter):
    """One record, one line: what it quotes may be text of a server."""

    def format(self, record: logging.LogRecord) -> str:
        return log_line(super().format(record), 10_000)


def serve(transport: Callable[[Start], Coroutine[Any, Any, int]], options: Options) -> int:
    """Hold one conversation over `transport`; the exit code of the process.

    Raises:
        TransportError: when the transport cannot be opened.

    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(
        level=os.environ.get(LEVEL_VARIABLE, "WARNING").upper(), handlers=[handler], force=True
    )
    sys.setswitchinterval(_SWITCH_SECONDS)
    return asyncio.run(_serve(transport, options))


async def _serve(transport: Callable[[Start], Coroutine[Any, Any, int]], options: Options) -> int:
    loop = asyncio.get_running_loop()
    if os.environ.get(WATCH_VARIABLE):
        # asyncio's own debug mode names whatever holds the loop for longer.
        loop.set_debug(True)
        loop.slow_callback_duration = SLOW_SECONDS
    sessions: list[Session] = []

    def start(send: Callable[[bytes], None]) -> Endpoint:
        handlers: dict[str, Handler] = {}
        endpoint = Endpoint(send, handlers)
        session = Session(endpoint, options)
        from codeact_lsp.server.handlers import METHODS

        handlers.update((name, partial(handle, session)) for name, handle in METHODS.items())
        sessions.append(session)
        return endpoint

    talking = asyncio.ensure_future(transport(start))
    if sys.platform != "win32":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, _end, sessions, talking, 128 + number)
    try:
        return await talking
    except asyncio.CancelledError:
        return 1
    finally:
        for session in sessions:
            await session.stop()


def _end(sessions: list[Session], talking: asyncio.Future[int], code: int) -> None:
    for session in sessions:
        session.endpoint.close(code)
    if not sessions:
        talking.cancel()
