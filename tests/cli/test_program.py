"""The code objects of cells, and the cells of a file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.cli.cells import Cell, cell_at, read_cells, without_ipython
from codeact_lsp.cli.definitions import Definitions
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.program import Compiler, Program


def cells(*texts: str) -> tuple[Cell, ...]:
    return tuple(Cell(f"cell {n}", text, n, n) for n, text in enumerate(texts, 1))


def ran(program: Program) -> dict[str, Any]:
    """What the names are after a run, and under `_` what the last cell comes to."""
    compiler, definitions = Compiler(), Definitions()
    first = [*compiler.definitions(program, definitions)]
    namespace: dict[str, Any] = {}
    with asyncio.Runner() as runner:
        for code in (*first, *compiler.cells(program)):
            value = eval(code, namespace)
            namespace["_"] = runner.run(value) if asyncio.iscoroutine(value) else value
    return namespace


def test_a_cell_that_is_no_python_defines_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    names = ran(Program(cells("b = a2"), cells("a1 = 1", "a2 = (", "a2 = 2")))
    assert names["b"] == 2
    assert capsys.readouterr().err == (
        "codeact-lsp: cell 2, line 1, is no Python: its cell defines nothing\n"
    )


def test_a_future_import_holds_for_the_cells_below() -> None:
    program = Program(cells("def f(x: Unknown): ..."), cells("from __future__ import annotations"))
    assert ran(program)["f"].__annotations__ == {"x": "Unknown"}


def test_what_one_cell_begins_another_may_await() -> None:
    program = Program(
        cells(
            "import asyncio\ntask = asyncio.create_task(asyncio.sleep(0, 1))\nawait asyncio.sleep(0)",
            "await task",
        ),
        shows=True,
    )
    assert ran(program)["_"] == 1


@pytest.mark.parametrize(
    ("text", "python", "left_out"),
    [
        ("%pip install x\na = 1\n", "pass              \na = 1\n", ("%pip install x",)),
        ("if a:\n    !ls\n", "if a:\n    pass   \n", ("!ls",)),
        ("a?\n", "pass  \n", ("a?",)),
        ("s = '''\n%no\n'''\n", "s = '''\n%no\n'''\n", ()),
    ],
)
def test_what_only_ipython_reads_is_left_out_in_its_place(
    text: str, python: str, left_out: tuple[str, ...]
) -> None:
    assert without_ipython(text) == (python, left_out)


def test_sections_keep_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "cell.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\r\na = '\xe9'\r\n# %%\r\nb = 2\r\n\r\n")
    first, second = read_cells(str(path), split=True)
    assert "a = 'é'" in first.text
    assert (first.first, first.last, second.first, second.last) == (1, 2, 3, 6)
    assert second.text.split("\n")[:4] == ["", "", "# %%", "b = 2"]


@pytest.mark.parametrize(("line", "index"), [(1, 0), (2, 0), (3, 1), (9, 1)])
def test_the_cell_with_a_line(line: int, index: int) -> None:
    found = (Cell("c", "", 1, 2), Cell("c", "", 3, 9))
    assert cell_at(found, line) == index


@pytest.mark.parametrize("number", [0, 10])
def test_there_is_no_cell_outside(number: int) -> None:
    with pytest.raises(NotRunError):
        cell_at((Cell("c", "", 1, 2), Cell("c", "", 3, 9)), number)


@pytest.mark.parametrize("book", ["[", "[]", "{}", '{"cells": 1}', "[" * 100_000])
def test_what_is_no_notebook_is_told_in_one_line(tmp_path: Path, book: str) -> None:
    path = tmp_path / "b.ipynb"
    path.write_text(book)
    with pytest.raises(NotRunError, match="is no notebook"):
        read_cells(str(path), split=True)


def test_the_source_of_a_notebooks_cell_is_a_text_or_lines(tmp_path: Path) -> None:
    path = tmp_path / "b.ipynb"
    entries = [
        {"cell_type": "code", "source": ["a\n", "b"]},
        {"cell_type": "raw", "source": "no"},
        {"cell_type": "code", "source": "c"},
        {"cell_type": "code"},
    ]
    path.write_text(json.dumps({"cells": entries}))
    assert [cell.text for cell in read_cells(str(path), split=False)] == ["a\nb", "c", ""]
