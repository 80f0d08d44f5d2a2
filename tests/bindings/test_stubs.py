from __future__ import annotations

import ast

import pytest

from codeact_lsp.bindings.stubs import native_stub, server_stub, stubs
from tests.support.bound import make_bindings, make_tool, takes

STRING = {"type": "string"}


def test_one_file_a_server_in_a_partial_package() -> None:
    files = stubs(make_bindings({"a-b": [make_tool("x")], "c": []}, native=[make_tool("y")]))
    assert sorted(files) == [
        "codeact_lsp-stubs/__init__.pyi",
        "codeact_lsp-stubs/py.typed",
        "codeact_lsp-stubs/tools/__init__.pyi",
        "codeact_lsp-stubs/tools/mcp/__init__.pyi",
        "codeact_lsp-stubs/tools/mcp/a_b.pyi",
        "codeact_lsp-stubs/tools/mcp/c.pyi",
    ]
    assert files["codeact_lsp-stubs/py.typed"] == "partial\n"


def test_a_server_s_stub() -> None:
    tool = make_tool(
        "read-it",
        takes("from", **{"from": {**STRING, "description": "since when"}}),
        output={"type": "object", "properties": {"a": STRING}},
        description="Reads it.",
    )
    bindings = make_bindings({"s": [tool, make_tool("a.b")]})
    stub = server_stub(bindings, bindings.servers[0])
    assert stub.path == "codeact_lsp-stubs/tools/mcp/s.pyi"
    assert stub.text == (
        "# Made by codeact-lsp from the listed tools; edits are lost.\n"
        "# codeact_lsp.tools.mcp.s\n"
        "from typing import NotRequired, TypedDict\n"
        "\n"
        "class SReadItOutput(TypedDict):\n"
        "    a: NotRequired[str]\n"
        "\n"
        "async def read_it(\n"
        "    *,\n"
        "    from_: str,  # since when\n"
        ") -> SReadItOutput:\n"
        '    """Reads it."""\n'
        "\n"
        '# getattr(mcp.s, "a.b")() -> str:\n'
        "#     ...\n"
    )
    lines = stub.text.split("\n")
    assert lines[stub.tools["read-it"]].startswith("async def read_it")
    assert lines[stub.tools["a.b"]].startswith("# getattr")
    assert lines[stub.parameters["read-it", "from"]].startswith("    from_: str")


def test_the_root_has_the_error_and_the_native_tools() -> None:
    tree = ast.parse(native_stub(make_bindings(native=[make_tool("str"), make_tool("x")])).text)
    names = [getattr(node, "name", None) for node in tree.body]
    assert names[-3:] == ["ToolCallError", "str", "x"]


def test_servers_are_attributes_of_mcp() -> None:
    files = stubs(make_bindings({"b-c": [], "a": [], "__x__": [make_tool("t")]}))
    text = files["codeact_lsp-stubs/tools/mcp/__init__.pyi"]
    assert text.split("\n")[1:] == [
        "from . import a as a",
        "from . import b_c as b_c",
        "",
        '__all__ = ["a", "b_c"]',
        "",
        '# getattr(mcp, "__x__")',
        '# getattr(mcp, "__x__").t() -> str:',
        "#     ...",
        "",
    ]


@pytest.mark.parametrize(
    "raws",
    [
        ["Browser", "browser", "BROWSER"],
        ["straße", "strasse"],
        ["con", "Con", "aux", "com1"],
        ["a" * 300, "a" * 301],
    ],
)
def test_files_of_servers_differ_on_every_file_system(raws: list[str]) -> None:
    files = stubs(make_bindings({raw: [] for raw in raws}))
    stems = [path.rpartition("/")[2].removesuffix(".pyi") for path in files if "/mcp/" in path]
    stems.remove("__init__")
    assert len(stems) == len({stem.casefold() for stem in stems}) == len(raws)
    assert not {"con", "aux", "com1"} & {stem.casefold() for stem in stems}
    assert all(len(stem) < 100 for stem in stems)
    init = files["codeact_lsp-stubs/tools/mcp/__init__.pyi"]
    for raw in raws:
        assert f" as {raw}\n" in init


def test_minimal_stubs_make_every_import_known() -> None:
    files = stubs(make_bindings({"s": [make_tool("x")]}), minimal=True)
    assert files["codeact_lsp-stubs/tools/mcp/s.pyi"] == (
        "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"
    )
    assert "codeact_lsp-stubs/tools/mcp/__init__.pyi" in files
    assert "codeact_lsp-stubs/tools/__init__.pyi" in files


def test_a_tool_that_hides_a_name_of_annotations() -> None:
    schema = takes(x={"type": "array", "items": STRING})
    bindings = make_bindings({"s": [make_tool("list", schema), make_tool("_builtins")]})
    text = server_stub(bindings, bindings.servers[0]).text
    assert "import builtins as __builtins\n" in text
    assert "    x: __builtins.list[str] = ...,\n" in text
