"""Diagnostics of documents, worked out once a version and kept until something changes."""

from __future__ import annotations

import math
import time
from typing import Final

from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.model import Diagnostic, View
from codeact_lsp.server.documents import OpenDocument
from codeact_lsp.server.threads import off_loop
from codeact_lsp.server.uris import key

LOOP_SECONDS: Final = 0.008
"""A document is checked on the event loop only when its last check is known to be shorter."""


class Checks:
    """The newest diagnostics of each document."""

    def __init__(self) -> None:
        self.runs = 0
        self._kept: dict[str, tuple[View, tuple[Diagnostic, ...]]] = {}
        self._seconds: dict[str, float] = {}

    async def of(self, opened: OpenDocument, view: View) -> tuple[Diagnostic, ...]:
        """The diagnostics of `opened`, which `view` is of."""
        kept = self._kept.get(key(opened.uri))
        if kept is not None and _same(kept[0], view):
            return kept[1]
        if self._seconds.get(key(opened.uri), math.inf) <= LOOP_SECONDS:
            found, seconds = _timed(view)
        else:
            found, seconds = await off_loop(lambda: _timed(view))
        self.runs += 1
        self._seconds[key(opened.uri)] = seconds
        self._kept[key(opened.uri)] = (view, found)
        return found

    def at_hand(self, opened: OpenDocument, view: View) -> tuple[Diagnostic, ...]:
        """The same at once, for a request that cannot wait."""
        kept = self._kept.get(key(opened.uri))
        if kept is None or not _same(kept[0], view):
            self.runs += 1
            kept = self._kept[key(opened.uri)] = (view, tuple(diagnose(view)))
        return kept[1]

    def forget(self, uri: str) -> None:
        """Keep nothing of the document at `uri`."""
        self._kept.pop(key(uri), None)
        self._seconds.pop(key(uri), None)


def _timed(view: View) -> tuple[tuple[Diagnostic, ...], float]:
    start = time.perf_counter()
    found = tuple(diagnose(view))
    return found, time.perf_counter() - start


def _same(one: View, other: View) -> bool:
    """Whether two views are of the very same values; comparing texts would cost a pass over them."""
    return (
        one.bindings is other.bindings
        and one.settings is other.settings
        and len(one.chain) == len(other.chain)
        and all(a is b for a, b in zip(one.chain, other.chain, strict=True))
    )
