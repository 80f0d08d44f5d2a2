"""`codeact-lsp catalogue any`: where the types of tools are `Any`, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from codeact_lsp import text
from codeact_lsp.bindings.anys import AnyPlace, anys
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json


@click.command("any", help="List each place that is Any, with the reason.")
@catalogue_option
@json_option
def command(catalogues: tuple[Path, ...], output: str) -> None:
    bindings = load_tools(catalogues).bindings
    tools = [*(tool for server in bindings.servers for tool in server.tools), *bindings.native]
    found = [(tool, place) for tool in tools for place in anys(tool, bindings.fold_characters)]
    counts = Counter(place.why.value for _, place in found)
    if output == "json":
        places = [_json(tool, place) for tool, place in found]
        print_json({"any": places, "reasons": dict(counts.most_common())})
        return
    for line in _lines(found):
        click.echo(line)
    said = ", ".join(f"{count:,} {why}" for why, count in counts.most_common())
    click.echo(f"{len(found):,} Any of {len(tools):,} tools" + (f": {said}" if said else ""))


def _json(tool: ToolBinding, place: AnyPlace) -> dict[str, str | None]:
    return {
        "server": tool.server,
        "tool": tool.raw,
        "path": tool.path,
        "pointer": place.pointer,
        "reason": place.why.value,
        "detail": place.detail,
    }


def _lines(found: Iterable[tuple[ToolBinding, AnyPlace]]) -> Iterable[str]:
    last = None
    for tool, place in found:
        if tool is not last:
            yield text.terminal_line(tool.path)
        last = tool
        detail = f": {text.terminal_line(place.detail)}" if place.detail else ""
        yield f"  {text.terminal_line(place.pointer)} {place.why.value}{detail}"
