"""`codeact-lsp run`: a cell, with top-level `await`, against the real servers."""

from __future__ import annotations

import ast
import asyncio
import inspect
import sys
import tokenize
import traceback
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

import click

import codeact_lsp
from codeact_lsp import text
from codeact_lsp.bindings.model import BINDINGS_MODULE_ALIASES
from codeact_lsp.catalogue import config
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.options import catalogue_option, read_snapshots

_PACKAGE: Final = Path(codeact_lsp.__file__).parent
_ASYNCIO: Final = Path(asyncio.__file__).parent


@click.command(
    "run",
    help="Run a cell. It may await at the top level; its names are those of the editor.",
    # `--catalogue` may stand behind the cell; what the cell should get in spite of that goes after `--`.
    context_settings={"ignore_unknown_options": True},
)
@catalogue_option
@click.argument("cell", type=click.Path(path_type=Path, allow_dash=True))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(catalogues: tuple[Path, ...], cell: Path, arguments: tuple[str, ...]) -> int:
    source = _read(cell)
    from codeact_lsp.runtime.session import Session, use

    session = Session(catalogue=read_snapshots(catalogues) if catalogues else None)
    before = use(session)
    try:
        return run_cell(source, str(cell), list(arguments))
    finally:
        use(before)
        session.close()


def run_cell(source: str, name: str, arguments: list[str]) -> int:
    """Run `source` as `__main__` and return its exit code; an exception is printed as Python does.

    The `prelude` of the project's settings runs first, in the same namespace, if the cell belongs to
    the project: its settings are somebody else's program to a cell that lies elsewhere.
    """
    module = ModuleType("__main__")
    module.__file__ = name
    sys.modules["__main__"] = module
    sys.argv = [name, *arguments]
    sys.path.insert(0, str(Path(name).absolute().parent))
    from codeact_lsp.runtime.aliases import add_alias

    settings = config.load([Path.cwd()]).settings
    for root in (*BINDINGS_MODULE_ALIASES, *settings.bindings_modules):
        add_alias(root)
    prelude = settings.prelude if _belongs_here(name) else ""
    try:
        codes = [_compile(prelude, "<prelude>")] if prelude else []
        codes.append(_compile(source, name))
        for code in codes:
            _execute(code, vars(module))
    except SystemExit as error:
        return _exit_code(error)
    except Exception as error:  # noqa: BLE001 - the user's code may raise anything
        _print_traceback(error)
        return 1
    finally:
        sys.stdout.flush()
    return 0


def _belongs_here(name: str) -> bool:
    """Whether a cell is of the working directory; standard input is of where it is typed."""
    return name == "-" or Path(name).resolve().is_relative_to(Path.cwd().resolve())


def _read(cell: Path) -> str:
    if str(cell) == "-":
        return sys.stdin.read()
    try:
        with tokenize.open(cell) as stream:
            return stream.read()
    except (SyntaxError, UnicodeDecodeError) as error:
        raise NotRunError(f"{cell}: {error}") from error


def _compile(source: str, name: str) -> CodeType:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: CodeType = compile(source, name, "exec", flags=flags, dont_inherit=True)
    return code


def _execute(code: CodeType, namespace: dict[str, Any]) -> None:
    result = eval(code, namespace)  # noqa: S307 - running the user's own code is the command
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(result)


def _exit_code(error: SystemExit) -> int:
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    click.echo(text.terminal(str(error.code)), err=True)
    return 1


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
