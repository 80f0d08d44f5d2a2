"""What a schema says of a value by other ways than `type`, `properties` and `items` beside each other."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

import jsonschema
import pytest

from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    NeverType,
    ObjectType,
    UnionType,
    Why,
)
from tests.support.bound import classes, mapped, parameters, written

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
OBJECT = {"type": "object"}
A = {"properties": {"a": STRING}}
B = {"properties": {"b": INTEGER}}


@pytest.mark.parametrize(
    ("schema", "annotation"),
    [
        # `not`
        ({"not": {"type": "null"}}, "str | float | bool | list[Any] | dict[str, Any]"),
        ({"not": {"type": ["array", "object"]}}, "str | float | bool | None"),
        # A number that is no integer is a number still.
        (
            {"not": {"anyOf": [{"type": t} for t in ("integer", "array", "object")]}},
            "str | float | bool | None",
        ),
        ({"not": {"const": None}, "type": ["string", "null"]}, "str"),
        ({"not": {"enum": ["a", "c"]}, "enum": ["a", "b", "c"]}, 'Literal["b"]'),
        ({"not": {"const": True}, "type": "boolean"}, "Literal[False]"),
        ({"not": {"enum": [True, False]}, "type": ["boolean", "string"]}, "str"),
        ({"not": {"type": "integer"}, "type": ["integer", "string"]}, "str"),
        ({"not": {"type": "integer"}, "type": ["number", "string"]}, "float | str"),
        ({"not": {"not": STRING}}, "str"),
        ({"not": {"not": STRING}, "type": ["string", "null"]}, "str"),
        # Only texts can be too short.
        ({"not": {"minLength": 1}}, "str"),
        ({"not": {"required": ["a"]}}, "dict[str, Any]"),
        ({"not": {"minLength": 1, "type": "string"}}, "Any"),
        ({"not": {"type": "array"}, "type": "array"}, "Never"),
        ({"not": {}}, "Never"),
        # Conditions
        ({"if": True, "then": STRING, "else": INTEGER}, "str"),
        ({"if": {"const": "a"}, "then": STRING, "else": INTEGER}, 'Literal["a"] | int'),
        ({"if": STRING, "else": INTEGER}, "str | int"),
        ({"if": STRING, "then": {"enum": ["a"]}, "else": {"type": "null"}}, 'Literal["a"] | None'),
        # Whatever is no text fulfils the condition.
        ({"if": {"minLength": 1}, "then": STRING}, "str"),
        ({"if": STRING, "then": {"minLength": 1}}, "Any"),
        ({"if": OBJECT, "then": A, "else": STRING}, "TArgsP | str"),
        ({"then": STRING, "else": INTEGER}, "Any"),
        # Members without a name
        ({**OBJECT, "required": ["a"], "additionalProperties": INTEGER}, "TArgsP"),
        ({**OBJECT, "unevaluatedProperties": INTEGER}, "dict[str, int]"),
        ({"unevaluatedProperties": INTEGER}, "dict[str, int]"),
        ({**OBJECT, "unevaluatedProperties": False}, "dict[str, Never]"),
        (
            {**OBJECT, "allOf": [{"additionalProperties": True}], "unevaluatedProperties": INTEGER},
            "dict[str, Any]",
        ),
        # Items without a position
        ({"type": "array", "unevaluatedItems": INTEGER}, "list[int]"),
        (
            {"type": "array", "prefixItems": [STRING], "unevaluatedItems": INTEGER},
            "list[str | int]",
        ),
        ({"type": "array", "allOf": [{"items": STRING}], "unevaluatedItems": INTEGER}, "list[str]"),
        ({"type": "array", "contains": STRING, "unevaluatedItems": False}, "list[str]"),
        ({"type": "array", "contains": STRING, "unevaluatedItems": INTEGER}, "list[int | str]"),
        ({"type": "array", "contains": STRING}, "list[Any]"),
        # Keys
        ({**OBJECT, "propertyNames": {"type": "string"}}, "dict[str, Any]"),
        ({**OBJECT, "propertyNames": False}, "dict[str, Never]"),
        ({**OBJECT, "propertyNames": {"type": "integer"}}, "dict[str, Never]"),
        (
            {**OBJECT, "propertyNames": {"pattern": "^x-"}, "additionalProperties": INTEGER},
            "dict[str, int]",
        ),
        # Values of an enum that Literal cannot hold
        ({"const": {"a": 1}}, "dict[str, int]"),
        ({"const": {"a": [1, "b"], "c": None}}, "dict[str, list[int | str] | None]"),
        ({"enum": [[1], [2.5], []]}, "list[int] | list[float] | list[Never]"),
        ({"const": {}}, "dict[str, Never]"),
    ],
)
def test_annotation(schema: Any, annotation: str) -> None:
    assert written(schema) == annotation


@pytest.mark.parametrize(
    ("schema", "fields"),
    [
        # A key without a property is what patterns and `additionalProperties` make of it.
        ({"required": ["x"], "additionalProperties": INTEGER}, {"x": "int"}),
        (
            {"required": ["x-a", "y"], "patternProperties": {"^x-": STRING}},
            {"x-a": "str", "y": "Any"},
        ),
        ({"properties": {"x-a": {}}, "patternProperties": {"^x-": STRING}}, {"x-a": "?str"}),
        (
            {
                "properties": {"x-a": {"type": ["string", "null"]}},
                "patternProperties": {"^x-": STRING},
            },
            {"x-a": "?str"},
        ),
        # So is the property of one part of `allOf` to the other part.
        ({"allOf": [{"properties": {"x": {}}}, {"additionalProperties": STRING}]}, {"x": "?str"}),
        ({"allOf": [{"additionalProperties": STRING}, {"properties": {"x": {}}}]}, {"x": "?str"}),
        (
            {"allOf": [{"properties": {"x-a": {}}}, {"patternProperties": {"^x-": STRING}}]},
            {"x-a": "?str"},
        ),
        # A pattern that cannot be tried says nothing for certain.
        (
            {
                "required": ["x"],
                "patternProperties": {"(a+)+$": STRING},
                "additionalProperties": INTEGER,
            },
            {"x": "Any"},
        ),
        # Keys that are listed are fields.
        (
            {"propertyNames": {"enum": ["a", "b"]}, "additionalProperties": INTEGER},
            {"a": "?int", "b": "?int"},
        ),
        (
            {
                "properties": {"a": STRING},
                "propertyNames": {"enum": ["a", "b", "x-1"]},
                "patternProperties": {"^x-": INTEGER},
                "additionalProperties": False,
            },
            {"a": "?str", "x-1": "?int"},
        ),
        # What both branches say holds; what one says may hold.
        (
            {
                "if": {"required": ["k"]},
                "then": {"properties": {"v": STRING, "t": STRING}, "required": ["v"]},
                "else": {"properties": {"v": INTEGER}, "required": ["v"]},
            },
            {"v": "str | int", "t": "?str", "k": "?Any"},
        ),
        # A schema that depends on a key that is required holds.
        (
            {
                "properties": {"a": STRING},
                "required": ["a"],
                "dependentSchemas": {"a": {"properties": {"b": STRING}, "required": ["b"]}},
            },
            {"a": "str", "b": "str"},
        ),
        # What is required and nowhere spoken of is left over.
        ({"required": ["x"], "unevaluatedProperties": INTEGER}, {"x": "int"}),
    ],
)
def test_fields(schema: Any, fields: dict[str, str]) -> None:
    assert classes({**OBJECT, **schema}) == {"TArgsP": fields}


@pytest.mark.parametrize(
    ("schema", "extra"),
    [
        ({"unevaluatedProperties": False}, "Never"),
        ({"unevaluatedProperties": INTEGER}, "int"),
        ({**A, "unevaluatedProperties": INTEGER}, "int"),
        ({"allOf": [A, B], "unevaluatedProperties": False}, "Never"),
        ({"if": A, "then": B, "unevaluatedProperties": INTEGER}, "int"),
        ({"dependentSchemas": {"a": B}, **A, "unevaluatedProperties": INTEGER}, "int"),
        ({"$ref": "#/$defs/A", "$defs": {"A": A}, "unevaluatedProperties": False}, "Never"),
        ({"allOf": [{"additionalProperties": STRING}], "unevaluatedProperties": False}, "str"),
        ({"anyOf": [{"additionalProperties": True}, A], "unevaluatedProperties": False}, "Any"),
        ({"allOf": [{"unevaluatedProperties": STRING}], "unevaluatedProperties": False}, "str"),
        ({"patternProperties": {"^x": STRING}, "unevaluatedProperties": False}, "Never"),
    ],
)
def test_other_arguments_are_what_nothing_else_speaks_of(schema: Any, extra: str) -> None:
    found = schemas(json.dumps({**OBJECT, **schema}), None, tool="t")
    assert annotation(found.arguments.extra, found.shapes) == extra


def test_each_alternative_of_one_of_is_closed_by_itself() -> None:
    schema = {**OBJECT, "oneOf": [A, B], "unevaluatedProperties": False}
    found = mapped(schema)
    assert {shape.extra for shape in found.shapes.values()} == {NeverType()}
    assert classes(schema) == {"TArgsP": {"a": "?str"}, "TArgsP2": {"b": "?int"}}


def test_alternatives_that_may_fit_together_leave_each_other_open() -> None:
    found = mapped({**OBJECT, "anyOf": [A, B], "unevaluatedProperties": False})
    assert all(isinstance(shape.extra, AnyType) for shape in found.shapes.values())


def test_a_key_that_is_required_and_depends_on_no_object_is_not_sure() -> None:
    # A text has no keys, so nothing depends on them.
    schema = {"required": ["a"], "dependentSchemas": {"a": {"const": 3}}}
    assert written(schema) == "TArgsP"


def test_arguments_by_listed_names() -> None:
    schema = {**OBJECT, "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": STRING}
    assert parameters(schema) == {"a": "str = ...", "b": "str = ..."}


DRAFTS = {
    "04": "http://json-schema.org/draft-04/schema#",
    "06": "http://json-schema.org/draft-06/schema#",
    "07": "http://json-schema.org/draft-07/schema#",
    "2019": "https://json-schema.org/draft/2019-09/schema",
    "2020": "https://json-schema.org/draft/2020-12/schema",
}


@pytest.mark.parametrize(
    ("schema", "known", "unknown", "since"),
    [
        ({"const": "a"}, 'Literal["a"]', "Any", "06"),
        ({"if": STRING, "else": INTEGER}, "str | int", "Any", "07"),
        ({"type": "array", "prefixItems": [STRING]}, "list[str]", "list[Any]", "2020"),
        ({**OBJECT, "unevaluatedProperties": STRING}, "dict[str, str]", "dict[str, Any]", "2019"),
        ({"type": "array", "unevaluatedItems": STRING}, "list[str]", "list[Any]", "2019"),
        ({**OBJECT, "propertyNames": False}, "dict[str, Never]", "dict[str, Any]", "06"),
        (
            {"$dynamicRef": "#/definitions/A", "definitions": {"A": STRING}},
            "str",
            "Any",
            "2020",
        ),
    ],
)
def test_a_keyword_means_something_since_its_dialect(
    schema: Any, known: str, unknown: str, since: str
) -> None:
    definitions = {"definitions": schema.get("definitions", {})}
    drafts = list(DRAFTS)
    for draft, uri in DRAFTS.items():
        expected = known if drafts.index(draft) >= drafts.index(since) else unknown
        assert written(schema, root={"$schema": uri, **definitions}) == expected, draft
    assert written(schema, root=definitions) == known


@pytest.mark.parametrize(
    ("draft", "annotation"), [("04", "str"), ("07", "str"), ("2019", "?str"), ("2020", "?str")]
)
def test_dependencies_refuse_something_until_draft_07(draft: str, annotation: str) -> None:
    dependent = {"properties": {"b": STRING}, "required": ["b"]}
    schema = {**OBJECT, **A, "required": ["a"], "dependencies": {"a": dependent}}
    found = classes(schema, root={"$schema": DRAFTS[draft]})
    assert found == {"TArgsP": {"a": "str", "b": annotation}}


@pytest.mark.parametrize(("draft", "known"), [("2019", True), ("2020", False), ("07", False)])
def test_a_recursive_reference_means_something_in_2019_only(draft: str, *, known: bool) -> None:
    output = {
        "$schema": DRAFTS[draft],
        "type": ["array", "string"],
        "items": {"$recursiveRef": "#"},
    }
    found = schemas("{}", json.dumps(output), tool="t").result
    assert isinstance(found, UnionType)
    (array,) = (one for one in found.members if isinstance(one, ArrayType))
    assert isinstance(array.item, AnyType) is not known


@pytest.mark.parametrize(
    ("draft", "keywords", "minimum", "exclusive"),
    [
        ("04", {"minimum": 3, "exclusiveMinimum": True}, None, 3),
        ("04", {"exclusiveMinimum": 3}, None, None),
        ("06", {"exclusiveMinimum": 3}, None, 3),
        ("2020", {"minimum": 1, "exclusiveMinimum": 3}, 1, 3),
    ],
)
def test_exclusive_bounds_of_each_dialect(
    draft: str, keywords: dict[str, Any], minimum: float | None, exclusive: float | None
) -> None:
    found = mapped({"type": "integer", **keywords}, root={"$schema": DRAFTS[draft]})
    limits = found.arguments.fields[0].type.limits  # type: ignore[union-attr]  # it is a scalar
    assert (limits.minimum, limits.exclusive_minimum) == (minimum, exclusive)


# A place that is Any beside a validator: it accepts some value of every JSON type there.

PARTS: list[dict[str, Any]] = [
    {"type": "object"},
    {"type": ["string", "array"]},
    {"enum": ["a", 1]},
    {"properties": {"a": STRING, "b": {}}},
    {"required": ["a"]},
    {"required": ["x-1", "b"]},
    {"additionalProperties": INTEGER},
    {"additionalProperties": False},
    {"patternProperties": {"^x-": STRING}},
    {"patternProperties": {"^a": {"type": ["string", "null"]}}},
    {"propertyNames": {"enum": ["a", "b"]}},
    {"items": STRING},
    {"prefixItems": [STRING]},
    {"not": {"type": "null"}},
    {"not": {"minLength": 1}},
    {"not": {"not": {"type": ["string", "object"]}}},
    {"not": {"enum": ["a", None]}},
    {"anyOf": [STRING, OBJECT]},
    {"anyOf": [A, B]},
    {"allOf": [A, {"required": ["b"]}]},
    {"allOf": [{"additionalProperties": STRING}]},
    {"if": STRING, "then": {"minLength": 1}, "else": OBJECT},
    {"if": {"required": ["a"]}, "then": B, "else": {"properties": {"b": STRING}}},
    {"dependentSchemas": {"a": B}},
    {"unevaluatedProperties": INTEGER},
    {"unevaluatedItems": INTEGER},
    {"contains": STRING},
    {"$ref": "#/$defs/A"},
]
VALUES: dict[str, list[Any]] = {
    "null": [None],
    "boolean": [True, False],
    "number": [0, 1, 2.5],
    "string": ["", "a", "b"],
    "array": [[], ["a"], ["a", 1], [1]],
    "object": [
        {key: value for key, value in pairs if value is not ...}
        for pairs in (
            tuple(zip(("a", "b", "x-1"), values, strict=True))
            for values in itertools.product(("a", 1, ...), ("b", 1, ...), ("c", 1, ...))
        )
    ],
}


def refused_kinds(validator: Any, instances: Mapping[str, Iterable[Any]]) -> list[str]:
    """JSON types of which the validator takes no instance, where it takes one of another."""
    taken = {kind: any(map(validator.is_valid, tried)) for kind, tried in instances.items()}
    return [kind for kind, one in taken.items() if not one] if any(taken.values()) else []


@pytest.mark.parametrize("first", range(len(PARTS)))
def test_where_a_validator_refuses_a_json_type_there_is_no_any(first: int) -> None:
    for second in PARTS[first:]:
        schema = {**PARTS[first], "allOf": [*PARTS[first].get("allOf", []), second]}
        root = {"$defs": {"A": A}}
        validator = jsonschema.Draft202012Validator({**schema, **root})
        found = mapped(schema, root=root)
        type_ = found.arguments.fields[0].type
        if isinstance(type_, AnyType):
            assert type_.why is Why.CONTRADICTION or refused_kinds(validator, VALUES) == [], schema
        for one in type_.members if isinstance(type_, UnionType) else (type_,):
            if isinstance(one, ArrayType) and isinstance(one.item, AnyType):
                before = ["a"] * len(one.prefix)
                lists = {
                    kind: [[*before, value, *more] for value in values for more in ([], ["a"])]
                    for kind, values in VALUES.items()
                }
                assert refused_kinds(validator, lists) == [], schema
            if isinstance(one, DictType) and isinstance(one.value, AnyType):
                tried = {
                    kind: [{**other, "z": value} for value in values for other in VALUES["object"]]
                    for kind, values in VALUES.items()
                }
                assert refused_kinds(validator, tried) == [], schema
            if isinstance(one, ObjectType):
                for field in found.shapes[one.shape].fields:
                    if not isinstance(field.type, AnyType) or field.conditional:
                        continue
                    tried = {
                        kind: [
                            {**other, field.raw: value}
                            for value in values
                            for other in VALUES["object"]
                        ]
                        for kind, values in VALUES.items()
                    }
                    wrong = refused_kinds(validator, tried)
                    assert field.type.why is Why.CONTRADICTION or wrong == [], (schema, field.raw)
