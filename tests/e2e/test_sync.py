"""What an editor sends while somebody types leaves the server with the editor's own text."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.syntax.lines import Encoding
from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support.lsp_client import CAPABILITIES, Json, LspClient
from tests.support.notebooks import position

IMPORT = "from codeact_lsp.tools import mcp\n"
Edit = tuple[int, int, str]
"""Start and end in code points, and what stands there then."""

CASES: dict[str, tuple[str, list[Edit], str]] = {
    "astral characters": ("s = '😋😋'; mcp.web.sea\n", [(21, 21, "rch(")], "s = '😋😋'; mcp.web.search(\n"),
    "an astral name": ("𝓪 = '😋'; mcp.web.\n", [(0, 1, "b𝓬"), (18, 18, "fetch")], "b𝓬 = '😋'; mcp.web.fetch\n"),
    "a form feed": ("a = 1\fb = 2\nmcp.we\n", [(18, 18, "b.")], "a = 1\fb = 2\nmcp.web.\n"),
    "other separators": ("'\v\x1c\x1d\x1e\x85\u2028\u2029'\nmcp.we\n", [(16, 16, "b.")], "'\v\x1c\x1d\x1e\x85\u2028\u2029'\nmcp.web.\n"),
    "CR LF": ("a = 1\r\nmcp.web.search(\r\n", [(5, 7, "\r\n"), (22, 22, "que")], "a = 1\r\nmcp.web.search(que\r\n"),
    "lone CR": ("a\rmcp.web\rc", [(9, 9, ".")], "a\rmcp.web.\rc"),
    "mixed endings": ("a\r\nb\rc\nmcp.", [(11, 11, "web."), (0, 3, "")], "b\rc\nmcp.web."),
    "several lines": ("mcp.\nweb.\nsea", [(4, 5, ""), (8, 9, "")], "mcp.web.sea"),
    "everything goes": ("a\nb\n", [(0, 4, ""), (0, 0, "mcp.web.")], "mcp.web."),
    "CR then LF": ("a\rmcp.web.", [(2, 2, "\n")], "a\r\nmcp.web."),
    "between CR and LF": ("a\r\nmcp.web.", [(1, 3, "\n")], "a\nmcp.web."),
    "a typed call": ("", [(n, n, sign) for n, sign in enumerate("mcp.web.search(from_=1)")], "mcp.web.search(from_=1)"),
}  # fmt: skip


async def talking(start: Start, root: Path, tmp_path: Path, encoding: Encoding) -> LspClient:
    client = await start("--catalogue", str(snapshot(tmp_path / "web.json", web=WEB)))
    await client.initialize(
        root=root, capabilities={**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    )
    await has_tools(client)
    return client


def change(text: str, edit: Edit, encoding: Encoding) -> tuple[str, Json]:
    """The text after an edit, and the content change that says so."""
    start, end, new = edit
    ends = {"start": position(text, start, encoding), "end": position(text, end, encoding)}
    return text[:start] + new + text[end:], {"range": ends, "text": new}


async def answers(client: LspClient, uri: str, text: str, encoding: Encoding) -> list[Any]:
    """What is said at every place of a text, without the URIs in it."""
    found: list[Any] = []
    methods = [f"textDocument/{name}" for name in ("completion", "hover", "signatureHelp")]
    for offset in range(len(text) + 1):
        if text[offset - 1 : offset + 1] == "\r\n":
            continue
        place = position(text, offset, encoding)
        here = {"textDocument": {"uri": uri}, "position": place}
        found += [await client.request(method, here) for method in methods]
    return found


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_typing(start: Start, root: Path, tmp_path: Path, encoding: Encoding) -> None:
    client = await talking(start, root, tmp_path, encoding)
    for number, (before, edits, after) in enumerate(CASES.values()):
        uri, fresh = f"file:///w/{number}.py", f"file:///w/fresh{number}.py"
        text = IMPORT + before
        await client.open(uri, text)
        for version, (at, end, new) in enumerate(edits, 2):
            moved = (at + len(IMPORT), end + len(IMPORT), new)
            text, content = change(text, moved, encoding)
            await client.change(uri, version, content)
        assert text == IMPORT + after
        await client.open(fresh, text)
        assert await answers(client, uri, text, encoding) == await answers(
            client, fresh, text, encoding
        )


async def test_edits_outside_the_text_are_clamped_and_the_next_whole_text_heals(
    start: Start, root: Path, tmp_path: Path
) -> None:
    client = await talking(start, root, tmp_path, "utf-16")
    uri, far = "file:///w/a.py", {"line": 99, "character": 99}
    head = {"line": 0, "character": 0}
    await client.open(uri, "a\nb\n")
    changes = [
        {"range": {"start": head, "end": {"line": 2, "character": 0}}, "text": ""},
        {"range": {"start": head, "end": head}, "text": "\n"},
        {"range": {"start": far, "end": far}, "text": f"{IMPORT}mcp.web."},
        {"range": {"start": far, "end": far}, "text": "fe"},
    ]
    await client.change(uri, 2, *changes)
    found = await client.at("textDocument/completion", uri, 2, 10)
    assert [item["label"] for item in found["items"]] == ["fetch_page"]
    await client.change(uri, 1, {"text": "late"})
    await client.change(uri, 3, {"text": f"{IMPORT}mcp.web.sea"})
    found = await client.at("textDocument/completion", uri, 1, 11)
    assert [item["label"] for item in found["items"]] == ["search"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_random_edits(start: Start, root: Path, tmp_path: Path, encoding: Encoding) -> None:
    chance = random.Random(encoding)
    client = await talking(start, root, tmp_path, encoding)
    uri, text = "file:///w/a.py", f"{IMPORT}s = '😋'\r\nawait mcp.web.search(query='😋')\n"
    pieces = [
        "😋",
        "é",
        "\r\n",
        "\r",
        "\n",
        "\u2028",
        "(",
        ")",
        "'",
        "mcp.web.",
        "from_=",
        ", ",
        "",
    ]
    await client.open(uri, text)
    for version in range(2, 300):
        contents = []
        for _ in range(chance.randrange(1, 4)):
            ends = sorted(chance.randrange(len(text) + 1) for _ in range(2))
            start_at = ends[0] + (text[ends[0] - 1 : ends[0] + 1] == "\r\n")
            end = min(ends[1], start_at + 5)
            end += text[end - 1 : end + 1] == "\r\n"
            text, content = change(text, (start_at, end, chance.choice(pieces)), encoding)
            contents.append(content)
        await client.change(uri, version, *contents)
    await client.change(uri, 300, change(text, (0, 0, IMPORT), encoding)[1])
    text = IMPORT + text
    await client.open("file:///w/fresh.py", text)
    assert await answers(client, uri, text, encoding) == await answers(
        client, "file:///w/fresh.py", text, encoding
    )
