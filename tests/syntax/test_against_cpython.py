"""CPython reads the same files: its `ast` and `symtable` say what is right."""

from __future__ import annotations

import ast
import functools
import importlib.util
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from codeact_lsp.syntax.call import calls
from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.expressions import ArgumentKind, Call, bare
from codeact_lsp.syntax.lines import LineIndex
from codeact_lsp.syntax.statements import StatementKind

MODULES: Final = (
    "ast", "argparse", "asyncio.base_events", "asyncio.tasks", "dataclasses", "enum", "inspect",
    "json.decoder", "pathlib", "re", "textwrap", "typing", "unittest.mock",
)  # fmt: skip


@functools.cache
def source_of(module: str) -> str:
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")


class Offsets:
    """Where CPython's (line, column in UTF-8) is, in code points."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = LineIndex.of(text)

    def __call__(self, line: int, column: int) -> int:
        return self.lines.offset(self.text, line - 1, column, "utf-8")


CallFacts = tuple[int, int, tuple[str, ...]]


def expected_calls(text: str) -> set[CallFacts]:
    offset = Offsets(text)
    tree = ast.parse(text)
    # Before 3.12, CPython does not say where the parts of an f-string are.
    inside = {
        id(node)
        for string in ast.walk(tree)
        if isinstance(string, ast.JoinedStr)
        for node in ast.walk(string)
    }
    return {
        (
            offset(node.func.end_lineno or 0, node.func.end_col_offset or 0),
            offset(node.end_lineno or 0, node.end_col_offset or 0),
            (*("" for _ in node.args), *(keyword.arg or "**" for keyword in node.keywords)),
        )
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and id(node) not in inside
    }


def facts(call: Call) -> CallFacts:
    positional = (ArgumentKind.POSITIONAL, ArgumentKind.STAR)
    return (
        bare(call.function).span.end,
        call.span.end,
        (
            *("" for argument in call.arguments if argument.kind in positional),
            *(a.name or "**" for a in call.arguments if a.kind not in positional),
        ),
    )


@pytest.mark.parametrize("module", MODULES)
def test_every_call_of_a_module_of_the_standard_library(module: str) -> None:
    text = source_of(module)
    found = {facts(call) for call in calls(Document.parse(text))}
    expected = expected_calls(text)
    assert expected <= found
    extra = {call for call in found - expected if "{" not in text[call[0] - 200 : call[1]]}
    assert not extra


def tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from tables(child)


@pytest.mark.parametrize("module", MODULES)
def test_every_name_that_a_module_binds_at_its_top(module: str) -> None:
    text = source_of(module)
    document = Document.parse(text)
    top = symtable.symtable(text, module, "exec")
    expected = {
        symbol.get_name()
        for symbol in top.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    }
    found = {
        binding.name
        for placed in document.top_levels()
        for start, line in zip(placed.top.starts, placed.top.lines, strict=False)
        if line.columns == 0
        for statement in line.statements(placed.start + start, document.work)
        for binding in statement.bindings
    }
    anywhere = {binding.name for s in statements(document) for binding in s.bindings}
    assert found <= expected | {"*"}
    assert expected <= anywhere


@pytest.mark.parametrize("module", MODULES)
def test_every_function_and_its_parameters(module: str) -> None:
    text = source_of(module)
    expected = [
        (node.name, {a.arg for a in ast.iter_child_nodes(node.args) if isinstance(a, ast.arg)})
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = [
        (statement.bindings[0].name, {parameter.name for parameter in statement.parameters})
        for statement in statements(Document.parse(text))
        if statement.kind is StatementKind.FUNCTION
    ]
    key = lambda item: (item[0], sorted(item[1]))  # noqa: E731 - one order for both lists
    assert sorted(found, key=key) == sorted(expected, key=key)
