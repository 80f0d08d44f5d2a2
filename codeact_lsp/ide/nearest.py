"""The nearest real name to one that does not exist."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from codeact_lsp.ide.matching import key

T = TypeVar("T")

_ENOUGH: Final = 0.6
"""The least likeness, of 1, that is worth a suggestion: one slip in a name of three letters."""
_LENGTH: Final = 200


def nearest(wrong: str, known: Iterable[tuple[str, T]]) -> T | None:
    """The value whose name is most like `wrong`; None when none is like it.

    `known` are (name, value) pairs, a value under several names if it has them: a raw name is as
    good as a Python name. Case and separators do not count.
    """
    # Nothing is misspelt yet when an editor starts, and this takes as long as many modules of ours.
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    pairs = list(known)
    found = process.extractOne(
        key(wrong[:_LENGTH]),
        [key(name[:_LENGTH]) for name, _ in pairs],
        scorer=OSA.normalized_similarity,
        score_cutoff=_ENOUGH,
    )
    return None if found is None else pairs[found[2]][1]
