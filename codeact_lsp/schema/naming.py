"""Class names for shapes.

A class name is `<prefix>Args<key>…` or `<prefix>Output<key>…`. No builtin and no name of `typing` has
that form but `ParamSpecArgs`, and a name that ends in `Args` belongs to the arguments as a whole.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from codeact_lsp import names
from codeact_lsp.schema.annotations import objects_in
from codeact_lsp.schema.types import Shape, Type

_MAX_LENGTH: Final = 120
_NOT_ASCII_WORD: Final = re.compile(r"[^A-Za-z0-9]+")


def pascal(raw: str) -> str:
    """`raw` in Pascal case: words start at every character that an identifier cannot hold."""
    spaced = "".join(
        c if f"_{c}".isidentifier() and c != "_" else " " for c in names.normalise(raw)
    )
    return "".join(word[:1].upper() + word[1:] for word in spaced.split())


def class_prefix(server: str | None, tool: str) -> str:
    """What the class names of a tool start with, from both raw names."""
    prefix = (pascal(server or "") + pascal(tool))[:_MAX_LENGTH]
    if not names.is_usable(f"{prefix}Args"):
        # A digit first, or a character that Python composes with its neighbour.
        ascii_only = _NOT_ASCII_WORD.sub("", prefix)
        prefix = f"Tool{prefix}" if names.is_usable(f"Tool{prefix}Args") else f"Tool{ascii_only}"
    return prefix


def children(shape: Shape) -> Iterator[str]:
    """The keys of the shapes that the class of `shape` names, in order."""
    for field in shape.fields:
        yield from objects_in(field.type)


def related(shape: Shape) -> Iterator[str]:
    """The keys of all shapes that `shape` leads to, in order."""
    yield from children(shape)
    yield from objects_in(shape.extra)
    for _, type_ in shape.patterns:
        yield from objects_in(type_)
    yield from shape.variants


def children_first(
    roots: Iterable[str],
    shapes: Mapping[str, Shape],
    links: Callable[[Shape], Iterator[str]] = related,
) -> list[str]:
    """Every key that `roots` lead to by `links`, each after those it leads to, cycles aside."""
    order: list[str] = []
    seen: set[str] = set()
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, links(shapes[root]))]
        while stack:
            key, rest = stack[-1]
            following = next((inner for inner in rest if inner not in seen), None)
            if following is None:
                order.append(key)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, links(shapes[following])))
    return order


def name_all(
    shapes: Mapping[str, Shape],
    roots: Iterable[tuple[Type, str]],
    identities: Mapping[str, str],
    taken: Iterable[str],
) -> dict[str, Shape]:
    """`shapes` with their names; `roots` are types with the name that their shapes start from.

    A shape is named after the shortest way to it, of equal ones the first in the schema's order.
    """
    by_identity: dict[str, str] = {}
    used = dict.fromkeys(taken, 1)
    named: dict[str, Shape] = {}
    waiting = deque((key, base) for type_, base in roots for key in objects_in(type_))
    while waiting:
        key, base = waiting.popleft()
        if key in named:
            continue
        shape = shapes[key]
        name = by_identity.get(identities[key])
        if name is None:
            name = by_identity[identities[key]] = free(base, used)
        named[key] = replace(shape, name=name, identity=identities[key])
        for field in shape.fields:
            inner = _extended(base, field.raw)
            waiting.extend((found, inner) for found in objects_in(field.type))
        waiting.extend((found, base) for found in related(shape))
    return named


def _extended(base: str, raw: str) -> str:
    name = base + pascal(raw)
    return name if len(name) <= _MAX_LENGTH and names.is_usable(name) else base


def free(base: str, used: dict[str, int]) -> str:
    """`base`, or with the first of 2, 3, … after it that is free; it is entered in `used`.

    `used` holds each name with the number that was last tried after it.
    """
    number = used.get(base, 0)
    while True:
        number += 1
        name = base if number == 1 else f"{base}{number}"
        if name not in used:
            break
    used[name] = max(used.get(name, 0), 1)
    used[base] = number
    return name
