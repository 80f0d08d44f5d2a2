"""Every row of the table from schema to annotation."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.bound import classes, notes, parameters, written

DRAFT_04 = {"$schema": "http://json-schema.org/draft-04/schema#"}
DRAFT_06 = {"$schema": "http://json-schema.org/draft-06/schema#"}
DRAFT_07 = {"$schema": "http://json-schema.org/draft-07/schema#"}
DRAFT_2019 = {"$schema": "https://json-schema.org/draft/2019-09/schema"}
DRAFT_2020 = {"$schema": "https://json-schema.org/draft/2020-12/schema"}


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        # Scalars
        ({"type": "string"}, "str"),
        ({"type": "integer"}, "int"),
        ({"type": "number"}, "float"),
        ({"type": "boolean"}, "bool"),
        ({"type": "null"}, "None"),
        ({"type": "string", "format": "date-time"}, "str"),
        ({"type": "string", "contentEncoding": "base64"}, "str"),
        # Unions
        ({"type": ["string", "null"]}, "str | None"),
        ({"type": ["null", "string"]}, "str | None"),
        ({"type": ["number", "string"]}, "float | str"),
        ({"type": ["integer"]}, "int"),
        ({"type": "string", "nullable": True}, "str | None"),
        ({"type": "string", "nullable": False}, "str"),
        (
            {"anyOf": [{"type": "null"}, {"type": "string"}, {"type": "integer"}]},
            "str | int | None",
        ),
        ({"oneOf": [{"type": "string"}, {"type": "string", "format": "uri"}]}, "str"),
        ({"anyOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}]}]}, "str | int"),
        ({"anyOf": [{"type": "string"}, {}]}, "Any"),
        ({"anyOf": [{"type": "string"}, False]}, "str"),
        (
            {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "list[str] | None",
        ),
        # Enumerations
        ({"enum": ["a", "b", "a"]}, 'Literal["a", "b"]'),
        ({"const": "a"}, 'Literal["a"]'),
        ({"enum": [1, True, "1", None]}, 'Literal[1, True, "1"] | None'),
        ({"const": None}, "None"),
        ({"type": ["string", "null"], "enum": ["in", "out", None]}, 'Literal["in", "out"] | None'),
        ({"type": "string", "enum": ["in"], "nullable": True}, 'Literal["in"] | None'),
        ({"type": "number", "enum": [0.5, 1.5, 2]}, "float"),
        ({"const": 2.5}, "float"),
        ({"const": {"a": 1}}, "dict[str, int]"),
        ({"enum": ["a", None, {"k": 1}, [1]]}, 'Literal["a"] | dict[str, int] | list[int] | None'),
        ({"enum": ["21_HALF", "", "a b", "-"]}, 'Literal["21_HALF", "", "a b", "-"]'),
        ({"oneOf": [{"const": "a"}, {"const": "b"}]}, 'Literal["a", "b"]'),
        ({"enum": ["a\nb", '"', "\\", "\u202e"]}, r'Literal["a\nb", "\"", "\\", "\u202e"]'),
        # Arrays
        ({"type": "array"}, "list[Any]"),
        ({"type": "array", "items": {"type": "string"}}, "list[str]"),
        ({"type": "array", "items": True}, "list[Any]"),
        ({"type": "array", "items": {"type": ["string", "null"]}}, "list[str | None]"),
        (
            {"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]},
            "list[float | str]",
        ),
        (
            {"type": "array", "prefixItems": [{"type": "number"}], "items": {"type": "boolean"}},
            "list[float | bool]",
        ),
        (
            {"type": "array", "prefixItems": [{"type": "number"}], "items": False},
            "list[float]",
        ),
        (
            {"type": "array", "prefixItems": [{"type": "null"}, {"type": "string"}]},
            "list[str | None]",
        ),
        ({"items": {"type": "string"}}, "list[str]"),
        ({"type": "array", "contains": {"type": "string"}, "minContains": 2}, "list[Any]"),
        # Objects without properties
        ({"type": "object"}, "dict[str, Any]"),
        ({"type": "object", "properties": {}}, "dict[str, Any]"),
        ({"type": "object", "additionalProperties": True}, "dict[str, Any]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "dict[str, int]"),
        ({"type": "object", "additionalProperties": False}, "dict[str, Never]"),
        (
            {
                "type": "object",
                "patternProperties": {"^x-": {"type": "string"}},
                "additionalProperties": False,
            },
            "dict[str, str]",
        ),
        ({"type": "object", "propertyNames": {"type": "string"}}, "dict[str, Any]"),
        # Anything and nothing
        (True, "Any"),
        ({}, "Any"),
        ({"description": "?", "title": "T"}, "Any"),
        (False, "Never"),
        ({"not": {}}, "Never"),
        ({"type": "string", "not": {"const": "x"}}, "str"),
    ],
)
def test_annotation(schema: Any, annotation: str) -> None:
    assert written(schema) == annotation
    assert notes(schema) == {}


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        (
            {
                "type": "array",
                "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "object"}],
            },
            "list[str]",
        ),
        ({"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]}, "str"),
        ({"type": "number", "allOf": [{"type": "integer"}]}, "int"),
        ({"type": "string", "allOf": [{"enum": ["a", 1]}]}, 'Literal["a"]'),
        ({"enum": ["a", "b"], "allOf": [{"enum": ["b", "c"]}]}, 'Literal["b"]'),
        ({"enum": [1, 2], "allOf": [{"enum": [1.0]}]}, "Literal[1]"),
        ({"enum": [1, True], "allOf": [{"const": 1}]}, "Literal[1]"),
        ({"type": "integer", "enum": [1, 5, 9], "maximum": 5}, "Literal[1, 5]"),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, "int"),
        (
            {
                "allOf": [
                    {"type": "array", "items": {"type": ["string", "null"]}},
                    {"items": {"type": "string"}},
                ]
            },
            "list[str]",
        ),
        (
            {
                "allOf": [
                    {"additionalProperties": {"type": "number"}},
                    {"additionalProperties": {"type": "integer"}},
                ]
            },
            "dict[str, int]",
        ),
        ({"type": "string", "properties": {"a": {}}}, "str"),
        ({"type": "string", "allOf": [{"required": ["a"]}]}, "str"),
        ({"allOf": [{"required": ["a"]}, {"type": "string"}]}, "str"),
        ({"type": "string", "nullable": True, "enum": ["a"]}, 'Literal["a"] | None'),
    ],
)
def test_keywords_that_stand_together_intersect(schema: Any, annotation: str) -> None:
    assert written(schema) == annotation
    assert notes(schema) == {}


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"type": []}, "/inputSchema/properties/p/type"),
        ({"type": "any"}, "/inputSchema/properties/p/type"),
        ({"type": ["string", "file"]}, "/inputSchema/properties/p/type"),
        ({"type": 7}, "/inputSchema/properties/p/type"),
        ({"type": {"$ref": "#"}}, "/inputSchema/properties/p/type"),
        ({"type": None}, "/inputSchema/properties/p/type"),
        ({"enum": []}, "/inputSchema/properties/p/enum"),
        ({"enum": "a"}, "/inputSchema/properties/p/enum"),
        ({"type": "number", "enum": ["a"]}, "/inputSchema/properties/p"),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "/inputSchema/properties/p"),
        ({"type": "integer", "anyOf": [{"type": "string"}]}, "/inputSchema/properties/p"),
        ({"anyOf": {"type": "string"}}, "/inputSchema/properties/p/anyOf"),
        ({"allOf": 3}, "/inputSchema/properties/p/allOf"),
        ({"$ref": "#/$defs/gone"}, "/inputSchema/properties/p/$ref"),
        ({"$ref": "https://example.com/schema.json"}, "/inputSchema/properties/p/$ref"),
        ({"$ref": "other.json#/a"}, "/inputSchema/properties/p/$ref"),
        ({"$ref": 5}, "/inputSchema/properties/p/$ref"),
        ({"$ref": "#/type/x"}, "/inputSchema/properties/p/$ref"),
        ({"$ref": "http://[bad"}, "/inputSchema/properties/p/$ref"),
        ("string", "/inputSchema/properties/p"),
        (None, "/inputSchema/properties/p"),
        ([], "/inputSchema/properties/p"),
    ],
)
def test_a_place_that_is_not_understood_is_any_and_reported(schema: Any, pointer: str) -> None:
    assert written(schema) == "Any"
    assert list(notes(schema)) == [pointer]


def test_a_place_that_is_not_understood_costs_no_sibling() -> None:
    schema = {
        "type": "object",
        "properties": {
            "good": {"type": "string"},
            "bad": {"type": "wibble"},
            "nested": {"type": "object", "properties": {"x": 5, "y": {"type": "integer"}}},
        },
        "required": ["good"],
    }
    assert parameters(schema) == {"good": "str", "bad": "Any = ...", "nested": "TArgsNested = ..."}
    assert classes(schema["properties"]["nested"]) == {  # type: ignore[index]  # of a literal above
        "TArgsP": {"x": "?Any", "y": "?int"}
    }


@pytest.mark.parametrize(
    ("dialect", "schema", "annotation"),
    [
        # A list in `items` was the tuple before 2020-12; authors go on writing it without a dialect.
        (
            DRAFT_04,
            {"type": "array", "items": [{"type": "integer"}, {"type": "string"}]},
            "list[int | str]",
        ),
        (
            DRAFT_07,
            {"type": "array", "items": [{"type": "integer"}], "additionalItems": False},
            "list[int]",
        ),
        (
            DRAFT_07,
            {"type": "array", "items": [{"type": "integer"}], "additionalItems": {"type": "null"}},
            "list[int | None]",
        ),
        ({}, {"type": "array", "items": [{"type": "integer"}, {"type": "integer"}]}, "list[int]"),
        # What stands beside `$ref` counts since 2019-09 only.
        (DRAFT_07, {"$ref": "#/definitions/A", "type": "integer"}, "str"),
        (DRAFT_06, {"$ref": "#/definitions/A", "enum": ["x"]}, "str"),
        (DRAFT_2019, {"$ref": "#/definitions/A", "enum": ["x"]}, 'Literal["x"]'),
        (DRAFT_2020, {"$ref": "#/definitions/A", "enum": ["x"]}, 'Literal["x"]'),
        ({}, {"$ref": "#/definitions/A", "enum": ["x"]}, 'Literal["x"]'),
        # Old spellings of words that have another meaning now do no harm.
        (DRAFT_04, {"type": "integer", "minimum": 3, "exclusiveMinimum": True}, "int"),
        (DRAFT_04, {"id": "#p", "type": "string", "required": True}, "str"),
        (DRAFT_07, {"const": "a"}, 'Literal["a"]'),
        (DRAFT_07, {"$ref": "#/definitions/A", "nullable": True}, "str | None"),
        ({"$schema": "https://example.com/own"}, {"type": "string"}, "str"),
        ({"$schema": 4}, {"type": "string"}, "str"),
    ],
)
def test_dialects(dialect: dict[str, Any], schema: Any, annotation: str) -> None:
    root = {**dialect, "definitions": {"A": {"type": "string"}}}
    assert written(schema, root=root) == annotation
    assert notes(schema, root=root) == {}


def test_draft_04_exclusive_bounds_are_booleans() -> None:
    from codeact_lsp.schema.types import Limits, Scalar, ScalarType
    from tests.support.bound import mapped

    field = mapped(
        {"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 9}
    ).arguments.fields[0]
    assert field.type == ScalarType(Scalar.INTEGER, Limits(exclusive_minimum=3, maximum=9))


def test_words_of_json_schema_are_plain_data_inside_data() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "object", "default": {"$ref": "#/nope", "type": "array"}},
            "b": {"enum": [{"$ref": "#/x"}]},
            "c": {"const": {"properties": 3}},
            "d": {"type": "string", "examples": [{"$ref": "#/y"}], "example": {"type": 1}},
        },
    }
    assert parameters(schema) == {
        "a": "dict[str, Any] = ...",
        "b": "dict[str, str] = ...",
        "c": "dict[str, int] = ...",
        "d": "str = ...",
    }
    assert notes(schema) == {}


def test_words_of_json_schema_are_parameters_inside_properties() -> None:
    words = [
        "$ref",
        "properties",
        "type",
        "default",
        "enum",
        "const",
        "anyOf",
        "not",
        "$defs",
        "$id",
    ]
    schema = {"type": "object", "properties": {word: {"type": "string"} for word in words}}
    assert parameters(schema) == dict.fromkeys(words, "str = ...")
    nested = classes(schema)
    assert nested == {"TArgsP": dict.fromkeys(words, "?str")}
