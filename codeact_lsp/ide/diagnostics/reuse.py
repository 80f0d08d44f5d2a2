"""Which top-level statements have to be diagnosed again after an edit.

What is found in a statement follows from its text and from what the names in it may hold. So each
statement gets a mark that stays the same object from version to version for as long as its text is
the same and the marks of the statements that may bind its names are, in their order.
Names count wherever their letters stand, in strings too: too many cost a diagnosis, never an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple, TypeAlias, TypeVar

from codeact_lsp.ide.diagnostics.inside import Mark, units, words_of
from codeact_lsp.ide.model import Diagnostic, Fix, TextEdit, View
from codeact_lsp.syntax.document import Document, PlacedTopLevel
from codeact_lsp.syntax.expressions import Name, Span, walk
from codeact_lsp.syntax.logical import STAR, LogicalLine, TopLevel, Work

LONG: Final = 60
"""From how many lines on a top-level statement is diagnosed line by line."""
_LATER: Final = frozenset({"class", "def"})
# In a half-written `0name` Python reads a number and a name.
_WORD: Final = re.compile(r"[^\W\d]\w*")

K = TypeVar("K")
V = TypeVar("V")
Key: TypeAlias = tuple[object, ...]
"""Marks, or a text and marks, which are compared by identity."""


class _Facts(NamedTuple):
    """What a top-level statement says by itself, wherever it stands.

    Attributes:
        text: without the blank lines and comments behind it.
        words: the names that it may mention, and the one that a star import binds.
        read: those of them that what it binds may be made of.
        surely: the names that it binds whatever happens.
        later: it holds code that runs later, which sees what is bound behind it too.
        fills: the names of lists and dicts that such code may put something into.

    """

    text: str
    words: tuple[str, ...]
    read: tuple[str, ...]
    surely: frozenset[str]
    later: bool
    fills: frozenset[str]


class Found(NamedTuple):
    """What was found in a top-level statement that started at `start`."""

    start: int
    diagnostics: tuple[Diagnostic, ...]

    def at(self, start: int) -> Found:
        """The same for the statement where it starts now."""
        if start == self.start:
            return self
        by = start - self.start
        return Found(start, tuple(_moved(one, by) for one in self.diagnostics))


def _nothing() -> dict[Key, Found]:
    return {}


def _no_marks() -> dict[Key, object]:
    return {}


def _no_words() -> dict[LogicalLine, frozenset[str] | None]:
    return {}


@dataclass(slots=True, eq=False)
class Kept:
    """What the diagnosis of one version leaves for the next; not changed once it is there.

    Attributes:
        view: what was diagnosed.
        marks, words: see `keyed`.
        found: key of a statement → what is wrong in it, where that follows from the key.
        filling: the mark of all functions that put something into lists and dicts of the chain; the
            keys of what follows from them end with it and how many of them stand before.
        diagnosed: how many parts were diagnosed, the others were as before.

    """

    view: View
    marks: dict[Key, object] = field(default_factory=_no_marks)
    words: dict[LogicalLine, frozenset[str] | None] = field(default_factory=_no_words)
    found: dict[Key, Found] = field(default_factory=_nothing)
    filling: object = None
    diagnosed: int = 0


@dataclass(slots=True, eq=False)
class _Layer:
    """What one document adds to the marks of those before it.

    Attributes:
        taken: each name that it may mention → the mark that the name has before it.
        gives: name → the mark that it has behind it.
        facts, marks: what its own statements say, and which objects stand for what was marked.
        marked: its top-level statements, each with its mark.
        seen: for the long ones, the marks of all names before it.
        binders: name → the mark of what each statement that binds it gives, in order.
        later: name of a function or class → the words that stand in it.
        filling: the statements with functions that put something into lists and dicts, with their marks.

    """

    taken: dict[str, object | None] = field(default_factory=dict)
    gives: dict[str, object] = field(default_factory=dict)
    facts: dict[TopLevel, _Facts] = field(default_factory=dict)
    marks: dict[Key, object] = field(default_factory=_no_marks)
    marked: list[tuple[PlacedTopLevel, object]] = field(default_factory=list)
    seen: dict[TopLevel, dict[str, object]] = field(default_factory=dict)
    binders: dict[str, list[object]] = field(default_factory=dict)
    later: dict[str, set[str]] = field(default_factory=dict)
    filling: list[tuple[_Facts, object]] = field(default_factory=list)


class Part(NamedTuple):
    """What is diagnosed by itself: a top-level statement, or a line of a long one.

    A key that something was found for before tells that nothing which matters has changed.

    Attributes:
        start: its offset.
        lines: its lines, each with its offset.
        key: what it is made of and follows from.
        filling: how many of the statements of `Kept.filling` stand before it in its document.

    """

    start: int
    lines: tuple[tuple[int, LogicalLine], ...]
    key: Key
    filling: int


def keyed(view: View, before: Kept | None) -> tuple[Kept, list[Part]]:
    """The parts of the document, and what holds their keys."""
    replaced = set[Document]() if before is None else {*before.view.chain}.difference(view.chain)
    older = [one for one in map(_known_layer, replaced) if one is not None]
    holds: dict[str, object] = {}
    layers: list[_Layer] = []
    for document in view.chain:
        layer = _layer(document, holds, older)
        layers.append(layer)
        holds.update(layer.gives)
    own_layer = layers[-1]
    old_marks = {} if before is None else before.marks
    kept = Kept(view)

    def mark(*parts: object) -> object:
        known = kept.marks.get(parts) or old_marks.get(parts) or object()
        kept.marks[parts] = known
        return known

    later = _words_of_later(layers)
    anywhere = _Anywhere(layers, mark, set[str]().union(*(layer.binders for layer in layers)))
    kept.filling = mark("filling", *_filling(layers, anywhere, later))
    parts: list[Part] = []
    filling = 0
    for placed, own in own_layer.marked:
        top, facts = placed.top, own_layer.facts[placed.top]
        before_it = filling
        filling += bool(facts.fills)
        if top in own_layer.seen:
            outside = _Outside(own_layer.seen[top], anywhere, later, facts.later, top.names)
            inside = units(placed, outside.of, mark, partial(_line_words, kept, before))
            if inside is not None:
                parts += (
                    Part(one.start, ((one.start, one.line),), one.key, before_it) for one in inside
                )
                continue
        # Every binding counts, and not only those before it, for what runs later.
        words = [*filter(anywhere.bound.__contains__, facts.words)] if facts.later else []
        through = _through_functions(facts.words, top.names, later)
        if through:
            words = sorted(through.intersection(anywhere.bound).union(words))
        lines = zip((placed.start + at for at in top.starts), top.lines, strict=False)
        key = (own, *words, *map(anywhere.get, words))
        parts.append(Part(placed.start, tuple(lines), key, before_it))
    return kept, parts


def _known_layer(document: Document) -> _Layer | None:
    known = document.derived.get(_Layer)
    return known if isinstance(known, _Layer) else None


def _layer(document: Document, holds: Mapping[str, object], older: Sequence[_Layer]) -> _Layer:
    """The layer of `document` on names that have these marks; `older` ones lend it theirs."""
    known = _known_layer(document)
    if known is not None:
        if all(holds.get(name) is mark for name, mark in known.taken.items()):
            return known
        older = (known, *older)
    layer = _Layer()
    old_marks = _either([one.marks for one in older])
    old_facts = _either([one.facts for one in older])
    words: set[str] = set()
    now = dict(holds)

    def mark(*parts: object) -> object:
        found = layer.marks.get(parts) or old_marks.get(parts) or object()
        layer.marks[parts] = found
        return found

    every = tuple(document.top_levels())
    for placed in every:
        layer.facts[placed.top] = old_facts.get(placed.top) or _facts(placed, document.work)
    filled = set[str]().union(*(facts.fills for facts in layer.facts.values()))
    words.update(filled)
    for name in filled.intersection(holds):
        now[name] = layer.gives[name] = mark("filled", holds[name])
    for placed in every:
        top, facts = placed.top, layer.facts[placed.top]
        words.update(facts.words, top.names)
        if len(top.lines) >= LONG:
            layer.seen[top] = dict(now)
        own = mark(facts.text, tuple(map(now.get, facts.words)))
        layer.marked.append((placed, own))
        if facts.fills:
            layer.filling.append((facts, own))
        if not top.names:
            continue
        read = tuple(map(now.get, facts.read))
        given = mark(facts.text, facts.surely, frozenset(filled.intersection(top.names)), read)
        for name in top.names:
            layer.binders.setdefault(name, []).append(given)
            if facts.later:
                layer.later.setdefault(name, set()).update(facts.words)
            earlier = now.get(STAR if name in facts.surely else name)
            now[name] = layer.gives[name] = mark(earlier, given, name in facts.surely)
    layer.taken.update(zip(words, map(holds.get, words), strict=True))
    document.derived[_Layer] = layer
    return layer


def _either(mappings: Sequence[Mapping[K, V]]) -> Mapping[K, V]:
    """What any of them holds; nearly always there is one."""
    if len(mappings) == 1:
        return mappings[0]
    return {key: value for one in mappings for key, value in one.items()}


@dataclass(slots=True, eq=False)
class _Anywhere:
    """Marks of all that may bind a name, wherever it stands; worked out for the names asked for.

    Attributes:
        bound: the names that something binds.

    """

    layers: Sequence[_Layer]
    mark: Mark
    bound: set[str]
    known: dict[str, object | None] = field(default_factory=dict)

    def get(self, name: str) -> object | None:
        """The mark of `name`; None where nothing binds it."""
        if name not in self.known:
            found: object | None = None
            for layer in self.layers:
                for given in layer.binders.get(name, ()):
                    found = self.mark(found, given)
            self.known[name] = found
        return self.known[name]


@dataclass(slots=True, eq=False)
class _Outside:
    """What a name in a long statement follows from that is bound outside it."""

    holds: Mapping[str, object]
    anywhere: _Anywhere
    later: Mapping[str, set[str]]
    runs_later: bool
    own: frozenset[str]

    def of(self, name: str) -> object:
        words = _through_functions((name,), self.own, self.later)
        if self.runs_later:
            words.add(name)
        return self.holds.get(name), *map(self.anywhere.get, sorted(words))


def _line_words(kept: Kept, before: Kept | None, line: LogicalLine) -> frozenset[str] | None:
    if line not in kept.words:
        old = {} if before is None else before.words
        kept.words[line] = old[line] if line in old else words_of(line)
    return kept.words[line]


def _filling(
    layers: Sequence[_Layer], anywhere: _Anywhere, later: Mapping[str, set[str]]
) -> Iterator[object]:
    """What the functions are, and follow from, that may fill a list or dict which is not their own."""
    for layer in layers:
        for facts, own in layer.filling:
            if facts.fills.isdisjoint(anywhere.bound):
                continue
            words = _through_functions(facts.words, frozenset(), later).union(facts.words)
            yield own
            yield from ((word, anywhere.get(word)) for word in sorted(words & anywhere.bound))


def _words_of_later(layers: Sequence[_Layer]) -> Mapping[str, set[str]]:
    """Name of a function or class → the words that stand in it."""
    words: dict[str, set[str]] = {}
    for layer in layers:
        for name, found in layer.later.items():
            words.setdefault(name, set()).update(found)
    return words


def _through_functions(
    words: Sequence[str], own: frozenset[str], later: Mapping[str, set[str]]
) -> set[str]:
    """The names that stand in the functions that `words` name, those of `own` left out."""
    waiting = [name for name in filter(later.__contains__, words) if name not in own]
    reached = set(waiting)
    found: set[str] = set()
    while waiting:
        inner = later[waiting.pop()]
        found |= inner
        following = [name for name in inner if name in later and name not in reached]
        reached.update(following)
        waiting += following
    return found


def comparable(before: View, view: View) -> bool:
    """Whether what holds the keys of one view says anything of another.

    A function that assigns to a `global` name may have run at any time, so that nothing is told by
    an order of statements.
    """
    return (
        before.bindings is view.bindings
        and before.settings is view.settings
        and not _assigns_globals(before)
        and not _assigns_globals(view)
    )


def _assigns_globals(view: View) -> bool:
    return any(page.declared for document in view.chain for page in document.pages)


def _facts(placed: PlacedTopLevel, work: Work) -> _Facts:
    top = placed.top
    words = {STAR}
    for start, line in zip(top.starts, top.lines, strict=False):
        words |= _words(placed.start + start, line, work)
    surely: frozenset[str] = frozenset()
    if len(top.items) == 1 and not top.items[0].clauses:
        item = top.items[0]
        surely = frozenset(
            binding.name
            for statement in item.line.statements(placed.start + item.start, work)
            for binding in statement.bindings
            if binding.name != STAR
        )
    later = any(line.word in _LATER for line in top.lines)
    inside = (line.names for line in top.lines if line.word not in _LATER) if later else ()
    code = max((at + 1 for at, line in enumerate(top.lines) if line.word), default=0)
    text = "".join(line.text for line in top.lines[:code])
    counted = Counter(_WORD.findall(text)) if surely and text.isascii() else Counter[str]()
    read = (word for word in words if word not in surely or counted[word] != 1)
    fills = frozenset[str]().union(*inside)
    return _Facts(text, tuple(words), tuple(read), surely, later, fills)


def _words(start: int, line: LogicalLine, work: Work) -> set[str]:
    if line.text.isascii():
        return set(_WORD.findall(line.text))
    # Python spells some letters in several ways, and has letters in names that are none elsewhere.
    words: set[str] = set()
    for statement in line.statements(start, work):
        words.update(statement.names)
        words.update(one.name for one in (*statement.bindings, *statement.parameters))
        for expression in statement.expressions:
            words.update(node.name for node in walk(expression) if isinstance(node, Name))
    return words


def _moved(diagnostic: Diagnostic, by: int) -> Diagnostic:
    def moved(span: Span) -> Span:
        return Span(span.start + by, span.end + by)

    def moved_fix(fix: Fix) -> Fix:
        return replace(
            fix, edits=tuple(TextEdit(moved(edit.span), edit.text) for edit in fix.edits)
        )

    return replace(
        diagnostic,
        span=moved(diagnostic.span),
        fixes=tuple(moved_fix(fix) for fix in diagnostic.fixes),
    )
