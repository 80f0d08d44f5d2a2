"""Diagnostics of documents, worked out once a version and kept until something changes."""

from __future__ import annotations

import time
from typing import Final

from codeact_lsp.ide.diagnostics import diagnose_again
from codeact_lsp.ide.diagnostics.reuse import Kept
from codeact_lsp.ide.model import Diagnostic, View
from codeact_lsp.server.documents import OpenDocument
from codeact_lsp.server.threads import off_loop
from codeact_lsp.server.uris import key

LOOP_SECONDS: Final = 0.008
"""A document is checked on the event loop only when each check of it so far was shorter.

The longest counts, which is that of the whole text: an edit of a name that everything uses is as long.
"""


class Checks:
    """The newest diagnostics of each document."""

    def __init__(self) -> None:
        self.runs = 0
        self._kept: dict[str, tuple[tuple[Diagnostic, ...], Kept]] = {}
        self._seconds: dict[str, float] = {}

    async def of(self, opened: OpenDocument, view: View) -> tuple[Diagnostic, ...]:
        """The diagnostics of `opened`, which `view` is of."""
        place = key(opened.uri)
        kept = self._kept.get(place)
        if kept is not None and _same(kept[1].view, view):
            return kept[0]
        before = None if kept is None else kept[1]
        longest = self._seconds.get(place)
        if longest is not None and longest <= LOOP_SECONDS:
            now, seconds = _timed(view, before)
        else:
            now, seconds = await off_loop(lambda: _timed(view, before))
        self.runs += 1
        self._seconds[place] = max(seconds, longest or 0.0)
        self._kept[place] = now
        return now[0]

    def at_hand(self, opened: OpenDocument, view: View) -> tuple[Diagnostic, ...]:
        """The same at once, for a request that cannot wait."""
        kept = self._kept.get(key(opened.uri))
        if kept is None or not _same(kept[1].view, view):
            self.runs += 1
            before = None if kept is None else kept[1]
            kept = self._kept[key(opened.uri)] = diagnose_again(view, before)
        return kept[0]

    def forget(self, uri: str) -> None:
        """Keep nothing of the document at `uri`."""
        self._kept.pop(key(uri), None)
        self._seconds.pop(key(uri), None)


def _timed(view: View, before: Kept | None) -> tuple[tuple[tuple[Diagnostic, ...], Kept], float]:
    start = time.perf_counter()
    found = diagnose_again(view, before)
    return found, time.perf_counter() - start


def _same(one: View, other: View) -> bool:
    """Whether two views are of the very same values; comparing texts would cost a pass over them."""
    return (
        one.bindings is other.bindings
        and one.settings is other.settings
        and len(one.chain) == len(other.chain)
        and all(a is b for a, b in zip(one.chain, other.chain, strict=True))
    )
