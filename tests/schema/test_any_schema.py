"""Any JSON value as a schema, and the checker beside a validator that reads the same schema."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.check import check_arguments
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.values import Items, Known, Members, Value
from tests.support.wild import CATALOGUES, read

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


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every JSON value inside `value`."""
    yield path
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in pairs:
        yield from places(item, (*path, key))


def mutated(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """`value` with `other` at `path`."""
    if not path:
        return other
    changed = copy.copy(value)
    changed[path[0]] = mutated(value[path[0]], path[1:], other)
    return changed


REAL = [
    json.loads(text)
    for server in read(*sorted(CATALOGUES.glob("*.json"))).servers.values()
    for tool in server.tools
    for text in (tool.input_schema, tool.output_schema)
    if text is not None and len(text) < 20_000
]


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


# Schemas that mean something, for values of the same small world.


def schema_objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from(["a", "b", "file-path"])
    types = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
    optional = {
        "type": types | st.lists(types, min_size=1, max_size=3, unique=True),
        "properties": st.dictionaries(names, inner, max_size=3),
        "required": st.lists(names, max_size=2, unique=True),
        "additionalProperties": inner,
        "patternProperties": st.dictionaries(st.sampled_from(["^a", "-", "b$"]), inner, max_size=2),
        "items": inner,
        "prefixItems": st.lists(inner, min_size=1, max_size=2),
        "enum": st.lists(SCALARS, min_size=1, max_size=3),
        "const": SCALARS,
        "anyOf": st.lists(inner, min_size=1, max_size=3),
        "oneOf": st.lists(inner, min_size=1, max_size=3),
        "allOf": st.lists(inner, min_size=1, max_size=3),
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "dependentSchemas": st.dictionaries(names, inner, max_size=2),
        "unevaluatedProperties": inner,
        "minimum": st.integers(-2, 2),
        "exclusiveMaximum": st.integers(-2, 2),
        "multipleOf": st.sampled_from([1, 2, 0.5]),
        "minLength": st.integers(0, 2),
        "maxLength": st.integers(0, 2),
        "pattern": st.sampled_from(["^a", "b", "(a|b)+$", "^[^a]"]),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 2),
        "$ref": st.sampled_from(["#", "#/$defs/A", "#/$defs/B"]),
    }
    return st.dictionaries(st.sampled_from(sorted(optional)), st.none(), max_size=4).flatmap(
        lambda chosen: st.fixed_dictionaries({word: optional[word] for word in chosen})
    )


SCHEMAS = st.recursive(st.booleans() | schema_objects(st.just({})), schema_objects, max_leaves=8)
DEFINED = st.fixed_dictionaries({"A": SCHEMAS, "B": SCHEMAS})
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "file-path", "c"]), inner, max_size=3)
    ),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["a", "b", "file-path", "c"]), VALUES, max_size=3)
DIALECTS = st.sampled_from(
    [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema#",
    ]
)


def known(value: Any) -> Value:
    match value:
        case list():
            return Items(tuple(map(known, value)))
        case dict():
            return Members(tuple((key, known(item)) for key, item in value.items()))
        case _:
            return Known(value)


def accepts(schema: Any, value: Any) -> bool:
    """Whether a validator that knows the whole of JSON Schema takes `value`."""
    validator = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        validator.check_schema(schema)
        return bool(validator(schema).is_valid(value))
    except (jsonschema.SchemaError, jsonschema.exceptions.UndefinedTypeCheck, RecursionError):
        return False


@given(SCHEMAS, DEFINED, DIALECTS, st.lists(ARGUMENTS, min_size=1, max_size=8))
@example(
    {"prefixItems": [False], "anyOf": [{}, {"maxProperties": 0, "patternProperties": {}}]},
    {"A": True, "B": True},
    "https://json-schema.org/draft/2020-12/schema",
    [{"a": None}],
)
@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
def test_what_a_validator_accepts_the_checker_accepts(
    schema: Any, definitions: Any, dialect: str, calls: list[dict[str, Any]]
) -> None:
    if isinstance(schema, dict):
        schema = {"$schema": dialect, **copy.deepcopy(schema), "$defs": definitions}
    found = schemas(json.dumps(schema), None, tool="t")
    for call in calls:
        if accepts(schema, call):
            values = {key: known(item) for key, item in call.items()}
            assert check_arguments(values, found, complete=True) == (), call
