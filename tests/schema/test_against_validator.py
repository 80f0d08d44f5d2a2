"""The checker beside a validator that knows the whole of JSON Schema, in every dialect.

What the validator accepts the checker must accept, also where it sees only a part of the value. So
whatever the checker refuses is wrong. `CODEACT_LSP_EXAMPLES` asks for more examples than usual.
"""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import jsonschema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codeact_lsp.schema.check import check_arguments
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.values import Items, Kind, Known, Members, OfKind, Unknown, Value, kind_of
from tests.support import samples
from tests.support.mutated import REAL, at, mutated, places

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

EXAMPLES: Final = int(os.environ.get("CODEACT_LSP_EXAMPLES", "250"))
DIALECTS: Final = (
    None,
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
)
NAMES: Final = st.sampled_from(["a", "b", "file-path"])
KEYS: Final = st.sampled_from(["a", "b", "file-path", "c"])
TYPES: Final = st.sampled_from("string integer number boolean null array object".split())
NUMBERS: Final = st.sampled_from([-2, -1, 0, 1, 2, 0.5, 1.0, 1.5])
COUNTS: Final = st.integers(0, 2)
SCALARS: Final = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS,
    st.sampled_from([3, 1e20, 10**30, -0.0]),
    st.sampled_from(["", "a", "b", "ab", "aa", "1", "string", "\n", "a\n", "\u00e9", "\U0001f600"]),
)
VALUES: Final = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS: Final = st.dictionaries(KEYS, VALUES, max_size=3)
PATTERNS: Final = st.sampled_from(
    [
        *("^a", "-", "b$", "", "^[^a]", "(a|b)+$", "^.$", "^\\\\S+$", "\\\\w", "[a-c]", "^\\\\d*$"),
        *("a{2}", "a{,1}", "^(?!a)", "(?i)A", "^a?$", "\\\\p{L}", "\\\\Z", "^(?:a|b)$"),
    ]
)
REFERENCES: Final = st.sampled_from(
    ["#", "#/$defs/A", "#/$defs/B", "#/definitions/A", "#named", "other", "other#/$defs/A"]
)


