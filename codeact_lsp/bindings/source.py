"""Python source for one module of bindings: its classes, its functions, the names it needs.

The prompt block is one such module and each stub is another. A class is defined once for each
shape: a tool whose shape an earlier tool had gets its own name as an alias of that class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from codeact_lsp import names
from codeact_lsp.bindings.details import details, extra_type
from codeact_lsp.bindings.index import server_path
from codeact_lsp.bindings.model import BINDINGS_MODULE, ServerBinding, ToolBinding, ToolDetails
from codeact_lsp.bindings.signature import (
    Detail,
    Line,
    Signature,
    body,
    compose,
    field_comment,
    parameter_lines,
    told_apart,
)
from codeact_lsp.schema import naming
from codeact_lsp.schema.annotations import (
    BUILTIN_NAMES,
    TYPING_NAMES,
    Vocabulary,
    definition,
    objects_in,
    write,
)
from codeact_lsp.schema.types import Schemas, Shape, Type

_OWN_NAMES: Final = frozenset(names.ROOT_NAMES)


@dataclass(slots=True)
class Module:
    """The source of one module under construction.

    Attributes:
        detail: how much is said of parameters and fields.
        fold_characters: the setting that parameters are spelled with.
        spelled: names of `typing` and builtins that a function of the module hides → a way to them.
        used: names of `typing` and builtins that were written.
        classes: the lines of each class or alias, in an order that can be executed.
        taken: names that a class cannot have, with the number last tried after each.
        by_identity: identity of a shape → the class that was defined for it.
        by_name: (the tool's name for a shape, identity) → the class or alias in this module.

    """

    detail: Detail
    fold_characters: str
    spelled: Mapping[str, str]
    used: set[str] = field(default_factory=set)
    classes: list[list[str]] = field(default_factory=list)
    taken: dict[str, int] = field(default_factory=dict)
    by_identity: dict[str, str] = field(default_factory=dict)
    by_name: dict[tuple[str, str], str] = field(default_factory=dict)


def module(functions: Iterable[str], detail: Detail, fold_characters: str) -> Module:
    """An empty module that will hold `functions`, whose names its classes leave alone."""
    taken = frozenset(functions) | _OWN_NAMES
    roots = {root: _free_root(f"_{root}", taken) for root in ("builtins", "typing")}
    spelled = {name: f"{roots['builtins']}.{name}" for name in BUILTIN_NAMES & taken}
    spelled |= {name: f"{roots['typing']}.{name}" for name in TYPING_NAMES & taken}
    reserved = taken | frozenset(roots.values())
    return Module(detail, fold_characters, spelled, taken=dict.fromkeys(reserved, 1))


def _free_root(name: str, taken: frozenset[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def imports(built: Module) -> list[str]:
    """The lines that import what the module uses of `builtins` and `typing`, and nothing else."""
    lines = []
    for root, words in (("builtins", BUILTIN_NAMES), ("typing", TYPING_NAMES)):
        hidden = sorted(words & built.used & built.spelled.keys())
        if hidden:
            alias = built.spelled[hidden[0]].split(".", 1)[0]
            lines.append(f"import {root} as {alias}")
    plain = sorted((TYPING_NAMES & built.used) - built.spelled.keys())
    if plain:
        lines.append(f"from typing import {', '.join(plain)}")
    return lines


def signature_in(built: Module, tool: ToolBinding) -> Signature:
    """The signature of `tool` in this module; the classes that it names are added to the module.

    A tool that cannot be written is shown as one that takes anything, and costs nothing else.
    """
    found = details(tool, built.fold_characters)
    try:
        return _signature_in(built, tool, found)
    except Exception:  # noqa: BLE001 - a fault of ours must cost this tool only
        words = Vocabulary(str, built.spelled, used=built.used)
        anything = words.word("Any")
        return compose(tool, (Line(None, f"**kwargs: {anything}", ""),), anything)


def _signature_in(built: Module, tool: ToolBinding, found: ToolDetails) -> Signature:
    types: list[Type] = [p.field.type for p in found.parameters if p.name is not None]
    extra = extra_type(found.schemas.arguments)
    typed_extra = extra is not None and found.catch_all and not found.catch_all.raw_keys
    if extra is not None and typed_extra:
        types.append(extra)
    if found.schemas.result is not None:
        types.append(found.schemas.result)
    named = _define(built, found.schemas, types)
    words = Vocabulary(named.__getitem__, built.spelled, used=built.used)
    annotations = [
        "" if parameter.name is None else write(parameter.field.type, words)
        for parameter in found.parameters
    ]
    written_extra = ""
    if found.catch_all is not None:
        written_extra = write(extra, words) if extra and typed_extra else words.word("Any")
    if found.schemas.result is not None:
        returns = write(found.schemas.result, words)
    else:
        returns = words.word(found.returns)
    lines = parameter_lines(found, annotations, written_extra, built.detail)
    return compose(tool, lines, returns)


def _define(built: Module, schemas: Schemas, types: Iterable[Type]) -> dict[str, str]:
    """Shape key → class name for the shapes that `types` name, all of them defined."""

    def links(shape: Shape) -> Iterator[str]:
        return iter(()) if shape.identity in built.by_identity else naming.children(shape)

    roots = [key for type_ in types for key in objects_in(type_)]
    order = naming.children_first(roots, schemas.shapes, links)
    named: dict[str, str] = {}
    fresh: dict[tuple[str, str], str] = {}
    for key in order:
        wanted = (schemas.shapes[key].name, schemas.shapes[key].identity)
        name = built.by_name.get(wanted) or fresh.get(wanted)
        if name is None:
            name = fresh[wanted] = naming.free(wanted[0], built.taken)
        named[key] = name
    late = set(fresh.values())
    words = Vocabulary(named.__getitem__, built.spelled, late, built.used)
    classes: list[list[str]] = []
    identities: dict[str, str] = {}
    for key in order:
        shape, name = schemas.shapes[key], named[key]
        if name not in late:
            continue
        known = built.by_identity.get(shape.identity) or identities.get(shape.identity)
        if known is None:
            classes.append(
                definition(shape, name, words, lambda found: field_comment(found, built.detail))
            )
            identities[shape.identity] = name
        else:
            classes.append([f"{name} = {known}"])
        late.discard(name)
    # Only now: a definition that failed half-way leaves no trace.
    built.classes += classes
    built.by_identity |= identities
    built.by_name |= fresh
    return named


def written(tool: ToolBinding, found: Signature) -> list[str]:
    """The lines of an `async def`; of comments for a tool that has no name."""
    if tool.name is None:
        return called(tool, found)
    return [*found.text.split("\n"), *body(tool).split("\n")]


def called(tool: ToolBinding, found: Signature) -> list[str]:
    """The lines of a tool as comments, spelled the way it is called."""
    lines = [*found.text.split("\n"), *body(tool).split("\n")]
    lines[0] = tool.path + lines[0].removeprefix(f"async def {found.name}")
    return [f"# {line}".rstrip() for line in lines]


def grouped(definitions: Iterable[list[str]]) -> list[list[str]]:
    """The lines of `definitions`, those that are one line joined with their like."""
    groups: list[list[str]] = []
    joins = False
    for lines in definitions:
        if joins and len(lines) == 1:
            groups[-1].extend(lines)
        else:
            groups.append(list(lines))
        joins = len(lines) == 1
    return groups


def header(server: ServerBinding) -> str:
    """The module that a server is, or the expression that reaches it."""
    path = server_path(server.spelling)
    spelled = told_apart(server.raw)
    shown = path if server.name is None else f"{BINDINGS_MODULE}.{path}"
    return f"{shown}  ({spelled})" if spelled else shown
