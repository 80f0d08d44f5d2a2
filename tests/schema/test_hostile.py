"""Schemas made to cost much: each ends, within the limits, and the other parameters are served."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from codeact_lsp.bindings.block import render
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.build import MAX_NODES
from codeact_lsp.schema.mapper import schemas
from tests.support.bound import make_bindings, make_tool

Schema = dict[str, Any]
COUNT = 2_000


def ref(name: str, **beside: Any) -> Schema:
    return {"$ref": f"#/$defs/{name}", **beside}


def wide(size: int) -> Schema:
    return {"type": "object", "properties": {f"k{n}": {"type": "string"} for n in range(size)}}


def params(use: Callable[[int], Schema], **definitions: Any) -> Schema:
    return {
        "type": "object",
        "properties": {"first": {"type": "string"}, **{f"p{n}": use(n) for n in range(COUNT)}},
        "$defs": definitions,
    }


HOSTILE: dict[str, Schema] = {
    "merges of a wide object": params(
        lambda n: {"allOf": [ref("W"), {"required": [f"x{n}"]}]}, W=wide(COUNT)
    ),
    "merges of a long key": params(
        lambda n: {"allOf": [ref("W"), {"required": [f"x{n}"]}]},
        W={"type": "object", "properties": {"k" * 1_000_000: wide(1)}},
    ),
    "conditions on a wide object": params(
        lambda n: {"if": {"const": n}, "then": ref("W")}, W=wide(COUNT)
    ),
    "a condition beside a wide object": params(
        lambda n: ref("W", **{"if": {"const": n}, "then": {"properties": {f"x{n}": {}}}}),
        W=wide(COUNT),
    ),
    "variants of a wide object": params(
        lambda n: ref("W", anyOf=[{"required": [f"k{n % COUNT}"]}, {"required": [f"y{n}"]}]),
        W=wide(COUNT),
    ),
    "dependent schemas": {
        "type": "object",
        "properties": {"first": {"type": "string"}},
        "dependentSchemas": {f"k{n}": ref("W") for n in range(COUNT)},
        "$defs": {"W": wide(COUNT)},
    },
    "alternatives that are all the same": {
        "type": "object",
        "properties": {"first": {"type": "string"}},
        "anyOf": [ref("W") for _ in range(COUNT)],
        "$defs": {"W": wide(COUNT)},
    },
    "alternatives times alternatives": {
        "type": "object",
        "properties": {
            "first": {"type": "string"},
            "p": {
                "allOf": [
                    {
                        "anyOf": [
                            {"type": "object", "properties": {f"{side}{n}": {}}}
                            for n in range(COUNT // 2)
                        ]
                    }
                    for side in "ab"
                ]
            },
        },
    },
    "long enums, one member apart": params(
        lambda n: {"anyOf": [ref("E"), {"const": f"x{n}"}]},
        E={"enum": [f"{n:x}" for n in range(4 * COUNT)]},
    ),
    "a long enum beside many types": params(
        lambda n: ref("E", type="string", maxLength=n),
        E={"enum": [f"{n:x}" for n in range(4 * COUNT)]},
    ),
    "one description everywhere": params(lambda _: ref("D"), D={"description": "d" * 1_000_000}),
    "anchors everywhere": params(lambda _: {"$ref": "#here"}, A={"$anchor": "here", **wide(COUNT)}),
    "a pointer of many steps": params(lambda _: {"$ref": "#" + "/a" * 100}),
    "objects that all lead to each other": {
        "type": "object",
        "properties": {"first": {"type": "string"}, "p": ref("D0")},
        "$defs": {
            f"D{n}": {"type": "object", "properties": {f"k{m}": ref(f"D{m}") for m in range(60)}}
            for n in range(60)
        },
    },
    "lists that all lead to each other": {
        "type": "object",
        "properties": {"first": {"type": "string"}, "p": ref("D0")},
        "$defs": {
            f"D{n}": {"anyOf": [{"type": "array", "items": ref(f"D{m}")} for m in range(60)]}
            for n in range(60)
        },
    },
    "one way through many objects": {
        "type": "object",
        "properties": {
            "first": {"type": "string"},
            **{f"p{n}": ref(f"D{n}") for n in reversed(range(COUNT))},
        },
        "$defs": {
            **{
                f"D{n}": {"type": "object", "properties": {"next": ref(f"D{n + 1}")}}
                for n in range(COUNT)
            },
            f"D{COUNT}": {"type": "string"},
        },
    },
    "classes of one name": params(
        lambda n: {"anyOf": [wide(1), {"type": "object", "properties": {f"z{n}": {}}}]}
    ),
    "ids that are no addresses": params(lambda n: {"$id": f"http://[{n}", "$ref": "x"}),
}


@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_what_is_made_to_cost_much(schema: Schema) -> None:
    text = json.dumps(schema)
    found = schemas(text, text, tool="t")
    assert found.nodes <= MAX_NODES
    first = next(field for field in found.arguments.fields if field.raw == "first")
    assert annotation(first.type, found.shapes) == "str"
    block = render(make_bindings({"s": [make_tool("t", schema, output=schema)]}))
    compile(block, "block", "exec")
    assert len(block) < 20_000_000
