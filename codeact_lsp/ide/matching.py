"""Which names a typed prefix means, best first.

Every name has one key in which case does not count and whatever is no letter or digit is an
underscore, so `API-pa` and `api_pa` find `API_patch_page` alike. Keys of a long list are made once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_SEPARATOR = re.compile(r"[\W_]")


def key(name: str) -> str:
    """What of `name` counts when it is compared with what was typed."""
    return _SEPARATOR.sub("_", name.casefold())


@dataclass(frozen=True, slots=True)
class Names(Generic[T]):
    """Values under their names, ready to be searched by many prefixes.

    Attributes:
        keys: sorted.
        values: in the order of `keys`.
        text: every key on a line of its own, so that one expression searches them all.

    """

    keys: tuple[str, ...]
    values: tuple[T, ...]
    text: str
    starts: tuple[int, ...]


def names(pairs: Iterable[tuple[str, T]]) -> Names[T]:
    """An index of (name, value) pairs."""
    ordered = sorted(((key(name), value) for name, value in pairs), key=lambda pair: pair[0])
    keys = tuple(pair[0] for pair in ordered)
    starts: list[int] = []
    at = 0
    for one in keys:
        starts.append(at)
        at += len(one) + 1
    return Names(keys, tuple(pair[1] for pair in ordered), "\n".join(keys), tuple(starts))


def best(indexes: Sequence[Names[T]], typed: str, limit: int) -> tuple[tuple[T, ...], bool]:
    """The values whose names fit `typed`, best first, and whether there are more than `limit`.

    Names that start with what was typed come first, then those with a word that does, then those
    that contain it; only if there are none, those that hold its characters in order. The work is
    logarithmic in the index as long as enough names start with `typed`.
    """
    wanted = key(typed)
    found: dict[tuple[int, int], T] = {}
    for place in _places(indexes, wanted):
        if place in found:
            continue
        if len(found) == limit:
            return tuple(found.values()), True
        found[place] = indexes[place[0]].values[place[1]]
    return tuple(found.values()), False


def order(candidates: Sequence[tuple[str, T]], typed: str) -> tuple[T, ...]:
    """The values of a short list that fit `typed`, ranked as in `best`; equals keep their order."""
    wanted = key(typed)
    word, inside, loose = _patterns(wanted)
    keyed = [(key(name), value) for name, value in candidates]

    def rank(one: str) -> int | None:
        if one.startswith(wanted):
            return 0
        return 1 if re.search(word, one) else 2 if re.search(inside, one) else None

    found: list[tuple[int, T]] = []
    for one, value in keyed:
        at = rank(one)
        if at is not None:
            found.append((at, value))
    if not found:
        return tuple(value for one, value in keyed if re.search(loose, one))
    return tuple(value for _, value in sorted(found, key=lambda pair: pair[0]))


def _places(indexes: Sequence[Names[T]], wanted: str) -> Iterator[tuple[int, int]]:
    """(index, position in it) of the names that fit, best first; some more than once."""
    for number, index in enumerate(indexes):
        at = bisect_left(index.keys, wanted)
        while at < len(index.keys) and index.keys[at].startswith(wanted):
            yield number, at
            at += 1
    if not wanted:
        return
    word, inside, loose = _patterns(wanted)
    fits = any(wanted in index.text for index in indexes)
    for pattern in (word, inside) if fits else (loose,):
        for number, index in enumerate(indexes):
            for match in re.finditer(pattern, index.text):
                yield number, bisect_left(index.starts, match.start() + 1) - 1


def _patterns(wanted: str) -> tuple[str, str, str]:
    """A word that starts with `wanted`, the text of it, its characters in order; all linear.

    A negated class before each character leaves nothing to backtrack into.
    """
    exact = re.escape(wanted)
    loose = "".join(f"[^{re.escape(one)}\n]*{re.escape(one)}" for one in wanted)
    return f"_{exact}", exact, f"(?m:^){loose}"
