"""Cells are added, removed, moved, cleared, relabelled and edited: every answer is that of what is left."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.ide import names_held
from codeact_lsp.ide.diagnostics import reuse
from codeact_lsp.syntax.lines import Encoding
from tests.support.notebooks import OPERATIONS, Book, changed, position
from tests.support.session import Conversation

Json = dict[str, Any]
CHANGE = "notebookDocument/didChange"
IMPORT = "from codeact_lsp.tools import mcp\n"
WRONG = "mcp.web.nope\n"
LIMIT_SECONDS = 20.0


async def opened(*texts: str, **more: Any) -> tuple[Conversation, Book]:
    """A notebook with these cells, open."""
    talk, book = Conversation(**more), Book(*texts)
    talk.tell("notebookDocument/didOpen", book.opened())
    return talk, book


async def test_names_flow_in_the_order_of_the_cells() -> None:
    talk, book = await opened(IMPORT, "n = mcp.notion\n", "n.se")
    assert await talk.labels(book, 2, 4) == ["search"]
    assert await talk.labels(book, 0, 0) == []


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        pytest.param(lambda b: b.insert(0, "x = 1\n"), [[], [], ["unknown-tool"], []], id="added before"),
        pytest.param(lambda b: b.insert(1, "mcp = 1\n"), [[], [], [], []], id="added between"),
        pytest.param(lambda b: b.insert(3, WRONG), [[], ["unknown-tool"], [], ["unknown-tool"]], id="added behind"),
        pytest.param(lambda b: b.insert(0, WRONG, WRONG), [[], [], [], ["unknown-tool"], []], id="two added"),
        pytest.param(lambda b: b.remove(0), [[], []], id="removed"),
        pytest.param(lambda b: b.remove(1, 2), [[]], id="two removed"),
        pytest.param(lambda b: b.move(0, 2), [[], [], []], id="moved down"),
        pytest.param(lambda b: b.move(2, 0), [[], [], ["unknown-tool"]], id="moved up"),
        pytest.param(lambda b: b.move(1, 0), [[], [], []], id="before what it needs"),
        pytest.param(lambda b: b.rewrite(0, ""), [[], [], []], id="emptied"),
        pytest.param(lambda b: b.clear(), [], id="cleared"),
        pytest.param(lambda b: b.speak(0, "markdown"), [[], [], []], id="no Python any more"),
        pytest.param(lambda b: b.speak(1, "sql"), [[], [], []], id="another language"),
        pytest.param(lambda b: b.speak(0, "python"), [[], ["unknown-tool"], []], id="the same language"),
        pytest.param(lambda b: b.speak(2, "ipython"), [[], ["unknown-tool"], []], id="IPython"),
        pytest.param(lambda b: b.ran(0), [[], ["unknown-tool"], []], id="run"),
        pytest.param(lambda b: b.edit(1, 8, 12, "search"), [[], [], []], id="edited"),
    ],
)  # fmt: skip
async def test_diagnostics_are_those_of_the_cells_as_they_are_now(
    change: Callable[[Book], Json], codes: list[list[str]]
) -> None:
    talk, book = await opened(IMPORT, WRONG, "x = 1\n")
    assert await talk.codes(book) == [[], ["unknown-tool"], []]
    talk.tell(CHANGE, change(book))
    assert await talk.codes(book) == codes


async def test_a_cell_that_becomes_python_again_is_seen_again() -> None:
    talk, book = await opened(IMPORT, WRONG)
    talk.tell(CHANGE, book.speak(0, "markdown"))
    assert await talk.codes(book) == [[], []]
    talk.tell(CHANGE, book.speak(0, "python"))
    assert await talk.codes(book) == [[], ["unknown-tool"]]


async def test_a_diagnostic_stands_where_its_cell_has_it() -> None:
    talk, book = await opened(IMPORT, f"x = '😋'; {WRONG}")
    [found] = await talk.diagnostics(book.cells[1].uri)
    assert found["range"] == {
        "start": {"line": 0, "character": 18},
        "end": {"line": 0, "character": 22},
    }


async def test_what_is_bound_in_a_cell_is_overwritten_in_a_later_one() -> None:
    talk, book = await opened(
        "from codeact_lsp.tools.mcp.web import search\n", "search = await search(query='a')\n"
    )
    assert await talk.codes(book) == [[], ["binding-overwritten"]]
    talk.tell(CHANGE, book.move(1, 0))
    assert await talk.codes(book) == [[], []]


CELLS = (IMPORT, *(f"x{n} = mcp.web.search\n" for n in range(9)))


@pytest.mark.parametrize(
    ("change", "looked_at"),
    [
        pytest.param(lambda b: b.edit(0, 0, 0, "y = 1; "), 10, id="the first cell"),
        pytest.param(lambda b: b.edit(6, 0, 0, "y = 1; "), 4, id="a cell"),
        pytest.param(lambda b: b.edit(9, 0, 0, "y = 1; "), 1, id="the last cell"),
        pytest.param(lambda b: b.insert(7, "y = 1"), 4, id="a new cell"),
        pytest.param(lambda b: b.insert(10, "y = 1"), 1, id="a new cell behind all"),
        pytest.param(lambda b: b.remove(7), 2, id="a cell that went"),
        pytest.param(lambda b: b.remove(9), 0, id="the last cell went"),
        pytest.param(lambda b: b.move(5, 7), 5, id="a cell that moved"),
        pytest.param(lambda b: b.ran(3), 0, id="a cell was run"),
    ],
)
async def test_a_change_has_only_what_follows_looked_at(
    change: Callable[[Book], Json], looked_at: int
) -> None:
    talk, book = await opened(*CELLS)
    await talk.codes(book)
    before = talk.session.checks.runs
    talk.tell(CHANGE, change(book))
    await talk.codes(book)
    assert talk.session.checks.runs - before == looked_at


async def test_an_edit_reads_the_text_of_no_other_cell() -> None:
    talk, book = await opened(*CELLS)
    await talk.codes(book)
    documents = [talk.session.documents.get(cell.uri) for cell in book.cells]
    works = [one.document.work for one in documents if one]
    before = [work.lines_lexed for work in works]
    talk.tell(CHANGE, book.edit(6, 0, 0, "y = 1; "))
    await talk.codes(book)
    after = [work.lines_lexed for work in works]
    assert [
        n for n, counts in enumerate(zip(before, after, strict=True)) if len(set(counts)) > 1
    ] == [6]


@pytest.mark.parametrize(("module", "name"), [(names_held, "_statement"), (reuse, "_facts")])
async def test_what_a_cell_says_is_worked_out_once_whichever_cells_ask(
    module: ModuleType, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without this, a notebook costs the square of its length.
    work, calls = getattr(module, name), []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return work(*arguments)

    monkeypatch.setattr(module, name, counted)
    talk, book = await opened(*CELLS)
    await talk.codes(book)
    assert len(calls) == len(CELLS)
    talk.tell(CHANGE, book.edit(0, 0, 0, "y = 1\n"))
    calls.clear()
    await talk.codes(book)
    assert len(calls) <= 2


async def published(talk: Conversation) -> list[tuple[str, int | None, list[str]]]:
    """What is published now, as (cell, version, codes)."""
    await talk.session.publisher.publish()
    sent = talk.sent
    found = [one["params"] for one in sent if one["method"] == "textDocument/publishDiagnostics"]
    sent.clear()
    return [
        (p["uri"].partition("#")[2], p.get("version"), [d["code"] for d in p["diagnostics"]])
        for p in found
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda b: b.edit(1, 8, 12, "search"), [("1", 2, []), ("2", 1, [])], id="an edit"),
        pytest.param(lambda b: b.ran(0), [], id="a cell was run"),
        pytest.param(lambda b: b.remove(0), [("0", None, []), ("1", 1, []), ("2", 1, [])], id="removed"),
        pytest.param(lambda b: b.remove(2), [("2", None, [])], id="the last one removed"),
        pytest.param(
            lambda b: b.clear(), [("0", None, []), ("1", None, []), ("2", None, [])], id="cleared"
        ),
        pytest.param(
            lambda b: b.speak(1, "sql"), [("1", None, []), ("2", 1, [])], id="another language"
        ),
        pytest.param(lambda b: b.insert(3, WRONG), [("3", 1, ["unknown-tool"])], id="added behind"),
    ],
)  # fmt: skip
async def test_what_a_change_concerns_is_published_and_nothing_else(
    change: Callable[[Book], Json], told: list[tuple[str, int | None, list[str]]]
) -> None:
    talk, book = await opened(IMPORT, WRONG, "x = 1\n")
    first = await published(talk)
    assert first == [("0", 1, []), ("1", 1, ["unknown-tool"]), ("2", 1, [])]
    talk.tell(CHANGE, change(book))
    assert sorted(await published(talk)) == told


async def test_a_cell_that_leaves_without_being_closed_is_a_text_of_its_own() -> None:
    talk, book = await opened(IMPORT, WRONG)
    await published(talk)
    gone = book.cells[1]
    params = book.remove(1)
    params["change"]["cells"]["structure"]["didClose"] = []
    talk.tell(CHANGE, params)
    assert await published(talk) == [("1", 1, [])]
    assert await talk.diagnostics(gone.uri) == []


async def test_a_cell_that_is_closed_alone_is_seen_by_none_after_it() -> None:
    talk, book = await opened(IMPORT, WRONG)
    await published(talk)
    talk.tell("textDocument/didClose", {"textDocument": {"uri": book.cells[0].uri}})
    assert await published(talk) == [("0", None, []), ("1", 1, [])]


async def test_a_closed_notebook_leaves_nothing() -> None:
    talk, book = await opened(IMPORT, WRONG)
    await published(talk)
    talk.tell("notebookDocument/didClose", book.closed())
    assert await published(talk) == [("0", None, []), ("1", None, [])]
    assert await talk.codes(book) == [[], []]
    assert tuple(talk.session.documents) == ()


async def test_cells_that_a_client_forgets_to_close_are_closed_with_their_notebook() -> None:
    talk, book = await opened(IMPORT, WRONG)
    talk.tell("notebookDocument/didClose", {**book.closed(), "cellTextDocuments": []})
    assert tuple(talk.session.documents) == ()


async def test_a_notebook_that_is_opened_again_starts_again() -> None:
    talk, _ = await opened(IMPORT, WRONG, WRONG)
    again = Book(WRONG)
    talk.tell("notebookDocument/didOpen", again.opened())
    assert [one.uri for one in talk.session.documents] == [again.cells[0].uri]
    assert await talk.codes(again) == [[]]


async def test_a_change_of_a_notebook_that_is_not_open_makes_it() -> None:
    talk, book = Conversation(), Book()
    talk.tell(CHANGE, book.insert(0, IMPORT, WRONG))
    assert await talk.codes(book) == [[], ["unknown-tool"]]


async def test_a_listed_cell_without_a_text_is_passed_over() -> None:
    talk, book = await opened(IMPORT, WRONG)
    ghost = {"kind": 2, "document": "cell:ghost"}
    structure = {"array": {"start": 1, "deleteCount": 0, "cells": [ghost]}}
    talk.tell(CHANGE, book._changed({"cells": {"structure": structure}}))
    assert await talk.codes(book) == [[], ["unknown-tool"]]
    assert await talk.diagnostics("cell:ghost") == []


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("vscode-notebook-cell:/c%3A/w/n.ipynb#W0sZmlsZQ%3D%3D", "vscode-notebook-cell:/c:/w/n.ipynb#W0sZmlsZQ=="),
        ("vscode-notebook-cell:/C:/w/n.ipynb#W0", "vscode-notebook-cell:/c%3a/w/n.ipynb#W0"),
        ("vscode-notebook-cell:/w/a%20b.ipynb#W0", "vscode-notebook-cell:/w/a b.ipynb#W0"),
    ],
)  # fmt: skip
async def test_a_cell_is_found_however_its_uri_is_spelled(said: str, asked: str) -> None:
    talk, book = Conversation(), Book(IMPORT, WRONG)
    book.cells[1].uri = said
    talk.tell("notebookDocument/didOpen", book.opened())
    assert [one["code"] for one in await talk.diagnostics(asked)] == ["unknown-tool"]
    assert (await published(talk))[-1][0] == said.partition("#")[2]


async def test_a_version_that_goes_back_starts_again_only_where_the_text_is_opened_again() -> None:
    talk, book = await opened(IMPORT, WRONG)
    talk.tell(CHANGE, book.rewrite(1, "mcp.web.search\n"))
    late = Book(IMPORT, WRONG)
    talk.tell(
        CHANGE, {**late.rewrite(1, WRONG), "notebookDocument": {"uri": book.uri, "version": 0}}
    )
    assert await talk.codes(book) == [[], ["unknown-tool"]]
    late.cells[1].version = -9
    talk.tell(CHANGE, late.rewrite(1, "mcp.web.search\n"))
    assert await talk.codes(book) == [[], ["unknown-tool"]]
    talk.tell(CHANGE, book.speak(1, "python"))
    assert await talk.codes(book) == [[], []]


async def test_a_held_report_of_the_workspace_is_answered_when_a_cell_only_moves() -> None:
    talk, book = await opened("", WRONG, IMPORT, pulls=True)
    first = await talk.ask("workspace/diagnostic", {"previousResultIds": []})
    known = [{"uri": one["uri"], "value": one["resultId"]} for one in first["items"]]
    held = asyncio.ensure_future(talk.ask("workspace/diagnostic", {"previousResultIds": known}))
    await asyncio.sleep(0)
    talk.tell(CHANGE, book.move(2, 0))
    full = [
        one
        for one in (await asyncio.wait_for(held, LIMIT_SECONDS))["items"]
        if one["kind"] == "full"
    ]
    assert {one["uri"]: len(one["items"]) for one in full}[book.cells[2].uri] == 1


async def test_a_text_that_is_closed_has_nothing_wrong_in_the_workspace() -> None:
    talk, book = await opened(IMPORT, WRONG, pulls=True)
    first = await talk.ask("workspace/diagnostic", {"previousResultIds": []})
    known = [{"uri": one["uri"], "value": one["resultId"]} for one in first["items"]]
    held = asyncio.ensure_future(talk.ask("workspace/diagnostic", {"previousResultIds": known}))
    await asyncio.sleep(0)
    gone = book.cells[1].uri
    talk.tell(CHANGE, book.remove(1))
    [report] = [
        one
        for one in (await asyncio.wait_for(held, LIMIT_SECONDS))["items"]
        if one["kind"] == "full"
    ]
    assert (report["uri"], report["version"], report["items"]) == (gone, None, [])
    known[1]["value"] = report["resultId"]
    again = asyncio.ensure_future(talk.ask("workspace/diagnostic", {"previousResultIds": known}))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not again.done()  # it was told, so there is no news
    again.cancel()


POOL = (
    IMPORT,
    "from codeact_lsp.tools.mcp import web as w\n",
    "w.sea",
    "mcp.web.nope\n",
    "mcp = None\n",
    "r = await mcp.notion.search(query='a')\nr['items'][0]['",
    "s = '😋😋'; mcp.web.search(max-results=1, ",
    "%%bash\nmcp.web.search(\n",
    "%%time\nmcp.web.search(query=1, order='ascc')\n",
    "x = !ls\r\nmcp.notion.search?\r\n%time await mcp.notion.ping()\r\n",
    "from codeact_lsp.tools.mcp.web import search\nsearch = await search(query='a')\n",
    "def f(:\n    mcp.",
    "",
)
PLACES = st.integers(0, 20)
SEQUENCES = st.lists(
    st.tuples(st.sampled_from([*OPERATIONS, "look"]), PLACES, PLACES, st.sampled_from(POOL)),
    max_size=12,
)


async def everything(talk: Conversation, book: Book) -> list[Any]:
    """Every answer about every cell, at the end of each word and line."""
    found: list[Any] = []
    methods = [f"textDocument/{name}" for name in ("completion", "hover", "signatureHelp")]
    for cell in book.cells:
        here = {"textDocument": {"uri": cell.uri}}
        found.append(await talk.diagnostics(cell.uri))
        found.append(await talk.ask("textDocument/semanticTokens/full", here))
        text = cell.text
        for offset in range(len(text) + 1):
            if text[offset - 1 : offset + 1] == "\r\n" or text[offset - 1 : offset + 1].isalnum():
                continue
            place = position(text, offset, book.encoding)
            found += [await talk.at(method, cell.uri, place) for method in methods]
    return found


@settings(deadline=None, max_examples=60)
@given(
    operations=SEQUENCES,
    cells=st.lists(st.sampled_from(POOL), max_size=5),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]),
)
def test_after_any_changes_every_answer_is_that_of_a_fresh_server(
    operations: list[tuple[str, int, int, str]], cells: list[str], encoding: Encoding
) -> None:
    async def run() -> None:
        talk, book = Conversation(encoding=encoding), Book(*cells, encoding=encoding)
        talk.tell("notebookDocument/didOpen", book.opened())
        for operation in operations:
            if operation[0] == "look":
                await everything(talk, book)
                continue
            params = changed(book, *operation)
            if params is not None:
                talk.tell(CHANGE, params)
        fresh = Conversation(encoding=encoding)
        fresh.tell("notebookDocument/didOpen", book.opened())
        assert await everything(talk, book) == await everything(fresh, book)
        shown = {uri: found for uri, found in (await talk.published()).items() if found}
        assert shown == {uri: found for uri, found in (await fresh.published()).items() if found}

    asyncio.run(run())
