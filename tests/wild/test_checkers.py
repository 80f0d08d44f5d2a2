"""The stubs as Pyright, ty and mypy see them in strict mode: real catalogues and a made-up one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.stubs import stubs
from codeact_lsp.catalogue.model import Catalogue, Server
from tests.support.bound import make_tool, takes
from tests.support.wild import CATALOGUES, read

BIN = Path(sys.executable).parent
STRING = {"type": "string"}
# One of each thing that has its own way of being written.
KEYS = [
    "exit-code",
    "from",
    "__x",
    "list",
    "str",
    "int",
    "Any",
    "Literal",
    "NotRequired",
    "a b",
    "",
    "x",
    "\u202e",
    "\ud800",
    "é",
]
TREE: dict[str, Any] = {
    "$ref": "#/$defs/T",
    "$defs": {
        "T": {
            "type": "object",
            "properties": {
                "left-one": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]},
                "more": {"type": "array", "items": {"$ref": "#/$defs/U"}},
            },
        },
        "U": {
            "type": "object",
            "properties": {"back": {"$ref": "#/$defs/T"}, "u": {"$ref": "#/$defs/U"}},
        },
    },
}
WORDS = [
    "list",
    "str",
    "dict",
    "int",
    "float",
    "bool",
    "Any",
    "Literal",
    "Never",
    "TypedDict",
    "type",
    "print",
    "None",
    "import",
    "Exception",
    "self",
    "_builtins",
    "_typing",
    "AOutput",
]
EVERYTHING = takes(
    "a",
    a={"type": "array", "items": STRING},
    b={"enum": ["x", 'q"\\\n\ud800\u202e\0', "", 1, -1, True, None, 0.5, {}, []]},
    c={"type": "object", "properties": {key: {"type": "array", "items": STRING} for key in KEYS}},
    d=TREE["$defs"]["T"]
    | {"$defs": TREE["$defs"]}
    | {"properties": {"t": {"$ref": "#/properties/d/$defs/T"}}},
    e=False,
    f={"type": "object", "additionalProperties": False},
    g={},
    h={
        "anyOf": [
            {"type": "object", "properties": {"k": {"const": n}}, "required": ["k"]} for n in "xy"
        ]
    },
    **{key: {"type": "array", "items": STRING} for key in KEYS},
)
NESTED = json.loads(json.dumps(EVERYTHING).replace("#/$defs/", "#/properties/d/$defs/"))
CELL = """
import codeact_lsp.tools as T
from codeact_lsp.tools import ToolCallError, mcp
from codeact_lsp.tools.mcp import memory, redis_mcp_server as redis
from codeact_lsp.tools.mcp.notion import API_get_user


async def main() -> None:
    made = await mcp.memory.create_entities(
        entities=[{"name": "a", "entityType": "b", "observations": []}]
    )
    for entity in made["entities"]:
        print(entity["name"].upper())
    await T.mcp.memory.create_relations(
        relations=[{"from": "a", "to": "b", "relationType": "knows"}]
    )
    graph = await memory.read_graph()
    print(graph["relations"][0]["from"].upper())
    print((await API_get_user(user_id="u")).upper(), await redis.type(key="k"))
    try:
        await T.list(a=["x"])
        await mcp.odd.a(a=["x"], h={"k": "x"})
        await mcp.Odd.list(a=["x"])
    except ToolCallError as error:
        print(error.server, error.tool_name.upper())
"""
WRONG = """
from codeact_lsp.tools import mcp


async def main() -> None:
    await mcp.memory.create_entities(entities=[{"nme": "a"}])
    await mcp.notion.API_get_user(user_id=5)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the stubs, a cell that is right and one that is wrong."""
    made = tmp_path_factory.mktemp("stubs")
    odd = tuple(
        make_tool(raw, NESTED, output=TREE, description='"""\\') for raw in ("a", "b", *WORDS)
    )
    real = read(*sorted(CATALOGUES.glob("*.json")))
    made_up = {raw: Server(raw, odd[:10]) for raw in ("odd", "Odd", "str", "list", "__x__")}
    catalogue = Catalogue(MappingProxyType({**real.servers, **made_up}), native=odd)
    files = stubs(bind(catalogue))
    for path, text in files.items():
        target = made / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    (made / "cell.py").write_text(CELL, "utf-8")
    (made / "wrong.py").write_text(WRONG, "utf-8")
    return made


def run(folder: Path, *command: str) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=110
    )
    return done.returncode, done.stdout or done.stderr


def test_mypy(folder: Path) -> None:
    mypy = (str(BIN / "mypy"), "--strict", "--no-incremental", "--config-file=")
    code, output = run(folder, *mypy, "codeact_lsp-stubs", "cell.py")
    assert code == 0, output
    code, output = run(folder, *mypy, "codeact_lsp-stubs", "wrong.py")
    assert output.count("wrong.py:6:") >= 1, output
    assert output.count("wrong.py:7:") == 1, output


def test_ty(folder: Path) -> None:
    ty = (str(BIN / "ty"), "check", "--output-format=concise", f"--python={sys.prefix}")
    code, output = run(folder, *ty, "codeact_lsp-stubs", "cell.py")
    assert code == 0, output
    code, output = run(folder, *ty, "wrong.py")
    assert output.count("wrong.py:6:") >= 1, output
    assert output.count("wrong.py:7:") == 1, output


def pyright(folder: Path, include: list[str]) -> list[tuple[str, int, str]]:
    """(file, line from 1, message) of each error in strict mode."""
    config = {"typeCheckingMode": "strict", "include": include}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    _, output = run(folder, str(BIN / "pyright"), "--outputjson", f"--pythonpath={sys.executable}")
    return [
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["message"])
        for one in json.loads(output)["generalDiagnostics"]
        if one["severity"] == "error"
    ]


def test_pyright(folder: Path) -> None:
    found = pyright(folder, ["*.py"])
    assert [one for one in found if one[0] != "wrong.py"] == []
    assert {line for _, line, _ in found} == {6, 7}
    # Pyright merges a partial stub package into the installed one and then has no such folder to
    # check, so the files themselves are checked as a package.
    shutil.copytree(folder / "codeact_lsp-stubs", folder / "checked" / "codeact_lsp")
    broken = folder / "checked" / "codeact_lsp" / "broken.pyi"
    broken.write_text("x: nothing\n", "utf-8")
    assert [one[0] for one in pyright(folder, ["checked"])] == ["broken.pyi"]
