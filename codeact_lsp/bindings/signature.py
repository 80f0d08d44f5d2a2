"""A tool's signature, docstring and documentation as Python text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from codeact_lsp import names, text
from codeact_lsp.bindings.details import MAX_DESCRIPTION, details
from codeact_lsp.bindings.model import CatchAll, Parameter, ToolBinding, ToolDetails
from codeact_lsp.schema.types import Field

Detail: TypeAlias = Literal["full", "normal", "brief"]
INDENT: Final = "    "
_COMMENT_WIDTH: Final[dict[Detail, int]] = {"full": MAX_DESCRIPTION, "normal": 120, "brief": 0}


@dataclass(frozen=True, slots=True)
class SignatureParameter:
    """One parameter as it is written.

    Attributes:
        parameter: the parameter; None for the catch-all.
        source: `file_path: str`, `from_: str = ...` or `**kwargs: Any`.
        comment: what stands after the `#`; "" where nothing does.
        text_range: start and end of `source` in `Signature.text`, in code points.
        label_range: the same in `Signature.label`.

    """

    parameter: Parameter | None
    source: str
    comment: str
    text_range: tuple[int, int]
    label_range: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature in two forms with the places of its parameters.

    Attributes:
        name: the function's name.
        text: `async def name(` to `-> R:`, one parameter a line, without a body.
        label: `name(*, a: str, b: int = ...) -> R` on one line.
        parameters: the spelled ones, then the catch-all where there is one.
        returns: the return annotation.

    """

    name: str
    text: str
    label: str
    parameters: tuple[SignatureParameter, ...]
    returns: str


@dataclass(frozen=True, slots=True)
class Line:
    """A parameter to be written: its source, and the comment after it."""

    parameter: Parameter | None
    source: str
    comment: str


def signature(
    tool: ToolBinding, detail: Detail = "full", fold_characters: str = names.DEFAULT_FOLD
) -> Signature:
    """The signature of `tool`, with its own class names."""
    found = details(tool, fold_characters)
    annotations = [parameter.annotation for parameter in found.parameters]
    extra = found.catch_all.annotation if found.catch_all else ""
    lines = parameter_lines(found, annotations, extra, detail)
    return compose(tool, lines, found.returns)


def display_name(tool: ToolBinding) -> str:
    """A name for the function of `tool`; one that is reached by `getattr` has none of its own."""
    return tool.name or "tool"


def parameter_lines(
    found: ToolDetails, annotations: list[str], extra: str, detail: Detail
) -> tuple[Line, ...]:
    """What stands between the parentheses, given the annotation of each parameter."""
    lines = [
        Line(parameter, _source(parameter, written), field_comment(parameter.field, detail))
        for parameter, written in zip(found.parameters, annotations, strict=True)
        if parameter.name is not None
    ]
    if found.catch_all is not None:
        source = f"**{found.catch_all.name}: {extra}"
        lines.append(Line(None, source, catch_all_comment(found.catch_all)))
    return tuple(lines)


def _source(parameter: Parameter, annotation: str) -> str:
    default = "" if parameter.required else " = ..."
    return f"{parameter.name}: {annotation}{default}"


def cut(shown: str, width: int) -> str:
    """`shown` in at most `width` characters, the last one an ellipsis where some are missing."""
    if len(shown) <= width:
        return shown
    return shown[: width - 1].rstrip() + "…" if width else ""


def field_comment(field: Field, detail: Detail) -> str:
    """The description of a parameter or key on one line, cut as `detail` says."""
    width = _COMMENT_WIDTH[detail]
    said = cut(text.comment(cut(field.description, MAX_DESCRIPTION)), width) if width else ""
    return "; ".join(filter(None, (told_apart(field.raw), said)))


def told_apart(raw: str) -> str:
    """How a name is spelled that may look like another one; "" for all others."""
    return f"spelled {text.escaped_name(raw)}" if text.is_suspicious(raw) else ""


def catch_all_comment(catch_all: CatchAll) -> str:
    """Which raw keys only a dict can give, and which of them a call must give."""
    if not catch_all.raw_keys:
        return ""
    comment = "spell as dict keys: " + _keys(catch_all.raw_keys)
    if catch_all.required:
        comment += "; required: " + _keys(catch_all.required)
    return comment


def _keys(raws: tuple[str, ...]) -> str:
    return ", ".join(map(text.json_key, raws))


def compose(tool: ToolBinding, lines: tuple[Line, ...], returns: str) -> Signature:
    """Both forms of a signature from its parts; a name that may look like another is told apart."""
    name, spelled = display_name(tool), told_apart(tool.raw)
    star = "*, " if any(line.parameter for line in lines) else ""
    label = f"{name}({star}"
    label_ranges = []
    for number, line in enumerate(lines):
        label += ", " if number else ""
        label_ranges.append((len(label), len(label) + len(line.source)))
        label += line.source
    label += f") -> {returns}"

    beside = f"  # {spelled}" if spelled else ""
    written = f"async def {name}("
    text_ranges = []
    inline = not star and not any(line.comment for line in lines)
    written += "" if inline else beside
    if star:
        written += f"\n{INDENT}*,"
    for line in lines:
        written += "" if inline else f"\n{INDENT}"
        text_ranges.append((len(written), len(written) + len(line.source)))
        # A catch-all takes no comma after it.
        written += line.source + ("," if line.parameter else "")
        written += f"  # {line.comment}" if line.comment else ""
    written += f"{'' if inline else chr(10)}) -> {returns}:"
    written += beside if inline else ""
    return Signature(
        name=name,
        text=written,
        label=label,
        parameters=tuple(
            SignatureParameter(line.parameter, line.source, line.comment, in_text, in_label)
            for line, in_text, in_label in zip(lines, text_ranges, label_ranges, strict=True)
        ),
        returns=returns,
    )


def body(tool: ToolBinding, indent: str = INDENT) -> str:
    """The body of the function, indented: its docstring, or `...` where the tool says nothing."""
    return indent + (docstring(tool, indent) or "...")


def docstring(tool: ToolBinding, indent: str = INDENT) -> str:
    """The docstring statement without its first indent; "" where the tool says nothing."""
    said = _said(tool)
    return text.docstring(said, indent) if said else ""


def _said(tool: ToolBinding) -> str:
    return cut(tool.tool.description, MAX_DESCRIPTION).strip()


def documentation(tool: ToolBinding, fold_characters: str = names.DEFAULT_FOLD) -> str:
    """The runtime's `__doc__`: what the tool says of itself, then its parameters.

    Described parameters stand in the order of the signature. Those without a name stand last, as JSON
    strings and described or not: the signature that Python prints does not hold them.
    """
    found = details(tool, fold_characters)
    entries = [
        _entry(p.name, p.field.description)
        for p in found.parameters
        if p.name is not None and p.field.description.strip()
    ]
    for p in found.parameters:
        if p.name is None:
            key = text.json_key(p.raw)
            said_of_it = p.field.description.strip() or f"passed as **{{{key}: ...}}"
            entries.append(_entry(key, said_of_it))
    said = text.visible(_said(tool))
    if not entries:
        return said
    return "\n\n".join(filter(None, (said, "\n".join(["Parameters:", *entries]))))


def _entry(name: str, description: str) -> str:
    lines = [
        line.rstrip()
        for line in text.visible(cut(description, MAX_DESCRIPTION)).strip().split("\n")
    ]
    first, *rest = lines
    return "\n".join(
        [
            f"{INDENT}{name}: {first}",
            *(f"{INDENT * 2}{line.strip()}" if line else "" for line in rest),
        ]
    )
