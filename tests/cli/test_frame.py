"""What holds for every command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codeact_lsp import __version__
from codeact_lsp.cli import main
from tests.cli.conftest import Run
from tests.support.desk import Desk

COMMANDS = (
    "serve check complete hover signature definition names render stubs catalogue approve run demo"
).split()


def test_no_argument_prints_help(run: Run) -> None:
    ran = run()
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Usage: codeact-lsp")
    listed = [line.split()[0] for line in ran.out.partition("Commands:\n")[2].splitlines()]
    assert listed == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(run: Run, command: str) -> None:
    ran = run(command, "--help")
    assert ran.code == 0
    assert ran.out.startswith(f"Usage: codeact-lsp {command}")


def test_version(run: Run) -> None:
    assert run("--version").out == f"codeact-lsp, version {__version__}\n"


def test_the_module_is_the_program() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "codeact_lsp", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.endswith(f"version {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope",), "No such command 'nope'."),
        (("names", "--nope"), "o such option"),
        (
            ("names", "--catalogue", "nope.json"),
            "nope.json cannot be read: No such file or directory",
        ),
        (("names", "--catalogue", "."), ". cannot be read: Is a directory"),
        (("names", "--catalogue", "broken.json"), "broken.json is not JSON: Expecting value"),
        (("names", "--catalogue", "other.json"), 'other.json has neither "servers" nor "tools"'),
        (("hover", "cell.py"), "Invalid value for 'FILE:LINE:COLUMN'"),
        (("hover", f"cell.py:1:{'9' * 5000}"), "is not FILE:LINE:COLUMN"),
        (("hover", "cell.py:0:1", "--catalogue", "one.json"), "both counted from 1"),
        (
            ("hover", "cell.py:9:1", "--catalogue", "one.json"),
            "cell.py has 2 lines, so there is no line 9",
        ),
        (("hover", "nope.py:1:1", "--catalogue", "one.json"), "nope.py: No such file or directory"),
        (("hover", "latin.py:1:1", "--catalogue", "one.json"), "latin.py is not UTF-8 (byte 1)"),
        (("check", "nope.py", "--catalogue", "one.json"), "nope.py: no such file or folder"),
        (("render", "--detail", "nope", "--catalogue", "one.json"), "Invalid value for '--detail'"),
        (("serve", "--tcp", "nowhere"), "'nowhere' is not HOST:PORT"),
        (("serve", "--stdio", "--tcp", "127.0.0.1:0"), "are one choice"),
        (("run", "nope.py"), "No such file or directory: 'nope.py'"),
        (("approve", "nope"), 'no workspace file names a server "nope"'),
        (
            ("catalogue", "save", "one.json/x.json", "--catalogue", "one.json"),
            "one.json",
        ),
    ],
)
def test_an_error_is_one_line_on_stderr(
    desk: Desk, run: Run, arguments: tuple[str, ...], said: str
) -> None:
    (desk.folder / "broken.json").write_text("nope")
    (desk.folder / "other.json").write_text("{}")
    (desk.folder / "one.json").write_text('{"tools": []}')
    (desk.folder / "cell.py").write_text("x = 1\n")
    (desk.folder / "latin.py").write_bytes(b"#\xe4\n")
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("codeact-lsp: ")
    assert ran.err.count("\n") == 1
    assert said in ran.err


def test_an_internal_error_is_one_line_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise LookupError("two\nlines")

    monkeypatch.setattr("codeact_lsp.cli.app.app.main", broken)
    ran = run("names")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "codeact-lsp: internal error: LookupError: two lines (CODEACT_LSP_DEBUG=1 shows where)\n"
    )
    monkeypatch.setenv("CODEACT_LSP_DEBUG", "1")
    with pytest.raises(LookupError):
        main(["names"])


def test_a_reader_that_leaves_early_is_no_error(desk: Desk) -> None:
    tools = [f'{{"name": "t-{n}", "inputSchema": {{"type": "object"}}}}' for n in range(20_000)]
    path = desk.folder / "many.json"
    path.write_text(f'{{"tools": [{",".join(tools)}]}}')
    with subprocess.Popen(
        [sys.executable, "-m", "codeact_lsp", "names", "--catalogue", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_names_do_not_bring_slow_imports_along(desk: Desk) -> None:
    Path("one.json").write_text('{"tools": []}')
    program = (
        "import sys; from codeact_lsp.cli import main;"
        "main(['names', '--catalogue', 'one.json']);"
        "print(sorted({'mcp', 'pygls', 'lsprotocol', 'rich'} & set(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=desk.folder
    )
    assert ran.stdout.splitlines()[-1] == "[]"
