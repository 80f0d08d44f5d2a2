"""What lists and dicts hold after the text has put something into them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from codeact_lsp.ide import results
from codeact_lsp.ide.constants import literal
from codeact_lsp.ide.members import UNKNOWN, together
from codeact_lsp.ide.model import PlacedChange, View
from codeact_lsp.ide.refs import Follow, Many, Ref, Refs, Row, Table
from codeact_lsp.syntax.changes import ChangeKind, changes_of
from codeact_lsp.syntax.document import Document, PlacedTopLevel
from codeact_lsp.syntax.expressions import Display, DisplayKind, bare
from codeact_lsp.syntax.logical import LogicalLine
from codeact_lsp.syntax.origins import Assigned, Binding
from codeact_lsp.syntax.scopes import lookup
from codeact_lsp.syntax.statements import Statement

_FOLLOWED: Final = 6
"""The most changes of one list or dict that are looked at; past that it may hold anything besides."""
_LATER: Final = frozenset({"class", "def"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name is used: the document of the chain, and the offset in it."""

    document: int
    offset: int


def held_at(view: View, binding: Binding, refs: Refs, place: Place, follow: Follow) -> Refs:
    """What a name holds at a place: `refs` of its binding, with what was put in by then."""
    if not any(isinstance(ref, Row | Many | Table) for ref in refs) or _is_fixed(binding):
        return refs
    changes = list(islice(_changes(view, binding, place), _FOLLOWED + 1))
    if not changes:
        return refs
    if len(changes) > _FOLLOWED:
        changes[-1] = changes[-1]._replace(
            change=replace(changes[-1].change, kind=ChangeKind.UNKNOWN)
        )
    return together(_changed(view, ref, changes, follow) for ref in refs)


def _is_fixed(binding: Binding) -> bool:
    """Whether it is a tuple."""
    match binding.origin:
        case Assigned(value, ()):
            made = bare(value)
            return isinstance(made, Display) and made.kind is DisplayKind.TUPLE
        case _:
            return True


def stored_at(
    view: View, bindings: tuple[Binding, ...], key: str, place: Place, follow: Follow
) -> Refs:
    """What the text stores itself under a key of a result that a name holds; nothing if it does not."""
    found: list[Refs] = []
    for binding in bindings:
        for change in islice(_changes(view, binding, place), _FOLLOWED):
            if change.change.kind is ChangeKind.ENTRY and change.change.key is not None:
                stored = literal(view, change.change.key, change.document)
                if stored == key:
                    found.append(_value(change, follow))
    return together(found) if found else ()


def _changes(view: View, binding: Binding, place: Place) -> Iterator[PlacedChange]:
    """The changes of what `binding` binds that may have happened at a place."""
    found = _of_name(view, binding.name, binding.document, _only_statement(view, binding))
    for one in found:
        near = binding.document <= one.document <= place.document
        if near and _may_precede(view, one, place) and _is_bound(view, one, binding):
            yield one


def _only_statement(view: View, binding: Binding) -> PlacedTopLevel | None:
    """The top-level statement that has all uses of a name, because it is local to a function there."""
    placed = view.chain[binding.document].top_at(binding.span.start)
    outside = binding.name in placed.top.names or binding.name in placed.top.declared
    return placed if _runs_later(placed) and not outside else None


def _stands_at(one: PlacedChange) -> tuple[int, int]:
    return one.document, one.change.name.span.start


def _is_bound(view: View, one: PlacedChange, binding: Binding) -> bool:
    """Whether the name of a change may have this binding."""
    name = one.change.name
    place = (one.document, name.span)
    known = view.changes.bound.get(place)
    if known is None:
        found = lookup(view.chain[: one.document + 1], name.name, name.span.start)
        known = frozenset((binding.document, binding.span) for binding in found)
        view.changes.bound[place] = known
    return (binding.document, binding.span) in known


