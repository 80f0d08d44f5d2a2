"""The validation keywords of a type as short phrases."""

from __future__ import annotations

from collections.abc import Iterator

from codeact_lsp.ide.prose import Name, Part
from codeact_lsp.ide.shapes import variants
from codeact_lsp.schema.types import ArrayType, DictType, Limits, ScalarType, Type


def limits(of: Type) -> tuple[tuple[Part, ...], ...]:
    """One phrase a limit, of the type itself or of the members of a union."""
    found: dict[tuple[Part, ...], None] = {}
    for one in variants(of):
        if isinstance(one, ScalarType | ArrayType | DictType):
            found.update(dict.fromkeys(_phrases(one.limits)))
    return tuple(found)


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
    def counted(number: int) -> str:
        return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

    if least is not None and least == most:
        yield (f"exactly {counted(least)}",)
        return
    if least:
        yield (f"at least {counted(least)}",)
    if most is not None:
        yield (f"at most {counted(most)}",)
