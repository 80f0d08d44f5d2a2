"""Schemas made to cost much: each ends, within the limits, and the other parameters are served."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from codeact_lsp.bindings.block import render
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.build import MAX_NODES
from codeact_lsp.schema.check import check_arguments
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.values import Known
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


# Alternatives multiply: ten keywords of two each have 1,024 combinations.


def pair(n: int) -> list[Schema]:
    return [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]


def named_pair(n: int) -> Schema:
    return {"type": "object", "properties": {f"{side}{n}": {"type": "string"} for side in "ab"}}


COMBINED: dict[str, Callable[[int], Schema]] = {
    "properties beside what is required": lambda count: {
        "type": "object",
        "properties": {k: v for n in range(count) for k, v in named_pair(n)["properties"].items()},
        "allOf": [{"anyOf": pair(n)} for n in range(count)],
    },
    "objects that require one or another key": lambda count: {
        "allOf": [{**named_pair(n), "anyOf": pair(n)} for n in range(count)]
    },
    "alternatives of objects": lambda count: {
        "type": "object",
        "allOf": [
            {"oneOf": [{"properties": {f"{side}{n}": {"type": "string"}}} for side in "ab"]}
            for n in range(count)
        ],
    },
    "alternatives beside alternatives": lambda count: {
        "type": "object",
        "anyOf": [{"properties": {f"a{n}": {"type": "string"}}} for n in range(count)],
        "oneOf": [{"properties": {f"b{n}": {"type": "string"}}} for n in range(count)],
    },
}


@pytest.mark.parametrize("make", COMBINED.values(), ids=COMBINED)
@pytest.mark.parametrize("count", [2, 9, 16])
def test_alternatives_that_multiply_cost_no_parameter(
    make: Callable[[int], Schema], count: int
) -> None:
    found = schemas(json.dumps(make(count)), None, tool="t")
    assert {field.raw for field in found.arguments.fields} == {
        f"{side}{n}" for n in range(count) for side in "ab"
    }
    assert {annotation(field.type, found.shapes) for field in found.arguments.fields} == {"str"}
    assert [note.kind for note in found.notes] == (["limit"] if count > 2 else [])


def test_what_alternatives_that_multiply_say_is_never_more_than_the_schema() -> None:
    keyed = {"properties": {"k": {"type": "string"}}, "required": ["k"]}
    others: list[Schema] = [
        {**keyed, "properties": {"k": {"type": "string"}, f"x{n}": {"type": "integer"}}}
        for n in range(8)
    ]
    patterned: list[Schema] = [{"patternProperties": {f"^{n}": False}} for n in range(9)]
    schema = {"type": "object", "allOf": [{"anyOf": others}, {"anyOf": [*patterned, keyed]}]}
    found = schemas(json.dumps(schema), None, tool="t")

    def refused(**given: Any) -> list[str]:
        values = {key: Known(value) for key, value in given.items()}
        return [one.keyword for one in check_arguments(values, found, complete=True)]

    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"k": "a", "x1": "any", "1a": 3})
    assert refused(k="a", x1="any", **{"1a": 3}) == []
    # What each alternative says holds.
    assert refused(k=1) == ["type"]
    assert refused() == ["required"]


@pytest.mark.parametrize(
    "part",
    [
        lambda n: {"properties": {f"p{n}": {"type": "string"}}},
        lambda n: {
            "if": {"properties": {"kind": {"const": n}}},
            "then": {"properties": {f"p{n}": {"type": "string"}}, "required": [f"p{n}"]},
        },
    ],
)
def test_all_of_many_parts_does_not_copy_all_before_each(part: Callable[[int], Schema]) -> None:
    def work(count: int) -> int:
        schema = {"type": "object", "properties": {"kind": {}}, "allOf": [*map(part, range(count))]}
        found = schemas(json.dumps(schema), None, tool="t")
        assert {f"p{n}" for n in range(count)} <= {field.raw for field in found.arguments.fields}
        return found.nodes

    assert work(400) <= 2.5 * work(200)
