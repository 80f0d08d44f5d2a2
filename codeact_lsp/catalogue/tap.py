"""Takes the results of `tools/list` out of the stream before the SDK sees them.

The SDK checks a listing against the protocol's models and refuses all of it for one odd tool, and
its models keep less than was sent. Behind this tap it sees an empty page, and the page as sent is
here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse

_LISTING: Final = "tools/list"
_EMPTY_PAGE: Final[Mapping[str, Any]] = {
    "tools": [],
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}


@dataclass(slots=True)
class Tap:
    """The pages that were answered and not yet taken.

    Attributes:
        on_end: called once when the server's stream ends.

    """

    on_end: Callable[[], None] = lambda: None
    _asked: set[Any] = field(default_factory=set)
    _pages: list[Mapping[str, Any]] = field(default_factory=list)

    def take(self) -> Mapping[str, Any] | None:
        """The page as sent that was answered last; None when there is none."""
        page = self._pages[-1] if self._pages else None
        self._pages.clear()
        return page

    def sent(self, item: SessionMessage) -> None:
        """Look at a message on its way to the server."""
        message = item.message
        if isinstance(message, JSONRPCRequest) and message.method == _LISTING:
            self._asked.add(_key(message.id))

    def received(self, item: SessionMessage | Exception) -> None:
        """Look at a message from the server, and empty it when it is a page."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCResponse) and _key(message.id) in self._asked:
            self._asked.discard(_key(message.id))
            self._pages.append(message.result)
            message.result = dict(_EMPTY_PAGE)


def _key(request_id: object) -> str:
    # The SDK takes "7" for an answer to 7, so this must too.
    return str(request_id)


class _Reading:
    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        item: SessionMessage | Exception = await self._inner.receive()
        self._tap.received(item)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    def __aiter__(self) -> _Reading:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            item: SessionMessage | Exception = await self._inner.__anext__()
        except (StopAsyncIteration, anyio.ClosedResourceError):
            self._tap.on_end()
            raise
        self._tap.received(item)
        return item

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> bool | None:
        ended: bool | None = await self._inner.__aexit__(*error)
        return ended


class _Writing:
    def __init__(self, inner: Any, tap: Tap) -> None:
        self._inner = inner
        self._tap = tap

    async def send(self, item: SessionMessage, /) -> None:
        self._tap.sent(item)
        await self._inner.send(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> bool | None:
        ended: bool | None = await self._inner.__aexit__(*error)
        return ended


@asynccontextmanager
async def tapped(
    transport: AbstractAsyncContextManager[Any], tap: Tap
) -> AsyncIterator[tuple[_Reading, _Writing]]:
    """`transport` with `tap` on both of its streams."""
    async with transport as (reading, writing):
        yield _Reading(reading, tap), _Writing(writing, tap)
