from __future__ import annotations

from codeact_lsp.ide import shapes
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Field,
    NeverType,
    ObjectType,
    Scalar,
    ScalarType,
    Shape,
    UnionType,
)

STRING = ScalarType(Scalar.STRING)
INTEGER = ScalarType(Scalar.INTEGER)
NULL = ScalarType(Scalar.NULL)
PAGE = Shape(
    "Page",
    (Field("type", EnumType(('"page"',)), required=True), Field("page-id", STRING, required=True)),
    extra=NeverType(),
)
BASE = Shape(
    "Base",
    (Field("type", EnumType(('"base"',)), required=True), Field("base-id", STRING)),
    extra=NeverType(),
)
OPEN = Shape("Open", (), extra=INTEGER, extra_declared=True)
SHAPES = {"page": PAGE, "base": BASE, "open": OPEN}
EITHER = UnionType((ObjectType("page"), ObjectType("base")))


def test_keys_of_a_union_are_those_of_every_variant() -> None:
    found = shapes.fields(EITHER, SHAPES)
    assert [(field.raw, field.required) for field in found] == [
        ("type", True),
        ("page-id", False),
        ("base-id", False),
    ]
    assert found[0].type == UnionType((EnumType(('"page"',)), EnumType(('"base"',))))


def test_a_literal_that_is_given_leaves_the_variants_that_fit() -> None:
    assert [f.raw for f in shapes.fields(EITHER, SHAPES, {"type": "page"})] == ["type", "page-id"]
    assert [f.raw for f in shapes.fields(EITHER, SHAPES, {"type": "?"})] == [
        "type",
        "page-id",
        "base-id",
    ]


def test_a_member() -> None:
    assert shapes.member(ObjectType("page"), "page-id", SHAPES) == STRING
    assert shapes.member(ObjectType("page"), "nope", SHAPES) is None
    assert shapes.member(ObjectType("open"), "any", SHAPES) == INTEGER
    assert shapes.member(DictType(STRING), "any", SHAPES) == STRING
    assert shapes.member(UnionType((DictType(STRING), NULL)), "any", SHAPES) == STRING
    assert shapes.member(STRING, "any", SHAPES) is None
    assert shapes.member(AnyType(), "any", SHAPES) == AnyType()


def test_an_item() -> None:
    assert shapes.item(ArrayType(STRING)) == STRING
    assert shapes.item(ArrayType(STRING, prefix=(INTEGER,)), 0) == INTEGER
    assert shapes.item(ArrayType(STRING, prefix=(INTEGER,)), 1) == STRING
    assert shapes.item(ArrayType(STRING, prefix=(INTEGER,))) == UnionType((INTEGER, STRING))
    assert shapes.item(STRING) is None


def test_a_place_deep_inside() -> None:
    deep = ArrayType(EITHER)
    assert shapes.at(deep, (0, "page-id"), SHAPES) == STRING
    field = shapes.field_at(deep, (0, "page-id"), SHAPES)
    assert field is not None
    assert field.raw == "page-id"
    assert shapes.at(deep, ("page-id",), SHAPES) is None


def test_literals() -> None:
    assert shapes.literals(UnionType((EnumType(('"a"', "1")), NULL))) == ('"a"', "1", "null")
    assert shapes.literals(ScalarType(Scalar.BOOLEAN)) == ("true", "false")
    assert shapes.literals(STRING) == ()
