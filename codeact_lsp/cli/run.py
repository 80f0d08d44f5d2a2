"""`codeact-lsp run`: a cell, with top-level `await`, against the real servers."""

from __future__ import annotations

import asyncio
import inspect
import os
import pprint
import shutil
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import click

import codeact_lsp
from codeact_lsp import text
from codeact_lsp.bindings.model import BINDINGS_MODULE_ALIASES
from codeact_lsp.catalogue.settings import Settings
from codeact_lsp.cli.cells import cell_at, read_cells
from codeact_lsp.cli.definitions import Definitions, Place
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.options import catalogue_option, read_snapshots
from codeact_lsp.cli.program import Compiler, Program
from codeact_lsp.runtime.editor import NO_EDITOR, VARIABLE, FromEditor, from_json

_PACKAGE: Final = Path(codeact_lsp.__file__).parent
_ASYNCIO: Final = Path(asyncio.__file__).parent


@click.command(
    "run",
    help="Run a cell. It may await at the top level; its names are those of the editor.",
    # `--catalogue` may stand behind the cell; what the cell should get in spite of that goes after `--`.
    context_settings={"ignore_unknown_options": True},
)
@catalogue_option
@click.option(
    "--at",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Run only the `# %%` section with this line, or this code cell of a notebook, and show its "
    "value. Imports, functions, classes and names for tools above it count.",
)
@click.option("--above", is_flag=True, help="With --at: run all that stands above it too.")
@click.argument("cell", type=click.Path(allow_dash=True))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    *,
    catalogues: tuple[Path, ...],
    at: int | None,
    above: bool,
    cell: str,
    arguments: tuple[str, ...],
) -> int:
    editor = _from_editor()
    program = _program(cell, at, above=above)
    from codeact_lsp.runtime.session import Session, use

    given = read_snapshots(catalogues) if catalogues else None
    session = Session(catalogue=given, editor=editor)
    before = use(session)
    try:
        # Its settings are somebody else's program to a cell that lies elsewhere.
        trusted = editor is not NO_EDITOR or _belongs_here(cell)
        prelude = session.settings.prelude if trusted else ""
        return run_program(program, cell, list(arguments), session.settings, prelude)
    finally:
        use(before)
        session.close()


def _from_editor() -> FromEditor:
    # Taken out at once: it is not for the cell, nor for what the cell starts.
    given = os.environ.pop(VARIABLE, None)
    if given is None:
        return NO_EDITOR
    try:
        return from_json(given)
    except ValueError as error:
        raise NotRunError(f"{VARIABLE} is not what an editor sets") from error


def _program(cell: str, at: int | None, *, above: bool) -> Program:
    cells = read_cells(cell, split=at is not None)
    if at is None:
        return Program(cells)
    index = cell_at(cells, at)
    if above:
        return Program(cells[: index + 1], shows=True)
    return Program(cells[index : index + 1], cells[:index], shows=True)


def run_program(
    program: Program, name: str, arguments: list[str], settings: Settings, prelude: str
) -> int:
    """Run a program as `__main__` and return its exit code; an exception is printed as Python does.

    Args:
        program: what the file holds.
        name: the file.
        arguments: `sys.argv` behind the name.
        settings: the project's: other roots of the bindings module are among them.
        prelude: Python that runs first, in the same namespace.

    """
    module = ModuleType("__main__")
    module.__file__ = name
    sys.modules["__main__"] = module
    sys.argv = [name, *arguments]
    sys.path.insert(0, str(Path(name).absolute().parent))
    from codeact_lsp.runtime.aliases import add_alias

    for root in (*BINDINGS_MODULE_ALIASES, *settings.bindings_modules):
        add_alias(root)
    definitions = Definitions()
    try:
        value = _execute(program, prelude, definitions, vars(module))
        if program.shows and value is not None:
            _show(value)
    except SystemExit as error:
        return _exit_code(error)
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        _explain(error, definitions.left_out)
        _print_traceback(error)
        return 1
    finally:
        sys.stdout.flush()
    return 0


def _belongs_here(name: str) -> bool:
    """Whether a cell is of the working directory; standard input is of where it is typed."""
    return name == "-" or Path(name).resolve().is_relative_to(Path.cwd().resolve())


def _execute(
    program: Program, prelude: str, definitions: Definitions, namespace: dict[str, Any]
) -> Any:
    """Run all of it; the value of what came last."""
    compiler = Compiler()
    first = [compiler.code(prelude, "<prelude>")] if prelude else []
    first += compiler.definitions(program, definitions)
    # All is compiled before any of it runs.
    then = [*compiler.cells(program)]
    value = None
    # One loop for all: what one cell begins another may await.
    with asyncio.Runner() as runner:
        for code in first:
            _run(code, namespace, runner)
        for name in definitions.left_out:
            namespace.pop(name, None)
        for code in then:
            value = _run(code, namespace, runner)
    return value


def _run(code: CodeType, namespace: dict[str, Any], runner: asyncio.Runner) -> Any:
    result = eval(code, namespace)  # noqa: S307 - running the user's own code is the command
    return runner.run(result) if code.co_flags & inspect.CO_COROUTINE else result


def _show(value: Any) -> None:
    """A text as it is; anything else as Python writes it."""
    width = shutil.get_terminal_size().columns
    shown = (
        value if isinstance(value, str) else pprint.pformat(value, width=width, sort_dicts=False)
    )
    click.echo(text.terminal(shown))


def _exit_code(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    click.echo(text.terminal(str(error.code)), err=True)
    return 1


def _explain(error: Exception, left_out: Mapping[str, Place]) -> None:
    name = error.name if isinstance(error, NameError) else None
    place = left_out.get(name) if name else None
    if place is not None:
        error.add_note(
            f"{name!r} is set in {place.name}, line {place.line}, which did not run:"
            ' "Run above and this" runs it (codeact-lsp run --above)'
        )


def _print_traceback(error: Exception) -> None:
    """As Python prints it, without the frames of this package: they are not the user's code."""
    whole = traceback.TracebackException.from_exception(error)
    part: traceback.TracebackException | None = whole
    while part is not None:
        part.stack = traceback.StackSummary.from_list(
            frame for frame in part.stack if not _is_machinery(frame.filename)
        )
        part = part.__cause__ or part.__context__
    click.echo(text.terminal("".join(whole.format())), err=True, nl=False)


def _is_machinery(filename: str) -> bool:
    path = Path(filename)
    return path.is_relative_to(_PACKAGE) or path.is_relative_to(_ASYNCIO)
