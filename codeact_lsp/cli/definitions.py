"""What of the cells above one can be had without running them: names that only name something.

A cell that is run alone starts in a process of its own. To run what stands above it would call its
tools once more, and most of them change something; imports, functions, classes and names for tools
cost nothing, and a cell can hardly do without them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final, NamedTuple

_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_RUNS: Final = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_BLOCKS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Place(NamedTuple):
    """A line, from 1, of what a traceback calls `name`."""

    name: str
    line: int


class Definitions:
    """Goes over the cells above another one, in order.

    Attributes:
        left_out: names that the code left out would have set, and where it does.

    """

    def __init__(self) -> None:
        self.left_out: dict[str, Place] = {}

    def of(self, tree: ast.Module, name: str) -> ast.Module:
        """The part of a cell that is run for the cells below it; `name` is what a traceback says."""
        taken = [node for node in tree.body if self._takes(node, name)]
        return ast.Module(taken, type_ignores=[])

    def _takes(self, node: ast.stmt, name: str) -> bool:
        known = not any(
            isinstance(part, ast.Name)
            and isinstance(part.ctx, ast.Load)
            and part.id in self.left_out
            for part in _at_once(node)
        )
        taken = known and _only_names(node)
        for bound in _bound(node):
            if taken:
                self.left_out.pop(bound, None)
            else:
                self.left_out[bound] = Place(name, node.lineno)
        return taken


def _only_names(node: ast.stmt) -> bool:
    """Whether a statement does nothing but give names to what is there."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return True
        case ast.Assign(targets=targets, value=value):
            return all(map(_is_plain, targets)) and _is_quiet(value)
        case ast.AnnAssign(target=target, value=value):
            return _is_plain(target) and (value is None or _is_quiet(value))
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=test, body=body, orelse=orelse):
            return _is_quiet(test) and all(map(_only_names, [*body, *orelse]))
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            handled = [inner for handler in handlers for inner in handler.body]
            return all(map(_only_names, [*body, *handled, *orelse, *final]))
        case _:
            return False


def _is_plain(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_plain, target.elts))
    return isinstance(target, ast.Name)


def _is_quiet(value: ast.expr) -> bool:
    """Whether an expression only looks at what is there; `getattr(mcp.s, "raw")` does too."""
    return not any(isinstance(part, _RUNS) and not _is_getattr(part) for part in _at_once(value))


def _is_getattr(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and all(isinstance(argument, ast.Constant) for argument in node.args[1:])
    )


def _at_once(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated when the statement runs: all but the bodies of functions."""
    yield node
    for field, value in ast.iter_fields(node):
        if field == "body" and isinstance(node, _SCOPES):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _at_once(child)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement sets in its own scope."""
    if isinstance(node, _IMPORTS):
        yield from (alias.asname or alias.name.split(".", 1)[0] for alias in node.names)
    elif isinstance(node, _BLOCKS):
        yield node.name
    elif isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):
            yield node.id
    elif not isinstance(node, ast.Lambda | ast.comprehension):
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.name
        if isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest
        for child in ast.iter_child_nodes(node):
            yield from _bound(child)
