"""All pages of a server's `tools/list`, within limits, whatever the server says about pages."""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final

from mcp import Client, MCPError
from mcp_types import METHOD_NOT_FOUND, PaginatedRequestParams

from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.limits import Limits
from codeact_lsp.catalogue.listing import Reader
from codeact_lsp.catalogue.model import Problem, Tool
from codeact_lsp.catalogue.tap import Page, Tap

_LONGEST: Final = 10
"""A page may take so many times the time that it may keep silent."""
_MAX_TTL: Final = 24 * 3600.0


class ListingError(Exception):
    """A listing that cannot be used; the connection itself is fine."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A whole listing.

    Attributes:
        tools: those that the config wants, raw names unique.
        problems: what was wrong with single tools, or with the paging.
        ttl: seconds that the server vouches for it; None when it does not say.

    """

    tools: tuple[Tool, ...]
    problems: tuple[Problem, ...]
    ttl: float | None


async def list_tools(
    client: Client,
    tap: Tap,
    server: ServerConfig,
    limits: Limits,
    *,
    page_seconds: float,
    known: Iterable[Tool] = (),
) -> Listed:
    """Read the listing of `server`, every page of it.

    Args:
        client: it is connected.
        tap: it is on the client's streams.
        server: its config.
        limits: how much is read.
        page_seconds: how long a page may keep silent.
        known: the tools of before; one that is listed unchanged is the same object again.

    Raises:
        ListingError: a page is no listing, or did not come in time.
        MCPError: the server refused a page, or the connection ended.

    """
    reader = Reader(server.name, limits=limits, known={tool.digest: tool for tool in known})
    ttls: list[float] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(limits.pages):
        tap.expect(reader)
        page = await _page(client, tap, cursor, page_seconds)
        if page is None:
            break
        if page.reader is None:
            raise ListingError('its answer to tools/list has no list "tools"')
        if not _take_page(reader, page.reader):
            break
        ttls += _ttl(page.result.get("ttlMs"))
        cursor = _next_cursor(page.result.get("nextCursor"), seen, reader)
        if cursor is None or reader.full:
            break
    else:
        reader.report("limit", f"more than {limits.pages:,} pages; the rest is left out")
    wanted = tuple(tool for tool in reader.tools.values() if _is_wanted(tool.raw, server))
    return Listed(wanted, tuple(reader.problems), min(ttls, default=None))


async def _page(client: Client, tap: Tap, cursor: str | None, seconds: float) -> Page | None:
    """A page; None when the server has no tools at all."""
    params = None if cursor is None else PaginatedRequestParams(cursor=cursor)
    try:
        await _within(client.session.list_tools(params=params), tap, seconds)
    except MCPError as error:
        if (
            error.code == METHOD_NOT_FOUND
            and cursor is None
            and client.server_capabilities.tools is None
        ):
            return None
        raise
    page = tap.take()
    if page is None:
        raise ListingError("its answer to tools/list was lost")
    return page


async def _within(answer: Coroutine[Any, Any, object], tap: Tap, seconds: float) -> None:
    """Wait for an answer for so many seconds, and longer while a long one keeps coming.

    Raises:
        ListingError: it did not come.

    """
    clock = asyncio.get_running_loop().time
    latest = clock() + _LONGEST * seconds
    try:
        async with asyncio.timeout(seconds) as limit:

            def goes_on() -> None:
                if not limit.expired():
                    limit.reschedule(min(clock() + seconds, latest))

            tap.on_part = goes_on
            try:
                await answer
            finally:
                tap.on_part = _nothing
    except TimeoutError:
        raise ListingError(f"it did not answer tools/list within {seconds:g} s") from None


def _nothing() -> None:
    """Nobody waits for a part."""


def _take_page(reader: Reader, page: Reader) -> bool:
    """Take a page in; whether it brought anything new."""
    if page.tools or not reader.tools or page.full:
        reader.take(page)
        return True
    # One word on the page as a whole, and none on each of its tools.
    if page.problems:
        reader.report("paging", "a page brings nothing new; paging stops there")
    return False


def _next_cursor(value: Any, seen: set[str], reader: Reader) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        reader.report(
            "paging", "a page ends with a nextCursor that is no string; paging stops there"
        )
        return None
    if value in seen:
        reader.report("paging", "a page repeats an earlier nextCursor; paging stops there")
        return None
    seen.add(value)
    return value


def _ttl(value: Any) -> list[float]:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return []
    return [min(value / 1_000, _MAX_TTL)]


def _is_wanted(raw: str, server: ServerConfig) -> bool:
    included = server.include is None or any(
        fnmatch.fnmatchcase(raw, pattern) for pattern in server.include
    )
    return included and not any(fnmatch.fnmatchcase(raw, pattern) for pattern in server.exclude)
