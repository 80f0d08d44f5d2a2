"""`argument-type` and `renamed-nested-key`: literals that the schema refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codeact_lsp import text
from codeact_lsp.ide import edits, shapes
from codeact_lsp.ide.calls import Given, by_parameter
from codeact_lsp.ide.diagnostics import parameters
from codeact_lsp.ide.diagnostics.keys import is_raw_keyword
from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.diagnostics.site import Site, bound_keys
from codeact_lsp.ide.known_values import known_value, span_at
from codeact_lsp.ide.literals import python_source, string_of
from codeact_lsp.ide.model import Diagnostic, Fix, TextEdit
from codeact_lsp.ide.nearest import nearest
from codeact_lsp.ide.refs import Path
from codeact_lsp.names import rename_map, spell_parameters
from codeact_lsp.schema.check import Mismatch, check_arguments
from codeact_lsp.schema.types import Type
from codeact_lsp.schema.values import Unknown, Value
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import Expression


def check_types(site: Site) -> Iterator[Diagnostic]:
    """Every literal of the call that its schema refuses, innermost place first."""
    places: dict[str, Given] = {}
    values: dict[str, Value] = {raw: Unknown() for raw in bound_keys(site)}
    renamed: dict[Path, str] = {}
    for raw, given in _by_key(site).items():
        expression = given[0].value
        places[raw] = given[0]
        if len(given) > 1 or expression is None:
            values[raw] = Unknown()
            continue
        values[raw] = known_value(expression)
        parameter = site.known.by_raw.get(raw)
        if parameter is not None:
            yield from _renamed_keys(site, expression, parameter.field.type, (raw,), renamed)
    named_wrong = {
        one.spelled
        for one in site.arguments.given
        if parameters.is_unknown(site, one) or is_raw_keyword(site, one)
    }
    for mismatch in check_arguments(values, site.known.schemas, complete=site.whole):
        if not mismatch.path:
            yield from _of_the_call(site, mismatch)
            continue
        key = str(mismatch.path[0])
        is_key = mismatch.keyword == "additionalProperties" and mismatch.path == (key,)
        if _is_explained(mismatch, renamed) or (is_key and key in named_wrong):
            continue
        place = places[key]
        if is_key or place.value is None:
            said = f"{_where(mismatch.path)}: {mismatch.message}"
            yield finding("argument-type", place.span, said)
        else:
            yield _finding(place.value, mismatch)


def _by_key(site: Site) -> Mapping[str, tuple[Given, ...]]:
    """Raw key → every place that gives it, for keys that no parameter has too."""
    found = dict(by_parameter(site.known, site.arguments.given))
    for given in site.arguments.given:
        if site.parameter(given) is None:
            found[given.spelled] = (*found.get(given.spelled, ()), given)
    return found


def _of_the_call(site: Site, mismatch: Mismatch) -> Iterator[Diagnostic]:
    """What is wrong with no argument that is given."""
    match mismatch.keyword:
        case "required":
            lacking = tuple(filter(None, map(site.known.by_raw.get, mismatch.allowed)))
            # What every call must give is said of with the names that are given.
            if lacking and parameters.lack(site) is None:
                yield parameters.missing_finding(site, lacking)
        case "minProperties" | "maxProperties":
            said = f"`{site.tool.path}` {mismatch.message.replace('key', 'argument')}"
            yield finding("argument-type", site.call.function.span, said)
        case _:
            return


def _is_explained(mismatch: Mismatch, renamed: dict[Path, str]) -> bool:
    """Whether a key that was renamed by mistake is the cause."""
    if mismatch.keyword == "required":
        return any(
            path[:-1] == mismatch.path and raw in mismatch.allowed for path, raw in renamed.items()
        )
    # An alternative that does not fit because of the key further in says so at the outer place.
    return mismatch.path in renamed or (
        mismatch.keyword in {"anyOf", "oneOf"}
        and any(path[: len(mismatch.path)] == mismatch.path for path in renamed)
    )


def _renamed_keys(
    site: Site, expression: Expression, of: Type, path: Path, renamed: dict[Path, str]
) -> Iterator[Diagnostic]:
    """Keys of nested objects that are spelled like a parameter would be."""
    all_shapes = site.known.schemas.shapes
    expression = ast.bare(expression)
    if isinstance(expression, ast.Display):
        for position, item in enumerate(expression.items):
            inner = shapes.item(of, position)
            if inner is not None:
                yield from _renamed_keys(site, item, inner, (*path, position), renamed)
        return
    if not isinstance(expression, ast.Dict):
        return
    fields = shapes.fields(of, all_shapes)
    raws = [field.raw for field in fields]
    spelled = rename_map(spell_parameters(raws, site.view.bindings.fold_characters))
    given = {ast.literal_text(entry.key) for entry in expression.entries if entry.key is not None}
    for entry in expression.entries:
        key = None if entry.key is None else ast.literal_text(entry.key)
        if key is None or entry.key is None:
            continue
        raw = spelled.get(key)
        if raw is not None and raw not in given:
            renamed[(*path, key)] = raw
            written = text.literal(raw)
            yield finding(
                "renamed-nested-key",
                entry.key.span,
                "only a tool's own parameters are respelled: "
                f"inside an argument this key is {text.json_key(raw)}",
                Fix(edits.writes(written), (TextEdit(entry.key.span, written),)),
            )
            key = raw
        inner = shapes.member(of, key, all_shapes)
        if inner is not None:
            yield from _renamed_keys(site, entry.value, inner, (*path, key), renamed)


def _finding(value: Expression, mismatch: Mismatch) -> Diagnostic:
    inner, key_span = span_at(value, mismatch.path[1:])
    wrong_key = mismatch.keyword == "additionalProperties"
    span = key_span if wrong_key and key_span is not None else inner.span
    return finding(
        "argument-type",
        span,
        f"{_where(mismatch.path)}: {mismatch.message}",
        _fix(inner, mismatch, span),
    )


def _fix(inner: Expression, mismatch: Mismatch, span: ast.Span) -> Fix | None:
    match mismatch.keyword:
        case "additionalProperties":
            wrong = str(mismatch.path[-1])
            like = nearest(wrong, ((key, key) for key in mismatch.allowed))
            written = None if like is None else text.literal(like)
        case "enum" | "const":
            said = ast.literal_text(inner)
            written = _nearest_member(said, mismatch.allowed)
        case "required" if len(mismatch.allowed) == 1:
            return _missing_key(inner, mismatch.allowed[0])
        case _:
            written = None
    if written is None:
        return None
    return Fix(edits.writes(written), (TextEdit(span, written),), safe=False)


def _nearest_member(said: str | None, allowed: tuple[str, ...]) -> str | None:
    if len(allowed) == 1:
        return python_source(allowed[0])
    if said is None:
        return None
    strings = ((string_of(member), member) for member in allowed)
    like = nearest(said, ((name, member) for name, member in strings if name is not None))
    return None if like is None else python_source(like)


def _missing_key(inner: Expression, key: str) -> Fix | None:
    display = ast.bare(inner)
    if not isinstance(display, ast.Dict) or display.close is None:
        return None
    written = f"{text.literal(key)}: ..."
    if display.entries:
        end = display.entries[-1].span.end
        edit = TextEdit(ast.Span(end, end), f", {written}")
    else:
        edit = TextEdit(ast.Span(display.open + 1, display.open + 1), written)
    return Fix(f"Insert {text.literal(key)}", (edit,), safe=False)


def _where(path: Path) -> str:
    first, *rest = path
    steps = "".join(f"[{text.literal(step) if isinstance(step, str) else step}]" for step in rest)
    return f"{text.json_key(str(first))}{steps}"
