"""`codeact-lsp hover`: what hover says at a place."""

from __future__ import annotations

from pathlib import Path

import click

from codeact_lsp import text
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json, warn
from codeact_lsp.cli.places import Place, offset_of, place_argument, read_text, span_json, view_of
from codeact_lsp.ide import prose
from codeact_lsp.ide.hover import hover


@click.command("hover", help="Show what hover says at a place (1-based).")
@place_argument
@catalogue_option
@json_option
def command(place: Place, catalogues: tuple[Path, ...], output: str) -> None:
    view = view_of(read_text(place.file), load_tools(catalogues))
    answer = hover(view, offset_of(view.document, place))
    found = answer.value
    if output == "json":
        print_json(
            {
                "text": None if found is None else prose.plain(found.blocks),
                "markdown": None if found is None else prose.markdown(found.blocks),
                "range": None if found is None else span_json(view.document, found.span),
                "empty": None if answer.empty is None else answer.empty.name,
            }
        )
    elif found is None:
        warn(answer.empty.value if answer.empty else "nothing")
    else:
        click.echo(text.terminal(prose.plain(found.blocks)))
