from __future__ import annotations

import json
from typing import Any

import pytest

from codeact_lsp.schema.check import Mismatch, check, check_arguments
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.values import Items, Kind, Known, Members, OfKind, Unknown, Value
from tests.support.bound import mapped


def value_of(python: Any) -> Value:
    """A Python value as fully known; `...` stands for unknown, a `Kind` for one of that kind."""
    match python:
        case Kind():
            return OfKind(python)
        case list() | tuple():
            return Items(tuple(map(value_of, python)))
        case dict():
            return Members(tuple((key, value_of(item)) for key, item in python.items()))
        case _:
            return Unknown() if python is ... else Known(python)


def mismatches(schema: Any, python: Any) -> list[tuple[str, str]]:
    """(path, keyword) of each mismatch of a parameter's value."""
    found = mapped(schema)
    return [
        ("/".join(map(str, one.path)), one.keyword)
        for one in check(value_of(python), found.arguments.fields[0].type, found.shapes)
    ]


POINT = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
    "required": ["x"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, "a"),
        ({"type": "string"}, Kind.STRING),
        ({"type": "string"}, ...),
        ({"type": "integer"}, 1),
        ({"type": "integer"}, 1.0),
        ({"type": "integer"}, Kind.NUMBER),
        ({"type": "number"}, 1),
        ({"type": "boolean"}, True),
        ({"type": ["string", "null"]}, None),
        ({"enum": ["a", 1, None]}, None),
        ({"enum": [1]}, 1.0),
        ({"enum": ["a"]}, Kind.STRING),
        ({"enum": [0.5, 2]}, 2),
        ({"enum": [1]}, Kind.NUMBER),
        ({"type": "array", "items": {}}, [1, 1]),
        ({"enum": [{"a": 1}]}, {"a": 1.0}),
        ({"enum": [{"a": 1}]}, {"a": ...}),
        ({"enum": [{"a": 1}]}, {"a": Kind.INTEGER}),
        ({"enum": [[1, "a"]]}, [1, Kind.STRING]),
        ({"enum": [[1, {"a": [True]}]]}, [1, {"a": [True]}]),
        ({"type": "string", "pattern": "^{,3}$"}, "aa"),
        ({"type": "string", "pattern": "^a\\Z"}, "b"),
        ({"type": "string", "pattern": "^[]a]"}, "b"),
        ({"type": "string", "pattern": "(?i)^A"}, "b"),
        ({"type": "string", "pattern": "^\\S$"}, "\x1c"),
        ({"type": "string", "pattern": "^.$"}, "\r"),
        ({"type": "string", "pattern": "^a+$"}, "aa"),
        ({"type": "string", "pattern": r"^\p{L}$"}, "1"),
        ({"type": "string", "pattern": "(a+)+$"}, "a" * 100 + "b"),
        ({"type": "string", "pattern": "^a*a*a*a*a*a*b$"}, "a" * 200),
        ({"type": "string", "pattern": "^[a-z]$"}, "é"),
        ({"type": "string", "format": "email"}, "nobody"),
        ({"type": "number", "multipleOf": 0.1}, 0.3),
        ({"type": "integer", "multipleOf": 5}, 10),
        ({"type": "array", "items": {"type": "integer"}}, [1, ...]),
        ({"type": "array", "items": {"type": "integer"}}, (1, 2)),
        (
            {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]},
            [1, "a", None],
        ),
        ({"type": "array", "items": {}, "uniqueItems": True}, [1, True, "1", [1], {}]),
        ({"type": "array", "items": {}, "uniqueItems": True}, [..., ..., [...], [...]]),
        ({"items": {"type": "integer"}}, "not a list, and the schema does not say it must be"),
        ({"properties": {"a": {"type": "string"}}}, 3),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}),
        (POINT, {"x": 1}),
        (POINT, {"x": ..., "y": 2}),
        ({"anyOf": [POINT, {"type": "string"}]}, "a"),
        (
            {
                "type": "object",
                "properties": {},
                "patternProperties": {"^x-": {"type": "string"}},
                "additionalProperties": False,
            },
            {"x-foo": "bar"},
        ),
        ({}, object()),
    ],
)
def test_fits(schema: Any, value: Any) -> None:
    assert mismatches(schema, value) == []


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "string"}, 1, [("", "type")]),
        ({"type": "string"}, None, [("", "type")]),
        ({"type": "string"}, Kind.INTEGER, [("", "type")]),
        ({"type": "string"}, ["a"], [("", "type")]),
        ({"type": "integer"}, 1.5, [("", "type")]),
        ({"type": "integer"}, True, [("", "type")]),
        ({"type": "boolean"}, 1, [("", "type")]),
        ({"type": ["string", "null"]}, 1, [("", "type")]),
        ({"enum": ["a", "b"]}, "c", [("", "enum")]),
        ({"enum": [1]}, True, [("", "enum")]),
        ({"enum": [{"a": 1}]}, {"b": 2}, [("", "enum")]),
        ({"enum": [{"a": 1}]}, {"a": True}, [("", "enum")]),
        ({"enum": [{"a": 1, "b": 2}]}, {"a": 1}, [("", "enum")]),
        ({"enum": [{"a": 1}]}, {"a": Kind.STRING}, [("", "enum")]),
        ({"enum": [[1, 2]]}, [2, 1], [("", "enum")]),
        ({"enum": [[1, 2]]}, [1], [("", "enum")]),
        ({"enum": [0.5, 1.5, 2]}, 0.7, [("", "enum")]),
        ({"enum": ["a"]}, ["a"], [("", "enum")]),
        ({"enum": ["a"]}, Kind.BOOLEAN, [("", "enum")]),
        ({"type": "string", "pattern": "^a+$"}, "b", [("", "pattern")]),
        ({"type": "string", "minLength": 2}, "b", [("", "minLength")]),
        ({"type": "string", "maxLength": 2}, "bbb", [("", "maxLength")]),
        ({"type": "integer", "minimum": 2}, 1, [("", "minimum")]),
        ({"type": "integer", "maximum": 2}, 3, [("", "maximum")]),
        ({"type": "number", "exclusiveMinimum": 2}, 2, [("", "exclusiveMinimum")]),
        ({"type": "number", "exclusiveMaximum": 2}, 2, [("", "exclusiveMaximum")]),
        ({"type": "integer", "multipleOf": 5}, 12, [("", "multipleOf")]),
        (
            {"type": "array", "items": {"type": "integer"}},
            [1, "a", "b"],
            [("1", "type"), ("2", "type")],
        ),
        ({"type": "array", "items": {"type": "integer"}}, 1, [("", "type")]),
        ({"type": "array", "items": {"type": "integer"}}, {}, [("", "type")]),
        ({"type": "array", "prefixItems": [{"type": "integer"}]}, ["a"], [("0", "type")]),
        ({"type": "array", "items": {}, "uniqueItems": True}, [1, 2, 1.0], [("", "uniqueItems")]),
        (
            {"type": "array", "items": {}, "uniqueItems": True},
            [{"a": [1]}, ..., {"a": [1]}],
            [("", "uniqueItems")],
        ),
        ({"type": "array", "items": {}, "minItems": 1}, [], [("", "minItems")]),
        ({"type": "array", "items": {}, "maxItems": 1}, [1, 2], [("", "maxItems")]),
        (
            {"type": "object", "additionalProperties": {"type": "integer"}},
            {"a": "b"},
            [("a", "type")],
        ),
        (
            {"type": "object", "additionalProperties": False},
            {"a": 1},
            [("a", "additionalProperties")],
        ),
        ({"type": "object", "minProperties": 1}, {}, [("", "minProperties")]),
        (
            {
                "type": "object",
                "patternProperties": {
                    "^x-": {"type": "string"},
                    "-n$": {"type": "string", "minLength": 2},
                },
                "additionalProperties": False,
            },
            {"x-foo": 1, "x-n": "a", "y": 2},
            [("x-foo", "type"), ("x-n", "minLength"), ("y", "additionalProperties")],
        ),
        (POINT, {}, [("", "required")]),
        (POINT, [], [("", "type")]),
        (POINT, {"x": 1, "z": 2}, [("z", "additionalProperties")]),
        (POINT, {"x": "1", "y": None}, [("x", "type"), ("y", "type")]),
        ({"type": "array", "items": POINT}, [{"x": 1}, {"y": 1}], [("1", "required")]),
        ({"anyOf": [POINT, {"type": "string"}]}, {"x": "1"}, [("x", "type")]),
        ({"anyOf": [POINT, {"type": "string"}]}, 5, [("", "type")]),
        (False, 1, [("", "false")]),
        (
            {
                "type": "object",
                "properties": {"a": {}},
                "patternProperties": {"^x-": {"type": "string"}},
                "additionalProperties": False,
            },
            {"x-foo": 1, "y": 2},
            [("x-foo", "type"), ("y", "additionalProperties")],
        ),
    ],
)
def test_does_not_fit(schema: Any, value: Any, expected: list[tuple[str, str]]) -> None:
    assert mismatches(schema, value) == expected


