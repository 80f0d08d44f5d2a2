"""Any JSON value as a schema."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.mapper import schemas
from tests.support.mutated import REAL, mutated, places

KEYS = st.sampled_from(["a", "b", "from", "file-path", "$ref", "type", "x-1", ""])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, 1.0, 2.5]),
    st.sampled_from(["", "a", "b", "string", "object", "#", "#/$defs/A", "^a"]),
)
WORDS = st.sampled_from(
    """type properties required items prefixItems additionalProperties patternProperties enum const
    anyOf oneOf allOf not if then else $ref $defs definitions $id $anchor $dynamicRef dependentSchemas
    minimum maxLength pattern minItems nullable default examples description deprecated $schema
    unevaluatedProperties propertyNames contains format""".split()
)
JSON = st.recursive(
    SCALARS | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | KEYS, inner, max_size=5),
    max_leaves=25,
)


@given(JSON, JSON)
@example({"properties": {"a": {"$ref": "#"}}}, {"$ref": "#/$ref"})
@settings(deadline=None, max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_any_json_value_is_a_schema(input_schema: Any, output_schema: Any) -> None:
    found = schemas(json.dumps(input_schema), json.dumps(output_schema), tool="t", server="s")
    for shape in (found.arguments, *found.shapes.values()):
        for field in shape.fields:
            compile(f"x: {annotation(field.type, found.shapes)}", "x", "exec")
    assert found.result is not None
    compile(f"x: {annotation(found.result, found.shapes)}", "x", "exec")


@given(st.data())
@settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))
def test_a_real_schema_with_something_else_somewhere(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from(REAL))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(schema))))
        schema = mutated(schema, path, data.draw(JSON))
    found = schemas(json.dumps(schema), json.dumps(schema), tool="t")
    listed = schema.get("properties") if isinstance(schema, dict) else None
    if isinstance(listed, dict) and schema.get("type") == "object" and "$ref" not in schema:
        assert {field.raw for field in found.arguments.fields} >= set(listed)


@given(st.text(alphabet='[]{}",:\\ \ud800a1ntrue', max_size=40))
@settings(deadline=None, max_examples=200)
def test_any_text_is_a_schema(text: str) -> None:
    schemas(text, text, tool="t")
