"""What the conditions on the way to a place leave of a result's type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from codeact_lsp.ide import results, shapes
from codeact_lsp.ide.contents import Place, stored_at
from codeact_lsp.ide.members import together
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import Follow, Ref, Refs, Value
from codeact_lsp.schema.types import EnumType, ObjectType, Scalar, ScalarType, Type
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.conditions import Condition, conditions_at
from codeact_lsp.syntax.expressions import Expression, Span
from codeact_lsp.syntax.origins import Binding, Key, Literal, Step, Test
from codeact_lsp.syntax.scopes import lookup

_Keys: TypeAlias = tuple[str | int, ...]


class _Subject(NamedTuple):
    """`name["key"][0]`: a name with the literal keys behind it."""

    name: ast.Name
    keys: _Keys


class _Fact(NamedTuple):
    """`subject` is (or with `holds` False, is not) one of `values`; None for anything that is false."""

    subject: _Subject
    values: tuple[Literal, ...] | None
    holds: bool


class _Said(NamedTuple):
    """What is under `keys` is (or with `holds` False, is not) one of `values`; see `_Fact`."""

    keys: _Keys
    values: tuple[Literal, ...] | None
    holds: bool


def narrowed(view: View, expression: Expression, document: int, refs: Refs, follow: Follow) -> Refs:
    """`refs` of `expression`, without what the conditions that hold where it stands exclude."""
    if not any(isinstance(ref, Value) and len(shapes.variants(ref.type)) > 1 for ref in refs):
        return refs
    subject = _subject(expression)
    if subject is None:
        return refs
    # What is said depends on statements that bind none of the names in this one.
    view.searched.add(subject.name.name)
    for fact in _facts(view, subject, document, follow):
        said = _Said(fact.subject.keys[len(subject.keys) :], fact.values, fact.holds)
        refs = tuple(_applied(view, ref, said) for ref in refs)
    return refs


def captured(view: View, refs: Refs, steps: tuple[Step, ...], tests: tuple[Test, ...]) -> Refs:
    """What `steps` lead to from `refs`, the subject of a `case` that asks for `tests`."""
    for taken in range(len(steps) + 1):
        for test in tests:
            behind = test.steps[taken:]
            keys = tuple(step.key for step in behind if isinstance(step, Key))
            if test.steps[:taken] == steps[:taken] and len(keys) == len(behind):
                said = _Said(keys, test.values, holds=True)
                refs = tuple(_applied(view, ref, said) for ref in refs)
        if taken < len(steps):
            refs = together(results.step(view.bindings, ref, steps[taken]) for ref in refs)
    return refs


def _subject(expression: Expression) -> _Subject | None:
    expression = ast.bare(expression)
    match expression:
        case ast.Name():
            return _Subject(expression, ())
        case ast.Walrus(_, target, _):
            return _Subject(target, ())
        case ast.Subscript(_, value, index):
            return _with_key(_subject(value), index)
        case ast.Call(_, ast.Attribute(_, value, "get"), (argument,)):
            return _with_key(_subject(value), argument.value)
        case _:
            return None


def _with_key(subject: _Subject | None, index: Expression) -> _Subject | None:
    key = _literal(index)
    if subject is None or not isinstance(key, str | int):
        return None
    return _Subject(subject.name, (*subject.keys, key))


def _literal(expression: Expression) -> Literal | ast.Missing:
    """The literal that an expression is; `Missing` where it is none."""
    expression = ast.bare(expression)
    match expression:
        case ast.Constant(_, "None"):
            return None
        case ast.Constant(_, _, (bool() | int()) as value):
            return value
        case _:
            text = ast.literal_text(expression)
            return ast.Missing(expression.span) if text is None else text


def _facts(view: View, subject: _Subject, document: int, follow: Follow) -> Iterator[_Fact]:
    """What is known of the subject and of what is in it, where it stands."""
    place = subject.name.span.start
    chain = view.chain[: document + 1]
    here = None
    for condition in conditions_at(view.chain[document], place):
        for fact in _said(condition):
            name = fact.subject.name
            if (
                name.name != subject.name.name
                or fact.subject.keys[: len(subject.keys)] != subject.keys
            ):
                continue
            here = lookup(chain, name.name, place) if here is None else here
            there = lookup(chain, name.name, name.span.end)
            # Nothing may bind the name between the condition and the place.
            if [_where(one) for one in there] != [_where(one) for one in here] or any(
                one.document == document and name.span.end < one.span.start < place for one in here
            ):
                continue
            stored = (
                stored_at(view, here, key, Place(document, place), follow)
                for key in fact.subject.keys
                if isinstance(key, str)
            )
            if not any(stored):
                yield fact


def _where(binding: Binding) -> tuple[int, Span]:
    return binding.document, binding.span


def _said(condition: Condition) -> Iterator[_Fact]:
    """What a condition says of any subject."""
    if not condition.tests:
        yield from _of_test(condition.asked, holds=condition.holds)
        return
    subject = _subject(condition.asked)
    if subject is None:
        return
    for test in condition.tests:
        keys = [step.key if isinstance(step, Key) else None for step in test.steps]
        if None not in keys:
            under = tuple(key for key in keys if key is not None)
            whole = _Subject(subject.name, (*subject.keys, *under))
            yield _Fact(whole, test.values, condition.holds)


def _of_test(test: Expression, *, holds: bool) -> Iterator[_Fact]:
    test = ast.bare(test)
    match test:
        case ast.Operation(_, "not", _, (operand,)):
            yield from _of_test(operand, holds=not holds)
        case ast.Operation(_, "and" | "or" as operator, _, operands):
            if (operator == "and") == holds:
                for operand in operands:
                    yield from _of_test(operand, holds=holds)
        case ast.Operation(_, "==" | "is", _, (left, right)):
            yield from _compared(left, right, holds=holds)
        case ast.Operation(_, "!=" | "is not", _, (left, right)):
            yield from _compared(left, right, holds=not holds)
        case ast.Operation(_, "in" | "not in" as operator, _, (left, ast.Display(_, _, items))):
            yield from _among(left, items, holds=(operator == "in") == holds)
        case _:
            subject = _subject(test)
            if subject is not None:
                yield _Fact(subject, None, not holds)


def _compared(left: Expression, right: Expression, *, holds: bool) -> Iterator[_Fact]:
    for one, other in ((left, right), (right, left)):
        subject, value = _subject(one), _literal(other)
        if subject is not None and not isinstance(value, ast.Missing):
            yield _Fact(subject, (value,), holds)


def _among(left: Expression, items: tuple[Expression, ...], *, holds: bool) -> Iterator[_Fact]:
    subject = _subject(left)
    values = [_literal(item) for item in items]
    known = tuple(value for value in values if not isinstance(value, ast.Missing))
    if subject is not None and len(known) == len(values):
        yield _Fact(subject, known, holds)


def _applied(view: View, ref: Ref, said: _Said) -> Ref:
    if not isinstance(ref, Value):
        return ref
    all_shapes = results.shapes_of(view.bindings, ref)
    kept = tuple(one for one in shapes.variants(ref.type) if _possible(one, said, all_shapes))
    of = shapes.union(kept)
    return ref if of is None else replace(ref, type=of)


def _possible(of: Type, said: _Said, all_shapes: shapes.Shapes) -> bool:
    """Whether what is said can be true of a value of this type."""
    inner = said.keys
    if not inner:
        return _holds_for(of, said)
    if of == ScalarType(Scalar.NULL):
        return False  # it was asked for a key
    if len(inner) > 1 or not isinstance(of, ObjectType) or of.shape not in all_shapes:
        return True
    field = next((one for one in all_shapes[of.shape].fields if one.raw == inner[0]), None)
    if field is None or not (said.holds or field.required):
        return True
    return any(_holds_for(one, said) for one in shapes.variants(field.type))


def _holds_for(of: Type, said: _Said) -> bool:
    """Whether some value of a type that is no union fits what is said."""
    null = of == ScalarType(Scalar.NULL)
    if said.values is None:
        return not (null and not said.holds)
    named = {json.dumps(value, ensure_ascii=False) for value in said.values}
    if null:
        return ("null" in named) == said.holds
    if isinstance(of, EnumType):
        return any((member in named) == said.holds for member in of.members)
    if not said.holds:
        return True
    match of:
        case ScalarType(Scalar.STRING):
            return any(isinstance(value, str) for value in said.values)
        case ScalarType():
            return any(value is not None and not isinstance(value, str) for value in said.values)
        case ObjectType():
            return False
        case _:
            return True
