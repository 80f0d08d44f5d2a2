"""Every `Any` that a tool's schemas lead to, with its place and its reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codeact_lsp import names, text
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.schema.mapper import INPUT, OUTPUT
from codeact_lsp.schema.places import escaped
from codeact_lsp.schema.types import AnyType, ArrayType, DictType, Shape, Type, UnionType, Why


@dataclass(frozen=True, slots=True)
class AnyPlace:
    """A place that is `Any`.

    Attributes:
        pointer: a JSON pointer into the tool's definition; it names what is absent where the schema
            is silent by saying nothing at all.
        why: the reason.
        detail: one line about it; "" where the reason says all.

    """

    pointer: str
    why: Why
    detail: str = ""


def anys(tool: ToolBinding, fold_characters: str = names.DEFAULT_FOLD) -> tuple[AnyPlace, ...]:
    """The places of `tool` that are `Any`, each once: arguments first, the result last."""
    return tuple(dict.fromkeys(_places(tool, fold_characters)))


def _places(tool: ToolBinding, fold_characters: str) -> Iterator[AnyPlace]:
    found = details(tool, fold_characters)
    shapes = found.schemas.shapes
    yield from _in_shape(found.schemas.arguments, INPUT)
    if found.catch_all is not None and found.catch_all.raw_keys:
        keys = ", ".join(map(text.json_key, found.catch_all.raw_keys))
        yield AnyPlace(INPUT, Why.UNSPELLED, f"`**{found.catch_all.name}` takes {keys}")
    for result in (False, True):
        if result:
            yield from _result(tool, found.schemas.result)
        for key, shape in shapes.items():
            if key.startswith(OUTPUT) is result:
                yield from _in_shape(shape, key.split("~~", 1)[0])


def _result(tool: ToolBinding, result: Type | None) -> Iterator[AnyPlace]:
    if result is not None:
        yield from _in_type(result, OUTPUT)
    elif tool.server is None:
        yield AnyPlace(OUTPUT, Why.NO_OUTPUT_SCHEMA)


def _in_shape(shape: Shape, pointer: str) -> Iterator[AnyPlace]:
    for field in shape.fields:
        yield from _in_type(field.type, f"{pointer}/properties/{escaped(field.raw)}")
    yield from _in_patterns(shape.patterns, pointer)
    if shape.extra_declared:
        yield from _in_type(shape.extra, f"{pointer}/additionalProperties")


def _in_patterns(patterns: tuple[tuple[str, Type], ...], pointer: str) -> Iterator[AnyPlace]:
    for pattern, type_ in patterns:
        yield from _in_type(type_, f"{pointer}/patternProperties/{escaped(pattern)}")


def _in_type(type_: Type, pointer: str) -> Iterator[AnyPlace]:
    match type_:
        case AnyType(why, detail, own):
            yield AnyPlace(own or pointer, why, detail)
        case ArrayType(item, prefix):
            for number, part in enumerate(prefix):
                yield from _in_type(part, f"{pointer}/prefixItems/{number}")
            yield from _in_type(item, f"{pointer}/items")
        case DictType(value, patterns=patterns):
            yield from _in_patterns(patterns, pointer)
            yield from _in_type(value, f"{pointer}/additionalProperties")
        case UnionType(members):
            for member in members:
                yield from _in_type(member, pointer)
