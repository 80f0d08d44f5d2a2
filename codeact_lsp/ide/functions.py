"""Functions of the texts themselves: what a call of one gives, and what its parameters may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from codeact_lsp.ide import results
from codeact_lsp.ide.known_functions import LAMBDAS, Given, is_known
from codeact_lsp.ide.members import UNKNOWN, together
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import External, Follow, Function, Managed, Many, Pending, Refs
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.bodies import Body, body_of
from codeact_lsp.syntax.document import path_at
from codeact_lsp.syntax.expressions import Argument, ArgumentKind, Call, Expression, Node
from codeact_lsp.syntax.origins import Binding, Parameter

_SAME: Final = frozenset(
    {"builtins.classmethod", "builtins.staticmethod", "functools.cache", "functools.lru_cache"}
)
"""Decorators that leave a function what it is."""
_MANAGERS: Final = frozenset({"contextlib.asynccontextmanager", "contextlib.contextmanager"})


def result_of_function(view: View, binding: Binding, follow: Follow) -> Refs:
    """What a call of the `def` that `binding` stands for gives."""
    body = body_of(view.chain[binding.document], binding.span.start)
    if body is None:
        return UNKNOWN
    wrappers = [_decorator(one, binding.document, follow) for one in body.decorators]
    if any(path is None for path in wrappers):
        return UNKNOWN
    given = _given(body, binding.document, follow)
    # What holds nothing of the catalogue is no business of ours, awaited or not.
    if not is_known(given):
        return UNKNOWN
    if any(path in _MANAGERS for path in wrappers):
        return (Managed(given),) if body.yields else UNKNOWN
    if body.yields:
        return (Many(given),)
    return (Pending(given, local=True),) if body.asynchronous else given


def _decorator(expression: Expression, document: int, follow: Follow) -> str | None:
    """The known decorator that is used; None for any other."""
    called = ast.bare(expression)
    function = called.function if isinstance(called, Call) else called
    match follow(function, document):
        case (External(path),) if path in _SAME | _MANAGERS:
            return path
        case _:
            return None


def _given(body: Body, document: int, follow: Follow) -> Refs:
    """What a body yields, or else returns; one that comes to its end may give None."""
    if body.yields:
        found = []
        for one in body.yields:
            refs = UNKNOWN if one.value is None else follow(one.value, document)
            found.append(together(map(results.iterate, refs)) if one.delegates else refs)
        return together(found)
    returned = [UNKNOWN if one is None else follow(one, document) for one in body.returns]
    return together([*returned, UNKNOWN] if body.ends else returned)


def parameter(view: View, binding: Binding, follow: Follow) -> Refs:
    """What a parameter may hold: its default, or what the function that a lambda is given to gives."""
    assert isinstance(binding.origin, Parameter)  # the caller looked
    path = path_at(view.chain[binding.document], binding.span.start)
    passed = _passed(path, binding, follow)
    if passed is not None:
        return passed
    default = binding.origin.default
    return UNKNOWN if default is None else together((follow(default, binding.document), UNKNOWN))


def _passed(path: Sequence[Node], binding: Binding, follow: Follow) -> Refs | None:
    """What each call of the lambda gets, where the function that calls it is known."""
    for at in range(len(path) - 1, -1, -1):
        node = path[at]
        if not isinstance(node, ast.Lambda):
            continue
        spans = [one.name_span for one in node.parameters]
        if binding.span not in spans:
            continue
        holders = [one for one in path[:at] if not isinstance(one, ast.Group)]
        if len(holders) < 2 or not isinstance(holders[-1], Argument):
            return None
        call = holders[-2]
        position = spans.index(binding.span)
        if not isinstance(call, Call) or node.parameters[position].default is not None:
            return None
        return _items_for(call, holders[-1], position, binding.document, follow)
    return None


def _items_for(
    call: Call, argument: Argument, position: int, document: int, follow: Follow
) -> Refs | None:
    """What a function gives to parameter `position` of the lambda that is its `argument`."""

    def here(of: Expression | Function, _: int | None = None, /) -> Refs:
        return follow(of, document)

    given = Given(call, here)
    positional = [one for one in call.arguments if one.kind is ArgumentKind.POSITIONAL]
    place = argument.name or next(at for at, one in enumerate(positional) if one is argument)
    function = ast.bare(call.function)
    if isinstance(function, ast.Attribute) and function.name == "sort" and place == "key":
        return together(map(results.iterate, here(function.value)))
    match here(function):
        case (External("builtins.map"),) if place == 0:
            return given.items(position + 1)
        case (External("functools.reduce"),) if place == 0 and position == 1:
            return given.items(1)
        case (External(path),) if path in LAMBDAS and LAMBDAS[path][0] == place and not position:
            return given.items(LAMBDAS[path][1])
        case _:
            return None
