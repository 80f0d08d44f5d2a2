"""JSON Schema → types: the one reader of raw schemas.

Any JSON value may stand where a schema is expected. A place that is not understood becomes
`AnyType` with a note, and costs nothing else. The keywords are those of the dialect that `$schema`
declares, 2020-12 without one; an older spelling is read too where its form says what is meant.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from codeact_lsp.schema import (
    algebra,
    alternatives,
    conditions,
    evaluated,
    keywords,
    negation,
    property_names,
)
from codeact_lsp.schema.algebra import both
from codeact_lsp.schema.build import ANY, MAX_DEPTH, NEVER, Build
from codeact_lsp.schema.limits import limits_of
from codeact_lsp.schema.places import Place, annotated, child, follow, inside
from codeact_lsp.schema.types import (
    ABSENT,
    AnyType,
    ArrayType,
    Field,
    Json,
    NeverType,
    ScalarType,
    Shape,
    Type,
    Why,
)
from codeact_lsp.schema.unions import NULL, enumeration, union

_MAX_EXAMPLES: Final = 10


def type_of(build: Build, place: Place) -> Type:
    """The type that the schema at `place` describes."""
    schema = place.schema
    if isinstance(schema, bool):
        return build.any(place.pointer, Why.TRUE) if schema else build.intern(NEVER)
    if not isinstance(schema, dict):
        message = "this is not a schema: neither an object nor a boolean"
        return build.unknown(place.pointer, message)
    known = build.done.get(id(schema))
    if known is not None:
        return known
    if id(schema) in build.pending:
        return build.await_(id(schema), place.pointer)
    if place.depth > MAX_DEPTH:
        return build.limit(place.pointer, "depth", f"nested over {MAX_DEPTH} deep: the rest is Any")
    if (spent := build.spend(1, place.pointer)) is not None:
        return spent
    build.pending.add(id(schema))
    result = _combine(build, inside(place, schema), place.dialect.known(schema))
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
        result = both(build, result, reference, place.pointer)
    parts = [
        type_of(build, child(place, part, "allOf", number_))
        for number_, part in keywords.parts(build, place, schema, "allOf")
    ]
    if parts:
        result = both(build, result, _all_of(build, parts, place.pointer), place.pointer)
    for keyword in ("anyOf", "oneOf"):
        result = _alternatives(build, place, schema, keyword, result)
    result = _conditional(build, place, schema, result)
    result = _negated(build, place, schema, result)
    return _nullable(build, place, schema, _unevaluated(build, place, schema, result))


def _all_of(build: Build, types: list[Type], pointer: str) -> Type:
    """All of `types` at once, merged by halves: one after the other would copy all before each."""
    if len(types) == 1:
        return types[0]
    middle = len(types) // 2
    halves = _all_of(build, types[:middle], pointer), _all_of(build, types[middle:], pointer)
    return both(build, *halves, pointer)


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
        return build.unknown(
            f"{place.pointer}/{keyword}",
            f"{shown} leads nowhere in this schema: it is Any",
            Why.DANGLING_REFERENCE,
        )
    return None


def _alternatives(
    build: Build, place: Place, schema: dict[str, Json], keyword: str, base: Type
) -> Type:
    """`base` and at least one of the subschemas of `keyword`."""
    places = [
        child(place, part, keyword, number_)
        for number_, part in keywords.parts(build, place, schema, keyword)
    ]
    if not places:
        return base
    if alternatives.are_too_many(build, algebra.objects_in(base) * len(places), place.pointer):
        base = algebra.as_one(build, base, place.pointer)
    members = [algebra.intersect(build, base, type_of(build, one), place.pointer) for one in places]
    if keyword == "oneOf" and "unevaluatedProperties" in schema:
        # Exactly one of them fits, so each of them alone tells what it leaves over.
        rest = _rest(build, place, schema, "unevaluatedProperties")
        members = [
            evaluated.close(
                build,
                member,
                evaluated.of(place, schema, one, without="oneOf"),
                rest,
                place.pointer,
            )
            for member, one in zip(members, places, strict=True)
        ]
    fitting = tuple(member for member in members if not isinstance(member, NeverType))
    if not fitting and not isinstance(base, NeverType):
        return algebra.contradiction(build, place.pointer)
    merged = alternatives.as_variants(build, base, fitting, place.pointer)
    return merged or union(build, fitting, place.pointer)


def _conditional(build: Build, place: Place, schema: dict[str, Json], base: Type) -> Type:
    """`base` with what `if`, `then`, `else` and dependent schemas add."""
    required = keywords.required(build, place, schema)
    is_object = algebra.is_object(base) and not algebra.is_pending(build, base)
    surely = is_object and not algebra.is_implied(build, base)
    branches = [
        type_of(build, child(place, schema[keyword], keyword))
        for keyword in ("then", "else", "if")
        if "if" in schema and keyword in schema
    ]
    exhaustive = "if" in schema and "then" in schema and "else" in schema
    for keyword in ("dependentSchemas", "dependencies"):
        members = schema.get(keyword)
        binds = surely and (keyword == "dependentSchemas" or place.dialect.dependencies_bind)
        for key, part in members.items() if isinstance(members, dict) else ():
            if isinstance(part, dict):
                dependent = type_of(build, child(place, part, keyword, key))
                if binds and key in required:
                    base = both(build, base, dependent, place.pointer)
                else:
                    branches.append(dependent)
    if "if" in schema:
        base = both(build, base, _branch_kinds(build, place, schema), place.pointer)
    return conditions.with_fields(build, base, branches, place.pointer, exhaustive=exhaustive)


def _branch_kinds(build: Build, place: Place, schema: dict[str, Json]) -> Type:
    """What a condition says of every value, without the keys of objects."""
    pointer = place.pointer
    condition, then, otherwise = (
        child(place, schema.get(keyword, True), keyword) for keyword in ("if", "then", "else")
    )
    kinds = [
        conditions.kinds(build, type_of(build, one), pointer)
        for one in (condition, then, otherwise)
    ]
    if isinstance(kinds[1], AnyType) and isinstance(kinds[2], AnyType):
        return kinds[1]
    excluded = negation.refused(build, condition)
    fulfilled = algebra.intersect(build, kinds[0], kinds[1], pointer)
    unfulfilled = negation.without(build, kinds[2], excluded, pointer)
    return union(build, (fulfilled, unfulfilled), pointer)


def _negated(build: Build, place: Place, schema: dict[str, Json], type_: Type) -> Type:
    """`type_` without what `not` refuses, as far as that can be written down."""
    if "not" not in schema:
        return type_
    negated = child(place, schema["not"], "not")
    for one in negation.doubled(negated):
        type_ = both(build, type_, type_of(build, one), place.pointer)
    return negation.without(build, type_, negation.refused(build, negated), place.pointer)


def _unevaluated(build: Build, place: Place, schema: dict[str, Json], type_: Type) -> Type:
    """`type_` whose members and items that no other keyword speaks of are what is left for them."""
    if "unevaluatedProperties" in schema:
        found = evaluated.of(place, schema)
        rest = _rest(build, place, schema, "unevaluatedProperties")
        type_ = evaluated.close(build, type_, found, rest, place.pointer)
    if "unevaluatedItems" in schema:
        rest = _rest(build, place, schema, "unevaluatedItems")
        found = evaluated.of(place, schema)
        # An item that `contains` speaks of is no longer left over.
        kinds = (rest, *(type_of(build, one) for one in found.contains))
        rest = union(build, kinds, place.pointer)
        type_ = evaluated.end(build, type_, found, rest, place.pointer)
    return type_


def _rest(build: Build, place: Place, schema: dict[str, Json], keyword: str) -> Type:
    return type_of(build, child(place, schema[keyword], keyword))


def _own(build: Build, place: Place, schema: dict[str, Json]) -> Type:
    """What a schema says without its applicators in place."""
    words = keywords.type_words(build, place, schema)
    if words is not None:
        result = union(build, (_kind(build, place, schema, word) for word in words), place.pointer)
    else:
        result = _implied(build, place, schema)
    return _members(build, place, schema, result)


def _implied(build: Build, place: Place, schema: dict[str, Json]) -> Type:
    """What a schema without `type` describes, by the keywords that it has."""
    kinds = []
    if keywords.has(schema, keywords.OBJECT_WORDS):
        kinds.append(_object(build, place, schema, implied=True))
    if keywords.has(schema, keywords.ARRAY_WORDS):
        kinds.append(_array(build, place, schema, implied=True))
    if kinds:
        return union(build, kinds, place.pointer)
    if "type" in schema:
        return build.any(place.pointer, Why.NOT_UNDERSTOOD, "`type` names no JSON type")
    bound = not keywords.BOUNDS.isdisjoint(schema)
    return build.any(place.pointer, Why.UNTYPED if bound else Why.SILENT)


def _members(build: Build, place: Place, schema: dict[str, Json], type_: Type) -> Type:
    """`type_` narrowed to the values of `enum` and `const`."""
    values = schema.get("enum")
    if isinstance(values, list) and values:
        listed = enumeration(build, values, place.pointer)
        type_ = both(build, listed, type_, place.pointer)
    elif "enum" in schema:
        build.note(f"{place.pointer}/enum", "no value stands in this enum: it is left out")
    if "const" in schema:
        constant = enumeration(build, [schema["const"]], place.pointer)
        type_ = both(build, constant, type_, place.pointer)
    return type_


def _kind(build: Build, place: Place, schema: dict[str, Json], word: str) -> Type:
    if word == "object":
        return _object(build, place, schema)
    if word == "array":
        return _array(build, place, schema)
    return build.intern(ScalarType(keywords.SCALARS[word], limits_of(schema, word)))


def _array(build: Build, place: Place, schema: dict[str, Json], *, implied: bool = False) -> Type:
    # A list in `items` is the tuple of 2019-09 and before; people write it under 2020-12 too.
    legacy = isinstance(schema.get("items"), list)
    keyword, rest = ("items", "additionalItems") if legacy else ("prefixItems", "items")
    prefix = tuple(
        type_of(build, child(place, part, keyword, number_))
        for number_, part in keywords.parts(build, place, schema, keyword)
    )
    item = build.any(f"{place.pointer}/{rest}")
    if rest in schema:
        item = type_of(build, child(place, schema[rest], rest))
    limits = limits_of(schema, "array")
    return build.intern(ArrayType(item, prefix, limits, implied), place.pointer)


def _object(build: Build, place: Place, schema: dict[str, Json], *, implied: bool = False) -> Type:
    required = keywords.required(build, place, schema)
    fields = {
        raw: field_of(build, child(place, part, "properties", raw), raw, required=raw in required)
        for raw, part in keywords.subschemas(build, place, schema, "properties")
    }
    extra = build.intern(ANY)
    if "additionalProperties" in schema:
        extra = type_of(build, child(place, schema["additionalProperties"], "additionalProperties"))
    patterns = tuple(
        (pattern, type_of(build, child(place, part, "patternProperties", pattern)))
        for pattern, part in keywords.subschemas(build, place, schema, "patternProperties")
    )
    shape = Shape(
        name="",
        fields=(),
        extra=extra,
        extra_declared="additionalProperties" in schema and not isinstance(extra, NeverType),
        patterns=patterns,
        description=keywords.text(schema.get("description")),
        limits=limits_of(schema, "object"),
        implied=implied,
    )
    listed = [algebra.matched(build, field, shape, place.pointer) for field in fields.values()]
    for raw in required:
        if raw not in fields:
            field = Field(raw, build.intern(ANY), required=True)
            listed.append(algebra.unnamed(build, field, shape, place.pointer))
    shape = replace(shape, fields=tuple(listed))
    if "propertyNames" in schema:
        names = type_of(build, child(place, schema["propertyNames"], "propertyNames"))
        shape = property_names.named(build, shape, names, place.pointer)
    return algebra.from_shape(build, shape, place.pointer)


def field_of(build: Build, place: Place, raw: str, *, required: bool) -> Field:
    """The property `raw`, whose schema stands at `place`."""
    type_ = type_of(build, place)
    chain = tuple(annotated(place))
    examples = next((s["examples"] for s in chain if isinstance(s.get("examples"), list)), [])
    assert isinstance(examples, list)
    default = next((s["default"] for s in chain if "default" in s), ABSENT)
    said = (keywords.text(s.get("description")) for s in chain)
    field = Field(
        raw=raw,
        type=type_,
        required=required,
        description=next(filter(None, said), ""),
        default=ABSENT if default is ABSENT else _json_text(build, default),
        examples=tuple(_json_text(build, example) for example in examples[:_MAX_EXAMPLES]),
        deprecated=any(s.get("deprecated") is True for s in chain),
    )
    return build.fit(field, place.pointer)


def _json_text(build: Build, value: Json) -> str:
    known = build.texts.get(id(value))
    if known is None:
        known = build.texts[id(value)] = json.dumps(value, ensure_ascii=False)
    return known


__all__ = ["child", "field_of", "type_of"]
