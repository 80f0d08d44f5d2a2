"""`allOf`, alternatives and conditions over objects, at the root of an input and inside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.types import NeverType, Scalar, ScalarType
from tests.support.bound import classes, mapped, parameters, written

ID = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
SLUG = {
    "type": "object",
    "properties": {"slug": {"type": "string"}, "lang": {"type": "string"}},
    "required": ["slug"],
}


def test_all_of_at_the_root_joins_properties_and_required() -> None:
    schema = {
        "type": "object",
        "allOf": [
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "n": {"type": "integer"}},
                "required": ["name"],
            },
            {
                "type": "object",
                "properties": {"n": {"type": "integer", "minimum": 1}, "flag": {"type": "boolean"}},
                "required": ["n"],
            },
            {"required": ["flag"]},
        ],
    }
    assert parameters(schema) == {"name": "str", "n": "int", "flag": "bool"}
    found = schemas(json.dumps(schema), None, tool="t").arguments
    n = next(field for field in found.fields if field.raw == "n").type
    assert isinstance(n, ScalarType)
    assert n.scalar is Scalar.INTEGER
    assert n.limits.minimum == 1


def test_own_properties_come_before_those_of_all_of() -> None:
    schema = {"allOf": [{"properties": {"b": {}}}], "properties": {"a": {}}, "type": "object"}
    assert list(parameters(schema)) == ["a", "b"]


def test_any_of_at_the_root_gives_the_parameters_of_every_variant() -> None:
    assert parameters({"anyOf": [ID, SLUG]}) == {
        "id": "str = ...",
        "slug": "str = ...",
        "lang": "str = ...",
    }


def test_what_every_variant_requires_is_required() -> None:
    with_kind = [
        {
            "properties": {"kind": {"const": "a"}, "x": {"type": "string"}},
            "required": ["kind", "x"],
        },
        {"properties": {"kind": {"const": "b"}, "y": {"type": "string"}}, "required": ["kind"]},
    ]
    assert parameters({"type": "object", "oneOf": with_kind}) == {
        "kind": 'Literal["a", "b"]',
        "x": "str = ...",
        "y": "str = ...",
    }


def test_properties_beside_root_variants_belong_to_all_of_them() -> None:
    schema = {
        "type": "object",
        "properties": {"common": {"type": "integer"}},
        "required": ["common"],
        "anyOf": [ID, SLUG],
    }
    assert parameters(schema) == {
        "common": "int",
        "id": "str = ...",
        "slug": "str = ...",
        "lang": "str = ...",
    }


def test_variants_that_only_require_are_not_classes_of_their_own() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "slug": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["slug"]}],
    }
    assert parameters(schema) == {"id": "str = ...", "slug": "str = ..."}
    assert written(schema) == "TArgsP"
    found = mapped(schema)
    assert len(next(iter(found.shapes.values())).variants) == 2


def test_nested_variants_are_a_union_of_classes() -> None:
    assert written({"anyOf": [ID, SLUG]}) == "TArgsP | TArgsP2"
    assert classes({"anyOf": [ID, SLUG]}) == {
        "TArgsP": {"id": "str"},
        "TArgsP2": {"slug": "str", "lang": "?str"},
    }


def test_then_and_else_add_parameters_that_are_optional() -> None:
    schema = {
        "type": "object",
        "properties": {"mode": {"enum": ["file", "text"]}},
        "required": ["mode"],
        "if": {"properties": {"mode": {"const": "file"}}},
        "then": {"properties": {"path": {"type": "string"}}, "required": ["path"]},
        "else": {"properties": {"text": {"type": "string"}}},
    }
    assert parameters(schema) == {
        "mode": 'Literal["file", "text"]',
        "path": "str = ...",
        "text": "str = ...",
    }
    found = schemas(json.dumps(schema), None, tool="t").arguments
    assert [field.conditional for field in found.fields] == [False, True, True]


WHEN_A = {"properties": {"a": {"const": "x"}}}
THEN_C = {"properties": {"c": {"type": "integer"}}, "required": ["c"]}


@pytest.mark.parametrize(
    "more",
    [
        {"if": WHEN_A, "then": THEN_C},
        {"if": WHEN_A, "else": THEN_C},
        {"dependentSchemas": {"a": THEN_C}},
    ],
)
@pytest.mark.parametrize("word", ["anyOf", "oneOf"])
def test_a_branch_beside_alternatives_adds_to_each_of_them(word: str, more: dict[str, Any]) -> None:
    alternatives = [
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        {"type": "object", "additionalProperties": {}},
    ]
    schema = {word: alternatives, **more}
    assert parameters({"type": "object", **schema}) == {"a": "str = ...", "c": "int = ..."}
    assert classes(schema)["TArgsP"] == {"a": "str", "c": "?int"}
    assert classes(schema)["TArgsP2"] == {"c": "?int"}


def test_a_branch_of_alternatives_adds_the_parameters_of_each() -> None:
    schema = {
        "type": "object",
        "if": {"required": ["k"]},
        "then": {"anyOf": [ID, {**SLUG, "required": ["x"]}]},
        "else": {"oneOf": [{"properties": {"x": {}}}, {"required": ["y"]}]},
    }
    added = {"id", "slug", "lang", "x", "y"}
    assert parameters(schema).keys() == {"k", *added}
    assert not any(
        field.required for field in schemas(json.dumps(schema), None, tool="t").arguments.fields
    )


def test_what_every_alternative_of_both_branches_says_holds() -> None:
    def said(*kinds: str) -> dict[str, Any]:
        each = [{"properties": {"v": {"type": kind}}, "required": ["v"]} for kind in kinds]
        return each[0] if len(each) == 1 else {"anyOf": each}

    schema = {
        "type": "object",
        "if": {"required": ["k"]},
        "then": said("string"),
        "else": said("null", "integer"),
    }
    assert parameters(schema)["v"] == "str | int | None"
    opened = {**schema, "else": {"anyOf": [said("integer"), {"type": "object"}]}}
    assert parameters(opened)["v"] == "str | int = ..."


def test_a_branch_within_a_branch_may_not_hold() -> None:
    inner = {"if": {"required": ["k"]}, "then": {"properties": {"v": {"type": "string"}}}}
    schema = {
        "type": "object",
        "if": {"required": ["k", "l"]},
        "then": {"properties": {"v": {"type": "integer"}}},
        "else": inner,
    }
    found = schemas(json.dumps(schema), None, tool="t").arguments
    assert all(field.conditional for field in found.fields)


def test_conditions_that_say_different_things_of_one_key_do_not_contradict_each_other() -> None:
    def when(kind: str, value: dict[str, Any]) -> dict[str, Any]:
        then = {"properties": {"value": value}, "required": ["value"]}
        return {"if": {"properties": {"kind": {"const": kind}}}, "then": then}

    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b", "c"]}},
        "allOf": [when("a", {"type": "integer"}), when("b", {"enum": ["x"]}), when("c", ID)],
    }
    assert parameters(schema)["value"] == 'int | Literal["x"] | TArgsValue = ...'
    assert schemas(json.dumps(schema), None, tool="t").notes == ()


def test_a_condition_alone_at_the_root_gives_its_parameters() -> None:
    schema = {"if": {"required": ["a"]}, "then": {"properties": {"b": {"type": "string"}}}}
    assert parameters(schema) == {"b": "str = ...", "a": "Any = ..."}


def test_dependent_schemas_add_parameters_that_are_optional() -> None:
    dependent = {"card": {"properties": {"address": {"type": "string"}}, "required": ["address"]}}
    schema = {"type": "object", "properties": {"card": {"type": "string"}}}
    expected = {"card": "str = ...", "address": "str = ..."}
    assert parameters({**schema, "dependentSchemas": dependent}) == expected
    assert parameters({**schema, "dependencies": {**dependent, "x": ["y"]}}) == expected


def test_required_keys_without_a_property_are_parameters() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b", "a", 3]}
    assert parameters(schema) == {"a": "str", "b": "Any"}


def test_two_closed_objects_in_all_of_keep_the_fields_of_both() -> None:
    closed = {"additionalProperties": False}
    schema = {"allOf": [{**ID, **closed}, {**SLUG, **closed}]}
    assert parameters(schema) == {"id": "str", "slug": "str", "lang": "str = ..."}
    assert schemas(json.dumps(schema), None, tool="t").arguments.extra == NeverType()


def test_one_key_said_in_two_ways_that_cannot_be_both() -> None:
    schema = {
        "allOf": [
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}},
            {"properties": {"a": {"type": "integer"}}},
        ]
    }
    assert parameters(schema) == {"a": "Any = ...", "b": "str = ..."}
    assert len(schemas(json.dumps(schema), None, tool="t").notes) == 1


def test_unevaluated_properties_close_an_object_that_stands_alone() -> None:
    alone = {**ID, "unevaluatedProperties": False}
    assert schemas(json.dumps(alone), None, tool="t").arguments.extra == NeverType()


def test_deprecation_examples_and_defaults_are_kept() -> None:
    found = mapped(
        {"type": "string", "deprecated": True, "default": None, "examples": ["a", {"b": 1}]}
    ).arguments.fields[0]
    assert found.deprecated
    assert found.default == "null"
    assert found.examples == ('"a"', '{"b": 1}')
