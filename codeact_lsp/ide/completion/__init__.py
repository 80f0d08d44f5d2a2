"""Completion: one module for each kind of place, and the dispatch by place."""

from __future__ import annotations

from dataclasses import replace

from codeact_lsp.ide.completion import (
    arguments,
    attributes,
    bare_names,
    comparisons,
    imports,
    keys,
)
from codeact_lsp.ide.completion.items import Found, answer, nothing
from codeact_lsp.ide.model import Answer, Empty, ItemList, View
from codeact_lsp.syntax.call import CallSite, SlotKind
from codeact_lsp.syntax.context import (
    AttributeName,
    BareName,
    ImportName,
    InCall,
    ModulePath,
    NothingHere,
    Silence,
    StringKey,
    context_at,
    word_key,
)
from codeact_lsp.syntax.expressions import Span

_SILENT = {
    Silence.COMMENT: Empty.IN_COMMENT,
    Silence.STRING: Empty.IN_STRING,
    Silence.MAGIC: Empty.NOT_PYTHON,
}


def complete(view: View, offset: int) -> Answer[ItemList]:
    """What can be typed at `offset` of the view's document."""
    found = _find(view, offset)
    return answer(found, offset, view.settings.limit)


def _find(view: View, offset: int) -> Found:
    raw = arguments.raw_keyword(view, offset)
    if raw is not None:
        return raw
    match context_at(view.document, offset):
        case NothingHere(Silence.STRING, string) if string is not None:
            return comparisons.compared(view, string, offset)
        case NothingHere(reason):
            return nothing(_SILENT.get(reason, Empty.NO_NAME_EXPECTED))
        case ModulePath() as place:
            return imports.module_path(view, place)
        case ImportName() as place:
            return imports.imported_name(view, place)
        case AttributeName() as place:
            return attributes.attribute_name(view, place)
        case StringKey() as place:
            return keys.string_key(view, place)
        case InCall(site):
            return _in_call(view, site, offset)
        case BareName(prefix, span):
            raw = bare_names.raw_name(view, offset)
            return _word(view, prefix, span, offset) if raw is None else raw


def _in_call(view: View, site: CallSite, offset: int) -> Found:
    """What the call takes; where it says nothing, any name may stand."""
    slot = site.slot
    found = arguments.in_call(view, site)
    if found.items or slot.string is not None or slot.key is not None:
        return found
    if slot.kind is SlotKind.KEYWORD_NAME and arguments.calls_tool(view, site):
        return found
    word = _word(view, slot.prefix, slot.span, offset)
    return word if word.items else found


def _word(view: View, prefix: str, span: Span, offset: int) -> Found:
    """Keys, where the word may become one, and below them the tools that it may name."""
    bare = bare_names.bare_name(view, prefix, span, offset)
    place = word_key(view.document, offset)
    known = None if place is None else keys.string_key(view, place)
    if known is None or not known.items:
        return bare
    return replace(known, items=(*known.items, *bare.items), incomplete=bare.incomplete)
