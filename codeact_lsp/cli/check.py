"""`codeact-lsp check`: the editor's diagnostics for people without one, and for CI."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from codeact_lsp.cli import reports
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.options import Tools, catalogue_option, load_tools, warn
from codeact_lsp.cli.places import STDIN, read_marked, view_of
from codeact_lsp.cli.reports import Finding
from codeact_lsp.ide.code_actions import fix_all
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.model import Severity, TextEdit

_PASSES: Final = 10
"""A fix may bring another fault to light; so many times over, something goes in circles."""
_WATCH_SECONDS: Final = 0.3
_SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})


@click.command("check", help="Report diagnostics of Python files; exit 1 if there is an error.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@catalogue_option
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="How to print.",
)
@click.option(
    "--fix", is_flag=True, help="Apply every fix that cannot change what valid code means."
)
@click.option("--watch", is_flag=True, help="Report again whenever a file changes, until Ctrl-C.")
def command(
    *, paths: tuple[str, ...], catalogues: tuple[Path, ...], output: str, fix: bool, watch: bool
) -> int:
    _files(paths)  # a path that is wrong is told before any server starts
    tools = load_tools(catalogues)
    while True:
        files = list(_files(paths))
        # Before the files are read: what changes while they are must be seen the next time.
        seen = _times(files)
        code = _report(files, tools, output, fix=fix)
        if not watch:
            return code
        while _times(_files(paths)) == seen:
            time.sleep(_WATCH_SECONDS)


def _report(files: Iterable[str], tools: Tools, output: str, *, fix: bool) -> int:
    checked: list[Checked] = []
    failed = False
    for file in files:
        try:
            checked.append(check_file(file, tools, fix=fix))
        except NotRunError as error:
            # One file that cannot be read costs its own diagnostics only.
            warn(error.message)
            failed = True
    findings = [finding for one in checked for finding in one.findings]
    for line in reports.REPORTS[output](findings, sum(one.fixed for one in checked)):
        click.echo(line)
    if failed:
        return NotRunError.exit_code
    return int(any(finding.severity is Severity.ERROR for finding in findings))


def _times(files: Iterable[str]) -> dict[str, int]:
    """When each file was last changed; one that is gone in the meantime counts as another one."""
    times = {}
    for file in files:
        with contextlib.suppress(OSError):
            times[file] = Path(file).stat().st_mtime_ns
    return times


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found in a file after so many edits were made to it."""

    findings: tuple[Finding, ...]
    fixed: int = 0


def check_file(file: str, tools: Tools, *, fix: bool) -> Checked:
    """The diagnostics of a file; with `fix`, those that are left after it was fixed and written."""
    source, mark = read_marked(file)
    text = source
    fixed = 0
    for _ in range(_PASSES if fix else 0):
        action = fix_all(view_of(text, tools))
        if action is None:
            break
        text = apply(text, action.edits)
        fixed += len(action.edits)
    if text != source:
        if file == STDIN:
            raise NotRunError("standard input cannot be fixed in place")
        Path(file).write_bytes(mark + text.encode())
    view = view_of(text, tools)
    return Checked(tuple(Finding.of(file, view.document, one) for one in diagnose(view)), fixed)


def apply(text: str, edits: Iterable[TextEdit]) -> str:
    """`text` with edits that do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def _files(paths: Iterable[str]) -> Iterable[str]:
    """The files that are meant, each once."""
    return dict.fromkeys(file for given in paths for file in _files_of(given))


def _files_of(given: str) -> Iterator[str]:
    path = Path(given)
    if given == STDIN or path.is_file():
        yield given
    elif path.is_dir():
        # A folder that cannot be read, or is gone by now, holds nothing to check.
        for folder, below, names in os.walk(path):
            below[:] = sorted(
                name for name in below if name not in _SKIPPED and not name.startswith(".")
            )
            yield from (str(Path(folder, name)) for name in sorted(names) if name.endswith(".py"))
    else:
        raise NotRunError(f"{given}: no such file or folder")
