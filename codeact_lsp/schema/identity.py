"""Which shapes look the same to Python, within a tool and across tools, recursive ones included.

Two shapes are the same class when their keys are the same and lead to the same classes: the states
of two automata that no walk tells apart. So they are told apart step by step, as far as a walk of
that many steps can see, until a further step tells no more of them apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Final

from codeact_lsp.schema.annotations import Vocabulary, write
from codeact_lsp.schema.naming import children, children_first
from codeact_lsp.schema.types import Shape

_MAX_RECURSIVE: Final = 500
_MAX_STEPS: Final = 32
"""Past these, recursive shapes are classes of their own tool alone."""


def identify(shapes: Mapping[str, Shape], order: Iterable[str], salt: str) -> dict[str, str]:
    """Key → a text that is equal for shapes, of any tool, that look the same to Python.

    Args:
        shapes: every shape of a tool.
        order: their keys, each after those it leads to, cycles aside.
        salt: a text that no other tool has.

    """
    found: dict[str, str] = {}
    rest: list[str] = []
    for key in order:
        if all(inner in found for inner in children(shapes[key])):
            found[key] = _digest(shapes[key], found.__getitem__)
        else:
            rest.append(key)
    if rest:
        found |= _recursive(shapes, rest, found, salt)
    return found


def _recursive(
    shapes: Mapping[str, Shape], keys: list[str], known: Mapping[str, str], salt: str
) -> dict[str, str]:
    """Identities of shapes that are part of a cycle, or lead to one."""
    classes = _told_apart(shapes, keys, known) if len(keys) <= _MAX_RECURSIVE else None
    if classes is None:
        return {key: _hash(f"{salt}:{key}") for key in keys}
    # One of each class is enough from here on, and what a tool has twice does not count.
    one_of = {name: key for key, name in reversed(classes.items())}
    merged = {key: one_of[name] for key, name in classes.items()}
    found = dict(known)

    def links(shape: Shape) -> Iterator[str]:
        return (merged[inner] for inner in children(shape) if inner in merged)

    for group in _groups(list(one_of.values()), shapes, links):
        found |= _group(shapes, group, found, merged)
    return {key: found[merged[key]] for key in keys}


def _told_apart(
    shapes: Mapping[str, Shape], keys: Collection[str], known: Mapping[str, str]
) -> dict[str, str] | None:
    """Key → its class, equal for those that no walk tells apart; None where walks get too long."""
    classes = dict.fromkeys(keys, "")
    count = 1
    for _ in range(_MAX_STEPS):
        before = {**known, **classes}
        classes = {key: _digest(shapes[key], before.__getitem__) for key in keys}
        if len(set(classes.values())) == count:
            return classes
        count = len(set(classes.values()))
    return None


def _groups(
    keys: list[str], shapes: Mapping[str, Shape], links: Callable[[Shape], Iterator[str]]
) -> list[list[str]]:
    """`keys` with those that lead to each other together, each group after those it leads to."""
    order = children_first(keys, shapes, links)
    leading_to: dict[str, list[str]] = {key: [] for key in order}
    for key in order:
        for inner in links(shapes[key]):
            leading_to[inner].append(key)
    groups: list[list[str]] = []
    seen: set[str] = set()
    for start in reversed(order):
        group: list[str] = []
        waiting = [start]
        while waiting:
            key = waiting.pop()
            if key not in seen:
                seen.add(key)
                group.append(key)
                waiting += leading_to[key]
        if group:
            groups.append(group)
    return groups[::-1]


def _group(
    shapes: Mapping[str, Shape],
    group: list[str],
    known: Mapping[str, str],
    merged: Mapping[str, str],
) -> dict[str, str]:
    """Identities of shapes that lead to each other and are all different."""

    def step(names: Mapping[str, str]) -> dict[str, str]:
        def name(inner: str) -> str:
            key = merged.get(inner, inner)
            return names[key] if key in names else known[key]

        return {key: _digest(shapes[key], name) for key in group}

    names = step(dict.fromkeys(group, ""))
    while len(set(names.values())) < len(group):
        names = step(names)
    # How each leads to the others, by names that tell them apart, is all that there is to know.
    whole = _hash(repr(sorted(zip(names.values(), step(names).values(), strict=True))))
    return {key: _hash(names[key] + whole) for key in group}


def _digest(shape: Shape, name_of: Callable[[str], str]) -> str:
    words = Vocabulary(name_of)
    return _hash(repr([(f.raw, f.required, write(f.type, words)) for f in shape.fields]))


def _hash(body: str) -> str:
    return hashlib.blake2b(body.encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()
