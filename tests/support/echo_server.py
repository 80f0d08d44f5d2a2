"""An MCP server over stdio that answers with the arguments it received, raw keys and all.

`python echo_server.py TOOLS.json [--started FILE]`: TOOLS.json holds a `tools/list` result, read
again at every listing. A tool whose name starts with `fail`, `die`, `hang`, `bare` or `stay` does so
(`stay` outlives its stdin). Each start appends the process id to FILE.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)


def main(tools_path: str, started: str | None = None) -> None:
    if started is not None:
        with Path(started).open("a") as log:
            log.write(f"{os.getpid()}\n")

    def tools() -> list[Tool]:
        listed = json.loads(Path(tools_path).read_text("utf-8"))["tools"]
        return [Tool.model_validate(tool) for tool in listed]

    async def list_tools(
        _: ServerRequestContext[Any, Any], __: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools())

    async def call_tool(
        _: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        if params.name.startswith("die"):
            os._exit(3)
        if params.name.startswith("stay"):
            threading.Thread(target=threading.Event().wait).start()
        if params.name.startswith("hang"):
            await anyio.sleep_forever()
        value = {"tool": params.name, "received": params.arguments}
        tool = next(tool for tool in tools() if tool.name == params.name)
        structured = tool.output_schema is not None and not params.name.startswith("bare")
        return CallToolResult(
            content=[TextContent(text=json.dumps(value)), TextContent(text="second block")],
            structured_content=value if structured else None,
            is_error=params.name.startswith("fail"),
        )

    server: Server[Any] = Server("echo", on_list_tools=list_tools, on_call_tool=call_tool)

    async def serve() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    anyio.run(serve)


if __name__ == "__main__":
    main(*sys.argv[1:])
