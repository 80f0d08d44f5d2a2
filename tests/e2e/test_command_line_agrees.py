"""The command line and the language server say the same of the same place."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support.lsp_client import LspClient

TEXT = """\
from codeact_lsp.tools import mcp
await mcp.web.search(query="x", max-results=3)
s = "😋"; mcp.web.search(query="x", )
"""
CALL = (2, 36)
HOVER = (1, 16)
SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


async def command_line(root: Path, home: Mapping[str, str], *arguments: str) -> Any:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "codeact_lsp", *arguments, "--format", "json"),
        *("--catalogue", str(root / "web.json")),
        cwd=root,
        env={**os.environ, **home},
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return json.loads(output)


async def test_the_same_answers(start: Start, root: Path, home: Mapping[str, str]) -> None:
    file = snapshot(root / "web.json", web=WEB)
    cell = root / "cell.py"
    cell.write_text(TEXT, encoding="utf-8")
    client = await start("--catalogue", str(file))
    await client.initialize(root=root)
    await has_tools(client)
    await client.open(cell.as_uri(), TEXT)

    async def told(command: str, place: tuple[int, int], *, wide: int = 0) -> Any:
        """The command line's answer; it counts characters from 1, `wide` of them count twice."""
        line, character = place
        where = f"{cell}:{line + 1}:{character - wide + 1}"
        return await command_line(root, home, command, where)

    await check_completion(client, cell.as_uri(), await told("complete", CALL, wide=1))
    await check_signature(client, cell.as_uri(), await told("signature", CALL, wide=1))
    hover = await client.at("textDocument/hover", cell.as_uri(), *HOVER)
    assert hover["contents"]["value"] == (await told("hover", HOVER))["markdown"]
    await check_diagnostics(client, cell.as_uri(), await command_line(root, home, "check", "."))


async def check_completion(client: LspClient, uri: str, told: Any) -> None:
    found = await client.at("textDocument/completion", uri, *CALL)
    assert [item["label"] for item in found["items"]] == [item["label"] for item in told["items"]]
    assert len(told["items"]) == 3


async def check_signature(client: LspClient, uri: str, told: Any) -> None:
    [mine] = (await client.at("textDocument/signatureHelp", uri, *CALL))["signatures"]
    [theirs] = told["signatures"]
    assert mine["label"] == theirs["label"]


async def check_diagnostics(client: LspClient, uri: str, told: Any) -> None:
    published = await client.until(lambda: client.published(uri)[-1:])
    mine = [
        (
            diagnostic["range"]["start"]["line"] + 1,
            diagnostic["code"],
            SEVERITIES[diagnostic["severity"]],
            diagnostic["message"],
        )
        for diagnostic in published[0]["diagnostics"]
    ]
    theirs = [(d["line"], d["code"], d["severity"], d["message"]) for d in told["diagnostics"]]
    assert mine == theirs
    assert "raw-keyword" in [code for _, code, _, _ in mine]
