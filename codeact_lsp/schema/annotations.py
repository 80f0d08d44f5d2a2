"""Types as Python source: annotations and `TypedDict` definitions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from codeact_lsp import text
from codeact_lsp.names import is_usable
from codeact_lsp.schema.types import (
    AnyType,
    ArrayType,
    DictType,
    EnumType,
    Field,
    Json,
    NeverType,
    ObjectType,
    Scalar,
    ScalarType,
    Shape,
    Type,
    UnionType,
    extra_types,
)

TYPING_NAMES: Final = frozenset({"Any", "Literal", "Never", "NotRequired", "TypedDict", "Union"})
BUILTIN_NAMES: Final = frozenset({"Exception", "bool", "dict", "float", "int", "list", "str"})
LINE_LENGTH: Final = 100
_NONE: Final = "None"


@dataclass(slots=True)
class Vocabulary:
    """How names are written in one piece of source.

    Attributes:
        class_name: shape key → class name.
        spelled: a name of `typing` or a builtin → how it is reached where its own name is taken.
        late: classes that are not defined yet, so their names are quoted.
        used: names of `typing`, builtins and classes written so far.

    """

    class_name: Callable[[str], str]
    spelled: Mapping[str, str] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    def word(self, name: str) -> str:
        """A name of `typing` or a builtin as it is written here."""
        self.used.add(name)
        return self.spelled.get(name, name)

    def roots(self) -> frozenset[str]:
        """The modules that `spelled` goes through."""
        return frozenset(path.split(".", 1)[0] for path in self.spelled.values())


def annotation(type_: Type, shapes: Mapping[str, Shape]) -> str:
    """`type_` as Python source, such as `list[str] | None`."""
    return write(type_, Vocabulary(lambda key: shapes[key].name))


def write(type_: Type, words: Vocabulary) -> str:
    """`type_` as Python source in the vocabulary of one module."""
    parts = list(dict.fromkeys(_parts(type_, words)))
    if len(parts) > 1 and (anything := words.spelled.get("Any", "Any")) in parts:
        return anything
    if _NONE in parts:
        parts.remove(_NONE)
        parts.append(_NONE)
    if len(parts) > 1 and any(part.startswith('"') for part in parts):
        # `"X" | None` cannot be evaluated.
        return f"{words.word('Union')}[{', '.join(parts)}]"
    return " | ".join(parts)


def _parts(type_: Type, words: Vocabulary) -> Iterator[str]:
    """The members of the union that `type_` is written as."""
    match type_:
        case AnyType():
            yield words.word("Any")
        case NeverType():
            yield words.word("Never")
        case ScalarType(Scalar.NULL):
            yield _NONE
        case ScalarType(scalar):
            yield words.word(scalar.value)
        case EnumType(members):
            yield from _literals(members, words)
        case ArrayType(item, prefix):
            yield f"{words.word('list')}[{_item(item, prefix, words)}]"
        case DictType():
            key = words.word("str")
            yield f"{words.word('dict')}[{key}, {write(UnionType(extra_types(type_)), words)}]"
        case ObjectType(key):
            name = words.class_name(key)
            words.used.add(name)
            yield f'"{name}"' if name in words.late else name
        case UnionType(members):
            for member in members:
                yield from _parts(member, words)


def _item(item: Type, prefix: tuple[Type, ...], words: Vocabulary) -> str:
    if not prefix:
        return write(item, words)
    # A tuple that is left open may go on with anything, but its positions are what people need.
    rest = () if isinstance(item, (AnyType, NeverType)) else (item,)
    return write(UnionType((*prefix, *rest)), words)


def _literals(members: Iterable[str], words: Vocabulary) -> Iterator[str]:
    """What `Literal` cannot hold widens to its type, and that takes in its narrower kin."""
    values = [json.loads(member) for member in members]
    wide = {type(value) for value in values if isinstance(value, (float, dict, list))}
    literal = [
        _literal(value)
        for value in values
        if type(value) not in wide and not (type(value) is int and float in wide)
    ]
    shown = [one for one in literal if one != _NONE]
    if shown:
        yield f"{words.word('Literal')}[{', '.join(shown)}]"
    if float in wide:
        yield words.word("float")
    yield from (_value(value, words) for value in values if isinstance(value, (dict, list)))
    if len(shown) < len(literal):
        yield _NONE


def _value(value: Json, words: Vocabulary) -> str:
    """The type of one value."""
    match value:
        case None:
            return _NONE
        case dict():
            key = words.word("str")
            return f"{words.word('dict')}[{key}, {_values(value.values(), words)}]"
        case list():
            return f"{words.word('list')}[{_values(value, words)}]"
    return words.word(type(value).__name__)


def _values(values: Iterable[Json], words: Vocabulary) -> str:
    parts = dict.fromkeys(_value(value, words) for value in values)
    if parts.pop(_NONE, parts) is None:
        parts[_NONE] = None
    return " | ".join(parts) or words.word("Never")


def _literal(value: object) -> str:
    return text.literal(value) if isinstance(value, str) else repr(value)


def objects_in(type_: Type) -> Iterator[str]:
    """The keys of the shapes that `type_` names, in order."""
    match type_:
        case ObjectType(key):
            yield key
        case ArrayType(item, prefix):
            for part in (*prefix, item):
                yield from objects_in(part)
        case DictType():
            for part in extra_types(type_):
                yield from objects_in(part)
        case UnionType(members):
            for member in members:
                yield from objects_in(member)


def definition(
    shape: Shape, name: str, words: Vocabulary, note: Callable[[Field], str] = lambda _: ""
) -> list[str]:
    """The lines that define the `TypedDict` of `shape`; `note` gives each field's comment.

    A class body whose key hid a name that annotations need would not mean what it says.
    """
    base = words.word("TypedDict")
    values = {f.raw: _field(f, words) for f in shape.fields}
    comments = {f.raw: _trailing(note(f)) for f in shape.fields}
    hidden = words.used | words.roots() | BUILTIN_NAMES | TYPING_NAMES
    if all(_is_class_key(raw) and raw not in hidden for raw in values):
        return [
            f"class {name}({base}):",
            *(f"    {raw}: {value}{comments[raw]}" for raw, value in values.items()),
        ]
    line = ", ".join(f"{text.literal(raw)}: {value}" for raw, value in values.items())
    line = f'{name} = {base}("{name}", {{{line}}})'
    if len(line) <= LINE_LENGTH and not any(comments.values()) and "" not in values:
        return [line]
    # No checker takes an empty key, so it is there for people only.
    return [
        f"{name} = {base}(",
        f'    "{name}",',
        "    {",
        *(
            f"        {'# ' if not raw else ''}{text.literal(raw)}: {value},{comments[raw]}"
            for raw, value in values.items()
        ),
        "    },",
        ")",
    ]


def _field(field_: Field, words: Vocabulary) -> str:
    written = write(field_.type, words)
    return written if field_.required else f"{words.word('NotRequired')}[{written}]"


def _trailing(comment: str) -> str:
    return f"  # {comment}" if comment else ""


def _is_class_key(raw: str) -> bool:
    """Whether `raw` can be a name in a class body: usable, and not mangled there."""
    return is_usable(raw) and not raw.startswith("__")
