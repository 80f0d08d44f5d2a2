"""One conversation, over stdio and tcp, with real MCP servers and with ours of both eras."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import WEB, Start, has_tools, tool
from tests.e2e.test_live import HOSTILE, write_tools
from tests.e2e.test_transports import port
from tests.support.lsp_client import LspClient, connect_tcp, server_command

NODE = Path(__file__).with_name("node")
URI = "file:///w/cell.py"

Json = dict[str, Any]


@pytest.fixture(scope="session")
def everything() -> Json:
    """The reference server in TypeScript, installed once for each lock file."""
    npm = shutil.which("npm")
    assert npm, "Node.js and npm are missing: deselect with -m 'not node'"
    version = hashlib.sha256((NODE / "package-lock.json").read_bytes()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "codeact-lsp"
    folder = cache / f"everything-{version}"
    if not (folder / "installed").exists():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(NODE, folder)
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        (folder / "installed").touch()
    script = folder / "node_modules/@modelcontextprotocol/server-everything/dist/index.js"
    node = shutil.which("node")
    assert node
    return {"command": node, "args": [str(script)]}


def module(name: str) -> Json:
    return {"command": sys.executable, "args": ["-m", name]}


def hostile(era: str, **script: Any) -> Json:
    told = {"era": era, "list_changed": True, **script}
    return {"command": sys.executable, "args": [str(HOSTILE), json.dumps(told)]}


def configure(home: Mapping[str, str], server: Json) -> None:
    """The server `real`, in the user's own config: approved by being there."""
    fields = "".join(f"{key} = {json.dumps(value)}\n" for key, value in server.items())
    path = Path(home["CODEACT_LSP_CONFIG_DIR"]) / "config.toml"
    path.write_text(f"[servers.real]\n{fields}", encoding="utf-8")


Connect = Callable[[Json], Awaitable[LspClient]]


@pytest.fixture(params=["stdio", "tcp"])
def connect(
    request: pytest.FixtureRequest, start: Start, home: Mapping[str, str], root: Path
) -> Connect:
    """Starts the language server with one MCP server configured, and initializes it."""

    async def connected(server: Json) -> LspClient:
        configure(home, server)
        if request.param == "stdio":
            client = await start()
        else:
            client = await start(command=server_command("--tcp", "127.0.0.1:0"))
            await connect_tcp(client, "127.0.0.1", await port(client))
        await client.initialize(root=root)
        return client

    return connected


async def labels(client: LspClient, cell: str, version: int) -> list[str]:
    """The labels offered at the end of `cell`."""
    lines = cell.split("\n")
    if version == 1:
        await client.open(URI, cell)
    else:
        await client.change(URI, version, {"text": cell})
    place = (len(lines) - 1, len(lines[-1]))
    found = await client.at("textDocument/completion", URI, *place)
    return [item["label"] for item in found["items"]] if found else []


async def check_names(client: LspClient, raw: str, name: str, parameters: set[str]) -> None:
    """That a tool is offered by its name, with its parameters, and hover says what is sent."""
    await has_tools(client, name)
    start = "from codeact_lsp.tools import mcp\nawait mcp.real."
    assert name in await labels(client, start, 1)
    call = f"{start}{name}("
    offered = {label.partition("=")[0] for label in await labels(client, call, 2)}
    assert parameters <= offered
    hover = await client.at("textDocument/hover", URI, 1, len("await mcp.real.") + 1)
    assert raw in json.dumps(hover)


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        (module("mcp_server_time"), ("get_current_time", "get_current_time", {"timezone"})),
        (module("mcp_server_git"), ("git_log", "git_log", {"repo_path", "max_count"})),
        (hostile("old", tools=WEB), ("fetch-page", "fetch_page", {"page_id"})),
        (hostile("2026-07-28", tools=WEB), ("fetch-page", "fetch_page", {"page_id"})),
        (hostile("both", tools=WEB), ("search", "search", {"query", "max_results", "from_"})),
    ],
    ids=["time", "git", "older-protocol", "newer-protocol", "both-protocols"],
)
async def test_python_servers(
    connect: Connect, server: Json, expected: tuple[str, str, set[str]]
) -> None:
    await check_names(await connect(server), *expected)


@pytest.mark.node
async def test_the_reference_server_in_typescript(connect: Connect, everything: Json) -> None:
    await check_names(await connect(everything), "get-sum", "get_sum", {"a", "b"})


@pytest.fixture
async def over_http(tmp_path: Path) -> AsyncIterator[tuple[str, Path]]:
    """A server over streamable HTTP: its URL, and the file of its tools."""
    tools_file = write_tools(tmp_path / "tools.json", *WEB)
    told = {
        "transport": "http",
        "era": "both",
        "list_changed": True,
        "tools_file": str(tools_file),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(HOSTILE), json.dumps(told), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    url = (await process.stdout.readline()).decode().strip()
    yield url, tools_file
    process.kill()
    await process.communicate()


async def test_streamable_http(connect: Connect, over_http: tuple[str, Path]) -> None:
    url, tools_file = over_http
    client = await connect({"url": url})
    await check_names(client, "fetch-page", "fetch_page", {"page_id"})
    write_tools(tools_file, *WEB, tool("new-tool"))
    await has_tools(client, "new_tool")
    assert "new_tool" in await labels(client, "from codeact_lsp.tools import mcp\nmcp.real.", 3)


@pytest.mark.parametrize("era", ["old", "2026-07-28"])
async def test_a_tool_added_is_offered_in_both_eras(
    connect: Connect, tmp_path: Path, era: str
) -> None:
    tools_file = write_tools(tmp_path / "tools.json", *WEB)
    client = await connect(hostile(era, tools_file=str(tools_file)))
    await has_tools(client)
    cell = "from codeact_lsp.tools import mcp\nmcp.real."
    assert await labels(client, cell, 1) == ["fetch_page", "search"]
    write_tools(tools_file, *WEB, tool("new-tool"))
    await has_tools(client, "new_tool")
    assert await labels(client, cell, 2) == ["fetch_page", "new_tool", "search"]
