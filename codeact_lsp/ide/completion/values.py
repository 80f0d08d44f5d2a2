"""Completion of a value: enum members, booleans, the default, examples, keys of an object."""

from __future__ import annotations

from dataclasses import replace

from codeact_lsp import text
from codeact_lsp.bindings.model import Parameter, ToolBinding, ToolDetails
from codeact_lsp.ide import shapes
from codeact_lsp.ide.completion.items import Found, nothing, short_list
from codeact_lsp.ide.completion.keys import quoted
from codeact_lsp.ide.describe import type_text
from codeact_lsp.ide.literals import inside, python_source, string_of
from codeact_lsp.ide.model import Empty, Item, ItemKind, Target
from codeact_lsp.ide.refs import Path
from codeact_lsp.names import normalise
from codeact_lsp.schema.types import ABSENT, EnumType, Field, Json, Type
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.call import CallSite, IndexStep, KeyStep, Slot
from codeact_lsp.syntax.expressions import Expression


def value(site: CallSite, tool: ToolBinding, known: ToolDetails) -> Found:
    """What may stand at a VALUE slot of a call of `tool`."""
    slot = site.slot
    parameter = _parameter(slot, known)
    if parameter is None:
        return nothing(Empty.NO_PARAMETER_HERE if slot.string is None else Empty.IN_STRING)
    path = _path(slot)
    if path is None:
        return nothing(Empty.NO_KNOWN_VALUES)
    all_shapes = known.schemas.shapes
    of = shapes.at(parameter.field.type, path, all_shapes)
    if of is None:
        return nothing(Empty.NO_KNOWN_VALUES)
    target = Target(tool.server, tool.raw, (parameter.raw, *path))
    if slot.key is not None:
        given = _given(site, parameter, slot)
        return _object_keys(slot, of, known, target, given)
    field = _field(parameter, path, known)
    return known_values(of, target, slot.string, slot.prefix, slot.span, field=field)


def _parameter(slot: Slot, known: ToolDetails) -> Parameter | None:
    if slot.parameter is None:
        return None
    spelled = slot.parameter if slot.unspelled else normalise(slot.parameter)
    by_name = None if slot.unspelled else known.by_name.get(spelled)
    return by_name or known.by_raw.get(spelled)


def _path(slot: Slot) -> Path | None:
    """The steps to the slot; None where one is not known."""
    path: list[str | int] = []
    for step in slot.path:
        if isinstance(step, IndexStep):
            path.append(step.index)
        elif step.key is None:
            return None
        else:
            path.append(step.key)
    return tuple(path)


def _field(parameter: Parameter, path: Path, known: ToolDetails) -> Field | None:
    if not path:
        return parameter.field
    return shapes.field_at(parameter.field.type, path, known.schemas.shapes)


def _given(site: CallSite, parameter: Parameter, slot: Slot) -> dict[str, Json]:
    """The literal strings that stand beside the key under the cursor."""
    at: Expression | None = None
    if slot.argument is not None:
        at = ast.bare(site.call.arguments[slot.argument].value)
    if slot.unspelled and isinstance(at, ast.Dict):
        at = _entry(at, parameter.raw)
    for step in slot.path:
        match step, at:
            case KeyStep(key), ast.Dict() if key is not None:
                at = _entry(at, key)
            case IndexStep(index), ast.Display(_, _, items) if index < len(items):
                at = ast.bare(items[index])
            case _:
                return {}
    if not isinstance(at, ast.Dict):
        return {}
    literals: dict[str, Json] = {}
    for entry in at.entries:
        key = None if entry.key is None else ast.literal_text(entry.key)
        said = ast.literal_text(entry.value)
        if key is not None and said is not None:
            literals[key] = said
    return literals


def _entry(display: ast.Dict, key: str) -> Expression | None:
    for entry in display.entries:
        if entry.key is not None and ast.literal_text(entry.key) == key:
            return ast.bare(entry.value)
    return None


def _object_keys(
    slot: Slot, of: Type, known: ToolDetails, target: Target, given: dict[str, Json]
) -> Found:
    """Raw keys of an object, those that are not given yet first."""
    if slot.key is None:
        return nothing(Empty.NO_KNOWN_VALUES)
    taken = frozenset(slot.key.given)
    fields = shapes.fields(of, known.schemas.shapes, given)
    ordered = sorted(fields, key=lambda field: (field.raw in taken, not field.required))
    items = []
    for field in ordered:
        written = quoted(slot.string, field.raw)
        if written is None:
            continue
        needed = "required" if field.required else "optional"
        items.append(
            Item(
                label=text.escaped_name(field.raw),
                kind=ItemKind.KEY,
                text=written if slot.string or slot.key.colon else f"{written}: ",
                detail=f": {type_text(field.type, known)}",
                description="already given" if field.raw in taken else needed,
                filter_text=field.raw,
                deprecated=field.deprecated,
                target=Target(target.server, target.tool, (*target.path, field.raw)),
            )
        )
    return short_list(items, slot.prefix, slot.span, Empty.NO_KNOWN_VALUES)


def known_values(
    of: Type,
    target: Target,
    string: ast.String | None,
    prefix: str,
    span: ast.Span,
    *,
    field: Field | None = None,
) -> Found:
    """The values that a type names, and those that a field gives as examples or default.

    They are written into `string`, or with quotes of their own where there is none.
    """
    named = shapes.literals(of)
    marks: dict[str, str] = dict.fromkeys(named, "")
    if field is not None:
        for example in field.examples:
            marks.setdefault(example, "example")
        if field.default is not ABSENT:
            marks[field.default] = "default"
    members = {
        member for one in shapes.variants(of) if isinstance(one, EnumType) for member in one.members
    }
    items = []
    for json_text, mark in marks.items():
        said = string_of(json_text)
        if string is None:
            written: str | None = python_source(json_text)
        else:
            written = None if said is None else inside(string, said)
        if written is None:
            continue
        label = python_source(json_text)
        items.append(
            Item(
                label=label,
                kind=ItemKind.ENUM_MEMBER if json_text in members else ItemKind.VALUE,
                text=written,
                description=mark,
                # Without the quotes, which nobody types who types the start of the word.
                filter_text=label if said is None else said,
                target=replace(target, value=json_text),
            )
        )
    empty = Empty.NO_KNOWN_VALUES if string is None else Empty.IN_STRING
    return short_list(items, prefix, span, empty)
