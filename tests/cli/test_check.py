"""Diagnostics on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.support.desk import Desk, tool

CELL = """\
from codeact_lsp.tools import mcp

await mcp.desk.to_do(file-path="ä")
"""
FIXED = CELL.replace("file-path", "file_path")


@pytest.fixture
def cell(desk: Desk) -> Path:
    path = desk.folder / "desk.json"
    path.write_text(json.dumps({"tools": [tool("to-do", {"file-path": {}}), tool("type")]}))
    cell = desk.folder / "cell.py"
    cell.write_bytes(CELL.encode())
    return cell


def check(run: Run, *arguments: str) -> Any:
    return run("check", *arguments, "--catalogue", "desk.json")


def test_text(run: Run, cell: Path) -> None:
    ran = check(run, "cell.py")
    assert ran.code == 1
    first, last = ran.out.splitlines()
    assert first.startswith("cell.py:3:22: error[raw-keyword] ")
    assert last == "1 error"


def test_nothing_wrong(run: Run, cell: Path) -> None:
    cell.write_text(FIXED, "utf-8")
    ran = check(run, "cell.py")
    assert (ran.code, ran.out, ran.err) == (0, "nothing to report\n", "")


def test_json(run: Run, cell: Path) -> None:
    ran = check(run, "cell.py", "--format", "json")
    [found] = json.loads(ran.out)["diagnostics"]
    place = {key: found[key] for key in ("file", "line", "column", "endLine", "endColumn")}
    assert place == {"file": "cell.py", "line": 3, "column": 22, "endLine": 3, "endColumn": 31}
    assert (found["code"], found["severity"]) == ("raw-keyword", "error")
    assert found["fixes"]


def test_github(run: Run, cell: Path) -> None:
    [line] = check(run, "cell.py", "--format", "github").out.splitlines()
    assert line.startswith(
        "::error file=cell.py,line=3,endLine=3,col=22,endColumn=31,title=raw-keyword::"
    )


def test_sarif(run: Run, cell: Path) -> None:
    value = json.loads(check(run, "cell.py", "--format", "sarif").out)
    [one] = value["runs"]
    [result] = one["results"]
    assert (value["version"], one["columnKind"]) == ("2.1.0", "unicodeCodePoints")
    assert one["tool"]["driver"]["rules"][result["ruleIndex"]] == {"id": "raw-keyword"}
    assert (result["ruleId"], result["level"]) == ("raw-keyword", "error")
    [location] = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "cell.py"},
        "region": {"startLine": 3, "startColumn": 22, "endLine": 3, "endColumn": 31},
    }


def test_fix_writes_the_file_and_reports_what_is_left(run: Run, cell: Path) -> None:
    ran = check(run, "cell.py", "--fix")
    assert (ran.code, ran.out) == (0, "1 fixed\n")
    assert cell.read_bytes() == FIXED.encode()


def test_fix_keeps_line_ends_and_a_file_that_needs_nothing(run: Run, cell: Path) -> None:
    cell.write_bytes(CELL.replace("\n", "\r\n").encode())
    check(run, "cell.py", "--fix")
    assert cell.read_bytes() == FIXED.replace("\n", "\r\n").encode()
    before = cell.stat().st_mtime_ns
    check(run, "cell.py", "--fix")
    assert cell.stat().st_mtime_ns == before


def test_a_folder_means_the_python_files_below_it(run: Run, cell: Path) -> None:
    for name in ("pkg/a.py", "pkg/.hidden/b.py", "pkg/node_modules/c.py", "pkg/d.txt"):
        path = cell.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(CELL, "utf-8")
    found = json.loads(check(run, "pkg", "--format", "json").out)["diagnostics"]
    assert [one["file"] for one in found] == [str(Path("pkg/a.py"))]


def test_a_warning_is_no_failure(run: Run, cell: Path) -> None:
    cell.write_text("from codeact_lsp.tools.mcp.desk import type\n")
    ran = check(run, "cell.py")
    assert ran.code == 0
    assert "warning[soft-keyword-shadowing]" in ran.out


def test_the_projects_rules_count(run: Run, cell: Path) -> None:
    (cell.parent / "codeact-lsp.toml").write_text('[rules]\nraw-keyword = "off"\n')
    assert check(run, "cell.py").out == "nothing to report\n"


def test_standard_input(run: Run, cell: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with cell.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert check(run, "-").out.startswith("-:3:22: error[raw-keyword]")


def test_watch_reports_again_when_a_file_changes(cell: Path) -> None:
    with subprocess.Popen(
        [
            sys.executable,
            "-m",
            "codeact_lsp",
            "check",
            "cell.py",
            "--watch",
            "--catalogue",
            "desk.json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert "raw-keyword" in process.stdout.readline()
            assert process.stdout.readline() == "1 error\n"
            cell.write_text(FIXED, "utf-8")
            assert process.stdout.readline() == "nothing to report\n"
        finally:
            process.kill()
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_file_that_cannot_be_read_costs_only_itself(run: Run, cell: Path) -> None:
    (cell.parent / "a.py").write_bytes(b"x = 1\xff\n")
    ran = check(run, "--format", "json", str(cell.parent))
    assert ran.code == 2
    assert "a.py is not UTF-8 (byte 5)" in ran.err
    assert {Path(one["file"]).name for one in json.loads(ran.out)["diagnostics"]} == {cell.name}


def test_fix_keeps_a_byte_order_mark(run: Run, cell: Path) -> None:
    cell.write_bytes(b"\xef\xbb\xbf" + cell.read_bytes())
    check(run, "--fix", str(cell))
    fixed = cell.read_bytes()
    assert fixed.startswith(b"\xef\xbb\xbf")
    assert fixed.count(b"\xef\xbb\xbf") == 1