def _of_name(
    view: View, name: str, document: int, own: PlacedTopLevel | None
) -> Sequence[PlacedChange]:
    """The changes of a name, in the order of the texts; with `own`, those in that statement of `document`."""
    if view.names is not None:
        found = view.names.changes.get(name, ())
        if own is None:
            return found
        ends = [(document, own.start), (document, own.start + own.top.length)]
        low, high = (bisect_left(found, end, key=_stands_at) for end in ends)
        return found[low:high]
    where = None if own is None else (document, own.start)
    known = view.changes.of_name.get((name, where))
    if known is None:
        placed = _placed(view) if own is None else ((document, own),)
        known = tuple(
            PlacedChange(number, change)
            for number, one in placed
            for statement in _statements(view.chain[number], one, name)
            for change in changes_of(statement)
            if change.name.name == name
        )
        view.changes.of_name[name, where] = known
    return known


def _placed(view: View) -> Iterator[tuple[int, PlacedTopLevel]]:
    for number, document in enumerate(view.chain):
        for placed in document.top_levels():
            yield number, placed


def _statements(document: Document, placed: PlacedTopLevel, name: str) -> Iterator[Statement]:
    """The statements that may change what a name holds; few others are parsed for it."""
    if name not in placed.top.names and not _runs_later(placed):
        return
    for start, line in zip(placed.top.starts, placed.top.lines, strict=False):
        if name in line.names and _may_change(line, name):
            yield from line.statements(placed.start + start, document.work)


def _may_change(line: LogicalLine, name: str) -> bool:
    text = line.text
    if not ("(" in text or "=" in text or line.word == "del"):
        return False
    mentioned = re.search(rf"\b{re.escape(name)}\s*[\[.,)]", text)
    return mentioned is not None or not text.isascii()


def _may_precede(view: View, one: PlacedChange, place: Place) -> bool:
    """Whether a change may have happened when the place is reached.

    What a function does may happen at any time, so what is said of it follows from more than the
    statements before it.
    """
    document = view.chain[one.document]
    changing = document.top_at(one.change.name.span.start)
    end = changing.start + changing.top.length
    if one.document == place.document and changing.start <= place.offset < end:
        return True
    if _runs_later(changing):
        view.filled.add(one.change.name.name)
    if one.document < place.document:
        return True
    return changing.start <= place.offset or _runs_later_at(document, place.offset)


def _runs_later_at(document: Document, offset: int) -> bool:
    return _runs_later(document.top_at(min(offset, len(document.text) - 1)))


def _runs_later(placed: PlacedTopLevel) -> bool:
    return any(line.word in _LATER for line in placed.top.lines)


def _value(change: PlacedChange, follow: Follow) -> Refs:
    value = change.change.value
    return UNKNOWN if value is None else follow(value, change.document)


def _changed(view: View, ref: Ref, changes: list[PlacedChange], follow: Follow) -> Refs:
    match ref:
        case Row() | Many():
            return _changed_list(ref, changes, follow)
        case Table():
            return (_changed_table(view, ref, changes, follow),)
        case _:
            return (ref,)


def _changed_list(ref: Row | Many, changes: list[PlacedChange], follow: Follow) -> Refs:
    items = [results.iterate(ref)]
    for one in changes:
        kind = one.change.kind
        if kind is ChangeKind.UNKNOWN:
            items.append(UNKNOWN)
        elif kind in {ChangeKind.ITEM, ChangeKind.ENTRY}:
            items.append(_value(one, follow))
        elif kind is ChangeKind.ITEMS:
            items += map(results.iterate, _value(one, follow))
    return (Many(together(items)),)


def _changed_table(view: View, table: Table, changes: list[PlacedChange], follow: Follow) -> Table:
    more = list(table.more)
    for one in changes:
        change = one.change
        key = None if change.key is None else literal(view, change.key, one.document)
        at = key if isinstance(key, str) else None
        match change.kind:
            case ChangeKind.ENTRY:
                more.append((at, _value(one, follow)))
            case ChangeKind.NESTED:
                more.append((at, (Many(_value(one, follow)),)))
            case ChangeKind.ITEMS:
                more += _entries(_value(one, follow))
            case ChangeKind.UNKNOWN:
                more.append((None, UNKNOWN))
            case _:
                pass
    if len(more) == len(table.more):
        return table
    return replace(table, whole=False, more=tuple(more))


def _entries(refs: Refs) -> Iterator[tuple[str | None, Refs]]:
    for ref in refs:
        if isinstance(ref, Table):
            yield from (*ref.entries, *ref.more)
        else:
            yield None, UNKNOWN
