"""`raw-key`, `raw-keyword` and `name-conflict`: one parameter, the wrong spelling or two of them."""

from __future__ import annotations

from collections.abc import Iterator

from codeact_lsp import text
from codeact_lsp.bindings.model import Parameter
from codeact_lsp.ide import edits
from codeact_lsp.ide.calls import Given, by_parameter
from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.diagnostics.site import Site
from codeact_lsp.ide.model import Diagnostic, Fix, Severity, TextEdit
from codeact_lsp.ide.uses import uses
from codeact_lsp.names import is_hard_keyword
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.origins import Assigned
from codeact_lsp.syntax.scopes import lookup


def check_keys(site: Site) -> Iterator[Diagnostic]:
    """Every parameter that is given by its raw spelling where it has a name, or given twice."""
    for raw, places in by_parameter(site.known, site.arguments.given).items():
        parameter = site.known.by_raw[raw]
        if len(places) > 1:
            yield from _conflict(site, parameter, places)
        else:
            yield from _raw_key(site, parameter, places[0])
    for given in site.arguments.given:
        yield from _raw_keyword(site, given)


def _conflict(site: Site, parameter: Parameter, places: tuple[Given, ...]) -> Iterator[Diagnostic]:
    spelled = {given.spelled for given in places}
    # `f(a=1, a=2)` is refused by Python itself, and every Python server says so.
    if len(spelled) == 1 and not any(given.by_key for given in places):
        return
    named = [given for given in places if given.spelled == parameter.name and not given.by_key]
    kept = named[0] if named else places[0]
    key = text.json_key(parameter.raw)
    for given in places:
        if given is kept:
            continue
        said = (
            f"`{kept.spelled}` and the raw key {key} are the same parameter: give one"
            if kept.spelled != given.spelled
            else f"{key} is given twice"
        )
        yield finding("name-conflict", given.span, said, _drop(site, given))


def _drop(site: Site, given: Given) -> Fix | None:
    """Not safe: which of the two values was meant is for a person to say."""
    document = site.view.document
    title = f"Remove {text.json_key(given.spelled)}"
    if given.entry is not None:
        edit = edits.without_entry(document, given.argument, given.entry)
        return Fix(title, (edit,), safe=False)
    if not given.by_key:
        return Fix(title, (edits.without_argument(document, given.argument),), safe=False)
    return None


def _raw_key(site: Site, parameter: Parameter, given: Given) -> Iterator[Diagnostic]:
    name = parameter.name
    if name is None or given.spelled != parameter.raw or parameter.raw == name:
        return
    key = text.json_key(parameter.raw)
    if given.by_key:
        yield finding(
            "raw-key",
            given.span,
            f"{key} has a name here: write `{name}=`",
            _as_keyword(site, given, name),
        )
    elif is_identifier_text(site, given.span):
        # Letters that Python normalises to a keyword: it arrives as the raw key and works.
        yield finding(
            "raw-key",
            given.span,
            f"Python reads this keyword as {key}, which is spelled `{name}` here",
            Fix(edits.writes(f"{name}="), (TextEdit(given.span, name),)),
            severity=Severity.HINT,
        )


def is_raw_keyword(site: Site, given: Given) -> bool:
    """Whether it is written as a keyword that is not Python."""
    return not given.by_key and not is_identifier_text(site, given.span)


def is_identifier_text(site: Site, span: Span) -> bool:
    """Whether Python accepts what is written at `span` as a name."""
    written = edits.source(site.view.document, span)
    return written.isidentifier() and not is_hard_keyword(written)


def _as_keyword(site: Site, given: Given, name: str) -> Fix | None:
    if given.entry is None:
        return _in_the_dict(site, given, name)
    changes = edits.entry_as_keyword(site.view.document, given.argument, given.entry, name)
    return Fix(edits.writes(f"{name}="), changes)


def _in_the_dict(site: Site, given: Given, name: str) -> Fix | None:
    """Respells the key in the dict variable, where nothing but this call reads it."""
    view, variable = site.view, ast.bare(given.argument.value)
    if not isinstance(variable, ast.Name):
        return None
    # That the variable still holds the display was asked when its keys were taken for given.
    binding = lookup(view.chain, variable.name, variable.span.start)[0]
    if uses(view, binding) != (variable.span,):
        return None
    match binding.origin:
        case Assigned(ast.Dict(_, entries), ()):
            keys = [
                entry.key.span
                for entry in entries
                if entry.key is not None and ast.literal_text(entry.key) == given.spelled
            ]
            written = text.literal(name)
            return Fix(edits.writes(written), tuple(TextEdit(key, written) for key in keys))
        case _:
            return None


def _raw_keyword(site: Site, given: Given) -> Iterator[Diagnostic]:
    if not is_raw_keyword(site, given):
        return
    written = edits.source(site.view.document, given.span)
    parameter = site.known.by_raw.get(written)
    why = (
        f"`{written}` is a Python keyword"
        if is_hard_keyword(written)
        else f"`{written}=` is not Python"
    )
    if parameter is None:
        yield finding("raw-keyword", given.span, f"{why}, and no parameter has this name")
    elif parameter.name is not None:
        yield finding(
            "raw-keyword",
            given.span,
            f"{why}: this parameter is spelled `{parameter.name}` here",
            Fix(edits.writes(f"{parameter.name}="), (TextEdit(given.span, parameter.name),)),
        )
    else:
        key = text.literal(parameter.raw)
        value = edits.source(site.view.document, given.argument.value.span)
        yield finding(
            "raw-keyword",
            given.span,
            f"{why}: pass this parameter as a dict key, `**{{{key}: ...}}`",
            Fix(f"Write **{{{key}: …}}", (TextEdit(given.argument.span, f"**{{{key}: {value}}}"),)),
        )
