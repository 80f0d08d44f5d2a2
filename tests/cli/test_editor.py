"""What the editor would show, on the command line: places are 1-based, columns are characters."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run
from tests.support.desk import Desk, tool

# The letter before the call is two UTF-16 units and four UTF-8 bytes wide, and one character.
CELL = """\
from codeact_lsp.tools import mcp

x = "\N{GRINNING FACE}", await mcp.desk.to_do(from_=1, file_path=2)
"""
PLACE = f"cell.py:3:{CELL.splitlines()[2].index('from_') + 2}"


@pytest.fixture(autouse=True)
def files(desk: Desk) -> None:
    properties = {"from": {"type": "string", "description": "the first day"}, "file-path": {}}
    listed = {"tools": [tool("to-do", properties, required=("from",))]}
    (desk.folder / "desk.json").write_text(json.dumps(listed))
    (desk.folder / "cell.py").write_text(CELL, "utf-8")


def test_hover(run: Run) -> None:
    shown = run("hover", PLACE, "--catalogue", "desk.json").out
    assert "`from` is a Python keyword, so it is spelled `from_` here" in shown
    found = run("hover", PLACE, "--catalogue", "desk.json", "--format", "json").json()
    assert found["range"] == {"line": 3, "column": 31, "endLine": 3, "endColumn": 36}
    assert found["empty"] is None
    assert "the first day" in found["markdown"]


def test_nothing_to_hover_over_has_a_reason(run: Run) -> None:
    ran = run("hover", "cell.py:2:1", "--catalogue", "desk.json")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.count("\n") == 1
    found = run("hover", "cell.py:2:1", "--catalogue", "desk.json", "--format", "json").json()
    assert found == {"text": None, "markdown": None, "range": None, "empty": "NO_BINDING_HERE"}


def test_completion(run: Run) -> None:
    column = CELL.splitlines()[2].index("to_do") + 3
    found = run(
        "complete", f"cell.py:3:{column}", "--catalogue", "desk.json", "--format", "json"
    ).json()
    [item] = found["items"]
    assert (item["label"], item["kind"], item["deprecated"]) == ("to_do", "tool", False)
    assert found["range"] == {"line": 3, "column": 25, "endLine": 3, "endColumn": 30}
    assert (found["incomplete"], found["empty"]) == (False, None)
    assert run("complete", f"cell.py:3:{column}", "--catalogue", "desk.json").out.startswith(
        "to_do"
    )


def test_signature(run: Run) -> None:
    found = run("signature", PLACE, "--catalogue", "desk.json", "--format", "json").json()
    [one] = found["signatures"]
    assert one["label"].startswith("to_do(*, from_: str, file_path: Any = ...")
    assert one["parameters"][one["active"]]["label"] == "from_: str"
    assert "→ from_: str\n" in run("signature", PLACE, "--catalogue", "desk.json").out


def test_definition(run: Run) -> None:
    found = run("definition", PLACE, "--catalogue", "desk.json", "--format", "json").json()
    [one] = found["definitions"]
    assert one["stub"].endswith("/tools/mcp/desk.pyi")
    assert one["source"].strip().startswith("from_: str")
    shown = run("definition", PLACE, "--catalogue", "desk.json").out
    assert shown.startswith(f"{one['stub']}:{one['line']}: from_: str")
