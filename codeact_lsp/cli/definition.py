"""`codeact-lsp definition`: where a tool or parameter stands in the generated stubs."""

from __future__ import annotations

from pathlib import Path

import click

from codeact_lsp import text
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json, warn
from codeact_lsp.cli.places import Place, offset_of, place_argument, read_text, span_json, view_of
from codeact_lsp.ide.definition import definition


@click.command(
    "definition", help="Show where a tool or parameter stands in the generated stubs (1-based)."
)
@place_argument
@catalogue_option
@json_option
def command(place: Place, catalogues: tuple[Path, ...], output: str) -> None:
    view = view_of(read_text(place.file), load_tools(catalogues))
    answer = definition(view, offset_of(view.document, place))
    found = answer.value or ()
    if output == "json":
        print_json(
            {
                "definitions": [
                    {
                        "stub": one.stub.path,
                        "line": one.line + 1,
                        "source": one.stub.text.split("\n")[one.line],
                        "origin": span_json(view.document, one.origin),
                    }
                    for one in found
                ],
                "empty": None if answer.empty is None else answer.empty.name,
            }
        )
        return
    if answer.empty is not None:
        warn(answer.empty.value)
    for one in found:
        line = one.stub.text.split("\n")[one.line].strip()
        click.echo(text.terminal(f"{one.stub.path}:{one.line + 1}: {line}"))
