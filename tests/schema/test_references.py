from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.mapper import schemas
from tests.support.bound import classes, mapped, notes, parameters, written

TREE = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/T"}},
    },
    "required": ["name"],
}


@pytest.mark.parametrize(
    ("reference", "root"),
    [
        ("#/$defs/A", {"$defs": {"A": {"type": "string"}}}),
        ("#/definitions/A", {"definitions": {"A": {"type": "string"}}}),
        ("#/components/schemas/A", {"components": {"schemas": {"A": {"type": "string"}}}}),
        ("#/$defs/a~1b~0c", {"$defs": {"a/b~c": {"type": "string"}}}),
        ("#/$defs/a%20b", {"$defs": {"a b": {"type": "string"}}}),
        ("#/allOf/0", {"allOf": [{"type": "string"}], "type": "string"}),
        ("#here", {"$defs": {"A": {"$anchor": "here", "type": "string"}}}),
        ("#/$defs/A/$defs/B", {"$defs": {"A": {"$defs": {"B": {"type": "string"}}}}}),
        ("#/$defs/A", {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"type": "string"}}}),
        ("#/$defs/A", {"$id": "https://example.com/root", "$defs": {"A": {"type": "string"}}}),
        ("root#/$defs/A", {"$id": "https://example.com/root", "$defs": {"A": {"type": "string"}}}),
        (
            "https://example.com/b",
            {"$defs": {"A": {"$id": "https://example.com/b", "type": "string"}}},
        ),
        (
            "b.json",
            {
                "$id": "https://example.com/a.json",
                "$defs": {"B": {"$id": "b.json", "type": "string"}},
            },
        ),
    ],
)
def test_local_references(reference: str, root: dict[str, Any]) -> None:
    schema = {"$ref": reference}
    # `type: string` of a root that is referred to as data has no say about the tool itself.
    root = {key: value for key, value in root.items() if key != "type"}
    if "allOf" in root:
        root = {"$defs": {"X": {"allOf": root["allOf"]}}}
        schema = {"$ref": "#/$defs/X/allOf/0"}
    assert written(schema, root=root) == "str"
    assert notes(schema, root=root) == {}


@pytest.mark.parametrize("inner", [5, {}, "http://json-schema.org/draft-07/schema#", "urn:unknown"])
def test_a_schema_inside_with_a_dialect_and_nonsense_of_its_own(inner: Any) -> None:
    nonsense = {"$schema": inner, "$id": 3, "allOf": 5, "properties": [], "dependencies": 7}
    root = {"$defs": {"N": nonsense, "A": {"$anchor": "here", "$schema": inner, "type": "string"}}}
    assert written({"$ref": "#here"}, root=root) == "str"


def test_a_reference_into_properties() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/properties/a"}},
    }
    assert parameters(schema) == {"a": "int = ...", "b": "int = ..."}


def test_an_anchor_of_draft_07_is_an_id() -> None:
    root = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"A": {"$id": "#here", "type": "string"}},
    }
    assert written({"$ref": "#here"}, root=root) == "str"


def test_a_dynamic_reference_to_the_only_anchor_of_its_name() -> None:
    root = {"$defs": {"A": {"$dynamicAnchor": "node", "type": "string"}}}
    assert written({"$dynamicRef": "#node"}, root=root) == "str"


def test_a_recursive_reference_of_2019() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "type": "object",
        "properties": {"more": {"type": "array", "items": {"$recursiveRef": "#"}}},
    }
    assert parameters(schema) == {"more": "list[TArgsMore] = ..."}


def test_siblings_of_a_reference_apply() -> None:
    root = {"$defs": {"A": {"type": "object", "properties": {"x": {"type": "string"}}}}}
    schema = {"$ref": "#/$defs/A", "required": ["x"], "properties": {"y": {"type": "integer"}}}
    assert classes(schema, root=root) == {"TArgsP": {"y": "?int", "x": "str"}}


def test_a_description_beside_a_reference_wins_over_the_one_behind_it() -> None:
    root = {
        "$defs": {
            "A": {"$ref": "#/$defs/B"},
            "B": {"type": "string", "description": "behind", "default": "d"},
        }
    }
    near = mapped({"$ref": "#/$defs/A", "description": "beside"}, root=root).arguments.fields[0]
    far = mapped({"$ref": "#/$defs/A"}, root=root).arguments.fields[0]
    assert (near.description, near.default) == ("beside", '"d"')
    assert (far.description, far.default) == ("behind", '"d"')


def test_a_recursive_object_is_one_class() -> None:
    assert classes({"$ref": "#/$defs/T"}, root={"$defs": {"T": TREE}}) == {
        "TArgsP": {"name": "str", "children": "?list[TArgsP]"}
    }