def keywords(inner: st.SearchStrategy[Any]) -> dict[str, st.SearchStrategy[Any]]:
    """Every keyword that means something in a dialect, with values that mean something."""
    listed = st.lists(inner, min_size=1, max_size=3)
    by_name = st.dictionaries(NAMES, inner, max_size=3)
    names = st.lists(NAMES, max_size=2, unique=True)
    return {
        "type": TYPES | st.lists(TYPES, min_size=1, max_size=3, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "properties": by_name,
        "required": names | st.booleans(),
        "additionalProperties": inner,
        "patternProperties": st.dictionaries(PATTERNS, inner, max_size=2),
        "propertyNames": inner,
        "minProperties": COUNTS,
        "maxProperties": COUNTS,
        "dependentRequired": st.dictionaries(NAMES, names, max_size=2),
        "dependentSchemas": by_name,
        "dependencies": st.dictionaries(NAMES, names | inner, max_size=2),
        "items": inner | listed,
        "prefixItems": listed,
        "additionalItems": inner,
        "contains": inner,
        "minContains": COUNTS,
        "maxContains": COUNTS,
        "minItems": COUNTS,
        "maxItems": COUNTS,
        "uniqueItems": st.booleans(),
        "unevaluatedItems": inner,
        "unevaluatedProperties": inner,
        "allOf": listed,
        "anyOf": listed,
        "oneOf": listed,
        "not": inner,
        "if": inner,
        "then": inner,
        "else": inner,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS | st.booleans(),
        "exclusiveMaximum": NUMBERS | st.booleans(),
        "multipleOf": st.sampled_from([1, 2, 0.5, 0.1, 3]),
        "minLength": COUNTS,
        "maxLength": COUNTS,
        "pattern": PATTERNS,
        "format": st.sampled_from(["email", "date", "uuid", "regex"]),
        "contentMediaType": st.just("application/json"),
        "nullable": st.booleans(),
        "default": VALUES,
        "$ref": REFERENCES,
        "$dynamicRef": st.sampled_from(["#named", "#/$defs/A", "#"]),
        "$recursiveRef": st.just("#"),
    }


def schema_objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    known = keywords(inner)
    return st.lists(st.sampled_from(sorted(known)), max_size=4, unique=True).flatmap(
        lambda chosen: st.fixed_dictionaries({word: known[word] for word in chosen})
    )


SCHEMAS: Final = st.recursive(
    st.booleans() | schema_objects(st.just({})), schema_objects, max_leaves=8
)


@st.composite
def documents(draw: st.DrawFn) -> Any:
    """A whole input schema with definitions, names and a dialect."""
    schema = draw(SCHEMAS)
    if not isinstance(schema, dict):
        return schema
    definitions = {name: draw(SCHEMAS) for name in ("A", "B")}
    for name, definition in definitions.items():
        if isinstance(definition, dict) and draw(st.booleans()):
            words = {"$anchor": "named", "$dynamicAnchor": "named", "$id": "other", "id": "#named"}
            word = draw(st.sampled_from(sorted(words)))
            definitions[name] = {word: words[word], **definition}
    dialect = draw(st.sampled_from(DIALECTS))
    root = {} if dialect is None else {"$schema": dialect}
    root |= draw(st.sampled_from([{}, {}, {"$recursiveAnchor": True}, {"$dynamicAnchor": "named"}]))
    return {
        **root,
        **({"type": "object"} if draw(st.booleans()) else {}),
        **copy.deepcopy(schema),
        "$defs": definitions,
        "definitions": copy.deepcopy(definitions),
    }


def validator_of(schema: Any) -> Any:
    """A validator for `schema`; None where the schema is none."""
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except Exception:  # noqa: BLE001 - it raises anything for schemas that are none
        return None
    return kind(schema)


def accepts(validator: Any, value: Any) -> bool:
    """Whether the validator takes `value`; what it cannot judge it does not take."""
    try:
        return bool(validator.is_valid(value))
    except Exception:  # noqa: BLE001 - dangling references, patterns, endless recursion
        return False
    except BaseException as error:
        # What `rpds` makes of a recursion that ends inside it is no `Exception`.
        if type(error).__name__ != "PanicException":
            raise
        return False


def known(value: Any) -> Value:
    match value:
        case list():
            return Items(tuple(map(known, value)))
        case dict():
            return Members(tuple((key, known(item)) for key, item in value.items()))
        case _:
            return Known(value)


def blurred(draw: Draw, value: Value) -> Value:
    """`value` as code may show it: less of it, and never something else."""
    choice = draw(st.integers(0, 5))
    if choice == 0:
        return Unknown()
    if choice == 1:
        kind = kind_of(value)
        return Unknown() if kind is None else OfKind(kind)
    match value:
        case Items(items):
            kept = tuple(blurred(draw, item) for item in items)
            cut = draw(st.integers(0, len(kept)))
            return Items(kept[:cut], complete=False) if choice == 2 else Items(kept)
        case Members(members):
            some = [(key, blurred(draw, item)) for key, item in members]
            if choice == 2 and some:
                del some[draw(st.integers(0, len(some) - 1))]
                return Members(tuple(some), complete=False)
            return Members(tuple(some))
        case Known(bool() | None | str()):
            return value
        case Known(number) if choice == 2:
            return OfKind(Kind.NUMBER) if isinstance(number, int | float) else value
        case _:
            return value


def assert_lenient(draw: Draw, schema: Any, calls: list[dict[str, Any]]) -> None:
    """The checker takes each call that a validator takes, seen as a whole and in part."""
    validator = validator_of(schema)
    if validator is None:
        return
    taken = [call for call in calls if accepts(validator, call)]
    if not taken:
        return
    found = schemas(json.dumps(schema), None, tool="t")
    for call in taken:
        whole = {key: known(item) for key, item in call.items()}
        assert check_arguments(whole, found, complete=True) == (), call
        part = {key: blurred(draw, item) for key, item in whole.items()}
        complete = draw(st.booleans())
        if not complete and part:
            del part[draw(st.sampled_from(sorted(part)))]
        assert check_arguments(part, found, complete=complete) == (), (call, part)


COMMON: Final = settings(
    deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck)
)


@given(st.data(), documents(), st.lists(ARGUMENTS, min_size=1, max_size=8))
@COMMON
def test_what_a_validator_accepts_the_checker_accepts(
    data: st.DataObject, schema: Any, calls: list[dict[str, Any]]
) -> None:
    assert_lenient(data.draw, schema, [*calls, {}])


@st.composite
def changed_calls(draw: st.DrawFn, schema: Any) -> list[dict[str, Any]]:
    """Calls that the schema accepts, and calls that differ from those in one place."""
    calls = []
    for every in (False, True):
        try:
            made = samples.arguments(schema, every=every)
        except Exception:  # noqa: BLE001 - samples are made of schemas that were not changed
            made = None
        if made is None:
            continue
        calls.append(made)
        for _ in range(3):
            path = draw(st.sampled_from(list(places(made))))
            other = draw(VALUES)
            changed = mutated(made, path, other)
            if isinstance(changed, dict):
                calls.append(changed)
            calls.append({**made, draw(KEYS): other})
    return calls


@given(st.data())
@COMMON
def test_what_a_validator_accepts_of_a_changed_real_schema_the_checker_accepts(
    data: st.DataObject,
) -> None:
    original = schema = data.draw(st.sampled_from(REAL))
    for _ in range(data.draw(st.integers(0, 3))):
        subschemas = [path for path in places(schema) if isinstance(at(schema, path), dict)]
        path = data.draw(st.sampled_from(subschemas))
        added = data.draw(schema_objects(SCHEMAS))
        there = at(schema, path)
        merged = {**there, **added} if data.draw(st.booleans()) else {**added, **there}
        schema = mutated(schema, path, merged)
    calls = data.draw(changed_calls(original))
    if schema is not original:
        calls += data.draw(changed_calls(schema))
    assert_lenient(data.draw, schema, calls)
