"""Diagnostics are worked out once for one state, and again for the next."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import NO_BINDINGS
from codeact_lsp.catalogue.model import Catalogue, Server, Tool
from codeact_lsp.ide.diagnostics import diagnose_again
from codeact_lsp.ide.diagnostics.reuse import Kept
from codeact_lsp.ide.model import Diagnostic, Settings, View
from codeact_lsp.server.checks import Checks
from codeact_lsp.server.documents import OpenDocument
from codeact_lsp.syntax.document import Document

BINDINGS = bind(Catalogue({"web": Server("web", (Tool("search"),))}, version=1))
SETTINGS = Settings()


def opened(text: str) -> tuple[OpenDocument, View]:
    document = Document.parse(text)
    return OpenDocument("file:///a.py", 1, "python", document, 1), View(
        BINDINGS, (document,), SETTINGS
    )


WRONG = "from codeact_lsp.tools import mcp\nmcp.web.nope()\n"


async def test_one_state_is_checked_once() -> None:
    checks = Checks()
    document, view = opened(WRONG)
    first = await checks.of(document, view)
    assert "unknown-tool" in [diagnostic.code for diagnostic in first]
    assert await checks.of(document, replace(view)) is first
    assert checks.at_hand(document, view) is first
    assert checks.runs == 1


@pytest.mark.parametrize(
    "change",
    [
        {"bindings": NO_BINDINGS},
        {"settings": Settings(limit=5)},
        {"chain": (Document.parse(""), Document.parse(WRONG))},
        {"chain": (Document.parse(WRONG),)},
    ],
)
async def test_another_state_is_checked_anew(change: dict[str, object]) -> None:
    checks = Checks()
    document, view = opened(WRONG)
    await checks.of(document, view)
    await checks.of(document, replace(view, **change))  # type: ignore[arg-type]  # a table of fields
    assert checks.runs == 2


async def test_what_is_forgotten_is_checked_anew() -> None:
    checks = Checks()
    document, view = opened(WRONG)
    await checks.of(document, view)
    checks.forget("file:///a.py")
    checks.at_hand(document, view)
    assert checks.runs == 2


async def test_only_a_document_that_is_known_to_be_quick_is_checked_on_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[bool] = []
    clock = iter([0.0, 0.001, 0.0, 1.0, 0.0, 0.001, 0.0, 0.001])

    def diagnose(view: View, _before: Kept | None) -> tuple[tuple[Diagnostic, ...], Kept]:
        threads.append(threading.current_thread() is threading.main_thread())
        return (), Kept(view)

    monkeypatch.setattr("codeact_lsp.server.checks.diagnose_again", diagnose)
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    checks = Checks()
    for _ in range(4):
        document, view = opened(WRONG)
        await checks.of(document, view)
    # The first is not known, the second is known to be quick; the others may be slow as it was.
    assert threads == [False, True, False, False]


async def test_after_an_edit_only_what_it_concerns_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[Kept | None] = []

    def diagnose(view: View, before: Kept | None) -> tuple[tuple[Diagnostic, ...], Kept]:
        left.append(before)
        return diagnose_again(view, before)

    monkeypatch.setattr("codeact_lsp.server.checks.diagnose_again", diagnose)
    checks = Checks()
    document, view = opened(WRONG)
    await checks.of(document, view)
    first = replace(view, chain=(view.document.replaced(0, 0, "\n"),))
    await checks.of(document, first)
    checks.at_hand(document, replace(view, chain=(first.document.replaced(0, 0, "\n"),)))
    assert left[0] is None
    assert [one.view for one in left[1:] if one is not None] == [view, first]
