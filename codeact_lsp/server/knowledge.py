"""The newest catalogue as bindings, made off the event loop."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import NO_BINDINGS, Bindings
from codeact_lsp.catalogue.model import EMPTY, Catalogue
from codeact_lsp.names import DEFAULT_FOLD
from codeact_lsp.server.threads import off_loop

log = logging.getLogger(__name__)


class Knowledge:
    """What is known of servers and tools now.

    A burst of catalogues costs the first and the last of them: while one is being bound, only the
    newest is remembered.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.bindings: Bindings = NO_BINDINGS
        self.builds = 0
        self._changed = changed
        self._wanted: tuple[Catalogue, str] = (EMPTY, DEFAULT_FOLD)
        self._building = False

    @property
    def current(self) -> bool:
        """Whether `bindings` are those of the newest catalogue."""
        return self._wanted == (self.bindings.catalogue, self.bindings.fold_characters)

    def update(self, *, catalogue: Catalogue | None = None, fold: str | None = None) -> None:
        """Take in a new catalogue, or another setting of the characters that are folded."""
        before_catalogue, before_fold = self._wanted
        self._wanted = (
            before_catalogue if catalogue is None else catalogue,
            before_fold if fold is None else fold,
        )
        if not self._building:
            self._build()

    def _build(self) -> None:
        catalogue, fold = self._wanted
        previous = self.bindings
        if catalogue is previous.catalogue and fold == previous.fold_characters:
            return
        self._building = True
        self.builds += 1
        built = off_loop(lambda: bind(catalogue, fold_characters=fold, previous=previous))
        built.add_done_callback(self._take)

    def _take(self, built: asyncio.Future[Bindings]) -> None:
        self._building = False
        error = built.exception()
        if error is None:
            self.bindings = built.result()
            _settle()
            self._changed()
            self._build()
        else:
            log.error("the last good names stay: binding the catalogue failed", exc_info=error)


def _settle() -> None:
    """Keep the garbage collector from walking the catalogue again and again.

    Ten thousand tools are a million values without cycles; a full collection of them holds the
    event loop for tens of milliseconds and finds nothing. Young garbage is collected first, so
    that none of it is kept.
    """
    gc.collect(1)
    gc.freeze()
