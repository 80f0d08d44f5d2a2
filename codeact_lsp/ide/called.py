"""What the call of a function gives, for the functions that carry bindings and results along."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.ide import results
from codeact_lsp.ide.constants import literal
from codeact_lsp.ide.members import UNKNOWN, raw_attribute, together
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import (
    OTHER,
    External,
    Many,
    Pending,
    Ref,
    Refs,
    Row,
    Table,
    ToolRef,
    UnknownServer,
    UnknownTool,
    Value,
)
from codeact_lsp.schema.types import AnyType, Scalar, ScalarType
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import ArgumentKind, Call, Expression

Follow: TypeAlias = Callable[[Expression], Refs]
"""Resolves an expression of the call's own document."""

FOLLOWED_MODULES: Final = frozenset({"asyncio", "copy", "functools", "json", "typing"})
"""The modules whose functions are known here."""
FOLLOWED_BUILTINS: Final = frozenset(
    "dict enumerate getattr iter list max min next reversed sorted tuple zip".split()
)
"""The builtins that are known here."""
_GIVES_ARGUMENT: Final = {
    **dict.fromkeys(
        (
            "asyncio.create_task",
            "asyncio.ensure_future",
            "asyncio.shield",
            "asyncio.wait_for",
            "builtins.iter",
            "builtins.list",
            "builtins.reversed",
            "builtins.sorted",
            "builtins.tuple",
            "copy.copy",
            "copy.deepcopy",
        ),
        0,
    ),
    "typing.cast": 1,
}
"""Functions that give back an argument, as far as anything here is concerned, and which one."""
_GIVES_ITEM: Final = frozenset({"builtins.max", "builtins.min", "builtins.next"})
_TASKS: Final = frozenset({"asyncio.create_task", "asyncio.ensure_future"})


def called(view: View, call: Call, document: int, function: Ref, follow: Follow) -> Refs:
    """What `call`, in a document of the chain, gives when its function is `function`."""
    match function:
        case ToolRef(tool):
            return (Pending(result_of(view, tool)),)
        case External("builtins.getattr"):
            return _getattr(view, call, document, follow)
        case External("functools.partial"):
            return _partial(call, follow)
        case External("asyncio.gather"):
            return (_gather(call, follow),)
        case External("asyncio.run"):
            return together(
                ref.value if isinstance(ref, Pending) else UNKNOWN for ref in _at(call, 0, follow)
            )
        case External("builtins.dict"):
            return (_dict(call, follow),)
        case External("builtins.enumerate"):
            return (Many((Row((UNKNOWN, _items(call, 0, follow))),)),)
        case External("builtins.zip"):
            count = len(_positional(call))
            return (Many((Row(tuple(_items(call, at, follow) for at in range(count))),)),)
        case External(path) if path in _GIVES_ITEM:
            return _items(call, 0, follow)
        case External(path) if path in _GIVES_ARGUMENT:
            given = _at(call, _GIVES_ARGUMENT[path], follow)
            return _as_tasks(given) if path in _TASKS else given
        case _:
            return _method(view, call, document, follow)


def result_of(view: View, tool: ToolBinding) -> Refs:
    """What awaiting a call of `tool` gives: its declared result, else text or anything."""
    declared = details(tool, view.bindings.fold_characters).schemas.result
    if declared is not None:
        return (Value(tool, declared),)
    return (Value(tool, AnyType() if tool.server is None else ScalarType(Scalar.STRING)),)


def _positional(call: Call) -> tuple[Expression, ...]:
    return tuple(one.value for one in call.arguments if one.kind is ArgumentKind.POSITIONAL)


def _at(call: Call, position: int, follow: Follow) -> Refs:
    values = _positional(call)
    return follow(values[position]) if position < len(values) else UNKNOWN


def _items(call: Call, position: int, follow: Follow) -> Refs:
    return together(map(results.iterate, _at(call, position, follow)))


def _as_tasks(refs: Refs) -> Refs:
    return tuple(Pending(ref.value, task=True) if isinstance(ref, Pending) else ref for ref in refs)


def _getattr(view: View, call: Call, document: int, follow: Follow) -> Refs:
    values = _positional(call)
    name = literal(view, values[1], document) if len(values) > 1 else None
    if not isinstance(name, str):
        return UNKNOWN
    found = together(raw_attribute(view, ref, name) for ref in follow(values[0]))
    if len(values) > 2 and any(isinstance(one, UnknownServer | UnknownTool) for one in found):
        return UNKNOWN
    return found


def _partial(call: Call, follow: Follow) -> Refs:
    certain = all(
        one.kind in {ArgumentKind.KEYWORD, ArgumentKind.POSITIONAL} for one in call.arguments
    )
    names = frozenset(one.name for one in call.arguments if one.name is not None)

    def bound(ref: Ref) -> Ref:
        if not isinstance(ref, ToolRef):
            return OTHER
        known = certain and ref.given is not None
        return ToolRef(ref.tool, (ref.given or frozenset()) | names if known else None)

    return tuple(map(bound, _at(call, 0, follow)))


def _gather(call: Call, follow: Follow) -> Pending:
    """Results in a row; with a star among the arguments, any number of results.

    The calls run whether or not anybody awaits the future.
    """
    gathered = [
        one for one in call.arguments if one.kind in {ArgumentKind.POSITIONAL, ArgumentKind.STAR}
    ]

    exceptions = any(one.name == "return_exceptions" for one in call.arguments)

    def given(argument: ast.Argument) -> Refs:
        refs = follow(argument.value)
        starred = argument.kind is ArgumentKind.STAR
        pending = together(map(results.iterate, refs)) if starred else refs
        values = [ref.value if isinstance(ref, Pending) else UNKNOWN for ref in pending]
        return together([*values, UNKNOWN] if exceptions else values)

    rows = tuple(map(given, gathered))
    if any(one.kind is ArgumentKind.STAR for one in gathered):
        return Pending((Many(together(rows)),), task=True)
    return Pending((Row(rows),), task=True)


def _dict(call: Call, follow: Follow) -> Table:
    entries: dict[str, Refs] = {}
    whole = True
    for argument in call.arguments:
        if argument.name is not None:
            entries[argument.name] = follow(argument.value)
            continue
        inner = follow(argument.value)
        if (
            argument.kind is not ArgumentKind.STAR
            and len(inner) == 1
            and isinstance(inner[0], Table)
        ):
            entries.update(inner[0].entries)
            whole = whole and inner[0].whole
        else:
            whole = False
    return Table(tuple(entries.items()), whole)


def _method(view: View, call: Call, document: int, follow: Follow) -> Refs:
    """A method of a result (`r.get("k")`), `group.create_task(…)`, `task.result()`."""
    function = ast.bare(call.function)
    if not isinstance(function, ast.Attribute):
        return UNKNOWN
    if function.name == "create_task":
        return _as_tasks(_at(call, 0, follow))
    values = _positional(call)
    key = literal(view, values[0], document) if values else None
    found = [
        results.method(view.bindings, ref, function.name, key) for ref in follow(function.value)
    ]
    if function.name in {"get", "pop", "setdefault"} and len(values) > 1:
        found.append(follow(values[1]))
    return together(found)
