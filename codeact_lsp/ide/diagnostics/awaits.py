"""`not-awaited`: a call's coroutine is dropped, or used as if it were the result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.model import Diagnostic, Fix, TextEdit, View
from codeact_lsp.ide.refs import External, Pending
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.bodies import may_await
from codeact_lsp.syntax.expressions import Expression, Node, Span
from codeact_lsp.syntax.origins import Assigned
from codeact_lsp.syntax.scopes import lookup
from codeact_lsp.syntax.statements import Statement, StatementKind

_BUILTINS_OF_RESULTS: Final = frozenset(
    "print len str repr int float bool list dict set tuple sorted sum min max enumerate".split()
)
_ANY_OBJECT: Final = frozenset({"and", "or", "not", "is", "is not"})
"""Operators that a coroutine may stand beside."""
_COROUTINE: Final = frozenset({"send", "throw", "close", "cr_await", "cr_frame", "cr_running"})


def check_dropped(view: View, statement: Statement) -> Iterator[Diagnostic]:
    """A statement that is a call and nothing else."""
    if statement.kind is not StatementKind.EXPRESSION or len(statement.expressions) != 1:
        return
    expression = ast.bare(statement.expressions[0])
    finished = isinstance(expression, ast.Call) and expression.close is not None
    if finished and _is_pending(view, expression):
        yield _finding(view, expression, "this call is never awaited, so it does nothing")


def check_used(view: View, node: Node) -> Iterator[Diagnostic]:
    """A node that needs the result of a call and has its coroutine."""
    for operand in _needed(node):
        if _is_pending(view, operand) and _wants_result(view, node):
            yield _finding(view, operand, "this is a coroutine: `await` it to have the result")


def check_loop(view: View, statement: Statement) -> Iterator[Diagnostic]:
    """`for x in f(…)`."""
    if statement.kind is not StatementKind.FOR:
        return
    iterated = {
        id(binding.origin.value): binding.origin.value
        for binding in statement.bindings
        if isinstance(binding.origin, Assigned) and binding.origin.steps
    }
    for value in iterated.values():
        if _is_pending(view, value):
            yield _finding(view, value, "this is a coroutine: `await` it to have the result")


def _needed(node: Node) -> tuple[Expression, ...]:
    """The operands of `node` that have to be results."""
    match node:
        case ast.Subscript(_, value):
            return (value,)
        case ast.Attribute(_, value, name) if name and name not in _COROUTINE:
            return (value,)
        case ast.Operation(_, operator, _, operands) if operator not in _ANY_OBJECT:
            return operands
        case ast.Clause(_, _, iterable):
            return (iterable,)
        case ast.String(fields=fields):
            return fields
        case ast.Call(_, _, arguments):
            return tuple(
                argument.value
                for argument in arguments
                if argument.kind is ast.ArgumentKind.POSITIONAL
            )
        case _:
            return ()


def _wants_result(view: View, node: Node) -> bool:
    """Whether a call is of a function that can do nothing with a coroutine; any other node can't."""
    if not isinstance(node, ast.Call):
        return True
    function = ast.bare(node.function)
    if isinstance(function, ast.Name) and not lookup(
        view.chain, function.name, function.span.start
    ):
        return function.name in _BUILTINS_OF_RESULTS
    return resolve(view, function) == (External("json.dumps"),)


def _is_pending(view: View, expression: Expression) -> bool:
    if not isinstance(ast.bare(expression), ast.Call | ast.Name):
        return False
    refs = resolve(view, expression)
    # What functions of the text do is a matter for the Python server beside this one.
    return len(refs) == 1 and isinstance(refs[0], Pending) and not (refs[0].task or refs[0].local)


def _finding(view: View, expression: Expression, said: str) -> Diagnostic:
    return finding("not-awaited", expression.span, said, _await(view, expression))


def _await(view: View, expression: Expression) -> Fix | None:
    """`await` before the call, which for a name is where the name was given its value.

    None where it would not compile.
    """
    bare = ast.bare(expression)
    if isinstance(bare, ast.Name):
        view.searched.add(bare.name)
        found = lookup(view.chain, bare.name, bare.span.start)
        if len(found) != 1 or found[0].document != len(view.chain) - 1:
            return None
        match found[0].origin:
            case Assigned(ast.Call() as call, ()) if may_await(view.document, call.span.start):
                return Fix("Add await", (_inserted(call.span.start, "await "),), safe=False)
            case _:
                return None
    if not may_await(view.document, bare.span.start):
        return None
    if _stands_alone(view, bare):
        return Fix("Add await", (_inserted(bare.span.start, "await "),), safe=False)
    edits = (_inserted(bare.span.start, "(await "), _inserted(bare.span.end, ")"))
    return Fix("Add await", edits, safe=False)


def _stands_alone(view: View, expression: Expression) -> bool:
    """Whether nothing that binds closer than `await` follows the call."""
    behind = view.document.text[expression.span.end : expression.span.end + 1]
    return behind not in {"[", "."}


def _inserted(offset: int, text: str) -> TextEdit:
    return TextEdit(Span(offset, offset), text)
