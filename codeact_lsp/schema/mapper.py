"""The schemas of one tool → `Schemas`: the only way in from JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from codeact_lsp.schema import algebra, alternatives, identity, naming
from codeact_lsp.schema.annotations import Vocabulary, objects_in, write
from codeact_lsp.schema.build import NEVER, Build
from codeact_lsp.schema.load import MAX_NESTING, TooLargeError, UnreadableError, load
from codeact_lsp.schema.places import document
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Field,
    Json,
    NeverType,
    ObjectType,
    Schemas,
    Shape,
    Type,
    UnionType,
    Why,
)
from codeact_lsp.schema.unions import enumeration, union
from codeact_lsp.schema.walk import type_of

INPUT: Final = "/inputSchema"
OUTPUT: Final = "/outputSchema"
_MAX_INSIDE: Final = 2


def schemas(
    input_schema: str, output_schema: str | None, *, tool: str, server: str | None = None
) -> Schemas:
    """What a tool takes and gives.

    Args:
        input_schema: JSON text; `"null"` where the server sent none.
        output_schema: JSON text, or None where the server sent none.
        tool: the tool's raw name; with `server`, its server's, it starts the class names.
        server: None for a tool without a server.

    Any text is fine: what is not understood becomes `AnyType` with a note.

    """
    build = Build()
    settled = _Settled(build)
    # Both documents must live until the end: the build knows their parts by id.
    taken, _input = _read(build, input_schema, INPUT)
    arguments = settled.shape(_arguments(build, settled.type(taken)))
    result: Type | None = None
    if output_schema is not None:
        given, _output = _read(build, output_schema, OUTPUT)
        result = settled.type(given)
    return _finish(
        build,
        settled,
        arguments,
        result,
        prefix=naming.class_prefix(server, tool),
        salt=f"{server!r}{tool!r}",
    )


def _read(build: Build, text: str, pointer: str) -> tuple[Type, Json]:
    """The type that a whole schema describes, and the schema."""
    try:
        loaded = load(text)
    except TooLargeError as error:
        message = f"the schema is {error}: it is Any"
        return build.limit(pointer, f"size{pointer}", message), None
    except UnreadableError as error:
        return build.unknown(pointer, f"the schema is {error}: it is Any"), None
    if loaded.value is None and pointer == INPUT:
        message = "the tool lists no input schema: it takes any keywords"
        return build.unknown(pointer, message, Why.NO_INPUT_SCHEMA), None
    if loaded.cut:
        build.limit(
            pointer,
            f"nesting{pointer}",
            f"JSON nested over {MAX_NESTING} deep is left out, at {loaded.cut} places",
        )
    return type_of(build, document(loaded.value, text, pointer)), loaded.value


def _arguments(build: Build, type_: Type) -> Shape:
    """The shape of a call: an input schema always describes an object, whatever it says."""
    members = type_.members if isinstance(type_, UnionType) else (type_,)
    shapes: list[tuple[Type, Shape]] = [
        (one, algebra.shape_of(build, one))
        for one in members
        if isinstance(one, (DictType, ObjectType))
    ]
    for one in members:
        if isinstance(one, EnumType):
            shapes += [(one, _constant(build, value)) for value in _objects(one)]
    if shapes and any(isinstance(one, ArrayType) and one.implied for one in members):
        # What is said of arrays only leaves objects open.
        shapes.append((build.any(INPUT), Shape(name="", fields=())))
    if len(shapes) == 1:
        return shapes[0][1]
    if shapes:
        keys = tuple(_shape_key(build, one, shape) for one, shape in shapes)
        merged = alternatives.either(build, (shape for _, shape in shapes), INPUT)
        return replace(merged, variants=keys)
    if isinstance(type_, AnyType):
        if not build.notes:
            build.note(
                INPUT, "the input schema says nothing of an object: the tool takes any keywords"
            )
        return Shape(name="", fields=(), extra=type_, extra_declared=True)
    if isinstance(type_, NeverType):
        if not build.notes:
            build.note(INPUT, "the input schema refuses everything: no call can be right")
        return Shape(name="", fields=(), extra=type_)
    shown = write(type_, Vocabulary(str))[:200]
    message = f"the input schema describes no object but {shown}: the tool takes any keywords"
    anything = build.unknown(INPUT, message, Why.NOT_AN_OBJECT)
    return Shape(name="", fields=(), extra=anything, extra_declared=True)


def _objects(listed: EnumType) -> Iterator[dict[str, Json]]:
    for member in listed.members:
        if isinstance(value := json.loads(member), dict):
            yield value


def _constant(build: Build, value: dict[str, Json]) -> Shape:
    """The shape of one value that an input schema lists."""
    if build.spend(len(value), INPUT):
        return Shape(name="", fields=())
    fields = (
        Field(raw, enumeration(build, [inner], INPUT), required=True)
        for raw, inner in value.items()
    )
    return Shape(name="", fields=tuple(fields), extra=build.intern(NEVER))


def _shape_key(build: Build, type_: Type, shape: Shape) -> str:
    if not isinstance(type_, ObjectType):
        type_ = build.add_shape(shape, INPUT)
    assert isinstance(type_, ObjectType)
    return type_.shape


def _finish(
    build: Build,
    settled: _Settled,
    arguments: Shape,
    result: Type | None,
    *,
    prefix: str,
    salt: str,
) -> Schemas:
    roots: list[tuple[Type, str]] = [
        (field.type, prefix + "Args" + naming.pascal(field.raw)) for field in arguments.fields
    ]
    roots += [(ObjectType(key), prefix + "Args") for key in naming.related(arguments)]
    if result is not None:
        roots.append((result, prefix + "Output"))
    shapes = settled.reachable(key for type_, _ in roots for key in objects_in(type_))
    order = naming.children_first(shapes, shapes)
    own = prefix + "Args"
    named = naming.name_all(shapes, roots, identity.identify(shapes, order, salt), (own,))
    return Schemas(
        arguments=replace(arguments, name=own),
        result=result,
        shapes=MappingProxyType(named),
        notes=tuple(build.notes),
        nodes=build.nodes,
    )


class _Settled:
    """Types with every reference to a schema that was unfinished when it was met filled in."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._known: dict[int, Type] = {}
        self._inside: set[str] = set()

    def reachable(self, roots: Iterable[str]) -> dict[str, Shape]:
        """The shapes that settled types lead to, settled themselves."""
        found: dict[str, Shape] = {}
        waiting = list(roots)[::-1]
        while waiting:
            key = waiting.pop()
            if key not in found:
                found[key] = self.shape(self._build.shapes[key])
                waiting.extend(list(naming.related(found[key]))[::-1])
        return found

    def shape(self, shape: Shape) -> Shape:
        if not self._build.awaited:
            return shape
        return replace(
            shape,
            fields=tuple(replace(field, type=self.type(field.type)) for field in shape.fields),
            extra=self.type(shape.extra),
            patterns=self._patterns(shape.patterns),
        )

    def _patterns(self, patterns: tuple[tuple[str, Type], ...]) -> tuple[tuple[str, Type], ...]:
        return tuple((pattern, self.type(type_)) for pattern, type_ in patterns)

    def type(self, type_: Type) -> Type:
        if not self._build.awaited:
            return type_
        known = self._known.get(id(type_))
        if known is None:
            known = self._known[id(type_)] = self._settle(type_)
        return known

    def _settle(self, type_: Type) -> Type:
        build = self._build
        match type_:
            case ObjectType(key) if key in build.awaited:
                return self._awaited(key)
            case ArrayType(item, prefix):
                return build.intern(
                    replace(type_, item=self.type(item), prefix=tuple(map(self.type, prefix)))
                )
            case DictType(value, patterns=patterns):
                return build.intern(
                    replace(type_, value=self.type(value), patterns=self._patterns(patterns))
                )
            case UnionType(members):
                return union(build, map(self.type, members), "")
        return type_

    def _awaited(self, key: str) -> Type:
        """What `key` stands for; once more inside itself where no named object is in between."""
        build = self._build
        schema, pointer = build.awaited[key]
        if key in self._inside or len(self._inside) == _MAX_INSIDE:
            message = "this refers to itself with no named object in between: it is Any further in"
            return build.limit(pointer, f"inside {key}", message, Why.SELF_REFERENCE)
        target = build.done[schema]
        if (spent := build.spend(build.size(target), pointer)) is not None:
            return spent
        # What is found inside ends in Any earlier than what is found outside.
        outside, self._known = self._known, {}
        self._inside.add(key)
        found = self.type(target)
        self._inside.remove(key)
        self._known = outside
        return found
