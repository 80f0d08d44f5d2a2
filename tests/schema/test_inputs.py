"""Input and output schemas that are not what a protocol would like them to be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codeact_lsp.schema import build, load
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.types import AnyType, NeverType, Schemas
from tests.support.bound import parameters


def read(text: str, output: str | None = None) -> Schemas:
    return schemas(text, output, tool="t")


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        True,
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"type": "string", "description": "document title"},
        {"type": "array", "items": {"type": "string"}},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        [],
        "object",
        3,
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
    ],
)
def test_an_input_that_describes_no_object_takes_any_keywords_and_is_reported(schema: Any) -> None:
    found = read(json.dumps(schema))
    assert found.arguments.fields == ()
    assert isinstance(found.arguments.extra, AnyType)
    assert found.arguments.extra_declared
    assert len(found.notes) == 1
    assert found.notes[0].pointer.startswith("/inputSchema")


def test_an_input_that_refuses_everything_takes_nothing_and_is_reported() -> None:
    found = read("false")
    assert found.arguments.fields == ()
    assert found.arguments.extra == NeverType()
    assert len(found.notes) == 1


@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "object", "properties": {}}])
def test_an_object_without_properties_takes_nothing(schema: Any) -> None:
    found = read(json.dumps(schema))
    assert found.arguments.fields == ()
    assert not found.arguments.extra_declared
    assert found.notes == ()


def test_an_object_or_null_is_the_object() -> None:
    schema = {"type": ["object", "null"], "properties": {"a": {"type": "string"}}}
    assert parameters(schema) == {"a": "str = ..."}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": {"a": 1, "b": "x"}}, {"a": "Literal[1]", "b": 'Literal["x"]'}),
        (
            {"enum": [{"a": 1}, {"a": 2, "b": None}, 3]},
            {"a": "Literal[1, 2]", "b": "None = ..."},
        ),
        ({"anyOf": [{"const": {}}, {"required": ["c"]}]}, {"c": "Any = ..."}),
    ],
)
def test_an_object_that_an_input_lists_is_what_a_call_can_give(
    schema: Any, expected: dict[str, str]
) -> None:
    assert parameters(schema) == expected
    found = read(json.dumps(schema))
    assert found.notes == ()


def test_an_input_that_is_a_reference() -> None:
    definition = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert parameters({"$ref": "#/$defs/Args", "$defs": {"Args": definition}}) == {"a": "str"}


@pytest.mark.parametrize(
    ("output", "returns"),
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "TOutput"),
        ({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}, "list[TOutput]"),
        ({"type": "object"}, "dict[str, Any]"),
        ({}, "Any"),
        (None, "Any"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer"}}}, "int"),
    ],
)
def test_outputs(output: Any, returns: str) -> None:
    found = read('{"type": "object"}', json.dumps(output))
    assert found.result is not None
    assert annotation(found.result, found.shapes) == returns


def test_no_output_schema_is_not_the_same_as_one_that_says_nothing() -> None:
    assert read("{}").result is None


def test_input_and_output_have_dialects_and_definitions_of_their_own() -> None:
    tuple_ = {"type": "array", "items": [{"$ref": "#/definitions/A"}]}
    found = schemas(
        json.dumps(
            {
                "type": "object",
                "properties": {"x": tuple_},
                "definitions": {"A": {"type": "string"}},
            }
        ),
        json.dumps(
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "type": "object",
                "properties": {"x": tuple_},
                "definitions": {"A": {"type": "integer"}},
            }
        ),
        tool="t",
    )
    assert annotation(found.arguments.fields[0].type, found.shapes) == "list[str]"
    (output,) = found.shapes.values()
    assert annotation(output.fields[0].type, found.shapes) == "list[int]"


# What json.loads itself does not survive, or what it lets through.


@pytest.mark.parametrize("text", ["", "{", "nope", '{"type": "object"', "\ud800", '{"a": 1,}'])
def test_text_that_is_not_json(text: str) -> None:
    found = read(text)
    assert found.arguments.extra_declared
    assert [note.kind for note in found.notes] == ["schema"]


def test_deep_nesting_costs_its_place_only() -> None:
    bomb = '{"items":' * 50_000 + "{}" + "}" * 50_000
    text = f'{{"type":"object","properties":{{"a":{{"type":"string"}},"b":{bomb},"c":{{"type":"integer"}}}}}}'
    found = read(text)
    assert [field.raw for field in found.arguments.fields] == ["a", "b", "c"]
    assert annotation(found.arguments.fields[0].type, found.shapes) == "str"
    assert annotation(found.arguments.fields[1].type, found.shapes).startswith("list[list[list[")
    assert annotation(found.arguments.fields[2].type, found.shapes) == "int"
    assert {note.kind for note in found.notes} == {"limit"}


@pytest.mark.parametrize("text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000])
def test_nesting_that_never_ends(text: str) -> None:
    assert read(text).arguments.extra_declared


def test_brackets_inside_strings_do_not_nest() -> None:
    text = json.dumps({"type": "object", "properties": {"a": {"const": "[" * 1_000 + '"\\{'}}})
    assert read(text).notes == ()


@pytest.mark.parametrize(
    "text",
    [
        '{"const": NaN}',
        '{"enum": [Infinity, -Infinity, 1e999]}',
        '{"type": "integer", "minimum": ' + "9" * 5_000 + "}",
        '{"type": "number", "maximum": NaN, "multipleOf": 0}',
        '{"const": ' + "1" * 5_000 + "}",
        '{"const": "\\ud800"}',
        '{"type": "string", "type": "integer"}',
        '{"properties": {"\\ud800": {"type": "string"}, "\\u0000": {}}}',
        '{"type": "string", "minLength": -1, "maxLength": 1.5, "pattern": 3}',
    ],
)
def test_values_that_json_loads_lets_through(text: str) -> None:
    found = read(f'{{"type": "object", "properties": {{"p": {text}}}}}')
    assert [field.raw for field in found.arguments.fields] == ["p"]
    assert found.notes == ()
    compile(f"x: {annotation(found.arguments.fields[0].type, found.shapes)}", "x", "exec")


# Limits


def test_a_schema_over_its_size_limit_is_not_read() -> None:
    text = json.dumps({"type": "object", "properties": {"a": {"const": "é" * load.MAX_BYTES}}})
    found = read(text)
    assert found.arguments.fields == ()
    assert [(note.kind, note.pointer) for note in found.notes] == [("limit", "/inputSchema")]
    assert "2 MiB" in found.notes[0].message


def test_a_schema_at_its_size_limit_is_read() -> None:
    padding = load.MAX_BYTES - len('{"type":"object","properties":{"a":{"const":""}}}')
    text = '{"type":"object","properties":{"a":{"const":"' + "x" * padding + '"}}}'
    assert len(read(text).arguments.fields) == 1


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    return schema


@pytest.mark.parametrize(("levels", "cut"), [(60, False), (63, False), (64, True), (80, True)])
def test_schemas_are_read_64_deep(levels: int, cut: bool) -> None:  # noqa: FBT001 - a column
    found = read(json.dumps({"type": "object", "properties": {"p": nested(levels)}}))
    (field,) = found.arguments.fields
    inner = annotation(field.type, found.shapes).replace("list[", "").rstrip("]")
    assert inner == ("Any" if cut else "str")
    assert [note.kind for note in found.notes] == (["limit"] if cut else [])


def test_references_count_as_depth_too() -> None:
    definitions = {
        f"D{n}": {"type": "object", "properties": {"x": {"$ref": f"#/$defs/D{n + 1}"}}}
        for n in range(1_000)
    }
    found = read(
        json.dumps(
            {"type": "object", "properties": {"p": {"$ref": "#/$defs/D0"}}, "$defs": definitions}
        )
    )
    assert len(found.shapes) <= build.MAX_DEPTH
    assert [note.kind for note in found.notes] == ["limit"]


def test_places_over_the_node_limit_are_any_and_every_parameter_is_still_there() -> None:
    many = {f"p{n}": {"type": "string"} for n in range(25_000)}
    found = read(json.dumps({"type": "object", "properties": many}))
    assert len(found.arguments.fields) == 25_000
    assert found.nodes <= build.MAX_NODES
    assert annotation(found.arguments.fields[0].type, found.shapes) == "str"
    assert annotation(found.arguments.fields[-1].type, found.shapes) == "Any"
    assert [note.kind for note in found.notes] == ["limit"]


def test_a_type_that_doubles_with_every_reference_is_cut() -> None:
    definitions: dict[str, Any] = {
        f"D{n}": {
            "anyOf": [
                {"type": "array", "items": ref},
                {"type": "object", "additionalProperties": ref},
            ]
        }
        for n in range(20)
        for ref in [{"$ref": f"#/$defs/D{n + 1}"}]
    }
    definitions["D20"] = {"type": "string"}
    first = {"$ref": "#/$defs/D0"}
    taken = {"type": "object", "properties": {"p": first}, "additionalProperties": first}
    found = read(
        json.dumps({**taken, "$defs": definitions}), json.dumps({**first, "$defs": definitions})
    )
    assert found.result is not None
    for type_ in (found.arguments.fields[0].type, found.arguments.extra, found.result):
        assert len(annotation(type_, found.shapes)) < 100_000
    assert [note.kind for note in found.notes] == ["limit"]


def test_types_that_take_too_much_to_write_out_together_are_cut() -> None:
    big = {"enum": [f"{n:0>60}" for n in range(1_000)]}
    schema = {
        "type": "object",
        "properties": {f"p{n}": {"$ref": "#/$defs/Big"} for n in range(1_000)},
        "$defs": {"Big": big},
    }
    found = read(json.dumps(schema))
    assert len(found.arguments.fields) == 1_000
    shown = [annotation(field.type, found.shapes) for field in found.arguments.fields]
    assert shown[0].startswith("Literal[")
    assert shown[-1] == "Any"
    assert sum(map(len, shown)) < 3_000_000
    assert [note.kind for note in found.notes] == ["limit"]


def test_a_long_key_is_not_repeated_by_every_place_inside_it() -> None:
    inner = {f"k{n}": {"type": "object", "properties": {"x": {}}} for n in range(2_000)}
    long = {"x" * 1_000_000: {"type": "object", "properties": inner}}
    found = read(json.dumps({"type": "object", "properties": long}))
    assert len(found.arguments.fields[0].raw) == 1_000_000
    assert max(map(len, found.shapes)) < 1_000


def test_not_every_place_of_a_schema_of_nonsense_is_listed() -> None:
    found = read(json.dumps({"type": "object", "properties": {f"p{n}": n for n in range(5_000)}}))
    assert len(found.notes) == build.MAX_NOTES + 1
    assert found.notes[-1].kind == "limit"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "required": "a"},
        {"type": "object", "properties": [], "anyOf": 3, "allOf": 3, "if": 3, "not": 3},
        {"type": "nothing", "enum": [], "patternProperties": 3, "propertyNames": 3},
    ],
)
def test_a_place_is_told_once(schema: Any) -> None:
    found = read(json.dumps(schema))
    assert found.notes
    assert len(found.notes) == len({(note.pointer, note.message) for note in found.notes})


# Work


def work(schema: Any) -> int:
    found = read(json.dumps(schema))
    assert found.notes == ()
    return found.nodes


def test_work_is_linear_in_the_schema() -> None:
    def wide(size: int) -> Any:
        return {"type": "object", "properties": {f"p{n}": nested(3) for n in range(size)}}

    assert work(wide(2_000)) <= 2 * work(wide(1_000)) + 10


@pytest.mark.parametrize(
    "use",
    [
        {"$ref": "#/$defs/Big"},
        {"$ref": "#/$defs/Big", "description": "again"},
        {"$ref": "#/$defs/Big", "type": "object"},
        {"allOf": [{"$ref": "#/$defs/Big"}]},
        {"anyOf": [{"$ref": "#/$defs/Big"}, {"type": "null"}]},
        {"type": "array", "items": {"$ref": "#/$defs/Big"}},
        {"$ref": "#/$defs/Big", "required": ["k1"]},
    ],
)
def test_a_subtree_that_is_shared_a_thousand_times_is_looked_into_once(use: Any) -> None:
    big = {"type": "object", "properties": {f"k{n}": {"enum": list(range(20))} for n in range(100)}}
    schema = {
        "type": "object",
        "properties": {f"p{n}": json.loads(json.dumps(use)) for n in range(1_000)},
        "$defs": {"Big": big},
    }
    # 1,000 uses of at most a few places each, and one look into the subtree.
    assert work(schema) <= 1_000 * 5 + 3 * 100 + 500