def test_what_may_hold_more_lacks_nothing() -> None:
    found = mapped(POINT)
    type_ = found.arguments.fields[0].type
    assert check(Members((("y", Known(1)),), complete=False), type_, found.shapes) == ()
    assert check(Members((("y", Known("")),), complete=False), type_, found.shapes) != ()


def test_items_of_unknown_number_have_no_position() -> None:
    found = mapped(
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}
    )
    type_ = found.arguments.fields[0].type
    assert check(Items((Known("a"),), complete=False), type_, found.shapes) == ()
    assert check(Items((Known(None),), complete=False), type_, found.shapes) != ()


def test_a_mismatch_says_what_is_allowed() -> None:
    found = mapped(
        {
            "type": "object",
            "properties": {"mode": {"enum": ["a", "b"]}},
            "required": ["mode"],
            "additionalProperties": False,
        }
    )
    type_ = found.arguments.fields[0].type

    def one(python: Any) -> Mismatch:
        (mismatch,) = check(value_of(python), type_, found.shapes)
        return mismatch

    assert one({"mode": "c"}).allowed == ('"a"', '"b"')
    assert one({}).allowed == ("mode",)
    assert one({"mode": "a", "mod": 1}).allowed == ("mode",)


def arguments(
    schema: Any, given: dict[str, Any], *, complete: bool = True
) -> list[tuple[str, str]]:
    found = schemas(json.dumps(schema), None, tool="t")
    values = {key: value_of(item) for key, item in given.items()}
    return [
        ("/".join(map(str, one.path)), one.keyword)
        for one in check_arguments(values, found, complete=complete)
    ]


