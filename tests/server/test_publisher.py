"""Only what is wrong with the newest text is published."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from codeact_lsp.ide.model import Diagnostic
from codeact_lsp.server.checks import Checks
from tests.support.session import PUBLISH, Conversation

URI = "file:///w/a.py"
BAD = "from codeact_lsp.tools import mcp\nmcp.nope\n"


def opened(text: str) -> Conversation:
    talk = Conversation()
    item = {"uri": URI, "languageId": "python", "version": 1, "text": text}
    talk.tell("textDocument/didOpen", {"textDocument": item})
    return talk


def replace(talk: Conversation, version: int, text: str) -> None:
    identifier = {"uri": URI, "version": version}
    talk.tell(
        "textDocument/didChange", {"textDocument": identifier, "contentChanges": [{"text": text}]}
    )


def told(talk: Conversation) -> list[tuple[int | None, list[str]]]:
    """What was published, as (version, codes)."""
    found = [one["params"] for one in talk.sent if one["method"] == PUBLISH]
    return [(one.get("version"), [d["code"] for d in one["diagnostics"]]) for one in found]


async def test_a_burst_of_edits_is_published_once() -> None:
    talk = opened(BAD)
    for version in range(2, 9):
        replace(talk, version, BAD if version % 2 else "")
    await talk.session.publisher.publish()
    assert told(talk) == [(8, [])]


@pytest.mark.parametrize("close", [False, True])
async def test_what_was_found_in_a_text_that_was_replaced_meanwhile_is_dropped(
    monkeypatch: pytest.MonkeyPatch, *, close: bool
) -> None:
    talk = opened(BAD)
    started, go_on = asyncio.Event(), asyncio.Event()
    of = Checks.of

    async def slow(self: Checks, *arguments: Any) -> tuple[Diagnostic, ...]:
        found = await of(self, *arguments)
        if not started.is_set():
            started.set()
            await go_on.wait()
        return found

    monkeypatch.setattr(Checks, "of", slow)
    publishing = asyncio.ensure_future(talk.session.publisher.publish())
    await started.wait()
    if close:
        talk.tell("textDocument/didClose", {"textDocument": {"uri": URI}})
    else:
        replace(talk, 2, "")
    go_on.set()
    await publishing
    assert told(talk) == ([(None, [])] if close else [(2, [])])
