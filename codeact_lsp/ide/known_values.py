"""What is known of an argument's value before the code runs."""

from __future__ import annotations

from codeact_lsp.ide.refs import Path
from codeact_lsp.schema.values import Items, Kind, Known, Members, OfKind, Unknown, Value
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import Expression, Span

_UNKNOWN = Unknown()


def known_value(expression: Expression) -> Value:
    """A literal, or a display of literals, as far as it is one; everything else is unknown."""
    expression = ast.bare(expression)
    match expression:
        case ast.Constant(_, "None", _):
            return Known(None)
        case ast.Constant(_, _, (bool() | int() | float()) as value):
            return Known(value)
        case ast.Operation(_, "-", _, (ast.Constant(_, _, (int() | float()) as value),)) if not (
            isinstance(value, bool)
        ):
            return Known(-value)
        case ast.String() | ast.Strings():
            return _text(expression)
        case ast.Display(_, ast.DisplayKind.LIST | ast.DisplayKind.TUPLE, items):
            return _items(items)
        case ast.Dict(_, entries):
            return _members(entries)
        case _:
            return _UNKNOWN


def _text(string: ast.String | ast.Strings) -> Value:
    if string.value is not None:
        return Known(string.value)
    parts = string.parts if isinstance(string, ast.Strings) else (string,)
    if any("b" in part.prefix or "t" in part.prefix or not part.closed for part in parts):
        return _UNKNOWN
    return OfKind(Kind.STRING) if any(part.fields for part in parts) else _UNKNOWN


def _items(items: tuple[Expression, ...]) -> Value:
    """The items before the first starred one keep their positions; what follows may be anywhere."""
    found: list[Value] = []
    for item in items:
        if isinstance(item, ast.Starred | ast.Missing):
            return Items(tuple(found), complete=False)
        found.append(known_value(item))
    return Items(tuple(found), complete=True)


def _members(entries: tuple[ast.Entry, ...]) -> Value:
    found: dict[str, Value] = {}
    complete = True
    for entry in entries:
        key = None if entry.key is None else ast.literal_text(entry.key)
        if key is None:
            # `**other` and a computed key may replace what stands before them.
            found = dict.fromkeys(found, _UNKNOWN)
            complete = False
        else:
            found[key] = known_value(entry.value)
    return Members(tuple(found.items()), complete)


def span_at(expression: Expression, path: Path) -> tuple[Expression, Span | None]:
    """The deepest expression on `path` that is written out, and the key it was reached by."""
    key_span: Span | None = None
    for step in path:
        expression = ast.bare(expression)
        match step, expression:
            case str(), ast.Dict(_, entries):
                found = [
                    entry
                    for entry in entries
                    if entry.key is not None and ast.literal_text(entry.key) == step
                ]
                if not found or found[-1].key is None:
                    return expression, key_span
                key_span = found[-1].key.span
                expression = found[-1].value
            case int(), ast.Display(_, _, items) if 0 <= step < len(items):
                key_span = None
                expression = items[step]
            case _:
                return expression, key_span
    return expression, key_span
