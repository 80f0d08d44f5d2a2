"""Options that several subcommands share, and the catalogue that they lead to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from codeact_lsp import text
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue import config, snapshot
from codeact_lsp.catalogue.messages import Configure
from codeact_lsp.catalogue.model import Catalogue, headline
from codeact_lsp.catalogue.settings import Settings
from codeact_lsp.cli.errors import NotRunError

_SECONDS: Final = 60.0
_MOST_PROBLEMS: Final = 20

catalogue_option: Final = click.option(
    "--catalogue",
    "catalogues",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Read tools from this snapshot, or tools/list result, in place of live servers. Repeatable.",
)
json_option: Final = click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print.",
)


@dataclass(frozen=True, slots=True)
class Tools:
    """What a command works with.

    Attributes:
        bindings: the tools as Python.
        settings: the project's settings.

    """

    bindings: Bindings
    settings: Settings


def load_tools(catalogues: Iterable[Path]) -> Tools:
    """The tools of snapshot files, or of the configured servers where no file is given.

    Raises:
        NotRunError: a file cannot be read.

    """
    files = tuple(catalogues)
    if files:
        settings = config.load([Path.cwd()]).settings
        found = read_snapshots(files)
    else:
        found, settings = live()
    return Tools(bind(found, fold_characters=settings.fold_characters), settings)


def read_snapshots(files: Iterable[Path]) -> Catalogue:
    """Snapshot files as one catalogue.

    Raises:
        NotRunError: a file cannot be read, or is no snapshot.

    """
    read = []
    for path in files:
        one = snapshot.read_snapshot(path)
        if one.problems and not one.servers and not one.native:
            raise NotRunError(one.problems[0].message)
        read.append(one)
    merged = snapshot.merge(read)
    _tell_problems(merged)
    return merged


def live() -> tuple[Catalogue, Settings]:
    """What the configured servers list now; says on stderr which of them are not in it."""
    from codeact_lsp.catalogue.process import gather

    gathered = asyncio.run(gather(Configure(folders=(str(Path.cwd()),)), seconds=_SECONDS))
    _tell_problems(gathered.catalogue)
    return gathered.catalogue, gathered.settings


def _tell_problems(catalogue: Catalogue) -> None:
    problems = [p for server in catalogue.servers.values() for p in server.problems]
    problems += catalogue.problems
    for problem in problems[:_MOST_PROBLEMS]:
        warn(headline(problem))
    if len(problems) > _MOST_PROBLEMS:
        warn(f"{len(problems) - _MOST_PROBLEMS} more problems: codeact-lsp catalogue list")


def warn(message: str) -> None:
    """One line on stderr."""
    click.echo(f"codeact-lsp: {text.terminal_line(message)}", err=True)


def print_json(value: Any) -> None:
    """A value as JSON: ASCII, so that no terminal and no pipe can misread it."""
    click.echo(json.dumps(value, indent=2))
