"""Arguments that a schema accepts, made from the schema alone: what an honest caller writes."""

from __future__ import annotations

from typing import Any

import jsonschema

_FORMATS = {
    "date": "2025-01-31",
    "date-time": "2025-01-31T00:00:00Z",
    "email": "a@example.com",
    "uri": "https://example.com",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
_DEPTH = 6


def arguments(schema: Any, *, every: bool) -> dict[str, Any] | None:
    """Values for the required, or for `every`, property; None where that is not simply possible.

    What comes out is valid by `jsonschema`.
    """
    made = _sample(schema, schema, 0, every)
    try:
        kind = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
        valid = isinstance(made, dict) and kind(schema).is_valid(made)
    except Exception:  # noqa: BLE001 - real schemas hold references and patterns that it refuses
        return None
    return made if valid else None


def _sample(schema: Any, root: Any, depth: int, every: bool) -> Any:  # noqa: FBT001 - recursion
    if not isinstance(schema, dict) or not schema or depth > _DEPTH:
        return 1
    if "$ref" in schema:
        return _sample(_target(schema["$ref"], root), root, depth + 1, every)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][-1]
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            rest = {key: value for key, value in schema.items() if key != word}
            parts = schema[word] if word == "allOf" else schema[word][:1]
            for part in parts:
                rest |= part if isinstance(part, dict) else {}
            return _sample(rest, root, depth + 1, every)
    kind = schema.get("type", "object" if "properties" in schema else None)
    return _of_kind(kind[0] if isinstance(kind, list) else kind, schema, root, depth, every)


def _of_kind(kind: Any, schema: dict[str, Any], root: Any, depth: int, every: bool) -> Any:  # noqa: FBT001 - recursion
    match kind:
        case "object":
            properties = schema.get("properties", {})
            wanted = (
                properties if every else [k for k in properties if k in schema.get("required", ())]
            )
            return {key: _sample(properties[key], root, depth + 1, every) for key in wanted}
        case "array":
            count = max(schema.get("minItems", 1), 1)
            return [_sample(schema.get("items", {}), root, depth + 1, every)] * min(count, 5)
        case "string":
            text = _FORMATS.get(schema.get("format", ""), "abc")
            return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", 10_000)]
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return schema.get("minimum", 1)


def _target(reference: str, root: Any) -> Any:
    found = root
    for part in reference.split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        found = found.get(step, {}) if isinstance(found, dict) else found[int(step)]
    return found
