"""Each `Any` of a tool, its place and its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.bindings.anys import anys
from codeact_lsp.schema import build
from codeact_lsp.schema.types import Why
from tests.support.bound import make_tool, native_tool, server_tool, takes

STRING = {"type": "string"}
PAGE = Path(__file__).parents[2] / "docs" / "any.md"


def listed(schema: Any, output: Any = STRING) -> list[str]:
    """Pointer and reason of each place of a server's tool, those of the arguments without `/inputSchema`."""
    found = anys(server_tool(make_tool("t", schema, output=output)))
    return [f"{one.pointer.removeprefix('/inputSchema')} {one.why}" for one in found]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (takes(q=STRING), []),
        (takes(q={}), ["/properties/q silent"]),
        (takes(q={"description": "what"}), ["/properties/q silent"]),
        (takes(q=True), ["/properties/q true"]),
        (takes(q={"minLength": 1}), ["/properties/q untyped"]),
        (takes(q={"type": "text"}), ["/properties/q not-understood"]),
        (takes(q=5), ["/properties/q not-understood"]),
        (takes(q={"$ref": "#/nope"}), ["/properties/q/$ref dangling-reference"]),
        (takes(q={"allOf": [STRING, {"type": "null"}]}), ["/properties/q contradiction"]),
        # Places inside
        (takes(q={"type": "array"}), ["/properties/q/items silent"]),
        (takes(q={"type": "array", "items": {}}), ["/properties/q/items silent"]),
        (
            takes(q={"type": "array", "prefixItems": [{}, STRING]}),
            ["/properties/q/prefixItems/0 silent", "/properties/q/items silent"],
        ),
        (takes(q={"type": "object"}), ["/properties/q/additionalProperties silent"]),
        (
            takes(q={"type": "object", "additionalProperties": True}),
            ["/properties/q/additionalProperties true"],
        ),
        (
            takes(q={"type": "object", "patternProperties": {"a/b": {}}}),
            [
                "/properties/q/patternProperties/a~1b silent",
                "/properties/q/additionalProperties silent",
            ],
        ),
        (takes(q=takes(**{"a/b": {}})), ["/properties/q/properties/a~1b silent"]),
        (takes(q=takes("r")), ["/properties/q/properties/r silent"]),
        (takes(q={"anyOf": [STRING, {}]}), ["/properties/q/anyOf/1 silent"]),
        (
            takes(q={"anyOf": [{"type": "null"}, {"type": "array"}]}),
            ["/properties/q/anyOf/1/items silent"],
        ),
        # What two places refer to is one place.
        (
            {
                **takes(q={"$ref": "#/$defs/X"}, r={"$ref": "#/$defs/X"}),
                "$defs": {"X": takes(x={})},
            },
            ["/$defs/X/properties/x silent"],
        ),
        # The arguments as a whole
        ({**takes(), "additionalProperties": True}, ["/additionalProperties true"]),
        ({**takes(), "additionalProperties": {}}, ["/additionalProperties silent"]),
        ({**takes(), "patternProperties": {"^x": {}}}, ["/patternProperties/^x silent"]),
        (takes(**{"a b": STRING}), [" unspelled"]),
        (None, [" no-input-schema"]),
        ({"type": "string"}, [" not-an-object"]),
        ({}, [" silent"]),
    ],
)
def test_places_of_arguments(schema: Any, expected: list[str]) -> None:
    assert listed(schema) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ({}, ["/outputSchema silent"]),
        (takes(x={}), ["/outputSchema/properties/x silent"]),
        ({"type": "array", "items": takes(x={})}, ["/outputSchema/items/properties/x silent"]),
        (
            {"type": "array", "items": {"$ref": "#"}},
            ["/outputSchema self-reference"],
        ),
    ],
)
def test_places_of_the_result(output: Any, expected: list[str]) -> None:
    assert listed(takes(), output) == expected


def test_a_tool_without_a_server_and_an_output_schema_gives_anything() -> None:
    (found,) = anys(native_tool(make_tool("t", takes())))
    assert (found.pointer, found.why) == ("/outputSchema", Why.NO_OUTPUT_SCHEMA)
    assert anys(server_tool(make_tool("t", takes()))) == ()


def test_what_is_past_a_limit_says_so() -> None:
    deep: dict[str, Any] = {}
    for _ in range(build.MAX_DEPTH + 1):
        deep = takes(q=deep)
    (found,) = anys(server_tool(make_tool("t", deep)))
    assert found.why is Why.LIMIT
    assert "nested" in found.detail


def test_a_fault_of_ours_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr("codeact_lsp.bindings.details.schemas", fail)
    found = anys(server_tool(make_tool("a tool of no other test", takes())))
    assert {one.why for one in found} == {Why.INTERNAL}


def test_the_page_explains_every_reason() -> None:
    explained = [
        line.split("`")[1] for line in PAGE.read_text("utf-8").splitlines() if "| `" in line
    ]
    assert explained == [why.value for why in Why]
