"""The schemas of one tool → `Schemas`: the only way in from JSON text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from codeact_lsp.schema import algebra, naming
from codeact_lsp.schema.annotations import Vocabulary, objects_in, write
from codeact_lsp.schema.build import ANY, NEVER, RECURSIVE, Build
from codeact_lsp.schema.load import MAX_NESTING, TooLargeError, UnreadableError, load
from codeact_lsp.schema.places import Place, document
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    Json,
    NeverType,
    ObjectType,
    Schemas,
    Shape,
    Type,
    UnionType,
)
from codeact_lsp.schema.walk import type_of

INPUT: str = "/inputSchema"
OUTPUT: str = "/outputSchema"
_OPEN = Shape(name="", fields=(), extra=ANY, extra_declared=True)


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
    taken = _document(build, input_schema, INPUT)
    arguments = _arguments(build, taken)
    result: Type | None = None
    if output_schema is not None:
        # Both documents must live until the end: the build knows their parts by id.
        given = _document(build, output_schema, OUTPUT)
        result = type_of(build, given)
    return _finish(
        build,
        arguments,
        result,
        prefix=naming.class_prefix(server, tool),
        salt=f"{server!r}{tool!r}",
    )


def _document(build: Build, text: str, pointer: str) -> Place:
    schema: Json = True
    try:
        loaded = load(text)
    except TooLargeError as error:
        build.limit(pointer, f"size{pointer}", f"the schema is {error}: it is Any")
    except UnreadableError as error:
        build.note(pointer, f"the schema is {error}: it is Any")
    else:
        schema = loaded.value
        if loaded.cut:
            build.limit(
                pointer,
                f"nesting{pointer}",
                f"JSON nested over {MAX_NESTING} deep is left out, at {loaded.cut} places",
            )
    return document(schema, text, pointer)


def _arguments(build: Build, place: Place) -> Shape:
    """The shape of a call: an input schema always describes an object, whatever it says."""
    if place.schema is None:
        build.note(place.pointer, "the tool lists no input schema: it takes any keywords")
        return _OPEN
    type_ = _Settled(build).type(type_of(build, place))
    alternatives = type_.members if isinstance(type_, UnionType) else (type_,)
    shapes: list[tuple[Type, Shape]] = [
        (one, algebra.shape_of(build, one))
        for one in alternatives
        if isinstance(one, (DictType, ObjectType))
    ]
    if shapes and any(isinstance(one, ArrayType) and one.implied for one in alternatives):
        # What is said of arrays only leaves objects open.
        shapes.append((build.intern(ANY), Shape(name="", fields=())))
    if len(shapes) == 1:
        return shapes[0][1]
    if shapes:
        keys = tuple(_shape_key(build, type_, shape) for type_, shape in shapes)
        merged = algebra.either(build, (shape for _, shape in shapes), place.pointer)
        return replace(merged, variants=keys)
    if not build.notes:
        build.note(place.pointer, _not_an_object(type_))
    if isinstance(type_, NeverType):
        return replace(_OPEN, extra=NEVER, extra_declared=False)
    return _OPEN


def _shape_key(build: Build, type_: Type, shape: Shape) -> str:
    if not isinstance(type_, ObjectType):
        type_ = build.add_shape(shape, INPUT)
    assert isinstance(type_, ObjectType)
    return type_.shape


def _not_an_object(type_: Type) -> str:
    if isinstance(type_, AnyType):
        return "the input schema says nothing of an object: the tool takes any keywords"
    if isinstance(type_, NeverType):
        return "the input schema refuses everything: no call can be right"
    shown = write(type_, Vocabulary(str))[:200]
    return f"the input schema describes no object but {shown}: the tool takes any keywords"


def _finish(
    build: Build, arguments: Shape, result: Type | None, *, prefix: str, salt: str
) -> Schemas:
    settled = _Settled(build)
    arguments = settled.shape(arguments)
    result = None if result is None else settled.type(result)
    roots: list[tuple[Type, str]] = [
        (field.type, prefix + "Args" + naming.pascal(field.raw)) for field in arguments.fields
    ]
    roots += [(ObjectType(key), prefix + "Args") for key in naming.related(arguments)]
    if result is not None:
        roots.append((result, prefix + "Output"))
    shapes = settled.reachable(key for type_, _ in roots for key in objects_in(type_))
    order = naming.children_first(shapes, shapes)
    own = prefix + "Args"
    named = naming.name_all(shapes, roots, naming.identify(shapes, order, salt), (own,))
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
                target = build.done[build.awaited[key]]
                waits = any(inner in build.awaited for inner in objects_in(target))
                return build.intern(RECURSIVE) if waits else target
            case ArrayType(item, prefix):
                return build.intern(
                    replace(type_, item=self.type(item), prefix=tuple(map(self.type, prefix)))
                )
            case DictType(value, patterns=patterns):
                return build.intern(
                    replace(type_, value=self.type(value), patterns=self._patterns(patterns))
                )
            case UnionType(members):
                return algebra.union(build, map(self.type, members), "")
        return type_
