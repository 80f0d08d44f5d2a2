"""`codeact-lsp signature`: the signature help at a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from codeact_lsp import text
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json, warn
from codeact_lsp.cli.places import Place, offset_of, place_argument, read_text, view_of
from codeact_lsp.ide import prose
from codeact_lsp.ide.signature_help import SignatureHelp, signature_help


@click.command("signature", help="Show the signature help at a place (1-based).")
@place_argument
@catalogue_option
@json_option
def command(place: Place, catalogues: tuple[Path, ...], output: str) -> None:
    view = view_of(read_text(place.file), load_tools(catalogues))
    answer = signature_help(view, offset_of(view.document, place))
    found = answer.value or ()
    if output == "json":
        print_json(
            {
                "signatures": [_json(one) for one in found],
                "empty": None if answer.empty is None else answer.empty.name,
            }
        )
        return
    if answer.empty is not None:
        warn(answer.empty.value)
    for one in found:
        for line in _lines(one):
            click.echo(text.terminal(line))


def _json(found: SignatureHelp) -> dict[str, Any]:
    return {
        "label": found.label,
        "active": found.active,
        "parameters": [
            {
                "label": found.label[parameter.label.start : parameter.label.end],
                "text": prose.plain(parameter.blocks),
            }
            for parameter in found.parameters
        ],
    }


def _lines(found: SignatureHelp) -> list[str]:
    lines = [found.label]
    if found.active is not None:
        parameter = found.parameters[found.active]
        lines.append(f"→ {found.label[parameter.label.start : parameter.label.end]}")
        said = prose.plain(parameter.blocks)
        lines += (f"  {line}" for line in said.splitlines())
    return lines
