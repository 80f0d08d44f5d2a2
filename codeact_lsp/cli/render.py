"""`codeact-lsp render`: the prompt block, as a model is shown it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from codeact_lsp.bindings.block import render
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json


@click.command("render", help="Print the prompt block: what a model is shown of the tools.")
@catalogue_option
@json_option
@click.option(
    "--detail",
    type=click.Choice(["full", "normal", "brief"]),
    default="full",
    show_default=True,
    help="How much of each parameter's description: all, 120 characters, or none.",
)
def command(
    catalogues: tuple[Path, ...], output: str, detail: Literal["full", "normal", "brief"]
) -> None:
    block = render(load_tools(catalogues).bindings, detail)
    if output == "json":
        print_json({"detail": detail, "block": block})
    else:
        click.echo(block, nl=not block.endswith("\n"))
