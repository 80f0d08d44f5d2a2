"""Everything that is made from a catalogue, over real ones."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.bindings.block import render
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings, ToolBinding
from codeact_lsp.bindings.signature import documentation, signature
from codeact_lsp.bindings.stubs import stubs
from codeact_lsp.catalogue.model import unpack
from codeact_lsp.schema.types import AnyType, ArrayType, DictType, Type, UnionType
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


def anys(type_: Type) -> Iterator[str]:
    """Why each `Any` inside a type stands there."""
    match type_:
        case AnyType(why):
            yield why.value
        case ArrayType(item, prefix):
            for part in (*prefix, *([] if prefix else [item])):
                yield from anys(part)
        case DictType(value):
            yield from anys(value)
        case UnionType(members):
            for member in members:
                yield from anys(member)


def test_each_any_has_a_reason_that_is_the_schema_s_own(bindings: Bindings) -> None:
    reasons: Counter[str] = Counter()
    for tool in tools(bindings):
        found = details(tool).schemas
        shapes = (found.arguments, *found.shapes.values())
        reasons.update(
            why for shape in shapes for field in shape.fields for why in anys(field.type)
        )
    print(dict(reasons))
    assert set(reasons) <= {
        "silent",
        "true",
        "self-reference",
    }
