"""Steps into a tool's result: keys, items, unpacking and the methods of dicts and lists."""

from __future__ import annotations

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide import shapes
from codeact_lsp.ide.refs import OTHER, Many, Pending, Ref, Refs, Row, Table, Value
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    ObjectType,
    Type,
    extra_types,
)

_UNKNOWN: Refs = (OTHER,)


def shapes_of(bindings: Bindings, value: Value) -> shapes.Shapes:
    """The shapes that the type of `value` names."""
    return details(value.tool, bindings.fold_characters).schemas.shapes


def _part(value: Value, of: Type | None, step: str | int) -> Refs:
    return _UNKNOWN if of is None else (Value(value.tool, of, (*value.path, step)),)


def subscript(bindings: Bindings, ref: Ref, key: str | int | None) -> Refs:
    """`ref[key]`; `key` None where it is not known before the code runs."""
    match ref:
        case Value(_, of) if isinstance(key, str):
            return _part(ref, shapes.member(of, key, shapes_of(bindings, ref)), key)
        case Value(_, of) if isinstance(key, int):
            return _part(ref, shapes.item(of, key if key >= 0 else None), max(key, 0))
        case Value(_, of) if not any(
            isinstance(one, ObjectType | DictType) for one in shapes.variants(of)
        ):
            return _part(ref, shapes.item(of), 0)
        case Row(items) if isinstance(key, int) and -len(items) <= key < len(items):
            return items[key]
        case Many(item) if not isinstance(key, str):
            return item
        case Table(entries) if key is not None:
            return dict(entries).get(str(key), _UNKNOWN)
        case _:
            return _UNKNOWN


def cut(ref: Ref) -> Refs:
    """`ref[a:b]`: a list of the same items."""
    match ref:
        case Value(_, of) if any(isinstance(one, ArrayType) for one in shapes.variants(of)):
            return (ref,)
        case Many():
            return (ref,)
        case Row(items):
            flat = tuple(one for refs in items for one in refs)
            return (Many(flat or _UNKNOWN),)
        case _:
            return _UNKNOWN


def iterate(ref: Ref) -> Refs:
    """What a loop over `ref` binds."""
    match ref:
        case Value(_, of):
            item = shapes.item(of)
            return _UNKNOWN if item is None else _part(ref, item, 0)
        case Many(item):
            return item
        case Row(items):
            return tuple(one for refs in items for one in refs) or _UNKNOWN
        case _:
            return _UNKNOWN


def unpack(ref: Ref, index: int, count: int) -> Refs:
    """Target `index` of `count`; a negative one counts from the end."""
    match ref:
        case Row(items) if -len(items) <= index < len(items) and len(items) >= count - 1:
            return items[index]
        case Value(_, of) if index >= 0:
            return _part(ref, shapes.item(of, index), index)
        case _:
            return iterate(ref)


def method(bindings: Bindings, ref: Ref, name: str, key: str | int | None) -> Refs:
    """What a method of a result, or of a display of results, gives."""
    match name, ref:
        case (("get" | "pop" | "setdefault"), (Value() | Table())) if isinstance(key, str):
            return subscript(bindings, ref, key)
        case "pop", (Value() | Many() | Row()):
            return subscript(bindings, ref, -1 if key is None else key)
        case "values", Value(_, of):
            return (Many(_values(bindings, ref, of)),)
        case "items", Value(_, of):
            return (Many((Row((_UNKNOWN, _values(bindings, ref, of))),)),)
        case "values", Table(entries):
            return (Many(tuple(one for _, refs in entries for one in refs) or _UNKNOWN),)
        case "items", Table(entries):
            inner = tuple(one for _, refs in entries for one in refs) or _UNKNOWN
            return (Many((Row((_UNKNOWN, inner)),)),)
        case "copy", (Value() | Table() | Many() | Row()):
            return (ref,)
        case "result", Pending(value, True):
            return value
        case _:
            return _UNKNOWN


def _values(bindings: Bindings, value: Value, of: Type) -> Refs:
    """The type of any member, where all members are of one type."""
    mappings = [one for one in shapes.variants(of) if isinstance(one, DictType)]
    found = [part for one in mappings for part in extra_types(one)]
    all_shapes = shapes_of(bindings, value)
    for shape in shapes.object_shapes(of, all_shapes):
        found += [field.type for field in shape.fields]
        found += extra_types(shape)
    member = shapes.union(tuple(found))
    if member is None or isinstance(member, AnyType):
        return _UNKNOWN
    return (Value(value.tool, member, (*value.path, "*")),)
