"""The demo's MCP server, over stdio: `python -m codeact_lsp.demo.server`.

It does nothing but answer with the arguments that it received, so that the raw keys can be seen. One
tool is added while it runs; clients of both protocol eras are told.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

NAME: Final = "codeact-lsp-demo"
_PAGES: Final = (("p-1", "Minutes of the meeting"), ("p-2", "Shopping list"))
_POLL_SECONDS: Final = 0.05


class _Growth:
    """The tools, and who is told when one is added."""

    def __init__(self, tools: Sequence[Tool], later: Sequence[Tool]) -> None:
        self.tools = list(tools)
        self._later = tuple(later)
        self._sessions: list[ServerSession] = []
        self.bus = InMemorySubscriptionBus()

    def remember(self, context: ServerRequestContext[Any, Any]) -> None:
        """Keep the session of a client that is told without having asked (before 2026-07-28)."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._sessions = [context.session]

    async def grow(self) -> None:
        """Add the tool that comes later, and say so in both protocol eras."""
        self.tools += self._later
        await self.bus.publish(ToolsListChanged())
        for session in self._sessions:
            await session.send_tool_list_changed()


def make_server(when: Path | None, after: float | None) -> Server[None]:
    """The server.

    Args:
        when: add the later tool as soon as this file exists.
        after: add it so many seconds after the start.

    """
    tools, later = _definitions()
    growth = _Growth(tools, later)

    async def wait_and_grow() -> None:
        if after is not None:
            await anyio.sleep(after)
        else:
            while when is not None and not await anyio.Path(when).exists():  # noqa: ASYNC110 — a file has no event
                await anyio.sleep(_POLL_SECONDS)
        await growth.grow()

    @asynccontextmanager
    async def lifespan(_: Server[None]) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            if when is not None or after is not None:
                tasks.start_soon(wait_and_grow)
            yield
            tasks.cancel_scope.cancel()

    async def list_tools(
        context: ServerRequestContext[None, Any], _: PaginatedRequestParams | None
    ) -> ListToolsResult:
        growth.remember(context)
        return ListToolsResult(tools=list(growth.tools))

    async def call_tool(
        _: ServerRequestContext[None, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        tool = next((tool for tool in growth.tools if tool.name == params.name), None)
        if tool is None:
            return _answer({"error": f"there is no tool {params.name!r}"}, is_error=True)
        return _call(tool, params.arguments or {})

    return Server(
        NAME,
        version="1",
        title="A desk with pages and files",
        lifespan=lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=ListenHandler(growth.bus),
    )


def _definitions() -> tuple[list[Tool], list[Tool]]:
    text = resources.files("codeact_lsp.demo").joinpath("catalogue.json").read_text("utf-8")
    value = json.loads(text)
    return (
        [Tool.model_validate(tool) for tool in value["tools"]],
        [Tool.model_validate(tool) for tool in value["later"]],
    )


def _call(tool: Tool, arguments: Mapping[str, Any]) -> CallToolResult:
    missing = [key for key in tool.input_schema.get("required", []) if key not in arguments]
    unknown = [key for key in arguments if key not in tool.input_schema["properties"]]
    if missing or unknown:
        return _answer(
            {"error": "wrong arguments", "missing": missing, "unknown": unknown}, is_error=True
        )
    answer: dict[str, Any] = {"received": dict(arguments)}
    if tool.name == "search":
        words = str(arguments["query"]).lower()
        answer["results"] = [
            {"page-id": page, "title": title} for page, title in _PAGES if words in title.lower()
        ]
    if tool.name == "API-patch-page":
        answer["page-id"] = arguments["page-id"]
    return _answer(answer, structured=tool.output_schema is not None)


def _answer(
    value: Mapping[str, Any], *, structured: bool = False, is_error: bool = False
) -> CallToolResult:
    return CallToolResult(
        content=[TextContent(text=json.dumps(value))],
        structured_content=dict(value) if structured else None,
        is_error=is_error,
    )


async def serve(when: Path | None, after: float | None) -> None:
    """Serve one client on standard input and output until it leaves."""
    server = make_server(when, after)
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        await server.run(read, write, options)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the server with the arguments of a command line."""
    parser = argparse.ArgumentParser(prog="python -m codeact_lsp.demo.server", description=__doc__)
    parser.add_argument(
        "--grow-when", type=Path, metavar="FILE", help="add a tool when FILE exists"
    )
    parser.add_argument(
        "--grow-after", type=float, metavar="SECONDS", help="add a tool after a while"
    )
    options = parser.parse_args(argv)
    anyio.run(serve, options.grow_when, options.grow_after)


if __name__ == "__main__":
    main()
