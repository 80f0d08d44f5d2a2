"""A cell, run in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.desk import Desk, tool


def run(
    desk: Desk,
    cell: str,
    *before: str,
    after: tuple[str, ...] = (),
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    path = (folder or desk.folder) / "cell.py"
    path.write_text(cell, "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "codeact_lsp", "run", *before, str(path), *after],
        capture_output=True,
        text=True,
        check=False,
        cwd=desk.folder,
        timeout=60,
    )


def test_a_cell_awaits_at_the_top_level_and_the_raw_keys_arrive(desk: Desk) -> None:
    desk.serve(my__desk=[tool("to-do", {"file-path": {}, "from": {}, "a b": {}})])
    ran = run(
        desk,
        "import json\n"
        "from codeact_lsp.tools import mcp\n"
        "done = await mcp.my_desk.to_do(file_path='x', from_=1, **{'a b': None})\n"
        "print(json.dumps(done['received']))\n",
    )
    assert ran.stderr == ""
    assert json.loads(ran.stdout) == {"file-path": "x", "from": 1, "a b": None}
    assert ran.returncode == 0


def test_names_come_from_a_file_and_calls_go_to_the_configured_server(desk: Desk) -> None:
    desk.serve(desk=[tool("to-do", {"file-path": {}})])
    (desk.folder / "desk.json").write_text(
        json.dumps({"tools": [tool("to-do", {"file-path": {}})]})
    )
    ran = run(
        desk,
        "from codeact_lsp.tools.mcp.desk import to_do\nprint(await to_do(file_path=1))\n",
        "--catalogue",
        "desk.json",
    )
    assert "'received': {'file-path': 1}" in ran.stdout


def test_the_prelude_runs_first(desk: Desk) -> None:
    (desk.folder / "codeact-lsp.toml").write_text('prelude = "from codeact_lsp.tools import mcp"\n')
    assert run(desk, "print(mcp.__name__)").stdout == "codeact_lsp.tools.mcp\n"


def test_the_prelude_of_a_folder_does_not_run_with_a_cell_of_another(
    desk: Desk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (desk.folder / "codeact-lsp.toml").write_text('prelude = "print(1)"\n')
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert run(desk, "print(2)", folder=elsewhere).stdout == "2\n"
    assert run(desk, "print(2)").stdout == "1\n2\n"


@pytest.mark.parametrize("place", ["before", "after"])
def test_the_catalogue_may_stand_on_either_side_of_the_cell(desk: Desk, place: str) -> None:
    (desk.folder / "web.json").write_text(json.dumps({"tools": [tool("to-do")]}))
    option = ("--catalogue", "web.json")
    cell = "from codeact_lsp.tools import mcp\nprint([n for n in dir(mcp) if n[0] != '_'])"
    ran = run(desk, cell, *option) if place == "before" else run(desk, cell, after=option)
    assert ran.stdout == "['web']\n"


def test_a_cell_is_main_and_has_its_arguments(desk: Desk) -> None:
    ran = run(
        desk,
        "import sys\nprint(__name__, sys.argv[1:], __file__)",
        after=("a", "--b", "--", "--catalogue"),
    )
    assert ran.stdout == f"__main__ ['a', '--b', '--catalogue'] {desk.folder / 'cell.py'}\n"


@pytest.mark.parametrize(
    ("cell", "code", "said"),
    [
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(7)", 7, ""),
        ("raise SystemExit('bye')", 1, "bye\n"),
    ],
)
def test_the_exit_code_is_the_cells(desk: Desk, cell: str, code: int, said: str) -> None:
    ran = run(desk, cell)
    assert (ran.returncode, ran.stderr) == (code, said)


def test_an_exception_is_shown_as_python_shows_it_without_this_packages_frames(desk: Desk) -> None:
    desk.serve(desk=[tool("fail-it")])
    ran = run(desk, "from codeact_lsp.tools import mcp\n\nawait mcp.desk.fail_it()\n")
    assert ran.returncode == 1
    lines = ran.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith('cell.py", line 3, in <module>')
    assert "codeact_lsp.runtime.errors.ToolCallError: " in ran.stderr
    assert "codeact_lsp/runtime/" not in ran.stderr


def test_a_syntax_error_is_shown_as_python_shows_it(desk: Desk) -> None:
    ran = run(desk, "x = (\n")
    assert ran.returncode == 1
    assert "SyntaxError: '(' was never closed" in ran.stderr


@pytest.mark.parametrize(
    "imports",
    [
        "from __dsh__.tools import mcp; f = mcp.desk.to_do",
        "import __dsh__.tools as T; f = T.mcp.desk.to_do",
        "from __dsh__.tools.mcp.desk import to_do as f",
        "from ours import ToolCallError, mcp; f = mcp.desk.to_do",
        "import ours.mcp.desk; f = ours.mcp.desk.to_do",
        "from json.tool import nope",
    ],
)
def test_other_roots_mean_the_bindings_module_too(desk: Desk, imports: str) -> None:
    (desk.folder / "codeact-lsp.toml").write_text('bindings-modules = ["ours", "json"]\n')
    (desk.folder / "desk.json").write_text(json.dumps({"tools": [tool("to-do")]}))
    cell = f"{imports}\nfrom codeact_lsp.tools import mcp\nprint(f is mcp.desk.to_do, mcp.__spec__.name)"
    ran = run(desk, cell, "--catalogue", "desk.json")
    if "json" in imports:
        # A module that is really called so stays what it is.
        assert "cannot import name 'nope' from 'json.tool'" in ran.stderr
    else:
        assert ran.stdout == "True codeact_lsp.tools.mcp\n", ran.stderr


def test_a_name_that_is_not_there_is_told_of_under_another_root_too(desk: Desk) -> None:
    (desk.folder / "desk.json").write_text(json.dumps({"tools": [tool("to-do")]}))
    ran = run(desk, "from __dsh__.tools.mcp.desk import nope", "--catalogue", "desk.json")
    assert "no such tool: mcp.desk.nope. Available: to_do" in ran.stderr
