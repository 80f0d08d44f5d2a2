"""Diagnostics reach the client with their version, for the newest text only, pushed or pulled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import WEB, Start, has_tools, snapshot, tool
from tests.support.lsp_client import CAPABILITIES, Json, LspClient

URI = "file:///w/cell.py"
IMPORT = "from codeact_lsp.tools import mcp\n"
BAD = IMPORT + 'await mcp.web.search(query="x", max-results=3)\n'
GOOD = IMPORT + 'await mcp.web.search(query="x", max_results=3)\n'


def codes(report: Json) -> list[str]:
    return [diagnostic["code"] for diagnostic in report["diagnostics"]]


async def published(client: LspClient, version: int, uri: str = URI) -> Json:
    """The diagnostics that were published for this version."""
    found: list[Json] = await client.until(
        lambda: [p for p in client.published(uri) if p.get("version") == version]
    )
    return found[-1]


async def test_what_is_wrong_is_published_with_its_version(web: LspClient) -> None:
    await web.open(URI, BAD)
    report = await published(web, 1)
    assert codes(report) == ["raw-keyword"]
    [diagnostic] = report["diagnostics"]
    assert diagnostic["range"] == {
        "start": {"line": 1, "character": 32},
        "end": {"line": 1, "character": 43},
    }
    assert diagnostic["source"] == "codeact-lsp"
    await web.change(URI, 2, {"text": GOOD})
    assert codes(await published(web, 2)) == []


async def test_a_text_that_was_replaced_is_not_diagnosed(web: LspClient) -> None:
    await web.open(URI, BAD)
    for version in range(2, 51):
        await web.change(URI, version, {"text": BAD if version % 2 else GOOD})
    assert codes(await published(web, 50)) == []
    versions = [report["version"] for report in web.published(URI)]
    assert versions == sorted(set(versions))
    assert versions[-1] == 50


async def test_closing_clears(web: LspClient) -> None:
    await web.open(URI, BAD)
    await published(web, 1)
    await web.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    await web.until(lambda: web.published(URI)[-1]["diagnostics"] == [])


async def test_a_changed_catalogue_changes_diagnostics(
    start: Start, root: Path, tmp_path: Path
) -> None:
    file = snapshot(tmp_path / "web.json", web=WEB)
    client = await start("--catalogue", str(file))
    await client.initialize(root=root)
    await client.open(URI, IMPORT + "await mcp.web.other()\n")
    await client.until(lambda: any(codes(r) == ["unknown-tool"] for r in client.published(URI)))
    snapshot(file, web=[*WEB, tool("other")])
    changes = {"changes": [{"uri": file.as_uri(), "type": 2}]}
    await client.notify("workspace/didChangeWatchedFiles", changes)
    await client.until(lambda: codes(client.published(URI)[-1]) == [])


async def test_rules_and_their_change(start: Start, root: Path, tmp_path: Path) -> None:
    file = snapshot(tmp_path / "web.json", web=WEB)
    client = await start("--catalogue", str(file))
    await client.initialize(root=root, options={"rules": {"raw-keyword": "hint"}})
    await client.open(URI, BAD)
    await client.until(
        lambda: [d["severity"] for r in client.published(URI)[-1:] for d in r["diagnostics"]] == [4]
    )
    settings = {"codeact-lsp": {"rules": {"raw-keyword": "off"}}}
    await client.notify("workspace/didChangeConfiguration", {"settings": settings})
    await client.until(lambda: client.published(URI)[-1]["diagnostics"] == [])


async def test_a_fix_makes_the_text_right(web: LspClient) -> None:
    await web.open(URI, BAD)
    [diagnostic] = (await published(web, 1))["diagnostics"]
    actions = await web.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": URI},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic], "only": ["quickfix"]},
        },
    )
    assert {action["kind"] for action in actions} == {"quickfix"}
    fixes = [a for a in actions if a.get("isPreferred")]
    [document] = fixes[0]["edit"]["documentChanges"]
    assert document["textDocument"] == {"uri": URI, "version": 1}
    assert applied(BAD, document["edits"]) == GOOD
    everything = await web.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": URI},
            "range": diagnostic["range"],
            "context": {"diagnostics": [], "only": ["source.fixAll"]},
        },
    )
    [fix_all] = everything
    assert fix_all["kind"] == "source.fixAll.codeact-lsp"
    assert applied(BAD, fix_all["edit"]["documentChanges"][0]["edits"]) == GOOD


def applied(text: str, edits: list[Json]) -> str:
    """`text` with single-line edits of ASCII lines applied."""
    lines = text.splitlines(keepends=True)
    for edit in sorted(edits, key=lambda e: e["range"]["start"]["character"], reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        line = lines[start["line"]]
        lines[start["line"]] = (
            line[: start["character"]] + edit["newText"] + line[end["character"] :]
        )
    return "".join(lines)


PULLS = {
    **CAPABILITIES,
    "textDocument": {**CAPABILITIES["textDocument"], "diagnostic": {}},
    "workspace": {**CAPABILITIES["workspace"], "diagnostics": {"refreshSupport": True}},
}


@pytest.fixture
async def pulling(start: Start, root: Path, tmp_path: Path) -> LspClient:
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    result = await client.initialize(root=root, capabilities=PULLS)
    assert result["capabilities"]["diagnosticProvider"]["interFileDependencies"] is True
    await has_tools(client)
    return client


async def pull(client: LspClient, previous: Any = None) -> Json:
    params = {"textDocument": {"uri": URI}, "previousResultId": previous}
    found = await client.request("textDocument/diagnostic", params)
    assert isinstance(found, dict)
    return found


async def test_a_client_that_pulls_is_not_pushed_to(pulling: LspClient) -> None:
    await pulling.open(URI, BAD)
    first = await pull(pulling)
    assert [d["code"] for d in first["items"]] == ["raw-keyword"]
    again = await pull(pulling, first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    await pulling.change(URI, 2, {"text": GOOD})
    fixed = await pull(pulling, first["resultId"])
    assert (fixed["kind"], fixed["items"]) == ("full", [])
    assert pulling.published(URI) == []


async def test_a_changed_catalogue_asks_for_a_new_pull(pulling: LspClient, tmp_path: Path) -> None:
    await pulling.open(URI, BAD)
    first = await pull(pulling)
    file = snapshot(tmp_path / "web.json", web=[tool("search", max_results={})])
    changes = {"changes": [{"uri": file.as_uri(), "type": 2}]}
    before = len(pulling.requests)
    await pulling.notify("workspace/didChangeWatchedFiles", changes)
    await pulling.until(
        lambda: any(
            r["method"] == "workspace/diagnostic/refresh" for r in pulling.requests[before:]
        )
    )
    assert (await pull(pulling, first["resultId"]))["kind"] == "full"


async def test_the_workspace_is_reported_when_something_changes(pulling: LspClient) -> None:
    await pulling.open(URI, BAD)
    first = await pulling.request("workspace/diagnostic", {"previousResultIds": []})
    [report] = first["items"]
    assert (report["uri"], report["version"], report["kind"]) == (URI, 1, "full")
    known = [{"uri": URI, "value": report["resultId"]}]
    held = await pulling.post("workspace/diagnostic", {"previousResultIds": known})
    await pull(pulling)
    assert pulling.responses[held] == 0
    await pulling.change(URI, 2, {"text": GOOD})
    [report] = (await pulling.answer(held))["items"]
    assert (report["version"], report["kind"], report["items"]) == (2, "full", [])
    held = await pulling.post(
        "workspace/diagnostic", {"previousResultIds": [{"uri": URI, "value": report["resultId"]}]}
    )
    assert await pulling.stop() == 0
    assert pulling.responses[held] <= 1


def cells(*texts: str) -> Json:
    documents = [
        {"uri": f"cell:{n}", "languageId": "python", "version": 1, "text": text}
        for n, text in enumerate(texts)
    ]
    notebook = {
        "uri": "file:///w/n.ipynb",
        "notebookType": "jupyter-notebook",
        "version": 1,
        "cells": [{"kind": 2, "document": d["uri"]} for d in documents],
    }
    return {"notebookDocument": notebook, "cellTextDocuments": documents}


async def test_an_edit_of_a_cell_is_seen_in_later_cells(web: LspClient) -> None:
    await web.notify(
        "notebookDocument/didOpen",
        cells("from codeact_lsp.tools import mcp as m\n", "m.web.nope()"),
    )
    await web.until(lambda: any("unknown-tool" in codes(r) for r in web.published("cell:1")))
    found = await web.at("textDocument/completion", "cell:1", 0, 6)
    assert [item["label"] for item in found["items"]] == ["fetch_page", "search"]
    edit = {
        "document": {"uri": "cell:0", "version": 2},
        "changes": [{"text": "m = None\n"}],
    }
    await web.notify(
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": "file:///w/n.ipynb", "version": 2},
            "change": {"cells": {"textContent": [edit]}},
        },
    )
    await web.until(lambda: codes(web.published("cell:1")[-1]) == [])
    assert await web.at("textDocument/completion", "cell:1", 0, 6) is None


async def test_a_moved_cell_is_diagnosed_anew(web: LspClient) -> None:
    await web.notify("notebookDocument/didOpen", cells("", "mcp.web.nope()", IMPORT))
    await web.until(lambda: web.published("cell:1"))
    assert codes(web.published("cell:1")[-1]) == []
    structure = {
        "array": {"start": 0, "deleteCount": 1, "cells": [{"kind": 2, "document": "cell:2"}]}
    }
    await web.notify(
        "notebookDocument/didChange",
        {
            "notebookDocument": {"uri": "file:///w/n.ipynb", "version": 2},
            "change": {"cells": {"structure": structure}},
        },
    )
    await web.until(lambda: "unknown-tool" in codes(web.published("cell:1")[-1]))
