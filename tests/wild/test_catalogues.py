"""Everything that is made from a catalogue, over real ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.bindings.anys import AnyPlace, anys
from codeact_lsp.bindings.block import render
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings, ToolBinding
from codeact_lsp.bindings.signature import documentation, signature
from codeact_lsp.bindings.stubs import stubs
from codeact_lsp.catalogue.model import unpack
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.types import Why
from tests.support.blocks import execute, uncommented
from tests.support.wild import CATALOGUES, read

FILES = sorted(CATALOGUES.glob("*.json"))


@pytest.fixture(params=FILES, ids=lambda path: path.stem, scope="module")
def bindings(request: pytest.FixtureRequest) -> Bindings:
    path: Path = request.param
    return bind(read(path))


def tools(bindings: Bindings) -> Iterator[ToolBinding]:
    for server in bindings.servers:
        yield from server.tools


def test_every_tool_and_every_parameter_is_bound(bindings: Bindings) -> None:
    for server in bindings.servers:
        assert {tool.raw for tool in server.tools} == {tool.raw for tool in server.server.tools}
    for tool in tools(bindings):
        listed = json.loads(unpack(tool.tool.input_schema)).get("properties", {})
        found = details(tool)
        assert set(found.by_raw) >= set(listed)
        reachable = {*(p.raw for p in found.by_name.values())}
        reachable |= set(found.catch_all.raw_keys) if found.catch_all else set()
        assert reachable >= set(listed)


def test_every_schema_is_understood(bindings: Bindings) -> None:
    assert {
        tool.raw: details(tool).problems for tool in tools(bindings) if details(tool).problems
    } == {}


def test_the_block_executes_and_its_comments_are_signatures(bindings: Bindings) -> None:
    block = render(bindings)
    execute(block, bindings)
    functions = uncommented(block)
    assert len(functions) == len(list(tools(bindings)))
    for function in functions:
        compile(function, "f", "exec")


def test_the_stubs_compile(bindings: Bindings) -> None:
    for path, text in stubs(bindings).items():
        if path.endswith(".pyi"):
            compile(text, path, "exec")


def test_every_tool_has_a_signature_and_documentation(bindings: Bindings) -> None:
    for tool in tools(bindings):
        found = signature(tool)
        compile(f"from __future__ import annotations\n{found.text} ...", tool.path, "exec")
        assert isinstance(documentation(tool), str)


SCALARS = {"string", "integer", "number", "boolean", "null"}


def is_definite(schema: Any, root: Any, depth: int = 0) -> bool:
    """Whether a person who reads the schema can say what fits, objects down to their keys."""
    if not isinstance(schema, dict) or depth > 20:
        return False
    if isinstance(schema.get("$ref"), str) and set(schema) == {"$ref"}:
        target = root
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target.get(step, {})
        return is_definite(target, root, depth + 1)
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return all(isinstance(value, (str, int, type(None))) for value in values)
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        return all(is_definite(one, root, depth + 1) for one in alternatives)
    types = schema.get("type")
    if isinstance(types, str) and types == "array":
        return is_definite(schema.get("items"), root, depth + 1)
    if isinstance(types, str) and types == "object":
        extra = schema.get("additionalProperties")
        return bool(schema.get("properties")) or is_definite(extra, root, depth + 1)
    listed = types if isinstance(types, list) else [types]
    return bool(listed) and set(map(str, listed)) <= SCALARS


def test_what_a_schema_says_is_never_any(bindings: Bindings) -> None:
    for tool in tools(bindings):
        root = json.loads(unpack(tool.tool.input_schema))
        for raw, schema in root.get("properties", {}).items():
            if is_definite(schema, root):
                annotation = details(tool).by_raw[raw].annotation
                assert not re.search(r"\bAny\b", re.sub(r'"[^"]*"', "", annotation)), (
                    tool.path,
                    raw,
                )


def places(tool: ToolBinding) -> Iterator[tuple[AnyPlace, Any]]:
    """Each place of a tool that is Any, with what stands there in its definition; `...` for nothing."""
    definition = {
        "inputSchema": json.loads(unpack(tool.tool.input_schema)),
        "outputSchema": json.loads(unpack(tool.tool.output_schema or "null")),
    }
    for place in anys(tool):
        found: Any = definition
        steps = [step.replace("~1", "/").replace("~0", "~") for step in place.pointer.split("/")]
        for step in steps[1:]:
            assert found is not ..., (tool.path, place.pointer)
            found = found[int(step)] if isinstance(found, list) else found.get(step, ...)
        yield place, found


# What says nothing of a value; other words in these listings are not JSON Schema's.
ANNOTATIONS = {"title", "description", "default", "examples", "$schema", "deprecated"}


def test_each_any_has_a_reason_that_is_the_schema_s_own(bindings: Bindings) -> None:
    for tool in tools(bindings):
        for place, found in places(tool):
            match place.why:
                case Why.TRUE:
                    assert found is True, (tool.path, place)
                case Why.SILENT:
                    assert found is ... or set(found) <= ANNOTATIONS, (tool.path, place, found)
                case why:
                    assert why in {Why.UNSPELLED, Why.UNTYPED, Why.SELF_REFERENCE}, (tool.path, why)


def test_no_annotation_is_any_without_a_reason(bindings: Bindings) -> None:
    for tool in tools(bindings):
        found = details(tool)
        shapes = [shape.fields for shape in found.schemas.shapes.values()]
        fields = [field for listed in (found.schemas.arguments.fields, *shapes) for field in listed]
        written = [annotation(field.type, found.schemas.shapes) for field in fields]
        bare = re.sub(r'"[^"]*"', "", " ".join((*written, found.returns)))
        assert not re.search(r"\bAny\b", bare) or anys(tool), tool.path