def test_arguments_of_a_call() -> None:
    assert arguments(POINT, {"x": 1}) == []
    assert arguments(POINT, {"x": "a"}) == [("x", "type")]
    assert arguments(POINT, {}) == [("", "required")]
    assert arguments(POINT, {}, complete=False) == []
    assert arguments(POINT, {"x": 1, "z": 1}) == [("z", "additionalProperties")]


def test_a_call_must_fit_one_of_the_root_variants() -> None:
    schema = {
        "anyOf": [
            {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
            {"type": "object", "properties": {"slug": {"type": "string"}}, "required": ["slug"]},
        ]
    }
    assert arguments(schema, {"id": "a"}) == []
    assert arguments(schema, {"slug": "a"}) == []
    assert arguments(schema, {}) == [("", "required")]
    assert arguments(schema, {"id": 1, "slug": "a"}) == []


def test_variants_that_only_require() -> None:
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "slug": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["slug"]}],
    }
    assert arguments(schema, {"slug": "a"}) == []
    assert arguments(schema, {}) == [("", "required")]
    assert arguments(schema, {"slug": 5}) == [("slug", "type")]


def test_a_parameter_of_one_branch_is_never_called_wrong() -> None:
    schema = {
        "type": "object",
        "properties": {"mode": {"type": "string"}},
        "if": {"properties": {"mode": {"const": "file"}}, "required": ["mode"]},
        "then": {"properties": {"path": {"type": "string"}}, "required": ["path"]},
    }
    assert arguments(schema, {"mode": "text", "path": 3}) == []
    assert arguments(schema, {"mode": "text"}) == []


def test_nested_alternatives_are_not_tried_again_and_again() -> None:
    definitions = {
        "N": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]},
        "A": {
            "type": "object",
            "properties": {"n": {"$ref": "#/$defs/N"}, "a": {"type": "string"}},
            "required": ["a"],
        },
        "B": {
            "type": "object",
            "properties": {"n": {"$ref": "#/$defs/N"}, "b": {"type": "string"}},
            "required": ["b"],
        },
    }
    found = mapped({"$ref": "#/$defs/N"}, root={"$defs": definitions})
    value: dict[str, Any] = {"a": 1, "b": 1}
    for _ in range(60):
        value = {"n": value, "a": "", "b": ""}
    # 2 ** 60 comparisons would not end.
    assert check(value_of(value), found.arguments.fields[0].type, found.shapes) != ()


def test_what_may_hold_more_equals_what_has_all_that_is_seen() -> None:
    found = mapped({"enum": [[1, 2], {"a": 1, "b": 2}]})
    type_ = found.arguments.fields[0].type

    def fits(value: Value) -> bool:
        return check(value, type_, found.shapes) == ()

    one, two, three = Known(1), Known(2), Known(3)
    assert fits(Items((two,), complete=False))
    assert not fits(Items((three,), complete=False))
    assert not fits(Items((one, two, one), complete=False))
    assert fits(Members((("b", two),), complete=False))
    assert not fits(Members((("b", one),), complete=False))
    assert not fits(Members((("c", one),), complete=False))


def test_items_that_may_hold_more_may_differ() -> None:
    found = mapped({"type": "array", "items": {}, "uniqueItems": True})
    type_ = found.arguments.fields[0].type
    lists = Items((Items((Known(1),), complete=False),) * 2)
    dicts = Items((Members((("a", Known(1)),), complete=False),) * 2)
    assert check(lists, type_, found.shapes) == ()
    assert check(dicts, type_, found.shapes) == ()


def test_the_alternative_with_the_same_tag_is_the_one_that_was_meant() -> None:
    def tagged(kind: str, of: str, *more: str) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {"kind": {"const": kind}, "size": {"type": of}, "x": {"type": of}},
            "required": ["kind", *more],
        }

    schema = {"anyOf": [tagged("b", "string", "y", "z"), tagged("a", "integer")]}
    assert mismatches(schema, {"kind": "b", "size": 1, "x": 1}) == [
        ("", "required"),
        ("", "required"),
        ("size", "type"),
        ("x", "type"),
    ]


def test_what_one_branch_says_of_a_parameter_is_not_to_blame() -> None:
    def either(key: str) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {key: {"type": "string"}},
            "required": [key],
            "if": {"properties": {"mode": {"const": "file"}}, "required": ["mode"]},
            "then": {"properties": {"path": {"type": "string"}}},
        }

    schema = {"anyOf": [either("id"), either("slug")]}
    assert arguments(schema, {"id": 3, "path": 3}) == [("id", "type")]
