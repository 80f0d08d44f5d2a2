"""What the call of a function gives, for the functions that carry bindings and results along."""

from __future__ import annotations

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.ide import results
from codeact_lsp.ide.constants import literal
from codeact_lsp.ide.known_functions import Given, is_known, known_function, tasks
from codeact_lsp.ide.members import UNKNOWN, raw_attribute, together
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import (
    OTHER,
    Anonymous,
    External,
    Follow,
    Function,
    Many,
    Pending,
    Ref,
    Refs,
    ToolRef,
    UnknownServer,
    UnknownTool,
    Value,
)
from codeact_lsp.schema.types import AnyType, Scalar, ScalarType
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.expressions import ArgumentKind, Call


def called(view: View, call: Call, document: int, function: Ref, follow: Follow) -> Refs:
    """What `call`, in a document of the chain, gives when its function is `function`."""
    match function:
        case ToolRef(tool):
            return (Pending(result_of(view, tool)),)
        case Function():
            return follow(function)
        case Anonymous(made, where):
            return follow(made.body, where)
        case External("builtins.getattr"):
            return _getattr(view, call, document, follow)
        case External("functools.partial"):
            return _partial(call, follow)
        case External("builtins.map"):
            return _map(view, call, document, follow)
        case External(path):
            known = known_function(path, Given(call, follow))
            return _method(view, call, document, follow) if known is None else known
        case _:
            return _method(view, call, document, follow)


def result_of(view: View, tool: ToolBinding) -> Refs:
    """What awaiting a call of `tool` gives: its declared result, else text or anything."""
    declared = details(tool, view.bindings.fold_characters).schemas.result
    if declared is not None:
        return (Value(tool, declared),)
    return (Value(tool, AnyType() if tool.server is None else ScalarType(Scalar.STRING)),)


def _getattr(view: View, call: Call, document: int, follow: Follow) -> Refs:
    values = Given(call, follow).positional()
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
        match ref:
            case ToolRef(tool, given):
                known = certain and given is not None
                return ToolRef(tool, (given or frozenset()) | names if known else None)
            case Function() | Anonymous():
                return ref
            case _:
                return OTHER

    return tuple(map(bound, Given(call, follow).at(0)))


def _map(view: View, call: Call, document: int, follow: Follow) -> Refs:
    """`map(function, items)`, for functions whose result does not depend on what they are given."""
    functions = Given(call, follow).at(0)
    given = together(
        called(view, call, document, one, follow)
        if isinstance(one, Function | Anonymous | ToolRef)
        else UNKNOWN
        for one in functions
    )
    return (Many(given),) if is_known(given) else UNKNOWN


def _method(view: View, call: Call, document: int, follow: Follow) -> Refs:
    """A method of a result (`r.get("k")`), `group.create_task(…)`, `task.result()`."""
    function = ast.bare(call.function)
    if not isinstance(function, ast.Attribute):
        return UNKNOWN
    given = Given(call, follow)
    if function.name == "create_task":
        return tasks(given.at(0))
    if function.name == "run_until_complete":
        return together(ref.value if isinstance(ref, Pending) else UNKNOWN for ref in given.at(0))
    values = given.positional()
    key = literal(view, values[0], document) if values else None
    found = [
        results.method(view.bindings, ref, function.name, key) for ref in follow(function.value)
    ]
    if function.name in {"get", "pop", "setdefault"} and len(values) > 1:
        found.append(follow(values[1]))
    return together(found)