def test_objects_that_lead_to_each_other_are_one_class_each() -> None:
    root = {
        "$defs": {
            "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}},
        }
    }
    assert classes({"$ref": "#/$defs/A"}, root=root) == {
        "TArgsP": {"b": "?TArgsPB"},
        "TArgsPB": {"a": "?TArgsP"},
    }


def test_recursion_through_a_list_of_itself_is_found_whatever_is_met_first() -> None:
    root = {
        "$defs": {
            "Many": {"type": "array", "items": {"$ref": "#/$defs/One"}},
            "One": {"type": "object", "properties": {"more": {"$ref": "#/$defs/Many"}}},
        }
    }
    assert written({"$ref": "#/$defs/Many"}, root=root) == "list[TArgsP]"
    assert classes({"$ref": "#/$defs/Many"}, root=root) == {"TArgsP": {"more": "?list[TArgsP]"}}


def test_recursion_through_alternatives() -> None:
    root = {
        "$defs": {
            "E": {
                "anyOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/E"}}},
                    },
                    {"type": "object", "properties": {"not": {"$ref": "#/$defs/E"}}},
                ]
            }
        }
    }
    assert written({"$ref": "#/$defs/E"}, root=root) == "str | TArgsP | TArgsP2"
    assert classes({"$ref": "#/$defs/E"}, root=root) == {
        "TArgsP": {"and": "?list[str | TArgsP | TArgsP2]"},
        "TArgsP2": {"not": "?str | TArgsP | TArgsP2"},
    }


def test_recursion_with_no_object_in_between_is_written_out_once_and_ends_in_any() -> None:
    root = {
        "$defs": {
            "J": {
                "anyOf": [
                    {"type": "string"},
                    {"type": "null"},
                    {"type": "array", "items": {"$ref": "#/$defs/J"}},
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/J"}},
                ]
            }
        }
    }
    inner = "str | list[Any] | dict[str, Any] | None"
    assert (
        written({"$ref": "#/$defs/J"}, root=root)
        == f"str | list[{inner}] | dict[str, {inner}] | None"
    )
    assert notes({"$ref": "#/$defs/J"}, root=root) == {
        "/inputSchema/$defs/J": "this refers to itself with no named object in between: "
        "it is Any further in"
    }


@pytest.mark.parametrize(
    "definitions",
    [
        {"X": {"$ref": "#/$defs/X"}},
        {"X": {"$ref": "#/$defs/Y"}, "Y": {"$ref": "#/$defs/X"}},
        {"X": {"allOf": [{"$ref": "#/$defs/X"}]}},
        {"X": {"anyOf": [{"$ref": "#/$defs/X"}]}},
        {"X": {"not": {"$ref": "#/$defs/X"}}},
    ],
)
def test_a_reference_to_nothing_but_itself_is_any(definitions: Any) -> None:
    assert written({"$ref": "#/$defs/X"}, root={"$defs": definitions}) == "Any"


def test_a_tool_that_takes_itself() -> None:
    schema = {"type": "object", "properties": {"inner": {"$ref": "#"}, "n": {"type": "integer"}}}
    assert parameters(schema) == {"inner": "TArgsInner = ...", "n": "int = ..."}


def test_a_merge_with_an_unfinished_object_keeps_what_is_known() -> None:
    root = {
        "$defs": {
            "N": {
                "type": "object",
                "properties": {
                    "next": {
                        "allOf": [{"$ref": "#/$defs/N"}, {"properties": {"x": {"type": "string"}}}]
                    }
                },
            }
        }
    }
    found = classes({"$ref": "#/$defs/N"}, root=root)
    assert found["TArgsP"] == {"next": "?TArgsPNext"}
    assert found["TArgsPNext"] == {"x": "?str"}


def test_a_schema_without_references_does_not_load_the_library_for_them() -> None:
    script = (
        "import json, sys\n"
        "from codeact_lsp.bindings.signature import signature\n"
        "from tests.support.bound import make_tool, native_tool, takes\n"
        "signature(native_tool(make_tool('t', takes(a={'type': 'string', '$comment': 'x'}))))\n"
        "assert 'referencing' not in sys.modules\n"
        "signature(native_tool(make_tool('t', takes(a={'$ref': '#'}))))\n"
        "assert 'referencing' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[2])


def test_an_escaped_keyword_refers_too() -> None:
    text = r'{"type": "object", "properties": {"p": {"\u0024\u0072ef": "#/a"}}, "a": {"type": "string"}}'
    found = schemas(text, None, tool="t")
    assert annotation(found.arguments.fields[0].type, found.shapes) == "str"
