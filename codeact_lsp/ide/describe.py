"""What is known of a server, a tool, a parameter, a key or an enum member, as blocks.

Hover shows these blocks, and a completion item shows them when it is resolved.
"""

from __future__ import annotations

from datetime import UTC, datetime

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import server_path
from codeact_lsp.bindings.model import Bindings, Parameter, ServerBinding, ToolBinding, ToolDetails
from codeact_lsp.bindings.signature import signature
from codeact_lsp.catalogue.model import Server, ServerState
from codeact_lsp.ide import shapes
from codeact_lsp.ide.limits import limits
from codeact_lsp.ide.model import Target
from codeact_lsp.ide.prose import (
    Block,
    Code,
    Key,
    Name,
    Part,
    Points,
    Said,
    Sentence,
    Table,
    Text,
    sentence,
)
from codeact_lsp.ide.refs import Path
from codeact_lsp.ide.renames import parameter_rename, server_rename, short_reason, tool_rename
from codeact_lsp.schema.annotations import Vocabulary, annotation, definition, objects_in
from codeact_lsp.schema.types import ABSENT, ArrayType, DictType, Field, Type

PROBLEMS_SHOWN = 10
CLASSES_SHOWN = 5
CLASS_LINES_SHOWN = 40
PATTERNS_SHOWN = 20


def describe(bindings: Bindings, target: Target) -> tuple[Block, ...]:
    """The blocks of `target`; empty when the catalogue no longer holds it."""
    server = None if target.server is None else bindings.servers_by_raw.get(target.server)
    if target.tool is None:
        return () if server is None else describe_server(server)
    tools = bindings.native_by_raw if server is None else server.by_raw
    tool = tools.get(target.tool)
    if tool is None or (server is None) != (target.server is None):
        return ()
    if not target.path:
        return describe_tool(bindings, tool)
    return describe_place(bindings, tool, target)


def describe_server(binding: ServerBinding) -> tuple[Block, ...]:
    """Title, version, address, state, number of tools, last listed, problems."""
    server = binding.server
    path = server_path(binding.spelling)
    head = sentence("MCP server ", Key(binding.raw), *_title(server))
    points = [sentence("state: ", *_state(server))]
    count = len(binding.tools)
    points.append(sentence("1 tool" if count == 1 else f"{count} tools"))
    if server.address:
        points.append(sentence("address: ", Said(server.address)))
    if server.protocol:
        points.append(sentence("MCP revision ", Said(server.protocol)))
    if server.listed_at is not None:
        points.append(sentence(f"last listed {_moment(server.listed_at)}"))
    rename = server_rename(binding.spelling, path)
    problems = tuple(
        sentence("problem: ", Said(problem.message)) for problem in server.problems[:PROBLEMS_SHOWN]
    )
    return tuple(
        block
        for block in (Code(path), head, rename, Points((*points, *problems)))
        if block is not None
    )


def describe_tool(bindings: Bindings, tool: ToolBinding) -> tuple[Block, ...]:
    """Signature, what the tool says, hints, rename table, server and freshness."""
    known = details(tool, bindings.fold_characters)
    blocks: list[Block | None] = [
        Code(signature(tool, "brief", bindings.fold_characters).text),
        tool_rename(tool.spelling, tool.path),
        Text(tool.tool.description) if tool.tool.description.strip() else None,
        _hints(tool),
        _rename_table(known),
        _unspelled(known),
        *(classes(known.schemas.result, known) if known.schemas.result is not None else ()),
        Points(
            tuple(sentence(Said(problem.message)) for problem in known.problems[:PROBLEMS_SHOWN])
        )
        if known.problems
        else None,
        _origin(bindings, tool),
    ]
    return tuple(block for block in blocks if block is not None)


def describe_place(bindings: Bindings, tool: ToolBinding, target: Target) -> tuple[Block, ...]:
    """A parameter, a key further in, a key of the result, or an enum member at one of those."""
    known = details(tool, bindings.fold_characters)
    first, *rest = target.path
    parameter = known.by_raw.get(first) if isinstance(first, str) else None
    all_shapes = known.schemas.shapes
    if target.result:
        result = known.schemas.result
        field = None if result is None else shapes.field_at(result, target.path, all_shapes)
        blocks = () if field is None else _key(field, known, "a key of the result of ", tool)
    elif parameter is None:
        return ()
    elif keys := _keyed(rest):
        field = shapes.field_at(parameter.field.type, keys, all_shapes)
        blocks = (
            ()
            if field is None
            else _key(field, known, "a key inside an argument, never respelled, of ", tool)
        )
    else:
        blocks = _parameter(parameter, known, tool)
    if target.value is None:
        return blocks
    return (sentence("the value ", Name(text.visible(target.value))), *blocks)


def _keyed(path: list[str | int]) -> Path:
    """`path` up to its last key: what is known of an item of a list stands at the list's key."""
    return tuple(
        path[: max((at for at, step in enumerate(path, 1) if isinstance(step, str)), default=0)]
    )


def _parameter(parameter: Parameter, known: ToolDetails, tool: ToolBinding) -> tuple[Block, ...]:
    default = "" if parameter.required else " = ..."
    head = (
        f"**{{{text.literal(parameter.raw)}: {parameter.annotation}}}"
        if parameter.name is None
        else f"{parameter.name}: {parameter.annotation}{default}"
    )
    blocks = (
        Code(head),
        parameter_rename(parameter.spelling),
        _said(parameter.field),
        Points((*parameter_facts(parameter.field), *_inside(parameter.field.type, known))),
        *classes(parameter.field.type, known),
        sentence("a parameter of ", Name(tool.path)),
    )
    return tuple(block for block in blocks if block is not None)


