"""What a call gives to a tool: which parameters, by which spelling, and what may still come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from codeact_lsp.bindings.model import Parameter, ToolDetails
from codeact_lsp.ide.dict_variables import Trust, trust
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import External, Refs, Table, ToolRef
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.names import normalise
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import Argument, ArgumentKind, Call, Expression, Span


@dataclass(frozen=True, slots=True)
class Given:
    """One parameter as a call gives it.

    Attributes:
        spelled: the keyword, NFKC-normalised, or the dict key.
        span: where the keyword or the key is written; for a key that comes through a variable or
            `dict(…)`, the whole argument.
        argument: the argument that holds it.
        value: what is given, where it is written in this call.
        entry: the entry of a literal `**{…}`; None for a keyword.
        by_key: through `**`.

    """

    spelled: str
    span: Span
    argument: Argument
    value: Expression | None = None
    entry: ast.Entry | None = None
    by_key: bool = False


@dataclass(frozen=True, slots=True)
class Arguments:
    """All that a call gives.

    Attributes:
        given: in the order of the text.
        positional: arguments without a keyword, `*` ones included.
        open: a `**` of unknown content: anything may be given by it.

    """

    given: tuple[Given, ...]
    positional: tuple[Argument, ...]
    open: bool


def called_tools(view: View, call: Call) -> tuple[tuple[ToolRef, ...], bool]:
    """The tools whose arguments `call` gives, and whether it only binds them with `partial`."""
    refs = resolve(view, call.function)
    partial = refs == (External("functools.partial"),) and bool(call.arguments)
    if partial:
        refs = resolve(view, call.arguments[0].value)
    return tuple(ref for ref in refs if isinstance(ref, ToolRef)), partial


def sure_tool(view: View, call: Call) -> tuple[ToolRef, bool] | None:
    """The one tool of `called_tools`; None where `call` may mean anything else."""
    refs = resolve(view, call.function)
    if len(refs) != 1:
        return None
    tools, partial = called_tools(view, call)
    return (tools[0], partial) if len(tools) == 1 else None


def arguments(view: View, call: Call, *, partial: bool = False) -> Arguments:
    """What `call` gives; with `partial`, behind the tool that is its first argument."""
    given: list[Given] = []
    positional: list[Argument] = []
    unknown = False
    for argument in call.arguments[partial:]:
        match argument.kind:
            case ArgumentKind.KEYWORD:
                if argument.name is not None and argument.name_span is not None:
                    given.append(
                        Given(
                            normalise(argument.name), argument.name_span, argument, argument.value
                        )
                    )
            case ArgumentKind.DOUBLE_STAR:
                held, whole = _unpacked(view, argument)
                given += held
                unknown = unknown or not whole
            case _:
                positional.append(argument)
    return Arguments(tuple(given), tuple(positional), unknown)


def _unpacked(view: View, argument: Argument) -> tuple[tuple[Given, ...], bool]:
    """What `**argument` gives, and whether that is all."""
    display = ast.bare(argument.value)
    if isinstance(display, ast.Dict):
        entries = tuple(
            Given(key, entry.key.span, argument, entry.value, entry, by_key=True)
            for entry in display.entries
            if entry.key is not None and (key := ast.literal_text(entry.key)) is not None
        )
        return entries, len(entries) == len(display.entries)
    table = _table(resolve(view, argument.value))
    kept = trust(view, display) if isinstance(display, ast.Name) else Trust.ALL
    if table is None or kept is Trust.NONE:
        return (), False
    given = tuple(
        Given(key, display.span, argument, by_key=True)
        for key, _ in table.entries
        if key is not None
    )
    return given, table.whole and kept is Trust.ALL


def _table(refs: Refs) -> Table | None:
    return refs[0] if len(refs) == 1 and isinstance(refs[0], Table) else None


def parameter_of(known: ToolDetails, given: Given) -> Parameter | None:
    """The parameter that is meant: by name, or by raw key, which a name never hides.

    A keyword in the text that is the raw spelling (`file-path`, `from`) means its parameter too.
    """
    return known.by_name.get(given.spelled) or known.by_raw.get(given.spelled)


def by_parameter(known: ToolDetails, given: tuple[Given, ...]) -> Mapping[str, tuple[Given, ...]]:
    """Raw key → every place that gives it."""
    found: dict[str, tuple[Given, ...]] = {}
    for one in given:
        parameter = parameter_of(known, one)
        if parameter is not None:
            found[parameter.raw] = (*found.get(parameter.raw, ()), one)
    return found
