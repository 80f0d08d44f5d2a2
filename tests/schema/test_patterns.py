"""`patternProperties` and the other members of an object that have no name of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codeact_lsp.schema.check import check
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.types import DictType, NeverType, Scalar, ScalarType
from codeact_lsp.schema.values import Known, Members, Value
from tests.support.bound import mapped, written

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
HEADERS = {
    "type": "object",
    "patternProperties": {"^x-": STRING, "^n-": INTEGER},
    "additionalProperties": False,
}


def test_a_mapping_keeps_its_patterns() -> None:
    found = mapped(HEADERS).arguments.fields[0].type
    assert isinstance(found, DictType)
    assert found.value == NeverType()
    assert found.patterns == (
        ("^x-", ScalarType(Scalar.STRING)),
        ("^n-", ScalarType(Scalar.INTEGER)),
    )


@pytest.mark.parametrize(
    ("others", "annotation"),
    [
        ({"patternProperties": {"^x-": STRING}, "additionalProperties": False}, "dict[str, str]"),
        (
            {"patternProperties": {"^x-": STRING, "^n-": INTEGER}, "additionalProperties": False},
            "dict[str, str | int]",
        ),
        (
            {"patternProperties": {"^x-": STRING}, "additionalProperties": INTEGER},
            "dict[str, str | int]",
        ),
        # What is not written out is not what the mapping is for.
        ({"patternProperties": {"^x-": STRING}}, "dict[str, str]"),
        ({"patternProperties": {"^x-": STRING}, "additionalProperties": True}, "dict[str, Any]"),
        # A pattern may forbid keys.
        ({"patternProperties": {"^x-": False}}, "dict[str, Any]"),
        ({"patternProperties": {"^x-": False}, "additionalProperties": STRING}, "dict[str, str]"),
        (
            {"patternProperties": {"^x-": False}, "additionalProperties": False},
            "dict[str, Never]",
        ),
    ],
)
def test_a_mapping_is_of_what_its_members_can_be(others: dict[str, Any], annotation: str) -> None:
    assert written({"type": "object", **others}) == annotation


@pytest.mark.parametrize(
    ("key", "value", "keyword"),
    [
        ("x-a", Known("text"), None),
        ("x-a", Known(1), "type"),
        ("n-a", Known(1), None),
        ("n-a", Known("text"), "type"),
        ("other", Known("text"), "additionalProperties"),
    ],
)
def test_each_member_of_a_mapping_is_checked_against_its_own_patterns(
    key: str, value: Value, keyword: str | None
) -> None:
    found = mapped(HEADERS)
    mismatches = check(Members(((key, value),)), found.arguments.fields[0].type, found.shapes)
    assert [one.keyword for one in mismatches] == ([keyword] if keyword else [])


def test_all_of_joins_the_patterns_of_mappings() -> None:
    parts = [{"patternProperties": {key: STRING}} for key in ("^a", "^b")]
    found = mapped({"type": "object", "allOf": parts}).arguments.fields[0].type
    assert isinstance(found, DictType)
    assert [pattern for pattern, _ in found.patterns] == ["^a", "^b"]


def test_patterns_may_refer_to_what_is_unfinished() -> None:
    schema = {"type": "object", "patternProperties": {"^c": {"$ref": "#"}}, "properties": {"p": {}}}
    found = schemas(json.dumps({"properties": {"q": schema}}), None, tool="t")
    # The reference is to the root, which holds `q`.
    (shape,) = (one for one in found.shapes.values() if one.fields[0].raw == "p")
    assert [pattern for pattern, _ in shape.patterns] == ["^c"]
