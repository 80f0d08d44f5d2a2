"""The HTTP transports of MCP, over the SDK's own, with limits and an eye on the status codes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import anyio
import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import McpHttpClientFactory

from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.sieve import Body, Events
from codeact_lsp.catalogue.tap import Tap

_CONNECT_SECONDS: Final = 30.0
_READ_SECONDS: Final = 300.0
_SIGN_IN: Final = frozenset({401, 403})


@dataclass(slots=True)
class Seen:
    """What the responses of a server told beside their bodies.

    Attributes:
        needs_sign_in: it answered 401 or 403.
        accepted: a POST was answered without an error, so its credentials are good.
        last_error: the last status of 400 and above.
        pushed: whether it answered the GET for pushed messages with a stream; None before that.
        pushed_known: set when `pushed` is.

    """

    needs_sign_in: bool = False
    accepted: bool = False
    last_error: int | None = None
    pushed: bool | None = None
    pushed_known: anyio.Event = field(default_factory=anyio.Event)

    async def note(self, response: httpx2.Response) -> None:
        """Take note of a response, before its body is read."""
        status = response.status_code
        pulls = response.request.method == "GET"
        if status in _SIGN_IN and not (pulls and self.accepted):
            # Some servers refuse the stream of pushed messages to everybody, in these words.
            self.needs_sign_in = True
        if status >= 400:
            self.last_error = status
        elif not pulls:
            self.accepted = True
        if pulls:
            self.pushed = status == 200 and _is_event_stream(response)
            self.pushed_known.set()


def remote_transport(
    server: ServerConfig, seen: Seen, limits: Limits = DEFAULT, tap: Tap | None = None
) -> AbstractAsyncContextManager[Any]:
    """The streams of a server behind a URL: streamable HTTP, or the older SSE.

    With a `tap`, long lists of tools go there as they arrive.
    """
    if server.transport == "sse":
        return sse_client(
            server.url,
            headers=dict(server.headers),
            timeout=_CONNECT_SECONDS,
            sse_read_timeout=_READ_SECONDS,
            httpx_client_factory=_factory(seen, limits, tap),
        )
    return _http(server, seen, limits, tap)


@asynccontextmanager
async def _http(
    server: ServerConfig, seen: Seen, limits: Limits, tap: Tap | None
) -> AsyncIterator[Any]:
    """`streamable_http_client` with a client of ours, both closed together."""
    async with (
        _client(server.headers, seen, limits, tap, None) as client,
        streamable_http_client(
            server.url, http_client=client, max_sse_event_size=limits.listing_bytes
        ) as streams,
    ):
        yield streams


def _factory(seen: Seen, limits: Limits, tap: Tap | None) -> McpHttpClientFactory:
    def create(
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        assert auth is None, "nobody here signs in"
        return _client(headers or {}, seen, limits, tap, timeout)

    return create


def _client(
    headers: Mapping[str, str],
    seen: Seen,
    limits: Limits,
    tap: Tap | None,
    timeout: httpx2.Timeout | None,
) -> httpx2.AsyncClient:
    async def bound(response: httpx2.Response) -> None:
        packed = response.headers.get("content-encoding", "identity").lower()
        if packed not in {"", "identity"}:
            raise httpx2.DecodingError(
                f"the body is packed with {packed}", request=response.request
            )
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        if tap is not None:
            sieve = (Events if _is_event_stream(response) else Body)(tap, limits)
            response.stream = _Sieved(response.stream, sieve, tap)
        elif not _is_event_stream(response):
            # An event stream lives as long as the connection; the SDK limits each event of it.
            response.stream = _Bounded(response.stream, limits.listing_bytes, response.request)

    return httpx2.AsyncClient(
        # A packed body would be limited before it is unpacked, so none is asked for.
        headers={**headers, "accept-encoding": "identity"},
        timeout=timeout or httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS),
        event_hooks={"response": [seen.note, bound]},
        follow_redirects=False,
    )


def _is_event_stream(response: httpx2.Response) -> bool:
    return str(response.headers.get("content-type", "")).startswith("text/event-stream")


class _Bounded(httpx2.AsyncByteStream):
    """A body that fails once it is larger than the limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int, request: httpx2.Request) -> None:
        self._inner = inner
        self._limit = limit
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._inner:
            size += len(part)
            if size > self._limit:
                message = f"the body has more than {self._limit:,} bytes"
                raise httpx2.ReadError(message, request=self._request)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Sieved(httpx2.AsyncByteStream):
    """A body without the long lists of tools in it."""

    def __init__(self, inner: httpx2.AsyncByteStream, sieve: Body | Events, tap: Tap) -> None:
        self._inner = inner
        self._sieve = sieve
        self._tap = tap

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            if self._sieve.long:
                # This takes long enough to be felt by the other servers.
                left = await asyncio.to_thread(self._sieve.feed, part)
            else:
                left = self._sieve.feed(part)
            if self._sieve.coming:
                self._tap.on_part()
            yield left
        yield self._sieve.finish()

    async def aclose(self) -> None:
        await self._inner.aclose()
