"""`codeact-lsp complete`: what completion offers at a place."""

from __future__ import annotations

from pathlib import Path

import click

from codeact_lsp import text
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json, warn
from codeact_lsp.cli.places import Place, offset_of, place_argument, read_text, span_json, view_of
from codeact_lsp.ide.completion import complete


@click.command("complete", help="Show what completion offers at a place (1-based).")
@place_argument
@catalogue_option
@json_option
def command(place: Place, catalogues: tuple[Path, ...], output: str) -> None:
    view = view_of(read_text(place.file), load_tools(catalogues))
    answer = complete(view, offset_of(view.document, place))
    found = answer.value
    if output == "json":
        items = () if found is None else found.items
        print_json(
            {
                "items": [
                    {
                        "label": item.label,
                        "kind": item.kind.value,
                        "text": item.text,
                        "detail": item.detail,
                        "description": item.description,
                        "deprecated": item.deprecated,
                    }
                    for item in items
                ],
                "range": None if found is None else span_json(view.document, found.span),
                "incomplete": found is not None and found.incomplete,
                "empty": None if answer.empty is None else answer.empty.name,
            }
        )
        return
    if found is None:
        warn(answer.empty.value if answer.empty else "nothing")
        return
    for item in found.items:
        click.echo(text.terminal_line(f"{item.label}{item.detail}  {item.description}"))
