"""Code objects for cells, in the order in which they run."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Final, Literal

from codeact_lsp.cli.cells import Cell, without_ipython
from codeact_lsp.cli.definitions import Definitions
from codeact_lsp.cli.options import warn

_AWAIT: Final = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_FUTURE: Final = sum(
    getattr(__future__, name).compiler_flag for name in __future__.all_feature_names
)


@dataclass(frozen=True, slots=True)
class Program:
    """Cells to run, in order.

    Attributes:
        cells: cells of which everything runs.
        above: cells of which only the definitions run, before the others.
        shows: the value that the last cell ends with is shown.

    """

    cells: tuple[Cell, ...]
    above: tuple[Cell, ...] = ()
    shows: bool = False


class Compiler:
    """Compiles one thing after the other; `from __future__` holds for what follows, as in a shell.

    All methods raise SyntaxError.
    """

    def __init__(self) -> None:
        self._flags = _AWAIT

    def code(
        self,
        source: str | ast.Module | ast.Expression,
        name: str,
        mode: Literal["exec", "eval"] = "exec",
    ) -> CodeType:
        """`source`, with `await` at the top level; running it then gives a coroutine."""
        code: CodeType = compile(source, name, mode, flags=self._flags, dont_inherit=True)
        self._flags |= code.co_flags & _FUTURE
        return code

    def definitions(self, program: Program, definitions: Definitions) -> Iterator[CodeType]:
        """What the cells above are run for; one that is no Python has nothing to give."""
        for cell in program.above:
            try:
                tree, _ = _parse(cell)
            except SyntaxError as error:
                warn(f"{cell.name}, line {error.lineno}, is no Python: its cell defines nothing")
            else:
                yield self.code(definitions.of(tree, cell.name), cell.name)

    def cells(self, program: Program) -> Iterator[CodeType]:
        """The cells themselves; the last one's value is that of the last code object."""
        for cell in program.cells:
            tree, left_out = _parse(cell)
            for line in left_out:
                warn(f"left out, since only IPython reads it: {line}")
            last = tree.body[-1] if tree.body else None
            if program.shows and cell is program.cells[-1] and _has_value(last, cell):
                assert isinstance(last, ast.Expr)
                tree.body.pop()
                yield self.code(tree, cell.name)
                yield self.code(ast.Expression(last.value), cell.name, "eval")
            else:
                yield self.code(tree, cell.name)


def _has_value(last: ast.stmt | None, cell: Cell) -> bool:
    """Whether a cell ends with an expression, and not with a `;` behind it, as IPython has it."""
    if not isinstance(last, ast.Expr) or last.end_lineno is None:
        return False
    line = cell.text.split("\n")[last.end_lineno - 1].encode()
    return not line[last.end_col_offset :].lstrip().startswith(b";")


def _parse(cell: Cell) -> tuple[ast.Module, tuple[str, ...]]:
    """The tree of a cell, and the lines of it that only IPython reads."""
    try:
        return ast.parse(cell.text, cell.name), ()
    except SyntaxError:
        text, left_out = without_ipython(cell.text)
        if not left_out:
            raise
        return ast.parse(text, cell.name), left_out
