"""`codeact-lsp names`: every rename of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Bindings, Parameter, ServerBinding, ToolBinding
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json


@click.command("names", help="List every rename of the catalogue.")
@catalogue_option
@json_option
@click.option("--all", "everything", is_flag=True, help="In text, also what keeps its name.")
def command(catalogues: tuple[Path, ...], output: str, everything: bool) -> None:  # noqa: FBT001 - click's
    bindings = load_tools(catalogues).bindings
    if output == "json":
        print_json(names_json(bindings))
    else:
        for line in names_text(bindings, everything=everything):
            click.echo(line)


def names_json(bindings: Bindings) -> dict[str, Any]:
    """The names of everything, renamed or not; the shape is in docs/command-line.md."""
    fold = bindings.fold_characters
    value: dict[str, Any] = {
        "servers": {
            server.raw: {
                "name": server.name,
                "tools": [_tool(tool, fold) for tool in server.tools],
            }
            for server in bindings.servers
        }
    }
    if bindings.native:
        value["native"] = {"tools": [_tool(tool, fold) for tool in bindings.native]}
    return value


def _tool(tool: ToolBinding, fold: str) -> dict[str, Any]:
    return {
        "raw": tool.raw,
        "name": tool.name,
        "reason": _reason(tool),
        "parameters": [
            {
                "raw": parameter.raw,
                "name": parameter.name,
                "reason": _reason(parameter),
                "required": parameter.required,
            }
            for parameter in details(tool, fold).parameters
        ],
    }


def _reason(thing: ServerBinding | ToolBinding | Parameter) -> str | None:
    reason = thing.spelling.reason
    return None if reason is None else reason.value


def names_text(bindings: Bindings, *, everything: bool) -> list[str]:
    """A line a rename, grouped by tool; what keeps its name only where `everything` is asked for."""
    lines: list[str] = []
    for server in bindings.servers:
        if everything or server.name != server.raw:
            lines.append(_line(server, "", server.name or "getattr(mcp, …)"))
        for tool in server.tools:
            lines += _tool_lines(tool, bindings.fold_characters, everything=everything)
    for tool in bindings.native:
        lines += _tool_lines(tool, bindings.fold_characters, everything=everything)
    return lines or ["nothing is renamed"]


def _tool_lines(tool: ToolBinding, fold: str, *, everything: bool) -> list[str]:
    parameters = [
        _line(parameter, "    ", parameter.name or "a dict key")
        for parameter in details(tool, fold).parameters
        if everything or parameter.name != parameter.raw
    ]
    if not parameters and tool.name == tool.raw and not everything:
        return []
    return [_line(tool, "", tool.path), *parameters]


def _line(thing: ServerBinding | ToolBinding | Parameter, indent: str, shown: str) -> str:
    reason = _reason(thing)
    said = f"  ({reason})" if reason else ""
    raw = text.escaped_name(thing.raw) or text.json_key(thing.raw)
    return f"{indent}{raw} → {text.terminal_line(shown)}{said}"
