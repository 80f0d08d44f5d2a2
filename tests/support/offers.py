"""What completion offers at the marker of a cell."""

from __future__ import annotations

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.completion import complete
from codeact_lsp.ide.model import Empty, Item, ItemList, TextEdit
from tests.support.cells import BINDINGS, applied, cell, view


def answer(marked: str, made: Bindings = BINDINGS, *before: str) -> ItemList | Empty | None:
    """The list at the marker, or why there is none."""
    at = cell(marked)
    found = complete(view(at.text, made, before=before), at.offset)
    return found.empty if found.value is None else found.value


def listed(marked: str, made: Bindings = BINDINGS, *before: str) -> ItemList:
    """The list at the marker."""
    found = answer(marked, made, *before)
    assert isinstance(found, ItemList), found
    return found


def labels(marked: str, made: Bindings = BINDINGS, *before: str) -> list[str]:
    return [item.label for item in listed(marked, made, *before).items]


def texts(marked: str, made: Bindings = BINDINGS, *before: str) -> list[str]:
    """What each item writes at the marker."""
    return [item.text for item in listed(marked, made, *before).items]


def named(found: ItemList, label: str) -> Item:
    return next(item for item in found.items if item.label == label)


def chosen(marked: str, label: str, made: Bindings = BINDINGS, *before: str) -> str:
    """The text after the item of this label was taken, its further edits included."""
    found = listed(marked, made, *before)
    item = named(found, label)
    return applied(cell(marked).text, (TextEdit(found.span, item.text), *item.edits))
