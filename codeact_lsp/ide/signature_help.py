"""Signature help: the tool's signature, and the parameter that the cursor is in."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolBinding, ToolDetails
from codeact_lsp.bindings.signature import Signature, SignatureParameter, signature
from codeact_lsp.ide.calls import arguments, by_parameter, called_tools
from codeact_lsp.ide.describe import parameter_facts
from codeact_lsp.ide.members import why_nothing
from codeact_lsp.ide.model import Answer, Empty, View
from codeact_lsp.ide.prose import Block, Key, Name, Points, Text, sentence
from codeact_lsp.ide.renames import parameter_rename
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.names import normalise
from codeact_lsp.syntax.call import CallSite, SlotKind, call_at
from codeact_lsp.syntax.expressions import ArgumentKind, Span


@dataclass(frozen=True, slots=True)
class ParameterHelp:
    """One parameter: where its label is in the signature's, and what is known of it."""

    label: Span
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class SignatureHelp:
    """One signature; a lone `*` is no parameter of it.

    Attributes:
        label: one line of Python.
        parameters: in the order of the label.
        active: index of the parameter that the cursor is in, or that comes next; None for none.
        blocks: what is known of the tool.

    """

    label: str
    parameters: tuple[ParameterHelp, ...]
    active: int | None
    blocks: tuple[Block, ...] = ()


def signature_help(view: View, offset: int) -> Answer[tuple[SignatureHelp, ...]]:
    """The signatures that the call around `offset` may have; one unless several tools may be meant."""
    site = call_at(view.document, offset)
    if site is None:
        return Answer(None, Empty.NO_CALL_HERE)
    found = tuple(_help(view, site, ref.tool) for ref in called_tools(view, site.call)[0])
    return Answer(found) if found else Answer(None, why_nothing(resolve(view, site.call.function)))


def _help(view: View, site: CallSite, tool: ToolBinding) -> SignatureHelp:
    known = details(tool, view.bindings.fold_characters)
    shown = signature(tool, "brief", view.bindings.fold_characters)
    said = tool.tool.description.strip()
    return SignatureHelp(
        shown.label,
        tuple(_parameter(one, known) for one in shown.parameters),
        _active(view, site, known, shown),
        (Text(said),) if said else (),
    )


def _parameter(shown: SignatureParameter, known: ToolDetails) -> ParameterHelp:
    label = Span(*shown.label_range)
    if shown.parameter is None:
        return ParameterHelp(label, _catch_all(known))
    field = shown.parameter.field
    rename = parameter_rename(shown.parameter.spelling)
    said = Text(field.description) if field.description.strip() else None
    blocks = (rename, said, Points(parameter_facts(field)))
    return ParameterHelp(label, tuple(block for block in blocks if block is not None))


def _catch_all(known: ToolDetails) -> tuple[Block, ...]:
    if known.catch_all is None or not known.catch_all.raw_keys:
        return (sentence("any other key"),)
    points = []
    for raw in known.catch_all.raw_keys:
        parameter = known.by_raw[raw]
        needed = ", required" if parameter.required else ""
        points.append(sentence(Key(raw), ": ", Name(parameter.annotation), needed))
    return (sentence("passed as dict keys:"), Points(tuple(points)))


def _active(view: View, site: CallSite, known: ToolDetails, shown: Signature) -> int | None:
    """The parameter of the argument at the cursor, otherwise the next that is not given."""
    slot = site.slot
    catch_all = next((at for at, one in enumerate(shown.parameters) if one.parameter is None), None)
    argument = None if slot.argument is None else site.call.arguments[slot.argument]
    unpacked = (
        argument is not None
        and argument.kind is ArgumentKind.DOUBLE_STAR
        and argument.span.touches(slot.span.start)
    )
    if unpacked:
        return catch_all
    spelled = slot.parameter
    if spelled is None and argument is not None:
        spelled = argument.name
    if spelled is not None:
        name = normalise(spelled)
        parameter = known.by_name.get(name) or known.by_raw.get(name)
        for at, one in enumerate(shown.parameters):
            # By key: another thread may have worked out the same details as other objects.
            if parameter is not None and one.parameter and one.parameter.raw == parameter.raw:
                return at
        # A word that is only half typed still stands for the next parameter.
        if slot.kind is SlotKind.VALUE or parameter is not None:
            return catch_all
    given = by_parameter(known, arguments(view, site.call).given)
    free = [
        (not one.parameter.required, at)
        for at, one in enumerate(shown.parameters)
        if one.parameter is not None and one.parameter.raw not in given
    ]
    return min(free)[1] if free else catch_all
