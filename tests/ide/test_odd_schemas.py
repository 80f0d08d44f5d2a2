"""The editor over schemas that are right and rare: each is understood, and nothing right is flagged."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.describe import describe
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.model import Target
from codeact_lsp.ide.prose import plain
from tests.support.cells import IMPORT, STRING, bindings, tool, view
from tests.support.offers import labels

QUERY = {
    "type": "object",
    "properties": {
        "query": {"anyOf": [STRING, {"type": "null"}], "default": None},
        "team_ids": {"type": "array", "items": STRING},
        "limit": {"type": "integer", "default": 20},
    },
}
NODE = {
    "type": "object",
    "properties": {
        "name": STRING,
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
ANYTHING = {
    "anyOf": [
        STRING,
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
        {"type": "array", "items": {"$ref": "#/$defs/json"}},
        {"type": "object", "additionalProperties": {"$ref": "#/$defs/json"}},
    ]
}


def made(schema: Any, **root: Any) -> Bindings:
    """A tool `mcp.s.t` whose parameter `p` has this schema."""
    return bindings({"s": [tool("t", {"p": schema}, **root)]})


def codes(call: str, over: Bindings) -> list[str]:
    text = f"{IMPORT}await mcp.s.{call}"
    found = diagnose(view(text, over))
    return [f"{one.code}: {text[one.span.start : one.span.end]}" for one in found]


def test_keys_of_a_parameter_behind_a_chain_of_references() -> None:
    defs = {"A": {"$ref": "#/$defs/B"}, "B": QUERY}
    over = made({"$ref": "#/$defs/A", "description": "What to list."}, **{"$defs": defs})
    assert labels(IMPORT + "await mcp.s.t(p={‸})", over) == ["query", "team_ids", "limit"]
    assert "What to list." in plain(describe(over, Target("s", "t", ("p",))))


def test_keys_of_a_tree_at_every_depth() -> None:
    over = made({"$ref": "#/$defs/node"}, **{"$defs": {"node": NODE}})
    cell = IMPORT + 'await mcp.s.t(p={"name": "a", "children": [{"name": "b", "children": [{‸}]}]})'
    assert labels(cell, over) == ["name", "children"]
    assert codes('t(p={"name": "a", "children": [{"nam": "b"}]})', over) == [
        'argument-type: {"nam": "b"}',
        'argument-type: "nam"',
    ]


@pytest.mark.parametrize("value", ["'a'", "[1, {'a': [None, {'b': [True]}]}]", "{'a': {'b': 1}}"])
def test_any_json_by_a_definition_of_itself(value: str) -> None:
    over = made(
        {"type": "array", "items": {"$ref": "#/$defs/json"}}, **{"$defs": {"json": ANYTHING}}
    )
    assert codes(f"t(p=[{value}])", over) == []


def test_values_of_an_enum_that_null_belongs_to() -> None:
    over = made({"type": ["string", "null"], "enum": ["Unspecified", "Both", None]})
    assert labels(IMPORT + "await mcp.s.t(p=‸)", over) == ['"Unspecified"', '"Both"', "None"]
    assert codes("t(p=None)", over) == []
    assert codes("t(p='Neither')", over) == ["argument-type: 'Neither'"]


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"type": "number", "enum": [0.5, 1.5, 2]}, "2.0", "0.7"),
        ({"const": 2.5}, "2.5", "2"),
        ({"enum": ["a", None, {"k": 1}, [1]]}, "{'k': 1}", "{'k': 2}"),
        ({"const": None}, "None", "0"),
        ({"enum": []}, "'anything'", None),
        (True, "[1]", None),
        (False, "x", "1"),
        ({"type": []}, "'anything'", None),
        ({"type": ["integer"]}, "1", "'a'"),
        ({"type": "object", "additionalProperties": False}, "{}", "{'a': 1}"),
        ({"anyOf": [{"type": "array", "items": True}, {"type": "null"}]}, "[1, 'a']", "'a'"),
        ({"type": "string", "default": None}, "'a'", "None"),
        ({"anyOf": [STRING, {"type": "null"}]}, "None", "1"),
        ({"type": "string", "anyOf": [STRING, {"type": "null"}]}, "'a'", "None"),
        (
            {
                "type": "array",
                "items": [{"type": "integer"}, {"type": "integer"}],
                "additionalItems": False,
            },
            "(1, 2)",
            "(1, 'a')",
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "number"}, STRING],
                "items": {"type": "boolean"},
            },
            "[1.5, 'a', True]",
            "[1.5, 'a', 'b']",
        ),
    ],
)
def test_a_value_that_is_right_and_one_that_is_not(
    schema: Any, right: str, wrong: str | None
) -> None:
    over = made(schema)
    assert codes(f"t(p={right})", over) == []
    if wrong is not None:
        (found,) = codes(f"t(p={wrong})", over)
        assert found.startswith("argument-type: ")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("^x-", ["unknown-parameter: y"]),
        (r"^\p{L}+$", []),
        ("^(x+)+$", []),
    ],
)
def test_keys_by_a_pattern_of_javascript(pattern: str, expected: list[str]) -> None:
    root: dict[str, Any] = {
        "patternProperties": {pattern: STRING},
        "additionalProperties": False,
    }
    over = bindings({"s": [tool("t", **root)]})
    assert codes("t(**{'x-foo': 'bar'})", over) == []
    assert codes("t(y='a')", over) == expected


def test_tools_of_one_name_on_two_servers_and_a_tool_named_like_a_server() -> None:
    over = bindings(
        {"disk": [tool("write", {"path": STRING})], "evil": [tool("write"), tool("disk")]}
    )
    assert labels(IMPORT + "await mcp.disk.write(‸)", over) == ["path="]
    text = f"{IMPORT}from codeact_lsp.tools.mcp.evil import disk\nawait mcp.disk.write(path=1)"
    assert [one.code for one in diagnose(view(text, over))] == ["argument-type"]
    described = plain(describe(over, Target("disk", "write")))
    assert 'server "disk"' in described
    assert "mcp.evil" not in described
