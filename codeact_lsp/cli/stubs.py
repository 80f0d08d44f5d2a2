"""`codeact-lsp stubs`: a typed package for the type checker that stands beside this server."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import click

from codeact_lsp.bindings.stubs import stubs
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.options import catalogue_option, json_option, load_tools, print_json


@click.command("stubs", help="Write a typed stub package, one .pyi a server (PEP 561).")
@catalogue_option
@json_option
@click.option(
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default="typings",
    show_default=True,
    help="The folder to write into; Pyright looks in typings by itself.",
)
@click.option("--minimal", is_flag=True, help="Only silence unresolved imports.")
def command(catalogues: tuple[Path, ...], output: str, folder: Path, minimal: bool) -> None:  # noqa: FBT001 - click's
    files = stubs(load_tools(catalogues).bindings, minimal=minimal)
    for name, content in files.items():
        path = folder / PurePosixPath(name)
        if not path.resolve().is_relative_to(folder.resolve()):
            raise NotRunError(f"{name} is outside of {folder}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")
    if output == "json":
        print_json({"folder": str(folder), "files": list(files)})
    else:
        click.echo(f"{len(files)} files in {folder}")
