"""Steps into a tool's result and into what holds results: keys, items, unpacking, methods."""

from __future__ import annotations

from typing import Final

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide import shapes
from codeact_lsp.ide.members import UNKNOWN, together
from codeact_lsp.ide.refs import Managed, Many, Pending, Ref, Refs, Row, Table, Value
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    ObjectType,
    Type,
    extra_types,
)
from codeact_lsp.syntax.origins import Enter, Iterate, Key, Rest, Step, Unpack

NO_ITEM: Final = Row(())
NO_ENTRY: Final = Table(())


def shapes_of(bindings: Bindings, value: Value) -> shapes.Shapes:
    """The shapes that the type of `value` names."""
    return details(value.tool, bindings.fold_characters).schemas.shapes


def _part(value: Value, of: Type | None, step: str | int) -> Refs:
    return UNKNOWN if of is None else (Value(value.tool, of, (*value.path, step)),)


def subscript(bindings: Bindings, ref: Ref, key: str | int | None) -> Refs:
    """`ref[key]`; `key` None where it is not known before the code runs.

    Nothing at all where there is surely nothing: what follows does not run.
    """
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
        case Row(items) if key is None or not items:
            return iterate(ref)
        case Many(item) if not isinstance(key, str):
            return item
        case Table():
            return _entry(ref, key)
        case _:
            return UNKNOWN


def _entry(table: Table, key: str | int | None) -> Refs:
    """What a dict may hold under a key."""
    if key is None:
        return any_entry(table)
    found = [refs for name, refs in table.more if name is None or name == key]
    for name, refs in reversed(table.entries):
        if name is None or name == key:
            found.append(refs)
        if name == key:
            break
    return () if table == NO_ENTRY else together(found)


def any_entry(table: Table) -> Refs:
    """What a dict may hold under any key."""
    found = [refs for _, refs in (*table.entries, *table.more)]
    if table == NO_ENTRY:
        return ()
    return together(found)


def cut(ref: Ref) -> Refs:
    """`ref[a:b]`, or `ref` in some other order: a list of the same items."""
    match ref:
        case Value(_, of) if any(isinstance(one, ArrayType) for one in shapes.variants(of)):
            return (ref,)
        case Many() | Row(()):
            return (ref,)
        case Row():
            return (Many(iterate(ref)),)
        case _:
            return UNKNOWN


def listed(ref: Ref) -> Refs:
    """`list(ref)`: its items as a list."""
    match ref:
        case Row():
            return (ref,)
        case _:
            return cut(ref)


def iterate(ref: Ref) -> Refs:
    """What a loop over `ref` binds; nothing where it surely does not run."""
    match ref:
        case Value(_, of):
            item = shapes.item(of)
            return UNKNOWN if item is None else _part(ref, item, 0)
        case Many(item):
            return item
        case Row(items):
            return together(items) if items else ()
        case Table():
            return UNKNOWN if ref != NO_ENTRY else ()
        case _:
            return UNKNOWN


def unpack(ref: Ref, index: int, count: int) -> Refs:
    """Target `index` of `count`; a negative one counts from the end."""
    match ref:
        case Row(items) if -len(items) <= index < len(items) and len(items) >= count - 1:
            return items[index]
        case Value(_, of) if index >= 0:
            return _part(ref, shapes.item(of, index), index)
        case _:
            return iterate(ref)


def step(bindings: Bindings, ref: Ref, taken: Step) -> Refs:
    """One step from a value to what a target of it gets."""
    match taken:
        case Iterate():
            return iterate(ref)
        case Unpack(index, count):
            return unpack(ref, index, count)
        case Rest(before, after):
            return _rest(ref, before, after)
        case Key(key):
            return subscript(bindings, ref, key)
        case Enter():
            return ref.value if isinstance(ref, Managed) else UNKNOWN


def _rest(ref: Ref, before: int, after: int) -> Refs:
    match ref:
        case Row(items):
            return (Row(items[before : len(items) - after]),)
        case _:
            return (Many(iterate(ref)),)


def merged(ref: Ref) -> Refs:
    """What `ref | other` takes over from a dict."""
    match ref:
        case Table():
            return (ref,)
        case Value(_, of) if any(
            isinstance(one, ObjectType | DictType) for one in shapes.variants(of)
        ):
            return (ref,)
        case _:
            return UNKNOWN


def method(bindings: Bindings, ref: Ref, name: str, key: str | int | None) -> Refs:
    """What a method of a result, or of a display of results, gives."""
    match name, ref:
        case (("get" | "pop" | "setdefault"), Value()) if isinstance(key, str):
            return subscript(bindings, ref, key)
        case (("get" | "pop" | "setdefault"), Table()):
            return subscript(bindings, ref, key) or UNKNOWN
        case (("pop" | "popleft"), (Value() | Many() | Row())):
            return subscript(bindings, ref, -1 if key is None else key)
        case "values", Value(_, of):
            return (Many(_values(bindings, ref, of)),)
        case "items", Value(_, of):
            return (Many((Row((UNKNOWN, _values(bindings, ref, of))),)),)
        case "values", Table():
            return (Many(any_entry(ref)),)
        case "items", Table():
            return (Many((Row((UNKNOWN, any_entry(ref))),)),)
        case "popitem", Table():
            return (Row((UNKNOWN, any_entry(ref))),)
        case "copy", (Value() | Table() | Many() | Row()):
            return (ref,)
        case "result", Pending(value, True):
            return value
        case _:
            return UNKNOWN


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
        return UNKNOWN
    return (Value(value.tool, member, (*value.path, "*")),)
