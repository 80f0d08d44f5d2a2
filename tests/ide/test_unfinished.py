"""Cells that are being typed or are damaged answer as the finished cell does.

Each test prints the share of places at which they do; it may grow and not fall.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue.snapshot import read_snapshot
from codeact_lsp.ide.completion import complete
from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.model import View
from codeact_lsp.ide.signature_help import signature_help
from codeact_lsp.syntax.call import call_at, calls
from codeact_lsp.syntax.document import Document, statements
from codeact_lsp.syntax.expressions import Attribute, Name, Span, walk
from codeact_lsp.syntax.scopes import lookup
from tests.support.cells import BINDINGS, IMPORT
from tests.support.own_cells import DEMO_CATALOGUE, own_cells
from tests.syntax.test_prefixes import CELLS

OWN: Final = own_cells()
DEMO: Final = bind(read_snapshot(DEMO_CATALOGUE))
INSERTED: Final = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ".",
    ":",
    "=",
    '"',
    "'",
    "\n",
    " x ",
    "await ",
)


@dataclass(slots=True)
class Share:
    """How many places were tried, and at how many the answer was the same."""

    what: str
    tried: int = 0
    same: int = 0
    others: list[str] = field(default_factory=list)

    def add(self, *, same: bool, where: str) -> None:
        self.tried += 1
        self.same += same
        if not same:
            self.others.append(where)

    def at_least(self, floor: float) -> None:
        share = self.same / self.tried
        print(f"{self.what}: {self.same} of {self.tried} ({share:.2%})")
        assert share >= floor, self.others[:20]


class Damage(NamedTuple):
    """`text[start:end]` replaced by `inserted`."""

    start: int
    end: int
    inserted: str

    def moved(self, offset: int) -> int | None:
        """Where what stood at an offset stands now; None where it is gone."""
        if offset <= self.start:
            return offset
        return None if offset < self.end else offset + len(self.inserted) - self.end + self.start


def tokens(document: Document) -> Iterator[Span]:
    for start, top in document.top_levels():
        for at, line in zip(top.starts, top.lines, strict=False):
            for token in line.tokens:
                yield Span(start + at + token.start, start + at + token.end)


def damages(document: Document) -> Iterator[Damage]:
    """One token less, or one more; which one, goes round."""
    for number, span in enumerate(tokens(document)):
        yield Damage(span.start, span.end, "")
        yield Damage(span.start, span.start, INSERTED[number % len(INSERTED)])


def bound_before(document: Document, offset: int, limit: int) -> dict[str, list[int]]:
    """Name → where it was bound before `limit`, as seen from `offset`."""
    names = {
        binding.name
        for one in statements(document, Span(0, limit))
        for binding in one.bindings
        if binding.span.end < limit
    }
    return {
        name: [b.span.start for b in lookup([document], name, offset) if b.span.end < limit]
        for name in sorted(names)
    }


def line_start(document: Document, offset: int) -> int:
    placed = document.line_at(offset)
    return offset if placed is None else placed.start


def around(document: Document, offset: int) -> int | None:
    site = call_at(document, offset)
    return None if site is None else site.call.open


ALL_CELLS: Final = {**CELLS, **OWN}


def test_every_prefix_has_the_call_around_the_cursor() -> None:
    share = Share("the call around the cursor, in prefixes")
    for where, text in ALL_CELLS.items():
        document = Document.parse(text)
        finished = [c for c in calls(document) if c.close is not None]
        for offset in range(len(text) + 1):
            opens = [c.open for c in finished if c.open < offset <= (c.close or 0)]
            found = around(document.replaced(offset, len(text), ""), offset)
            share.add(same=found == (opens[-1] if opens else None), where=f"{where}:{offset}")
    share.at_least(1.0)


def test_every_prefix_has_the_bindings_before_it() -> None:
    share = Share("bindings before the end of prefixes")
    for where, text in ALL_CELLS.items():
        document = Document.parse(text)
        for offset in range(1, len(text) + 1):
            limit = line_start(document, offset)
            if not text[limit:offset].strip():
                continue  # the column of an empty line says which block it is in
            cut = document.replaced(offset, len(text), "")
            same = bound_before(cut, offset, limit) == bound_before(document, offset, limit)
            share.add(same=same, where=f"{where}:{offset}")
    share.at_least(1.0)


def test_a_token_more_or_less_leaves_the_bindings_before_it() -> None:
    share = Share("bindings before a damaged token")
    for where, text in ALL_CELLS.items():
        document = Document.parse(text)
        for damage in damages(document):
            limit = line_start(document, damage.start)
            harmed = document.replaced(*damage)
            same = bound_before(harmed, damage.start, limit) == bound_before(
                document, damage.start, limit
            )
            share.add(same=same, where=f"{where}:{damage}")
    share.at_least(1.0)


def test_a_token_more_or_less_leaves_the_calls_of_other_lines() -> None:
    share = Share("calls of the lines that were not damaged")
    for where, text in ALL_CELLS.items():
        document = Document.parse(text)
        finished = calls(document)
        for damage in damages(document):
            line = document.line_at(damage.start)
            assert line is not None
            harmed = document.replaced(*damage)
            found = {(one.open, one.close) for one in calls(harmed)}
            for one in finished:
                if not line.start <= one.open < line.start + len(line.line.text):
                    ends = damage.moved(one.open), damage.moved(one.close or 0)
                    share.add(same=ends in found, where=f"{where}:{damage}:{one.open}")
    share.at_least(1.0)


def test_a_token_more_or_less_leaves_the_call_around_it() -> None:
    share = Share("the call around a damaged token")
    for where, text in ALL_CELLS.items():
        document = Document.parse(text)
        for damage in damages(document):
            before = around(document, damage.start)
            found = around(document.replaced(*damage), damage.start)
            if before is not None:
                share.add(same=found == before, where=f"{where}:{damage}")
    share.at_least(0.998)


class Asked(NamedTuple):
    """A cell with what answers are worked out from."""

    where: str
    made: Bindings
    before: Document
    document: Document

    def view(self, document: Document) -> View:
        return View(self.made, (self.before, document))


def asked() -> Iterator[Asked]:
    before = Document.parse(IMPORT)
    for where, text in OWN.items():
        yield Asked(where, DEMO if where == "demo" else BINDINGS, before, Document.parse(text))


def hovered(view: View, offset: int) -> object:
    answer = hover(view, offset)
    return answer.value.blocks if answer.value is not None else answer.empty


def helped(view: View, offset: int) -> object:
    answer = signature_help(view, offset)
    return answer.value and [(one.label, one.active) for one in answer.value]


def offered(view: View, offset: int) -> set[str]:
    answer = complete(view, offset)
    return set() if answer.value is None else {item.label for item in answer.value.items}


def names_in(document: Document) -> list[Span]:
    """Where a name or an attribute is written and is given no value."""
    return [
        span
        for statement in statements(document)
        for expression in statement.expressions
        for node in walk(expression)
        if isinstance(node, Name | Attribute)
        and (span := node.name_span if isinstance(node, Attribute) else node.span)
        not in {binding.span for binding in statement.bindings}
    ]


def test_every_prefix_answers_as_the_finished_cell() -> None:
    hovers = Share("hover at the end of prefixes")
    helps = Share("signature help at the end of prefixes")
    completions = Share("completion at the end of prefixes")
    for one in asked():
        whole, text = one.view(one.document), one.document.text
        ends = {span.end for span in names_in(one.document)}
        for offset in range(1, len(text) + 1):
            place = f"{one.where}:{offset}"
            cut = one.view(one.document.replaced(offset, len(text), ""))
            helps.add(same=helped(cut, offset) == helped(whole, offset), where=place)
            if offset in ends:
                hovers.add(same=hovered(cut, offset) == hovered(whole, offset), where=place)
            wanted = offered(whole, offset)
            if wanted:
                completions.add(same=wanted <= offered(cut, offset), where=place)
    # What a comprehension's element is, and which keyword a half-written word will be, stands behind.
    hovers.at_least(0.95)
    helps.at_least(0.975)
    completions.at_least(0.97)


def test_a_token_more_or_less_answers_as_the_finished_cell() -> None:
    hovers = Share("hover before and behind a damaged token")
    helps = Share("signature help at a damaged token")
    for one in asked():
        whole = one.view(one.document)
        names = names_in(one.document)
        known = {span: hovered(whole, span.end) for span in names}
        for number, damage in enumerate(damages(one.document)):
            harmed = one.view(one.document.replaced(*damage))
            place = f"{one.where}:{damage}"
            if helped(whole, damage.start):
                same = helped(harmed, damage.start) == helped(whole, damage.start)
                helps.add(same=same, where=place)
            for span in names[number % 7 :: 7]:
                end = damage.moved(span.end)
                if end is not None and damage.moved(span.start) is not None:
                    hovers.add(same=hovered(harmed, end) == known[span], where=f"{place}:{end}")
    # A damaged import takes with it what it brought.
    hovers.at_least(0.955)
    helps.at_least(0.9)
