"""Counting: who says what is right, who leaves it out, who says what is not so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks.quality.answers import Answer, says
from benchmarks.quality.positions import Position

Answers: TypeAlias = Mapping[str, Sequence[Answer]]
"""Name of a server → its answers, in the order of the positions."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many facts were said, left out, and said although they are not so."""

    right: int = 0
    missing: int = 0
    wrong: int = 0

    def __add__(self, other: Count) -> Count:
        return Count(
            self.right + other.right, self.missing + other.missing, self.wrong + other.wrong
        )

    def __str__(self) -> str:
        return f"{self.right} / {self.missing} / {self.wrong}"


@dataclass(frozen=True, slots=True)
class Loss:
    """A position at which others say something right that we do not."""

    position: Position
    facts: Mapping[str, frozenset[str]]


def facts_of(position: Position) -> frozenset[str]:
    """All that can be said at a position."""
    active = set() if position.active is None else {f"> {position.active}"}
    told = set() if position.says is None else {says(position.says[1])}
    return position.facts | active | told


def count(position: Position, answer: Answer) -> Count:
    """The count of one answer."""
    facts = facts_of(position)
    right = len(answer.right & facts)
    return Count(right, len(facts) - right, len(answer.wrong))


def by_category(
    positions: Sequence[Position], answers: Answers
) -> Mapping[str, Mapping[str, Count]]:
    """Category → server → its count, in the order of the positions."""
    table: dict[str, dict[str, Count]] = {}
    for at, position in enumerate(positions):
        row = table.setdefault(position.category, {})
        for name, given in answers.items():
            row[name] = row.get(name, Count()) + count(position, given[at])
    return table


def total(table: Mapping[str, Mapping[str, Count]]) -> Mapping[str, Count]:
    """Server → its count over all categories."""
    found: dict[str, Count] = {}
    for row in table.values():
        for name, one in row.items():
            found[name] = found.get(name, Count()) + one
    return found


def losses(positions: Sequence[Position], answers: Answers, ours: str) -> Iterator[Loss]:
    """Where anybody else says something right that `ours` leaves out."""
    for at, position in enumerate(positions):
        facts = facts_of(position)
        more = {
            name: given[at].right & facts - answers[ours][at].right
            for name, given in answers.items()
            if name != ours
        }
        if any(more.values()):
            yield Loss(position, {name: said for name, said in more.items() if said})


def not_ahead(positions: Sequence[Position], answers: Answers, ours: str) -> Iterator[Position]:
    """The positions that involve a rename where `ours` does not say more than the best other."""
    for at, position in enumerate(positions):
        facts = facts_of(position)
        best = max(
            (len(given[at].right & facts) for name, given in answers.items() if name != ours),
            default=0,
        )
        if position.renames and len(answers[ours][at].right & facts) <= best:
            yield position
