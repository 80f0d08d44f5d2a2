"""A cell, run in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codeact_lsp.catalogue import approval, config
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


SECTIONS = """\
from codeact_lsp.tools import mcp
print("never")
do = mcp.desk.to_do
# %% One
page = await do(file_path="one")
limit = 3

# %% Two
print(limit)
await do(file_path="two")
# %% Three
page["received"]
"""


def test_a_section_runs_with_the_names_above_it_and_shows_its_value(desk: Desk) -> None:
    desk.serve(desk=[tool("to-do", {"file-path": {}})])
    ran = run(desk, SECTIONS, "--at", "9")
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["3", "{'tool': 'to-do', 'received': {'file-path': 'two'}}"]


def test_a_name_that_only_a_call_above_would_set_is_told_of(desk: Desk) -> None:
    desk.serve(desk=[tool("to-do", {"file-path": {}})])
    ran = run(desk, SECTIONS, "--at", "11")
    assert ran.stdout == ""
    lines = ran.stderr.splitlines()
    cell = desk.folder / "cell.py"
    assert lines[1:3] == [f'  File "{cell}", line 12, in <module>', '    page["received"]']
    assert lines[-2] == "NameError: name 'page' is not defined"
    assert lines[-1].startswith(f"'page' is set in {cell}, line 5, which did not run")


def test_all_above_runs_too_where_that_is_asked_for(desk: Desk) -> None:
    desk.serve(desk=[tool("to-do", {"file-path": {}})])
    ran = run(desk, SECTIONS, "--at", "12", "--above")
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["never", "3", "{'file-path': 'one'}"]


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("'a\\nb'", "a\nb\n"),
        ("['a\\nb', 1]", "['a\\nb', 1]\n"),
        ("None", ""),
        ("1;", ""),
        ("x = 1", ""),
        ("'\\x1b[31m'", "\\x1b[31m\n"),
        ("import asyncio\nawait asyncio.sleep(0, 'later')", "later\n"),
    ],
)
def test_the_value_of_a_cell_is_shown_fit_for_a_terminal(desk: Desk, cell: str, shown: str) -> None:
    assert run(desk, cell, "--at", "1").stdout == shown


def test_a_file_that_is_run_whole_shows_what_it_prints_only(desk: Desk) -> None:
    assert run(desk, "1").stdout == ""


def test_there_is_no_cell_beyond_the_end(desk: Desk) -> None:
    ran = run(desk, "x = 1\n", "--at", "3")
    assert (ran.returncode, ran.stderr) == (2, "codeact-lsp: there is no cell at 3\n")


def notebook(desk: Desk, *cells: str) -> Path:
    entries: list[dict[str, object]] = [{"cell_type": "markdown", "source": ["# Words\n"]}]
    entries += [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    path = desk.folder / "book.ipynb"
    path.write_text(json.dumps({"cells": entries, "metadata": {}, "nbformat": 4}), "utf-8")
    return path


def run_file(desk: Desk, path: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "codeact_lsp", "run", *options, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=desk.folder,
        env={**os.environ, **env},
        timeout=60,
    )


def test_a_cell_of_a_notebook_runs_as_a_section_does(desk: Desk) -> None:
    cells = (
        "%pip install x\nimport asyncio\nn = 1",
        "await asyncio.sleep(0)\nm = float(n / 0)",
        "n + 1",
    )
    path = notebook(desk, *cells)
    assert run_file(desk, path, "--at", "3").stdout == "2\n"
    ran = run_file(desk, path)
    lines = ran.stderr.splitlines()
    assert lines[0] == "codeact-lsp: left out, since only IPython reads it: %pip install x"
    assert lines[2:4] == [f'  File "{path}, cell 2", line 2, in <module>', "    m = float(n / 0)"]
    assert lines[-1] == "ZeroDivisionError: division by zero"


def test_what_the_editor_knows_counts_and_is_not_for_the_cell(desk: Desk) -> None:
    desk.serve(desk=[tool("to-do", {"file-path": {}})])
    folder = desk.folder / "project"
    folder.mkdir()
    entry = desk.entry("desk")
    asked = {**entry, "env": {"DESK": "${input:word}"}}
    config_file = folder / ".vscode" / "mcp.json"
    config_file.parent.mkdir()
    config_file.write_text(
        json.dumps(
            {"servers": {"asked": asked}, "inputs": [{"id": "word", "type": "promptString"}]}
        )
    )
    [server] = [s for s in config.load([folder]).servers if s.name == "asked"]
    path = desk.folder / "cell.py"
    path.write_text(
        "import os\nprint([v for v in os.environ if 'EDITOR' in v], tools.asked.to_do)\n"
    )
    from_editor = {
        "folders": [str(folder)],
        "settings": {"prelude": "from codeact_lsp.tools import mcp as tools"},
        "inputs": {str(config_file): {"word": "secret"}},
        "approved": [approval.key(server, os.environ)],
    }
    call = "r = await tools.asked.to_do(file_path='x')\nprint(r['received'])\n"
    path.write_text(path.read_text() + call)
    ran = run_file(desk, path, CODEACT_LSP_EDITOR=json.dumps(from_editor))
    assert ran.stderr == ""
    first, second = ran.stdout.splitlines()
    assert first.startswith("[] ")
    assert second == "{'file-path': 'x'}"
    refused = run_file(desk, path, CODEACT_LSP_EDITOR=json.dumps({**from_editor, "approved": []}))
    assert "asked is not approved" in refused.stderr


@pytest.mark.parametrize("given", ["[", "[]", '{"inputs": {"a": 1}}'])
def test_a_variable_that_no_editor_sets_is_refused_and_not_shown(desk: Desk, given: str) -> None:
    path = desk.folder / "cell.py"
    path.write_text("print(1)")
    ran = run_file(desk, path, CODEACT_LSP_EDITOR=given)
    assert ran.returncode == 2
    assert ran.stderr == "codeact-lsp: CODEACT_LSP_EDITOR is not what an editor sets\n"
