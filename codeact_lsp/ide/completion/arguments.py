"""Completion inside a call: keywords, dict keys, and what stands for a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Parameter, ToolBinding, ToolDetails
from codeact_lsp.ide.calls import arguments, called_tools, parameter_of
from codeact_lsp.ide.completion import values
from codeact_lsp.ide.completion.items import Found, filter_text, nothing, short_list
from codeact_lsp.ide.completion.keys import quoted
from codeact_lsp.ide.literals import snippet_text
from codeact_lsp.ide.members import why_nothing
from codeact_lsp.ide.model import Empty, Item, ItemKind, Target, View
from codeact_lsp.ide.refs import ToolRef
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.call import CallSite, Slot, SlotKind, call_at
from codeact_lsp.syntax.expressions import Span

_TYPED: Final = re.compile(r"[^\s(),\"'=#{}][^(),\"'=#{}\r\n]*\Z")
_USUAL: Final = re.compile(r"[^\W\d][\w-]*")
_REST: Final = re.compile(r"\w*")
_LONGEST: Final = 200
"""Code points before the cursor in which the start of a raw name is looked for."""


def calls_tool(view: View, site: CallSite) -> bool:
    """Whether `site` may be a call of a tool."""
    return bool(called_tools(view, site.call)[0])


def in_call(view: View, site: CallSite) -> Found:
    """What can be typed at the slot of `site`."""
    refs, partial = called_tools(view, site.call)
    if partial and site.slot.argument == 0:
        refs = ()
    if not refs:
        if site.slot.string is not None:
            return nothing(Empty.IN_STRING)
        return nothing(why_nothing(resolve(view, site.call.function)))
    found = [_of(view, site, ref) for ref in refs]
    items = {item.label: item for one in found for item in one.items}
    return Found(tuple(items.values()), site.slot.span, empty=found[0].empty)


def raw_keyword(view: View, offset: int) -> Found | None:
    """Keywords by the start of a raw name that Python reads as something else: `page[si`, `$fil`."""
    source = view.document.text
    found = _TYPED.search(source[max(0, offset - _LONGEST) : offset])
    if found is None or _USUAL.fullmatch(found.group()):
        return None
    typed = found.group()
    start = offset - len(typed)
    before = source[max(0, start - _LONGEST) : start].rstrip()[-1:]
    site = call_at(view.document, offset) if before in {"(", ","} else None
    if site is None:
        return None
    rest = _REST.match(source, offset)
    assert rest is not None  # it matches the empty text too
    closes = typed.count("[") > typed.count("]") and source.startswith("]", rest.end())
    slot = Slot(SlotKind.KEYWORD_NAME, Span(start, rest.end() + closes), typed)
    items = [
        _keyword(parameter, ref.tool, slot)
        for ref in called_tools(view, site.call)[0]
        for parameter in _free(view, replace(site, slot=slot), ref, _known(view, ref))
        if parameter.raw.startswith(typed)
    ]
    return Found(tuple(items), slot.span) if items else None


def _known(view: View, ref: ToolRef) -> ToolDetails:
    return details(ref.tool, view.bindings.fold_characters)


def _of(view: View, site: CallSite, ref: ToolRef) -> Found:
    known = _known(view, ref)
    match site.slot.kind:
        case SlotKind.KEYWORD_NAME:
            return _keywords(view, site, ref, known)
        case SlotKind.UNSPELLED_KEY:
            return _keys(view, site, ref, known)
        case SlotKind.VALUE:
            return values.value(site, ref.tool, known)
        case SlotKind.NONE:
            return nothing(Empty.NO_NAME_EXPECTED)


def _free(view: View, site: CallSite, ref: ToolRef, known: ToolDetails) -> tuple[Parameter, ...]:
    """The parameters that nothing but the place of the cursor gives, required ones first."""
    at = site.slot.span
    taken = {
        parameter.raw
        for given in arguments(view, site.call).given
        if not (given.span.start <= at.end and at.start <= given.span.end)
        and (parameter := parameter_of(known, given)) is not None
    }
    bound = ref.given or frozenset()
    free = [
        parameter
        for parameter in known.parameters
        if parameter.raw not in taken and parameter.raw not in bound and parameter.name not in bound
    ]
    return tuple(sorted(free, key=lambda parameter: not parameter.required))


def _keywords(view: View, site: CallSite, ref: ToolRef, known: ToolDetails) -> Found:
    slot = site.slot
    free = _free(view, site, ref, known)
    items = [_keyword(parameter, ref.tool, slot) for parameter in free]
    if not slot.prefix and not site.call.arguments:
        items += _whole_call(ref.tool, free)
    return short_list(items, slot.prefix, slot.span, Empty.ALL_PARAMETERS_GIVEN)


def _keyword(parameter: Parameter, tool: ToolBinding, slot: Slot) -> Item:
    needed = "required" if parameter.required else "optional"
    target = Target(tool.server, tool.raw, (parameter.raw,))
    if parameter.name is None:
        key = text.literal(parameter.raw)
        return Item(
            label=f"**{{{key}: …}}",
            kind=ItemKind.PARAMETER,
            text=f"**{{{key}: }}",
            snippet=f"**{{{snippet_text(key)}: $0\\}}",
            detail=f": {parameter.annotation}",
            description=needed,
            filter_text=f"{parameter.raw} {key}",
            deprecated=parameter.field.deprecated,
            target=target,
        )
    return Item(
        label=f"{parameter.name}=",
        kind=ItemKind.PARAMETER,
        text=parameter.name if slot.equals else f"{parameter.name}=",
        detail=f": {parameter.annotation}",
        description=needed,
        filter_text=filter_text(parameter.name, parameter.raw, slot.prefix),
        deprecated=parameter.field.deprecated,
        target=target,
    )


def _whole_call(tool: ToolBinding, free: tuple[Parameter, ...]) -> Iterator[Item]:
    """One item that writes every required argument, where there are several."""
    required = [parameter for parameter in free if parameter.required]
    if len(required) < 2:
        return
    spelled = [parameter for parameter in required if parameter.name is not None]
    keys = [text.literal(parameter.raw) for parameter in required if parameter.name is None]
    plain = [f"{parameter.name}=" for parameter in spelled]
    stops = [f"{parameter.name}=${number}" for number, parameter in enumerate(spelled, 1)]
    if keys:
        plain.append(f"**{{{', '.join(f'{key}: ' for key in keys)}}}")
        numbered = enumerate(keys, len(spelled) + 1)
        pairs = (f"{snippet_text(key)}: ${number}" for number, key in numbered)
        stops.append(f"**{{{', '.join(pairs)}\\}}")
    names = ", ".join(text.escaped_name(parameter.name or parameter.raw) for parameter in required)
    yield Item(
        label=f"{names}",
        kind=ItemKind.CALL,
        text=", ".join(plain),
        snippet=", ".join(stops),
        description="all required",
        target=Target(tool.server, tool.raw),
    )


def _keys(view: View, site: CallSite, ref: ToolRef, known: ToolDetails) -> Found:
    """Raw keys of the call: those without a name first, the others last and marked."""
    slot = site.slot
    colon = slot.key is not None and slot.key.colon
    free = sorted(_free(view, site, ref, known), key=lambda parameter: parameter.name is not None)
    items = []
    for parameter in free:
        written = quoted(slot.string, parameter.raw)
        if written is None:
            continue
        marked = f"has a name: {parameter.name}=" if parameter.name is not None else ""
        needed = "required" if parameter.required else "optional"
        items.append(
            Item(
                label=text.escaped_name(parameter.raw),
                kind=ItemKind.KEY,
                text=written if slot.string or colon else f"{written}: ",
                detail=f": {parameter.annotation}",
                description=marked or needed,
                filter_text=parameter.raw,
                deprecated=parameter.field.deprecated,
                target=Target(ref.tool.server, ref.tool.raw, (parameter.raw,)),
            )
        )
    found = short_list(items, slot.prefix, slot.span, Empty.ALL_PARAMETERS_GIVEN)
    ordered = sorted(found.items, key=lambda item: item.description.startswith("has a name"))
    return Found(tuple(ordered), found.span, empty=found.empty)
