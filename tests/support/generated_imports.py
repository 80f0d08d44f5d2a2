"""Imports of generated cells, in every form."""

from __future__ import annotations

import builtins

from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from tests.support.cell_maker import MCP, OTHER, ROOT, SERVERS, Kind, Maker, Names, bind
from tests.support.recording import place_of


def import_root(maker: Maker, names: Names) -> None:
    alias = maker.target()
    form, name, kind = maker.random.choice(
        (
            ("from codeact_lsp.tools import mcp", "mcp", MCP),
            ("from codeact_lsp.tools import mcp, ToolCallError", "mcp", MCP),
            (f"from codeact_lsp.tools import (\n    mcp as {alias},\n)", alias, MCP),
            (f"import codeact_lsp.tools as {alias}", alias, ROOT),
            (f"import codeact_lsp.tools.mcp as {alias}", alias, MCP),
            ("import codeact_lsp.tools", "codeact_lsp.tools", ROOT),
            ("import codeact_lsp.tools.mcp.web", "codeact_lsp.tools", ROOT),
            ("from codeact_lsp import tools", "tools", ROOT),
            (f"from codeact_lsp import tools as {alias}", alias, ROOT),
        )
    )
    for line in form.split("\n"):
        maker.write(line)
    bind(names, name, kind)


def import_server(maker: Maker, names: Names) -> None:
    server = maker.bindings.servers_by_raw[maker.pick(list(SERVERS))]
    assert server.name is not None
    alias = maker.target()
    kind = Kind("server", server.raw)
    form, name = maker.random.choice(
        (
            (f"from codeact_lsp.tools.mcp import {server.name}", server.name),
            (f"from codeact_lsp.tools.mcp import {server.name} as {alias}", alias),
            (f"import codeact_lsp.tools.mcp.{server.name} as {alias}", alias),
        )
    )
    maker.write(form)
    bind(names, name, kind)


def import_tool(maker: Maker, names: Names) -> None:
    server, tool = _named_tool(maker)
    # Where a builtin's name is not bound in one of the ways, Python finds the builtin.
    own = [] if hasattr(builtins, str(tool.name)) else [str(tool.name)]
    alias = maker.pick([maker.target(), *own])
    taken = f"{tool.name} as {alias}" if alias != tool.name else alias
    maker.write(f"from codeact_lsp.tools.mcp.{server.name} import {taken}")
    bind(names, alias, Kind("tool", place_of(tool)))


def _named_tool(maker: Maker) -> tuple[ServerBinding, ToolBinding]:
    servers = [maker.bindings.servers_by_raw[raw] for raw in SERVERS]
    return maker.random.choice(
        [(server, tool) for server in servers for tool in server.tools if tool.name is not None]
    )


def star_import(maker: Maker, names: Names) -> None:
    where = maker.pick(["", ".mcp", ".mcp.notion", ".mcp.shell"])
    maker.write(f"from codeact_lsp.tools{where} import *")
    found = {
        "": {"mcp": MCP},
        ".mcp": {raw: Kind("server", raw) for raw in ("web", "notion", "shell")},
        ".mcp.notion": {"search": Kind("tool", "notion/search")},
        ".mcp.shell": {"run": Kind("tool", "shell/run")},
    }[where]
    for name, kind in found.items():
        bind(names, name, kind)


def other_import(maker: Maker, names: Names) -> None:
    name = maker.target()
    maker.write(maker.pick([f"import json as {name}", f"from os.path import join as {name}"]))
    bind(names, name, OTHER)
