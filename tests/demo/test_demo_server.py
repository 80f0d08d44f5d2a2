"""The demo's MCP server, as clients of both protocol eras see it."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ToolListChangedNotification

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import bind
from codeact_lsp.catalogue.snapshot import read_snapshot
from codeact_lsp.names import Reason

CATALOGUE = Path(__file__).parents[2] / "codeact_lsp" / "demo" / "catalogue.json"


def test_its_names_need_every_kind_of_rename() -> None:
    [server] = bind(read_snapshot(CATALOGUE)).servers
    tools = {tool.spelling.reason for tool in server.tools}
    parameters = {
        parameter.spelling.reason for tool in server.tools for parameter in details(tool).parameters
    }
    assert tools == {None, Reason.HYPHEN, Reason.NO_IDENTIFIER}
    assert parameters == {
        None,
        Reason.HYPHEN,
        Reason.KEYWORD,
        Reason.COLLISION,
        Reason.NO_IDENTIFIER,
    }
    catch_all = details(server.by_raw["run-script"]).catch_all
    assert catch_all is not None
    assert catch_all.name == "_kwargs"


@pytest.mark.parametrize("era", ["auto", "legacy"])
async def test_it_adds_a_tool_and_says_so(tmp_path: Path, era: Literal["auto", "legacy"]) -> None:
    grow = tmp_path / "grow"
    told = asyncio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, ToolListChangedNotification):
            told.set()

    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "codeact_lsp.demo.server", "--grow-when", str(grow)],
    )
    async with Client(parameters, mode=era, message_handler=hear, cache=None) as client:
        assert "undo-last" not in [tool.name for tool in (await client.list_tools()).tools]
        if era == "auto":
            async with client.listen(tools_list_changed=True) as changes:
                grow.touch()
                await anext(aiter(changes))
        else:
            grow.touch()
            await asyncio.wait_for(told.wait(), 20)
        assert "undo-last" in [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize(
    ("tool", "arguments", "is_error"),
    [
        ("move-file", {"file-path": "a", "file_path": "b"}, False),
        ("move-file", {"file_path": "b"}, True),
        ("move-file", {"file-path": "a", "file_path": "b", "c": 1}, True),
        ("nope", {}, True),
    ],
)
async def test_it_takes_raw_keys_and_nothing_else(
    tool: str, arguments: dict[str, Any], *, is_error: bool
) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "codeact_lsp.demo.server"]
    )
    async with Client(parameters) as client:
        assert (await client.call_tool(tool, arguments)).is_error is is_error
