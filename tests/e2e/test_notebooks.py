"""Notebooks over a real process: after any changes every answer is that of a server that starts now."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.syntax.lines import Encoding
from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support.lsp_client import CAPABILITIES, Json, LspClient
from tests.support.notebooks import OPERATIONS, Book, changed, position

CHANGE = "notebookDocument/didChange"
IMPORT = "from codeact_lsp.tools import mcp\n"
WRONG = "mcp.web.nope\n"
POOL = (
    IMPORT,
    "from codeact_lsp.tools.mcp import web as w\n",
    "s = '😋😋'; await w.search(max-results=1, ",
    "%%time\n# 😋\nmcp.web.search(query=1, order='ascc')\n",
    "%%bash\nmcp.web.search(\n",
    "x = !ls\r\nmcp.web.fetch-page?\r\n",
    WRONG,
    "mcp = None\n",
    "",
)


async def talking(start: Start, root: Path, tmp_path: Path, encoding: Encoding) -> LspClient:
    """A server for a client that counts in `encoding` and pulls."""
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    capabilities = {
        **CAPABILITIES,
        "general": {"positionEncodings": [encoding]},
        "notebookDocument": {"synchronization": {"executionSummarySupport": True}},
        "textDocument": {**CAPABILITIES["textDocument"], "diagnostic": {}},
        "workspace": {**CAPABILITIES["workspace"], "diagnostics": {"refreshSupport": True}},
    }
    await client.initialize(root=root, capabilities=capabilities)
    await has_tools(client)
    return client


async def answers(client: LspClient, book: Book) -> list[Any]:
    """Diagnostics and tokens of every cell; completion, hover and signatures behind each sign."""
    found: list[Any] = []
    methods = [f"textDocument/{name}" for name in ("completion", "hover", "signatureHelp")]
    for cell in book.cells:
        here = {"textDocument": {"uri": cell.uri}}
        report = await client.request("textDocument/diagnostic", here)
        found += [report["items"], await client.request("textDocument/semanticTokens/full", here)]
        for offset, sign in enumerate(cell.text, 1):
            if sign in ".(,=\n😋":
                place = {**here, "position": position(cell.text, offset, book.encoding)}
                found += [await client.request(method, place) for method in methods]
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_after_many_changes_nothing_differs_from_a_fresh_server(
    start: Start, root: Path, tmp_path: Path, encoding: Encoding
) -> None:
    chance = random.Random(encoding)
    book = Book(*(chance.choice(POOL) for _ in range(10)), encoding=encoding)
    client = await talking(start, root, tmp_path, encoding)
    await client.notify("notebookDocument/didOpen", book.opened())
    kinds = [kind for kind in OPERATIONS if kind != "clear"] * 3
    for number in range(60):
        kind = "clear" if number == 20 else "insert" if 20 < number < 26 else chance.choice(kinds)
        numbers = chance.randrange(20), chance.randrange(20)
        params = changed(book, kind, *numbers, chance.choice(POOL))
        if params is not None:
            await client.notify(CHANGE, params)
        if number % 10 == 9:
            await answers(client, book)
    fresh = await talking(start, root, tmp_path, encoding)
    await fresh.notify("notebookDocument/didOpen", book.opened())
    assert await answers(client, book) == await answers(fresh, book)
    assert [m for m in client.notifications if m["method"] == "window/showMessage"] == []


async def codes(client: LspClient, book: Book) -> list[list[str]]:
    """The codes of what is wrong, cell by cell."""
    found = []
    for cell in book.cells:
        params = {"textDocument": {"uri": cell.uri}}
        report = await client.request("textDocument/diagnostic", params)
        found.append([one["code"] for one in report["items"]])
    return found


def odd(book: Book) -> list[tuple[str, Any]]:
    """What no client should send: cells that are not there, places outside, versions going back."""
    ghost: Json = {"kind": 2, "document": "vscode-notebook-cell:/w/n.ipynb#ghost"}

    def structure(**array: Any) -> Json:
        given = {"start": 0, "deleteCount": 0, "cells": [], **array}
        return {"cells": {"structure": {"array": given}}}

    def content(uri: str, version: int, **change: Any) -> Json:
        edit = {"document": {"uri": uri, "version": version}, "changes": [{"text": "x", **change}]}
        return {"cells": {"textContent": [edit]}}

    far = {"line": 10**6, "character": 10**6}
    first = book.cells[0].uri
    changes: list[Any] = [
        {},
        {"metadata": {"a": 1}},
        {"cells": {}},
        {"cells": {"data": [ghost]}},
        structure(start=99, deleteCount=99),
        structure(start=0, deleteCount=-1),
        structure(start=1, cells=[ghost]),
        content(ghost["document"], 3, range={"start": far, "end": far}),
        content(first, 0),
        content(first, 1, range={"start": far, "end": far}, text=""),
        None,
        {"cells": {"structure": {"array": None}}},
        {"cells": {"structure": {"array": {"start": "0", "deleteCount": 0}}}},
        {"cells": {"textContent": [{"document": {"uri": first}, "changes": None}]}},
        {"cells": 3},
    ]
    same = {"uri": book.uri, "version": -5}
    messages = [(CHANGE, {"notebookDocument": same, "change": change}) for change in changes]
    other = {"uri": "file:///w/other.ipynb", "version": 1}
    return [
        *messages,
        (CHANGE, {"notebookDocument": other, "change": structure(deleteCount=5, cells=[ghost])}),
        ("notebookDocument/didSave", {"notebookDocument": other}),
        ("notebookDocument/didClose", {"notebookDocument": other, "cellTextDocuments": []}),
        ("textDocument/didClose", {"textDocument": {"uri": ghost["document"]}}),
    ]


async def test_what_no_client_should_send_does_no_harm(
    start: Start, root: Path, tmp_path: Path
) -> None:
    book = Book(IMPORT, WRONG)
    client = await talking(start, root, tmp_path, "utf-16")
    await client.notify("notebookDocument/didOpen", book.opened())
    for method, params in odd(book):
        await client.notify(method, params)
        assert await codes(client, book) == [[], ["unknown-tool"]], (method, params)
    assert client.closed is False


async def test_a_windows_notebook_is_one_notebook_however_it_is_spelled(
    start: Start, root: Path, tmp_path: Path
) -> None:
    book = Book(IMPORT, "mcp.web.search", uri="file:///c%3A/w/n.ipynb")
    book.cells[1].uri = "vscode-notebook-cell:/c%3A/w/n.ipynb#W0sZmlsZQ%3D%3D"
    client = await talking(start, root, tmp_path, "utf-16")
    await client.notify("notebookDocument/didOpen", book.opened())
    for spelled in ("/c:/w/n.ipynb#W0sZmlsZQ==", "/C%3a/w/n.ipynb#W0sZmlsZQ%3D%3D"):
        found = await client.at("textDocument/hover", f"vscode-notebook-cell:{spelled}", 0, 10)
        assert "async def search(" in found["contents"]["value"]
    book.uri = "file:///C:/w/n.ipynb"
    await client.notify(CHANGE, book.remove(0))
    found = await client.at("textDocument/hover", book.cells[0].uri, 0, 10)
    assert found is None
