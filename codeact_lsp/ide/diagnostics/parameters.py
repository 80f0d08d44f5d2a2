"""`unknown-parameter`, `missing-argument` and `positional-argument`."""

from __future__ import annotations

from collections.abc import Iterator

from codeact_lsp import text
from codeact_lsp.bindings.model import Parameter
from codeact_lsp.ide import edits
from codeact_lsp.ide.calls import Given, by_parameter
from codeact_lsp.ide.diagnostics.freshness import is_settled
from codeact_lsp.ide.diagnostics.keys import is_raw_keyword
from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.diagnostics.site import Site, bound_keys
from codeact_lsp.ide.literals import python_source
from codeact_lsp.ide.model import Diagnostic, Fix, Severity, TextEdit
from codeact_lsp.ide.nearest import nearest
from codeact_lsp.schema.scalars import matches
from codeact_lsp.schema.types import ABSENT, EnumType, NeverType
from codeact_lsp.syntax.expressions import Argument, ArgumentKind, Span


def check_parameters(site: Site) -> Iterator[Diagnostic]:
    """Arguments that name nothing, and parameters that nothing gives."""
    yield from _positional(site)
    for given in site.arguments.given:
        if is_unknown(site, given):
            yield _unknown(site, given)
    unfit = lack(site)
    if unfit is not None:
        yield unfit


def lack(site: Site) -> Diagnostic | None:
    """Said where a required argument, or each set of arguments that would do, is not given."""
    keys = _given_keys(site)
    if keys is None:
        return None
    missing = tuple(p for p in site.known.parameters if p.required and p.raw not in keys)
    return missing_finding(site, missing) if missing else _fits_no_variant(site, keys)


def is_unknown(site: Site, given: Given) -> bool:
    """Whether no parameter has this name and that is wrong, as far as the schema says."""
    if site.parameter(given) is not None or is_raw_keyword(site, given):
        return False
    shape = site.known.schemas.arguments
    return not shape.extra_declared and not any(
        matches(pattern, given.spelled) is not False for pattern, _ in shape.patterns
    )


def _unknown(site: Site, given: Given) -> Diagnostic:
    taken = by_parameter(site.known, site.arguments.given)
    free = [one for one in site.known.parameters if one.raw not in taken]
    names = [(name, one) for one in free for name in {one.raw, one.name or one.raw}]
    like = nearest(given.spelled, names)
    closed = isinstance(site.known.schemas.arguments.extra, NeverType)
    severity = Severity.ERROR if closed else Severity.WARNING
    if not is_settled(site.view.bindings, site.tool.server):
        severity = Severity.HINT
    said = f"`{site.tool.path}` has no parameter {text.json_key(given.spelled)}"
    if like is None:
        return finding("unknown-parameter", given.span, said, severity=severity)
    spelled = like.name or text.json_key(like.raw)
    return finding(
        "unknown-parameter",
        given.span,
        f"{said}; did you mean `{spelled}`?",
        _respell(site, given, like),
        severity=severity,
    )


def _respell(site: Site, given: Given, like: Parameter) -> Fix | None:
    document = site.view.document
    if given.by_key and given.entry is None:
        return None
    if like.name is None:
        key = text.literal(like.raw)
        if given.entry is not None:
            return Fix(edits.writes(key), (TextEdit(given.span, key),), safe=False)
        value = edits.source(document, given.argument.value.span)
        written = f"**{{{key}: {value}}}"
        return Fix(edits.writes(written), (TextEdit(given.argument.span, written),), safe=False)
    title = edits.writes(f"{like.name}=")
    if given.entry is not None:
        changes = edits.entry_as_keyword(document, given.argument, given.entry, like.name)
        return Fix(title, changes, safe=False)
    return Fix(title, (TextEdit(given.span, like.name),), safe=False)


def _given_keys(site: Site) -> frozenset[str] | None:
    """The raw keys that the call gives; None where it may give others than can be seen."""
    if not site.whole:
        return None
    given = by_parameter(site.known, site.arguments.given)
    return frozenset(given) | bound_keys(site)


def _fits_no_variant(site: Site, given: frozenset[str]) -> Diagnostic | None:
    """Said where the schema takes one of several sets of keys and the call completes none."""
    shapes = site.known.schemas.shapes
    variants = [shapes.get(key) for key in site.known.schemas.arguments.variants]
    if not variants or None in variants:
        return None
    lacking = [
        [field.raw for field in shape.fields if field.required and field.raw not in given]
        for shape in variants
        if shape is not None
    ]
    if not all(lacking):
        return None
    by_raw = site.known.by_raw
    shown = [" and ".join(_written(by_raw[raw]) for raw in raws) for raws in lacking]
    said = f"missing arguments: give {', or '.join(dict.fromkeys(shown))}"
    return finding("missing-argument", site.call.function.span, said)


def _written(parameter: Parameter) -> str:
    """A parameter as a person would give it."""
    if parameter.name is not None:
        return f"`{parameter.name}`"
    return f"{text.json_key(parameter.raw)}, given as `**{{{text.literal(parameter.raw)}: ...}}`"


def missing_finding(site: Site, missing: tuple[Parameter, ...]) -> Diagnostic:
    """`missing-argument` for parameters that a call must give."""
    shown = map(_written, missing)
    noun = "argument" if len(missing) == 1 else "arguments"
    added = edits.added_arguments(site.call, required_text(missing))
    return finding(
        "missing-argument",
        site.call.function.span,
        f"missing required {noun}: {'; '.join(shown)}",
        None if added is None else Fix(f"Insert the missing {noun}", (added,), safe=False),
    )


def required_text(missing: tuple[Parameter, ...]) -> str:
    """Arguments for `missing`, with the value that is known, else `...`."""
    named = [
        f"{parameter.name}={placeholder(parameter)}"
        for parameter in missing
        if parameter.name is not None
    ]
    keyed = [
        f"{text.literal(parameter.raw)}: {placeholder(parameter)}"
        for parameter in missing
        if parameter.name is None
    ]
    if keyed:
        named.append(f"**{{{', '.join(keyed)}}}")
    return ", ".join(named)


def placeholder(parameter: Parameter) -> str:
    """The value that the schema suggests, else `...`."""
    if parameter.field.default is not ABSENT:
        return python_source(parameter.field.default)
    of = parameter.field.type
    if isinstance(of, EnumType) and len(of.members) == 1:
        return python_source(of.members[0])
    return "..."


def _positional(site: Site) -> Iterator[Diagnostic]:
    positional = [
        argument
        for argument in site.arguments.positional
        if argument.kind is ArgumentKind.POSITIONAL
    ]
    given = by_parameter(site.known, site.arguments.given)
    free = [
        one
        for one in site.known.parameters
        if one.name is not None and one.raw not in given and one.name not in (site.bound or ())
    ]
    for position, argument in enumerate(positional):
        meant = free[position] if position < len(free) else None
        yield _positional_finding(site, argument, meant, sure=len(free) == 1)


def _positional_finding(
    site: Site, argument: Argument, meant: Parameter | None, *, sure: bool
) -> Diagnostic:
    fix = None
    if meant is not None:
        at = argument.span.start
        edit = TextEdit(Span(at, at), f"{meant.name}=")
        fix = Fix(edits.writes(f"{meant.name}="), (edit,), safe=sure)
    return finding(
        "positional-argument",
        argument.span,
        f"`{site.tool.path}` takes keyword arguments only",
        fix,
    )
