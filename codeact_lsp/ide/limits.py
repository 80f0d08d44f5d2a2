"""The validation keywords of a type as short phrases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from codeact_lsp.ide.literals import python_source
from codeact_lsp.ide.prose import Name, Part
from codeact_lsp.ide.shapes import variants
from codeact_lsp.schema.scalars import counted
from codeact_lsp.schema.types import (
    ArrayType,
    DictType,
    EnumType,
    Limits,
    ScalarType,
    Type,
)

MEMBERS_SHOWN: Final = 20
MEMBER_SHOWN: Final = 80


def limits(of: Type) -> tuple[tuple[Part, ...], ...]:
    """One phrase a limit, of the type itself or of the members of a union."""
    found: dict[tuple[Part, ...], None] = {}
    for one in variants(of):
        if isinstance(one, ScalarType | ArrayType | DictType):
            found.update(dict.fromkeys(_phrases(one.limits)))
        if isinstance(one, EnumType):
            found.update(dict.fromkeys(_members("one of ", one)))
        elif isinstance(one, ArrayType):
            for item in variants(one.item):
                if isinstance(item, EnumType):
                    found.update(dict.fromkeys(_members("each item one of ", item)))
    return tuple(found)


def _members(words: str, of: EnumType) -> Iterator[tuple[Part, ...]]:
    """The members of an enum, where the annotation does not tell them all: only a type stands there."""
    if not any(isinstance(json.loads(member), float | list | dict) for member in of.members):
        return
    parts: list[Part] = [words]
    for member in of.members[:MEMBERS_SHOWN]:
        written = python_source(member)
        shown = written if len(written) <= MEMBER_SHOWN else f"{written[:MEMBER_SHOWN]}…"
        parts += [Name(shown), ", "]
    more = len(of.members) - MEMBERS_SHOWN
    yield (*parts, f"and {more:,} more") if more > 0 else tuple(parts[:-1])


def _phrases(given: Limits) -> Iterator[tuple[Part, ...]]:
    numbers = (
        ("at least ", given.minimum),
        ("at most ", given.maximum),
        ("more than ", given.exclusive_minimum),
        ("less than ", given.exclusive_maximum),
        ("a multiple of ", given.multiple_of),
    )
    for words, number in numbers:
        if number is not None:
            yield (f"{words}{number:g}" if isinstance(number, float) else f"{words}{number}",)
    yield from _counts(given.min_length, given.max_length, "character")
    yield from _counts(given.min_items, given.max_items, "item")
    yield from _counts(given.min_properties, given.max_properties, "key")
    if given.unique_items:
        yield ("no item twice",)
    if given.pattern is not None:
        yield ("matches ", Name(given.pattern))
    if given.format is not None:
        yield ("format ", Name(given.format))


def _counts(least: int | None, most: int | None, noun: str) -> Iterator[tuple[Part, ...]]:
    if least is not None and least == most:
        yield (f"exactly {counted(least, noun)}",)
        return
    if least:
        yield (f"at least {counted(least, noun)}",)
    if most is not None:
        yield (f"at most {counted(most, noun)}",)
