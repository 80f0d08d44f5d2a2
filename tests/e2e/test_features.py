"""Every feature over the wire: the shapes are LSP's, the contents are the catalogue's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support.lsp_client import CAPABILITIES, Json, LspClient, LspError

URI = "file:///w/cell.py"
IMPORT = "from codeact_lsp.tools import mcp\n"
CALL = 'await mcp.web.search(query="x", from_="y")\n'


def labels(found: Json | None) -> list[str]:
    return [item["label"] for item in found["items"]] if found else []


def with_item(**item: Any) -> Json:
    """The usual capabilities with more of `completionItem`."""
    document = CAPABILITIES["textDocument"]
    completion = document["completion"]
    return {
        **CAPABILITIES,
        "textDocument": {
            **document,
            "completion": {
                **completion,
                "completionItem": {**completion["completionItem"], **item},
            },
        },
    }


async def test_completion_and_its_documentation(web: LspClient) -> None:
    await web.open(URI, IMPORT + "await mcp.web.search(")
    found = await web.at("textDocument/completion", URI, 1, 21)
    items = {item["label"]: item for item in found["items"]}
    assert {"query=", "from_=", "max_results=", "order="} <= items.keys()
    query = items["query="]
    assert "documentation" not in query
    assert query["labelDetails"]["description"] == "required"
    resolved = await web.request("completionItem/resolve", query)
    assert "What to look for." in resolved["documentation"]["value"]
    assert resolved["documentation"]["kind"] == "markdown"
    assert {**resolved, "documentation": None} == {**query, "documentation": None}


async def test_an_item_of_somebody_else_is_given_back(web: LspClient) -> None:
    for item in ({"label": "x"}, {"label": "x", "data": [1, 2]}, {"label": "x", "data": ["gone"]}):
        assert await web.request("completionItem/resolve", item) == item


async def test_the_whole_word_is_replaced_or_its_start_is_inserted(
    start: Start, root: Path, tmp_path: Path
) -> None:
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    await client.initialize(root=root, capabilities=with_item(insertReplaceSupport=True))
    await has_tools(client)
    await client.open(URI, IMPORT + "mcp.web.sea_old")
    [item] = (await client.at("textDocument/completion", URI, 1, 11))["items"]
    assert item["textEdit"] == {
        "newText": "search",
        "insert": {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 11}},
        "replace": {"start": {"line": 1, "character": 8}, "end": {"line": 1, "character": 15}},
    }


async def test_a_range_that_all_items_share_is_sent_once(
    start: Start, root: Path, tmp_path: Path
) -> None:
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    capabilities = with_item()
    capabilities["textDocument"]["completion"]["completionList"] = {"itemDefaults": ["editRange"]}
    await client.initialize(root=root, capabilities=capabilities)
    await has_tools(client)
    await client.open(URI, IMPORT + "mcp.web.fetch")
    found = await client.at("textDocument/completion", URI, 1, 13)
    assert found["itemDefaults"]["editRange"] == {
        "start": {"line": 1, "character": 8},
        "end": {"line": 1, "character": 13},
    }
    assert [item.get("textEdit") for item in found["items"]] == [None]


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 24), ("utf-16", 20), ("utf-32", 18)])
async def test_positions_in_each_encoding(
    start: Start, root: Path, tmp_path: Path, encoding: str, character: int
) -> None:
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    result = await client.initialize(root=root, capabilities=capabilities)
    assert result["capabilities"]["positionEncoding"] == encoding
    await has_tools(client)
    await client.open(URI, IMPORT + 's = "😋😋"; mcp.web.sea')
    found = await client.at("textDocument/completion", URI, 1, character + 3)
    [item] = found["items"]
    assert item["textEdit"]["range"] == {
        "start": {"line": 1, "character": character},
        "end": {"line": 1, "character": character + 3},
    }


async def test_a_hyphen_that_is_a_minus_opens_no_list(web: LspClient) -> None:
    await web.open(URI, IMPORT + "a = 1 -\nmcp.web.fetch-")
    typed = {"context": {"triggerKind": 2, "triggerCharacter": "-"}}
    assert await web.at("textDocument/completion", URI, 1, 7, **typed) is None
    assert labels(await web.at("textDocument/completion", URI, 2, 14, **typed)) == ["fetch_page"]


async def test_hover_explains_a_rename(web: LspClient) -> None:
    await web.open(URI, IMPORT + CALL)
    found = await web.at("textDocument/hover", URI, 1, 34)
    assert 'sent as "from"' in found["contents"]["value"]
    assert found["contents"]["kind"] == "markdown"
    assert found["range"] == {
        "start": {"line": 1, "character": 32},
        "end": {"line": 1, "character": 37},
    }
    assert await web.at("textDocument/hover", URI, 0, 0) is None
    assert await web.at("textDocument/hover", "file:///w/unknown.py", 0, 0) is None


async def test_signature_help(web: LspClient) -> None:
    await web.open(URI, IMPORT + 'await mcp.web.search(query="x", order=')
    found = await web.at("textDocument/signatureHelp", URI, 1, 38)
    [signature] = found["signatures"]
    active = signature["parameters"][found["activeParameter"]]
    start, end = active["label"]
    assert signature["label"][start:end].startswith("order: ")
    assert found["activeSignature"] == 0


def read_stub(uri: str) -> tuple[list[str], bool]:
    """The lines of a stub file, and whether it can be written."""
    path = Path(uri.removeprefix("file://"))
    return path.read_text("utf-8").splitlines(), bool(path.stat().st_mode & 0o222)


async def test_definition_is_a_place_in_a_real_file(web: LspClient) -> None:
    await web.open(URI, IMPORT + CALL)
    [place] = await web.at("textDocument/definition", URI, 1, 16)
    lines, writable = read_stub(place["uri"])
    assert lines[place["range"]["start"]["line"]].startswith("async def search(")
    assert not writable


async def test_definition_is_a_place_in_a_virtual_document(
    start: Start, root: Path, tmp_path: Path
) -> None:
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    workspace = {**CAPABILITIES["workspace"], "textDocumentContent": {}}
    result = await client.initialize(
        root=root, capabilities={**CAPABILITIES, "workspace": workspace}
    )
    content = result["capabilities"]["workspace"]["textDocumentContent"]
    assert content == {"schemes": ["codeact-lsp"]}
    await has_tools(client)
    await client.open(URI, IMPORT + CALL)
    [place] = await client.at("textDocument/definition", URI, 1, 34)
    text = (await client.request("workspace/textDocumentContent", {"uri": place["uri"]}))["text"]
    assert text.splitlines()[place["range"]["start"]["line"]].strip().startswith("from_: ")
    with pytest.raises(LspError) as refused:
        await client.request("workspace/textDocumentContent", {"uri": "codeact-lsp:/none.pyi"})
    assert refused.value.code == -32803


async def test_references_highlights_and_tokens(web: LspClient) -> None:
    await web.open(URI, IMPORT + CALL + CALL)
    found = await web.at(
        "textDocument/references", URI, 1, 16, context={"includeDeclaration": True}
    )
    places = [(p["range"]["start"]["line"], p["range"]["start"]["character"]) for p in found]
    assert places == [(1, 14), (2, 14)]
    highlights = await web.at("textDocument/documentHighlight", URI, 1, 16)
    assert [h["range"] for h in highlights] == [p["range"] for p in found]
    tokens = await web.request("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})
    # mcp (import), then on each line mcp, web, search and the renamed keyword.
    line = [1, 6, 3, 0, 0, 0, 4, 3, 0, 0, 0, 4, 6, 1, 0, 0, 18, 5, 2, 1]
    assert tokens["data"] == [0, 30, 3, 0, 0, *line, *line]


async def test_workspace_symbols_know_raw_names(web: LspClient) -> None:
    for query in ("fetch-page", "fetch_page", "page"):
        [symbol] = await web.request("workspace/symbol", {"query": query})
        assert (symbol["name"], symbol["containerName"]) == ("fetch_page", "web")


async def test_inlay_hints_are_off_until_a_setting_turns_them_on(web: LspClient) -> None:
    await web.open(URI, IMPORT + CALL)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    params = {"textDocument": {"uri": URI}, "range": whole}
    assert await web.request("textDocument/inlayHint", params) is None
    settings = {"codeact-lsp": {"inlay-hints": True}}
    await web.notify("workspace/didChangeConfiguration", {"settings": settings})
    [hint] = await web.request("textDocument/inlayHint", params)
    assert (hint["label"], hint["position"]) == ('"from":', {"line": 1, "character": 32})


CAN_RUN = {
    **CAPABILITIES,
    "workspace": {**CAPABILITIES["workspace"], "codeLens": {"refreshSupport": True}},
    "experimental": {"codeactLsp": {"runCell": True}},
}
SECTIONS = f"# %%\n{IMPORT}# %%\n{CALL}"


async def test_cells_can_be_run_where_the_client_can(start: Start, root: Path) -> None:
    client = await start()
    assert (
        "codeLensProvider"
        in (await client.initialize(root=root, capabilities=CAN_RUN))["capabilities"]
    )
    await client.open(URI, SECTIONS)
    params = {"textDocument": {"uri": URI}}
    lenses = await client.request("textDocument/codeLens", params)
    assert [
        (lens["range"]["start"]["line"], lens["command"]["command"], lens["command"]["arguments"])
        for lens in lenses
    ] == [
        (0, "codeact-lsp.runCell", [{"uri": URI, "line": 1}]),
        (2, "codeact-lsp.runCell", [{"uri": URI, "line": 3}]),
        (2, "codeact-lsp.runAbove", [{"uri": URI, "line": 3}]),
    ]
    settings = {"codeact-lsp": {"run-cell-lens": False}}
    await client.notify("workspace/didChangeConfiguration", {"settings": settings})
    await client.until(lambda: "workspace/codeLens/refresh" in methods(client))
    assert await client.request("textDocument/codeLens", params) is None


def methods(client: LspClient) -> list[str]:
    return [request["method"] for request in client.requests]


async def test_cells_of_a_folder_that_is_not_trusted_cannot_be_run(
    start: Start, root: Path
) -> None:
    client = await start()
    await client.initialize(root=root, capabilities=CAN_RUN, options={"trusted": False})
    await client.open(URI, SECTIONS)
    assert await client.request("textDocument/codeLens", {"textDocument": {"uri": URI}}) is None


async def test_clients_that_run_no_cells_are_offered_none(start: Start, root: Path) -> None:
    answer = await (await start()).initialize(root=root)
    assert "codeLensProvider" not in answer["capabilities"]


async def test_commands(web: LspClient) -> None:
    async def run(name: str, **argument: Any) -> Any:
        params = {"command": f"codeact-lsp.{name}", "arguments": [argument]}
        return await web.request("workspace/executeCommand", params)

    await web.open(URI, IMPORT + "x = 1 # comment")
    assert "# codeact_lsp.tools.mcp.web" in await run("showPromptBlock")
    assert "mcp.web.fetch_page" in await run("showCatalogue")
    why = await run("explain", uri=URI, position={"line": 1, "character": 12})
    assert "Completion: The cursor is in a comment." in why
    assert "not been given this text" in await run(
        "explain", uri="file:///w/other.py", position={"line": 0, "character": 0}
    )
    assert (await run("report")).startswith("codeact-lsp ")
    assert await run("approve") == "Nothing waits for approval."
    assert await run("restart") is None
    assert await run("refresh", server="web") is None
    assert await run("showLogs") == ""


async def test_the_tree_of_servers_and_tools(web: LspClient) -> None:
    tree = await web.request("codeact-lsp/catalogue", {})
    [server] = tree["servers"]
    assert (server["raw"], server["path"], server["state"]) == ("web", "mcp.web", "snapshot")
    assert server["tools"][0] == {
        "raw": "fetch-page",
        "name": "fetch_page",
        "reason": "hyphen",
        "path": "mcp.web.fetch_page",
        "changed": False,
    }
    tool = await web.request("codeact-lsp/tool", {"server": "web", "tool": "fetch-page"})
    assert tool["call"] == "await mcp.web.fetch_page(page_id=…)"
    lines, _ = read_stub(tool["location"]["uri"])
    assert lines[tool["location"]["range"]["start"]["line"]].startswith("async def fetch_page(")
    assert tool["snippet"] == "await mcp.web.fetch_page(page_id=${1:…})"
    assert tool["edits"] == []
    await web.open(URI, "import os\n\nimport re\n")
    place = {"uri": URI, "position": {"line": 1, "character": 0}}
    there = await web.request("codeact-lsp/tool", {"server": "web", "tool": "search", **place})
    end = {"line": 0, "character": 9}
    [edit] = there["edits"]
    assert edit == {"range": {"start": end, "end": end}, "newText": f"\n{IMPORT[:-1]}"}
    assert tool["parameters"] == [
        {"raw": "page-id", "name": "page_id", "reason": "hyphen", "required": True, "type": "str"}
    ]
    assert await web.request("codeact-lsp/tool", {"server": "web", "tool": "gone"}) is None
    assert await web.request("codeact-lsp/tool", {"server": "gone", "tool": "search"}) is None
