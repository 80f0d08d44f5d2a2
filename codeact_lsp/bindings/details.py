"""What a tool's schemas say, as Python: worked out when somebody looks at the tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from codeact_lsp import names, text
from codeact_lsp.bindings.model import CatchAll, Parameter, ToolBinding, ToolDetails
from codeact_lsp.catalogue.model import Problem, Tool, unpack
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.mapper import INPUT, schemas
from codeact_lsp.schema.places import escaped
from codeact_lsp.schema.types import (
    AnyType,
    NeverType,
    Note,
    Schemas,
    Shape,
    Type,
    UnionType,
    Why,
    extra_types,
)

MAX_DESCRIPTION: Final = 20_000
"""Characters of a description that are shown."""
_CACHED_TOOLS: Final = 4_096


def details(tool: ToolBinding, fold_characters: str = names.DEFAULT_FOLD) -> ToolDetails:
    """What `tool` takes and gives; any schema gives an answer.

    Answers are kept for the tools that were looked at last, by their whole definition.
    """
    return _details(tool.server, tool.tool, fold_characters)


def tool_problems(
    tool: ToolBinding, fold_characters: str = names.DEFAULT_FOLD
) -> tuple[Problem, ...]:
    """What `details` says is wrong with `tool`, each with the name of the tool.

    Nothing is kept: going over a whole catalogue would push out what people look at.
    """
    shown = text.escaped_name(tool.raw)
    found = _details.__wrapped__(tool.server, tool.tool, fold_characters)
    return tuple(replace(one, message=f"{shown}: {one.message}") for one in found.problems)


def unsaid(known: Iterable[Problem], found: Iterable[Problem]) -> tuple[Problem, ...]:
    """Those problems of tools that the `known` ones of the listing do not tell already."""
    told = {(problem.tool, problem.pointer) for problem in known}
    return tuple(one for one in found if (one.tool, one.pointer) not in told)


@lru_cache(maxsize=_CACHED_TOOLS)
def _details(server: str | None, tool: Tool, fold_characters: str) -> ToolDetails:
    try:
        taken = unpack(tool.input_schema)
        given = None if tool.output_schema is None else unpack(tool.output_schema)
        found = schemas(taken, given, tool=tool.raw, server=server)
        return _from_schemas(server, tool, fold_characters, found)
    except Exception as error:  # noqa: BLE001 - a fault of ours must cost this tool only
        note = Note("", f"the tool cannot be shown: {type(error).__name__}: {error}", "internal")
        anything = AnyType(Why.INTERNAL, note.message)
        arguments = Shape(name="", fields=(), extra=anything, extra_declared=True)
        return _from_schemas(
            server, tool, fold_characters, Schemas(arguments, anything, notes=(note,))
        )


def _from_schemas(
    server: str | None, tool: Tool, fold_characters: str, found: Schemas
) -> ToolDetails:
    shape = found.arguments
    spellings = names.spell_parameters([field.raw for field in shape.fields], fold_characters)
    parameters = tuple(
        Parameter(spelling, field, annotation(field.type, found.shapes))
        for spelling, field in zip(spellings, shape.fields, strict=True)
    )
    return ToolDetails(
        parameters=parameters,
        by_name=MappingProxyType({p.name: p for p in parameters if p.name is not None}),
        by_raw=MappingProxyType({p.raw: p for p in parameters}),
        renames=names.rename_map(spellings),
        catch_all=_catch_all(shape, parameters, found),
        returns=_returns(server, found),
        schemas=found,
        closed=isinstance(shape.extra, NeverType) and not shape.patterns,
        problems=_problems(server, tool, found),
    )


def extra_type(shape: Shape) -> Type | None:
    """The type of a declared extra key, or None where none is declared."""
    declared = extra_types(shape)
    if not declared:
        return None
    return declared[0] if len(declared) == 1 else UnionType(declared)


def _catch_all(shape: Shape, parameters: tuple[Parameter, ...], found: Schemas) -> CatchAll | None:
    unspelled = [p for p in parameters if p.name is None]
    extra = extra_type(shape)
    if not unspelled and extra is None:
        return None
    # Values of unspelled parameters have types of their own, and a catch-all has only one.
    written = "Any" if unspelled or extra is None else annotation(extra, found.shapes)
    return CatchAll(
        name=names.catch_all_name(p.spelling for p in parameters),
        annotation=written,
        raw_keys=tuple(p.raw for p in unspelled),
        required=tuple(p.raw for p in unspelled if p.required),
    )


def _returns(server: str | None, found: Schemas) -> str:
    if found.result is not None:
        return annotation(found.result, found.shapes)
    # A server's tool gives its text; nobody declared what a native one gives.
    return "Any" if server is None else "str"


def _problems(server: str | None, tool: Tool, found: Schemas) -> tuple[Problem, ...]:
    problems = [
        Problem(note.kind, note.message, server=server, tool=tool.raw, pointer=note.pointer)
        for note in found.notes
    ]
    places = {
        field.raw: f"{INPUT}/properties/{escaped(field.raw)}" for field in found.arguments.fields
    }
    problems += [
        Problem("look-alike", text.look_alike(raw), server=server, tool=tool.raw, pointer=place)
        for raw, place in places.items()
        if text.is_suspicious(raw)
    ]
    long = [("/description", tool.description)] + [
        (f"{places[field.raw]}/description", field.description) for field in found.arguments.fields
    ]
    problems += [
        Problem(
            "limit",
            f"a description of {len(said):,} characters is cut at {MAX_DESCRIPTION:,}",
            server=server,
            tool=tool.raw,
            pointer=pointer,
        )
        for pointer, said in long
        if len(said) > MAX_DESCRIPTION
    ]
    return tuple(problems)
