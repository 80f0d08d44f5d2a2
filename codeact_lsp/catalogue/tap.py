"""Takes the results of `tools/list` out of the stream before the SDK sees them.

The SDK checks a listing against the protocol's models and refuses all of it for one odd tool, and
its models keep less than was sent. Behind this tap it sees an empty page, and what was read of the
real one is here.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest, JSONRPCResponse

from codeact_lsp.catalogue.listing import Reader

_LISTING: Final = "tools/list"
_LIFTED: Final = 4
"""Lists that may wait for their message to be handed on; over HTTP there are a few at a time."""
_EMPTY_PAGE: Final[Mapping[str, Any]] = {
    "tools": [],
    "resultType": "complete",
    "ttlMs": 0,
    "cacheScope": "private",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a listing as it was answered.

    Attributes:
        result: the result, in which `tools` is of no use any more.
        reader: what was read of its tools; None when there is no list of them.

    """

    result: Mapping[str, Any]
    reader: Reader | None


@dataclass(slots=True)
class Tap:
    """The pages that were answered and not yet taken.

    Attributes:
        on_end: called once when the server's stream ends.
        on_part: called whenever a part of a message has come that is on its way.

    """

    on_end: Callable[[], None] = lambda: None
    on_part: Callable[[], None] = lambda: None
    _asked: set[Any] = field(default_factory=set)
    _pages: list[Page] = field(default_factory=list)
    _listing: Reader = field(default_factory=lambda: Reader(None))
    _lifted: dict[str, Reader] = field(default_factory=dict)
    # No server can guess it, so a token that is met is always one of these.
    _secret: str = field(default_factory=lambda: secrets.token_hex(8))
    _count: int = 0

    @property
    def waits(self) -> bool:
        """Whether a page may be on its way."""
        return bool(self._asked)

    def expect(self, listing: Reader) -> None:
        """Forget what was answered; what comes next is the next page of `listing`."""
        self._pages.clear()
        self._lifted.clear()
        self._listing = listing

    def open(self) -> tuple[str, Reader]:
        """A token for a list of tools that is lifted out of a message, and who takes them.

        May be called from another thread.
        """
        self._count += 1
        token = f"{self._secret} {self._count}"
        page = self._lifted[token] = self._listing.page()
        for old in list(self._lifted)[:-_LIFTED]:
            # Of a message that nobody asked for.
            self._lifted.pop(old, None)
        return token, page

    def take(self) -> Page | None:
        """The page that was answered last; None when there is none."""
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
            self._pages.append(Page(message.result, self._tools(message.result.get("tools"))))
            message.result = dict(_EMPTY_PAGE)

    def _tools(self, tools: Any) -> Reader | None:
        """What was read of a list of tools, which is a short one or the token of a long one."""
        if not isinstance(tools, list):
            return None
        if len(tools) == 1 and isinstance(tools[0], str) and tools[0] in self._lifted:
            return self._lifted.pop(tools[0])
        page = self._listing.page()
        for raw in tools:
            page.read(raw)
        return page


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
