"""`codeact-lsp demo`: the tour."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("demo", help="Take the tour: a real language server, a real MCP server, one cell.")
@click.option(
    "--picture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also draw what is printed as an SVG.",
)
def command(picture: Path | None) -> int:
    from codeact_lsp.demo.tour import take

    return take(picture)
