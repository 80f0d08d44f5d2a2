"""`codeact-lsp catalogue`: what the servers offer, seen, saved and read anew."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from codeact_lsp import text
from codeact_lsp.bindings.details import tool_problems, unsaid
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings, ServerBinding, ToolBinding
from codeact_lsp.catalogue import snapshot
from codeact_lsp.catalogue.model import Problem, ServerState, headline
from codeact_lsp.cli import anys
from codeact_lsp.cli.options import (
    catalogue_option,
    json_option,
    live,
    load_tools,
    print_json,
    read_snapshots,
    warn,
)

_USABLE = frozenset({ServerState.READY, ServerState.ASLEEP, ServerState.SNAPSHOT})


@click.group("catalogue", help="List, save or refresh what the servers offer.")
def command() -> None:
    """The subcommand without one of its own prints its help."""


command.add_command(anys.command)


@command.command("list", help="Show servers, their states, tools and problems.")
@catalogue_option
@json_option
def list_command(catalogues: tuple[Path, ...], output: str) -> None:
    _print(load_tools(catalogues).bindings, output)


@command.command("refresh", help="List every approved server now and keep that for the editor.")
@json_option
def refresh_command(output: str) -> None:
    found, settings = live()
    _print(bind(found, fold_characters=settings.fold_characters), output)


@command.command("save", help="Write a snapshot file that serves names without the servers.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@catalogue_option
@json_option
def save_command(file: Path, catalogues: tuple[Path, ...], output: str) -> int:
    found = read_snapshots(catalogues) if catalogues else live()[0]
    snapshot.save_snapshot(found, file)
    missing = [server.raw for server in found.servers.values() if server.state not in _USABLE]
    for raw in missing:
        warn(f"{text.escaped_name(raw)} is {found.servers[raw].state.value}: not listed just now")
    tools = sum(len(server.tools) for server in found.servers.values()) + len(found.native)
    if output == "json":
        print_json({"file": str(file), "tools": tools, "missing": missing})
    else:
        click.echo(f"{tools} tools of {len(found.servers)} servers in {file}")
    return int(bool(missing))


def _print(bindings: Bindings, output: str) -> None:
    if output == "json":
        print_json(catalogue_json(bindings))
        return
    for line in _lines(bindings):
        click.echo(line)


def catalogue_json(bindings: Bindings) -> dict[str, Any]:
    """Servers, states, tools and problems; the shape is in docs/command-line.md."""
    return {
        "servers": {server.raw: _server_json(server) for server in bindings.servers},
        "native": {"tools": [_tool_json(tool) for tool in bindings.native]},
        "problems": [
            _problem_json(problem)
            for problem in _problems(bindings.catalogue.problems, bindings.native)
        ],
    }


def _server_json(binding: ServerBinding) -> dict[str, Any]:
    server = binding.server
    return {
        "name": binding.name,
        "state": server.state.value,
        "stale": server.stale,
        "title": server.title,
        "version": server.version,
        "protocol": server.protocol,
        "address": server.address,
        "listedAt": server.listed_at,
        "tools": [_tool_json(tool) for tool in binding.tools],
        "problems": [
            _problem_json(problem) for problem in _problems(server.problems, binding.tools)
        ],
    }


def _problems(known: tuple[Problem, ...], tools: Iterable[ToolBinding]) -> tuple[Problem, ...]:
    """What a listing showed to be wrong, then what the schemas of its tools do."""
    found = (problem for tool in tools for problem in tool_problems(tool))
    return (*known, *unsaid(known, found))


def _tool_json(tool: ToolBinding) -> dict[str, Any]:
    return {"raw": tool.raw, "name": tool.name, "path": tool.path}


def _problem_json(problem: Problem) -> dict[str, Any]:
    place = None
    if problem.path is not None:
        place = {"path": problem.path, "line": problem.line + 1, "column": problem.column + 1}
    return {
        "kind": problem.kind,
        "message": problem.message,
        "tool": problem.tool,
        "pointer": problem.pointer,
        "place": place,
    }


def _lines(bindings: Bindings) -> list[str]:
    lines: list[str] = []
    for binding in bindings.servers:
        server = binding.server
        stale = ", not confirmed" if server.stale else ""
        name = text.escaped_name(server.raw)
        lines.append(f"{name}: {server.state.value}{stale}, {_count(len(binding.tools))}")
        lines += (f"  {text.terminal_line(tool.path)}" for tool in binding.tools)
        lines += (
            f"  ! {text.terminal_line(headline(one))}"
            for one in _problems(server.problems, binding.tools)
        )
    if bindings.native:
        lines.append(f"without a server: {_count(len(bindings.native))}")
        lines += (f"  {text.terminal_line(tool.path)}" for tool in bindings.native)
    lines += (
        f"! {text.terminal_line(headline(one))}"
        for one in _problems(bindings.catalogue.problems, bindings.native)
    )
    return lines or ["no server is configured here"]


def _count(tools: int) -> str:
    return "1 tool" if tools == 1 else f"{tools:,} tools"
