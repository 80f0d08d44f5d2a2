"""Real server processes, each in a home of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support import lsp_client
from tests.support.lsp_client import LIMIT_SECONDS, LspClient

Start = Callable[..., Awaitable[LspClient]]


def tool(name: str, required: Sequence[str] = (), **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "inputSchema": schema}


WEB = [
    tool(
        "search",
        ["query"],
        **{
            "query": {"type": "string", "description": "What to look for."},
            "max-results": {"type": "integer", "default": 10},
            "from": {"type": "string"},
            "order": {"type": "string", "enum": ["asc", "desc"]},
        },
    ),
    tool("fetch-page", ["page-id"], **{"page-id": {"type": "string"}}),
]


def snapshot(path: Path, **servers: list[dict[str, Any]]) -> Path:
    """A snapshot file with these servers."""
    listed = {name: {"tools": tools} for name, tools in servers.items()}
    path.write_text(json.dumps({"version": 1, "servers": listed}), encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Mapping[str, str]:
    """An environment in which nothing of the user's is read or written."""
    folders = {name: tmp_path / "home" / name.lower() for name in ("CACHE", "CONFIG", "STATE")}
    for folder in folders.values():
        folder.mkdir(parents=True)
    dirs = {f"CODEACT_LSP_{name}_DIR": str(folder) for name, folder in folders.items()}
    return {**dirs, "HOME": str(tmp_path / "home")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty workspace folder."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
async def start(root: Path, home: Mapping[str, str]) -> AsyncIterator[Start]:
    """Starts servers over stdio; ends them all after the test."""
    clients: list[LspClient] = []

    async def run(
        *arguments: str, env: Mapping[str, str] | None = None, command: Sequence[str] | None = None
    ) -> LspClient:
        client = await lsp_client.start_stdio(
            *arguments, cwd=root, env={**home, **(env or {})}, command=command
        )
        clients.append(client)
        return client

    yield run
    for client in clients:
        await lsp_client.close(client)


@pytest.fixture
async def web(start: Start, tmp_path: Path, root: Path) -> LspClient:
    """A server that serves the tools of `WEB` from a snapshot file, initialized."""
    file = snapshot(tmp_path / "web.json", web=WEB)
    client = await start("--catalogue", str(file))
    await client.initialize(root=root)
    await has_tools(client)
    return client


async def shown(client: LspClient) -> str:
    """The catalogue as people are shown it."""
    text = await client.request(
        "workspace/executeCommand", {"command": "codeact-lsp.showCatalogue"}
    )
    assert isinstance(text, str)
    return text


async def says(client: LspClient, words: str) -> None:
    """Wait until the catalogue, as people are shown it, holds these words."""
    async with asyncio.timeout(LIMIT_SECONDS):
        while True:
            if words in await shown(client):
                return
            await asyncio.sleep(0.01)


async def has_tools(client: LspClient, name: str = "search") -> None:
    """Wait until the catalogue with this tool is in force."""
    await says(client, name)
