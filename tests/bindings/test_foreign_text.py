"""What a server says of itself, of its tools and in its schemas never becomes code."""

from __future__ import annotations

import ast
from types import MappingProxyType

import pytest

from codeact_lsp.bindings.block import render
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.bindings.stubs import stubs
from codeact_lsp.catalogue.model import Catalogue, Server
from tests.support.blocks import execute, uncommented
from tests.support.bound import make_bindings, make_tool, takes

PWNED = "PWNED"


def functions(source: str) -> list[ast.AsyncFunctionDef]:
    return [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AsyncFunctionDef)]


def assigned(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def _stubs(bindings: Bindings) -> list[str]:
    return [text for path, text in stubs(bindings).items() if path.endswith(".pyi")]


def assert_harmless(bindings: Bindings) -> None:
    block = render(bindings)
    assert PWNED not in execute(block, bindings)
    for source in (block, *uncommented(block), *_stubs(bindings)):
        assert PWNED not in assigned(source)


@pytest.mark.parametrize(
    "description",
    [
        'x"""\nPWNED=1\ndef z():\n    """',
        "y'''\nPWNED=1\ndef z():\n    '''",
        "Reads a file. Root is C:\\",
        "\nPWNED=1\ndef z():\n    #",
        '\\"""\nPWNED=1\n"""',
    ],
)
def test_a_description_is_one_string_of_one_function(description: str) -> None:
    bindings = make_bindings(
        {"s": [make_tool("t", description=description)]},
        native=[make_tool("t", description=description)],
    )
    assert_harmless(bindings)
    (function,) = functions(render(bindings))
    (body,) = function.body
    assert isinstance(body, ast.Expr)
    assert isinstance(body.value, ast.Constant)
    for source in _stubs(bindings):
        assert all(len(one.body) == 1 for one in functions(source))


def test_names_titles_and_versions_of_a_server_end_no_comment() -> None:
    tool = make_tool("a\nPWNED=1\n#")
    server = Server(
        "s\rPWNED=1 #", (tool,), title="Foo\rPWNED=1 #", version="1\nPWNED=1", address="\nPWNED=1"
    )
    assert_harmless(bind(Catalogue(MappingProxyType({server.raw: server}), version=1)))


def test_data_and_titles_of_a_schema_stay_data() -> None:
    schema = takes(
        s={"type": "string", "default": "\"+__import__('os').system('id')+\""},
        e={"enum": ['a"]; PWNED=1 #', "]\nPWNED=1"]},
        n={"type": "integer", "default": "__import__('os')"},
        t={
            "type": "object",
            "title": "X(dict): pass\nPWNED=1\nclass Y",
            "properties": {"k": {"type": "string"}},
        },
    )
    bindings = make_bindings({"s": [make_tool("d", schema)]}, native=[make_tool("d", schema)])
    assert_harmless(bindings)
    block = render(bindings)
    assert "__import__" not in assigned(block)
    assert {node.name for node in ast.walk(ast.parse(block)) if isinstance(node, ast.ClassDef)} == {
        "DArgsT"
    }
