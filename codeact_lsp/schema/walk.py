"""JSON Schema → types: the one reader of raw schemas.

Any JSON value may stand where a schema is expected. A place that is not understood becomes
`AnyType` with a note, and costs nothing else. The keywords are those of 2020-12 Core and
Validation; older spellings are read where `$schema` or the shape of the keyword says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from codeact_lsp.schema import algebra
from codeact_lsp.schema.algebra import NULL, intersect, union
from codeact_lsp.schema.build import ANY, MAX_DEPTH, NEVER, Build
from codeact_lsp.schema.limits import limits_of
from codeact_lsp.schema.places import Place, annotated, child, follow, inside
from codeact_lsp.schema.types import (
    ABSENT,
    AnyType,
    ArrayType,
    DictType,
    Field,
    Json,
    NeverType,
    ObjectType,
    Scalar,
    ScalarType,
    Shape,
    Type,
)

_SCALARS: Final = {
    "string": Scalar.STRING,
    "integer": Scalar.INTEGER,
    "number": Scalar.NUMBER,
    "boolean": Scalar.BOOLEAN,
    "null": Scalar.NULL,
}
# Keywords that say of a schema without `type` what it describes, and what they must hold to do so.
_OBJECT_WORDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "properties": dict,
    "patternProperties": dict,
    "additionalProperties": dict,
    "required": list,
}
_ARRAY_WORDS: Final[Mapping[str, type | tuple[type, ...]]] = {
    "items": (dict, list),
    "prefixItems": list,
}
_IN_PLACE: Final = frozenset(
    """$ref $dynamicRef $recursiveRef allOf anyOf oneOf if dependentSchemas dependencies""".split()
)
"""Keywords whose subschemas speak about the same value (2020-12 Core §10.2)."""
_MAX_EXAMPLES: Final = 10


def type_of(build: Build, place: Place) -> Type:
    """The type that the schema at `place` describes."""
    schema = place.schema
    if isinstance(schema, bool):
        return build.intern(ANY if schema else NEVER)
    if not isinstance(schema, dict):
        build.note(place.pointer, "this is not a schema: neither an object nor a boolean")
        return build.intern(AnyType("not a schema"))
    known = build.done.get(id(schema))
    if known is not None:
        return known
    if id(schema) in build.pending:
        return build.intern(ObjectType(build.await_(id(schema))))
    if place.depth > MAX_DEPTH:
        return build.intern(
            build.limit(place.pointer, "depth", f"nested over {MAX_DEPTH} deep: the rest is Any")
        )
    if (spent := build.spend(1, place.pointer)) is not None:
        return build.intern(spent)
    build.pending.add(id(schema))
    result = _combine(build, inside(place, schema), schema)
    build.pending.remove(id(schema))
    build.done[id(schema)] = result
    return result


def _combine(build: Build, place: Place, schema: dict[str, Json]) -> Type:
    """Everything that the keywords of one schema say together."""
    reference = _reference(build, place, schema)
    if reference is not None and place.dialect.ref_stands_alone and "$ref" in schema:
        return _nullable(build, place, schema, reference)
    result = _own(build, place, schema)
    if reference is not None:
        result = _both(build, place, result, reference)
    for number_, part in _parts(build, place, schema, "allOf"):
        result = _both(build, place, result, type_of(build, child(place, part, "allOf", number_)))
    for keyword in ("anyOf", "oneOf"):
        result = _alternatives(build, place, schema, keyword, result)
    result = _conditional(build, place, schema, result)
    refused = schema.get("not")
    if refused is True or refused == {}:
        return build.intern(NEVER)
    return _nullable(build, place, schema, _closed(build, schema, result, place))


def _both(build: Build, place: Place, left: Type, right: Type) -> Type:
    """`left` and `right`, or Any with a note where they contradict each other."""
    both = intersect(build, left, right, place.pointer)
    if (
        isinstance(both, NeverType)
        and not isinstance(left, NeverType)
        and not isinstance(right, NeverType)
    ):
        return _contradiction(build, place)
    return both


def _contradiction(build: Build, place: Place) -> Type:
    # `Never` would be the letter of it, and would take the parameter away from people.
    build.note(place.pointer, "what stands here contradicts itself, so no value fits: it is Any")
    return build.intern(AnyType("contradictory"))


def _nullable(build: Build, place: Place, schema: dict[str, Json], type_: Type) -> Type:
    if schema.get("nullable") is not True:
        return type_
    return union(build, (type_, NULL), place.pointer)


def _reference(build: Build, place: Place, schema: dict[str, Json]) -> Type | None:
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
        if keyword not in schema:
            continue
        target = follow(place, schema, keyword)
        if target is not None:
            return type_of(build, target)
        shown = json.dumps(schema[keyword], ensure_ascii=True)[:200]
        build.note(f"{place.pointer}/{keyword}", f"{shown} leads nowhere in this schema: it is Any")
        return build.intern(AnyType("dangling reference"))
    return None


def _parts(
    build: Build, place: Place, schema: dict[str, Json], keyword: str
) -> Iterator[tuple[int, Json]]:
    """The subschemas of a keyword that holds a list of them."""
    parts = schema.get(keyword)
    if isinstance(parts, list):
        yield from enumerate(parts)
    elif keyword in schema:
        build.note(f"{place.pointer}/{keyword}", "this is not a list of schemas: it is left out")


def _alternatives(
    build: Build, place: Place, schema: dict[str, Json], keyword: str, base: Type
) -> Type:
    """`base` and at least one of the subschemas of `keyword`."""
    variants = [
        type_of(build, child(place, part, keyword, number_))
        for number_, part in _parts(build, place, schema, keyword)
    ]
    if not variants:
        return base
    members = tuple(intersect(build, base, variant, place.pointer) for variant in variants)
    fitting = tuple(member for member in members if not isinstance(member, NeverType))
    if not fitting and not isinstance(base, NeverType):
        return _contradiction(build, place)
    merged = algebra.as_variants(build, base, fitting, place.pointer)
    return merged or union(build, fitting, place.pointer)


def _conditional(build: Build, place: Place, schema: dict[str, Json], base: Type) -> Type:
    """`base` with the fields that `if`, `then`, `else` and dependent schemas may add."""
    branches = [
        child(place, schema[keyword], keyword)
        for keyword in ("then", "else", "if")
        if "if" in schema and keyword in schema
    ]
    for keyword in ("dependentSchemas", "dependencies"):
        members = schema.get(keyword)
        if isinstance(members, dict):
            branches += [
                child(place, part, keyword, key)
                for key, part in members.items()
                if isinstance(part, dict)
            ]
    found = dict.fromkeys(
        found.shape
        for found in (type_of(build, branch) for branch in branches)
        if isinstance(found, ObjectType) and found.shape in build.shapes
    )
    shapes = [build.shapes[key] for key in found]
    if not shapes or not isinstance(base, (AnyType, DictType, ObjectType)):
        return base
    own = Shape("", (), implied=True)
    if not isinstance(base, AnyType):
        own = algebra.shape_of(build, base)
    if build.spend(build.cost(own) + sum(map(build.cost, shapes)), place.pointer):
        return base
    loose = algebra.either(build, shapes, place.pointer)
    fields = tuple(replace(f, required=False, conditional=True) for f in loose.fields)
    merged = algebra.merge(build, own, Shape("", fields, implied=True), place.pointer)
    return algebra.from_shape(build, merged, place.pointer)


def _closed(build: Build, schema: dict[str, Json], type_: Type, place: Place) -> Type:
    """`unevaluatedProperties: false`, where all that could evaluate one stands in this schema."""
    if schema.get("unevaluatedProperties") is not False or not isinstance(type_, ObjectType):
        return type_
    shape = build.shapes.get(type_.shape)
    if shape is None or not _IN_PLACE.isdisjoint(schema) or shape.extra_declared:
        return type_
    return build.add_shape(replace(shape, extra=build.intern(NEVER)), place.pointer)


def _own(build: Build, place: Place, schema: dict[str, Json]) -> Type:
    """What a schema says without its applicators in place."""
    words = _type_words(build, place, schema)
    if words is None:
        kinds = [_object(build, place, schema, implied=True)] if _has(schema, _OBJECT_WORDS) else []
        if _has(schema, _ARRAY_WORDS):
            kinds.append(_array(build, place, schema, implied=True))
        result = union(build, kinds, place.pointer) if kinds else build.intern(ANY)
    else:
        result = union(build, (_kind(build, place, schema, word) for word in words), place.pointer)
    return _members(build, place, schema, result)


def _has(schema: dict[str, Json], words: Mapping[str, type | tuple[type, ...]]) -> bool:
    return any(isinstance(schema.get(word), kinds) for word, kinds in words.items())


def _type_words(build: Build, place: Place, schema: dict[str, Json]) -> tuple[str, ...] | None:
    """The JSON types named by `type`, or None where it names none that is known."""
    declared = schema.get("type")
    if declared is None and "type" not in schema:
        return None
    listed = declared if isinstance(declared, list) else [declared]
    known = tuple(
        word for word in listed if isinstance(word, str) and (word in _SCALARS or _nests(word))
    )
    if len(known) == len(listed) and known:
        return known
    shown = json.dumps(declared)[:200]
    build.note(f"{place.pointer}/type", f"{shown} is no JSON type: it is left out")
    # An unknown word beside known ones could be anything, so the known ones bind nothing.
    return None


def _nests(word: str) -> bool:
    return word in ("array", "object")


def _members(build: Build, place: Place, schema: dict[str, Json], type_: Type) -> Type:
    """`type_` narrowed to the values of `enum` and `const`."""
    values = schema.get("enum")
    if isinstance(values, list) and values:
        type_ = _both(build, place, algebra.enumeration(build, values, place.pointer), type_)
    elif "enum" in schema:
        build.note(f"{place.pointer}/enum", "no value stands in this enum: it is left out")
    if "const" in schema:
        constant = algebra.enumeration(build, [schema["const"]], place.pointer)
        type_ = _both(build, place, constant, type_)
    return type_


def _kind(build: Build, place: Place, schema: dict[str, Json], word: str) -> Type:
    if word == "object":
        return _object(build, place, schema)
    if word == "array":
        return _array(build, place, schema)
    return build.intern(ScalarType(_SCALARS[word], limits_of(schema, word)))


def _array(build: Build, place: Place, schema: dict[str, Json], *, implied: bool = False) -> Type:
    # A list in `items` is the tuple of draft-07 and before; people write it under 2020-12 too.
    legacy = isinstance(schema.get("items"), list)
    keyword, rest = ("items", "additionalItems") if legacy else ("prefixItems", "items")
    prefix = tuple(
        type_of(build, child(place, part, keyword, number_))
        for number_, part in _parts(build, place, schema, keyword)
    )
    item = type_of(build, child(place, schema[rest], rest)) if rest in schema else ANY
    limits = limits_of(schema, "array")
    return build.intern(ArrayType(build.intern(item), prefix, limits, implied), place.pointer)


def _object(build: Build, place: Place, schema: dict[str, Json], *, implied: bool = False) -> Type:
    required = _required(build, place, schema)
    fields = {
        raw: field_of(build, child(place, part, "properties", raw), raw, required=raw in required)
        for raw, part in _subschemas(build, place, schema, "properties")
    }
    for raw in required:
        if raw not in fields:
            fields[raw] = Field(raw, build.intern(ANY), required=True)
    extra: Type = build.intern(ANY)
    if "additionalProperties" in schema:
        extra = type_of(build, child(place, schema["additionalProperties"], "additionalProperties"))
    patterns = tuple(
        (pattern, type_of(build, child(place, part, "patternProperties", pattern)))
        for pattern, part in _subschemas(build, place, schema, "patternProperties")
    )
    shape = Shape(
        name="",
        fields=tuple(fields.values()),
        extra=extra,
        extra_declared="additionalProperties" in schema and not isinstance(extra, NeverType),
        patterns=patterns,
        description=_text(schema.get("description")),
        limits=limits_of(schema, "object"),
        implied=implied,
    )
    return algebra.from_shape(build, shape, place.pointer)


def _subschemas(
    build: Build, place: Place, schema: dict[str, Json], keyword: str
) -> Iterator[tuple[str, Json]]:
    """The members of a keyword that holds an object of subschemas."""
    members = schema.get(keyword)
    if isinstance(members, dict):
        yield from members.items()
    elif keyword in schema:
        build.note(f"{place.pointer}/{keyword}", "this is not an object of schemas: it is left out")


def _required(build: Build, place: Place, schema: dict[str, Json]) -> dict[str, None]:
    declared = schema.get("required")
    if isinstance(declared, list):
        return dict.fromkeys(key for key in declared if isinstance(key, str))
    # Draft-03 puts a boolean on the property itself.
    if "required" in schema and not isinstance(declared, bool):
        build.note(f"{place.pointer}/required", "this is not a list of keys: it is left out")
    return {}


def field_of(build: Build, place: Place, raw: str, *, required: bool) -> Field:
    """The property `raw`, whose schema stands at `place`."""
    type_ = type_of(build, place)
    chain = tuple(annotated(place))
    examples = next((s["examples"] for s in chain if isinstance(s.get("examples"), list)), [])
    assert isinstance(examples, list)
    default = next((s["default"] for s in chain if "default" in s), ABSENT)
    field = Field(
        raw=raw,
        type=type_,
        required=required,
        description=next(filter(None, (_text(s.get("description")) for s in chain)), ""),
        default=ABSENT if default is ABSENT else _json_text(build, default),
        examples=tuple(_json_text(build, example) for example in examples[:_MAX_EXAMPLES]),
        deprecated=any(s.get("deprecated") is True for s in chain),
    )
    return build.fit(field, place.pointer)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _json_text(build: Build, value: Json) -> str:
    known = build.texts.get(id(value))
    if known is None:
        known = build.texts[id(value)] = json.dumps(value, ensure_ascii=False)
    return known


__all__ = ["child", "field_of", "type_of"]