def _key(field: Field, known: ToolDetails, what: str, tool: ToolBinding) -> tuple[Block, ...]:
    shown = annotation(field.type, known.schemas.shapes)
    blocks = (
        Code(f"{text.literal(field.raw)}: {shown}"),
        _said(field),
        Points((*parameter_facts(field), *_inside(field.type, known))),
        *classes(field.type, known),
        sentence(what, Name(tool.path)),
    )
    return tuple(block for block in blocks if block is not None)


def classes(of: Type, known: ToolDetails) -> tuple[Block, ...]:
    """The definitions of the classes that the annotation of `of` names, as one block."""
    all_shapes = known.schemas.shapes
    keys = dict.fromkeys(key for key in objects_in(of) if key in all_shapes)
    words = Vocabulary(lambda key: all_shapes[key].name)
    sources = [
        _cut(definition(all_shapes[key], all_shapes[key].name, words))
        for key in list(keys)[:CLASSES_SHOWN]
    ]
    return (Code("\n\n".join(sources)),) if sources else ()


def _cut(lines: list[str]) -> str:
    """The lines of a class, as many as fit a hover."""
    more = len(lines) - CLASS_LINES_SHOWN
    shown = lines if more <= 0 else [*lines[:CLASS_LINES_SHOWN], f"    # … {more} more lines"]
    return "\n".join(shown)


def _inside(of: Type, known: ToolDetails) -> tuple[Sentence, ...]:
    """What each position of a list, and each pattern of keys, takes: annotations show a union."""
    positions = [
        sentence(f"item {position}: ", Name(type_text(part, known)))
        for one in shapes.variants(of)
        if isinstance(one, ArrayType)
        for position, part in enumerate(one.prefix)
    ]
    mappings = [one.patterns for one in shapes.variants(of) if isinstance(one, DictType)]
    objects = [shape.patterns for shape in shapes.object_shapes(of, known.schemas.shapes)]
    patterns = [
        sentence("a key that matches ", Name(pattern), ": ", Name(type_text(part, known)))
        for listed in (*mappings, *objects)
        for pattern, part in listed
    ]
    return (*positions, *patterns[:PATTERNS_SHOWN])


def _said(field: Field) -> Block | None:
    return Text(field.description) if field.description.strip() else None


def parameter_facts(field: Field) -> tuple[Sentence, ...]:
    """Required, default, limits and examples."""
    facts = [sentence("required" if field.required else "optional")]
    if field.default is not ABSENT:
        facts.append(sentence("default ", Name(text.visible(field.default))))
    facts += [sentence(*phrase) for phrase in limits(field.type)]
    if field.examples:
        parts: list[Part] = ["for example "]
        for at, example in enumerate(field.examples):
            parts += [", ", Name(text.visible(example))] if at else [Name(text.visible(example))]
        facts.append(sentence(*parts))
    if field.deprecated:
        facts.append(sentence("deprecated"))
    return tuple(facts)


def _hints(tool: ToolBinding) -> Block | None:
    hints = tool.tool.hints
    words = [
        word
        for said, word in (
            (hints.read_only is True, "read-only"),
            (hints.read_only is not True and hints.destructive is True, "destructive"),
            (hints.idempotent is True, "idempotent"),
            (hints.open_world is True, "reaches the outside world"),
        )
        if said
    ]
    return sentence(f"The server says: {', '.join(words)}.") if words else None


def _rename_table(known: ToolDetails) -> Block | None:
    rows = tuple(
        (
            sentence(Key(parameter.raw)),
            sentence(Name(parameter.name or f"**{{{text.literal(parameter.raw)}: ...}}")),
            sentence(*short_reason(parameter.spelling)),
        )
        for parameter in known.parameters
        if parameter.name != parameter.raw
    )
    return Table(("JSON key", "Python", "why"), rows) if rows else None


def _unspelled(known: ToolDetails) -> Block | None:
    if known.catch_all is None or not known.catch_all.required:
        return None
    parts: list[Part] = ["Required as dict keys: "]
    for at, raw in enumerate(known.catch_all.required):
        parts += [", ", Key(raw)] if at else [Key(raw)]
    return sentence(*parts)


def _origin(bindings: Bindings, tool: ToolBinding) -> Block:
    """Server and freshness, and whether the definition changed since it was last looked at."""
    parts: list[Part]
    server = None if tool.server is None else bindings.servers_by_raw.get(tool.server)
    if server is None:
        parts = ["a tool of the host, on no server"]
    else:
        parts = ["server ", Key(server.raw), " · ", *_state(server.server)]
        if server.server.listed_at is not None:
            parts.append(f" · last listed {_moment(server.server.listed_at)}")
    if tool.tool.changed:
        parts.append(" · its definition changed since you last looked at it")
    return sentence(*parts)


def _state(server: Server) -> tuple[Part, ...]:
    words = {
        ServerState.READY: "live",
        ServerState.SNAPSHOT: "from a snapshot file",
    }.get(server.state, str(server.state))
    if server.stale:
        return (words, ", its tools are the last known ones and not confirmed yet")
    return (words,)


def _title(server: Server) -> tuple[Part, ...]:
    parts: list[Part] = []
    if server.title:
        parts += [": ", Said(server.title)]
    if server.version:
        parts += [" ", Said(server.version)]
    return tuple(parts)


def _moment(seconds: float) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return "at an unknown time"


def type_text(of: Type, known: ToolDetails) -> str:
    """A type as Python source, in the names of the tool's own shapes."""
    return annotation(of, known.schemas.shapes)
