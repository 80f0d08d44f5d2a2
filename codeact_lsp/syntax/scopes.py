"""Which binding a name has at a place: scopes as Python has them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from codeact_lsp.syntax import flow
from codeact_lsp.syntax.document import Document, path_at
from codeact_lsp.syntax.expressions import Comprehension, Lambda, Node
from codeact_lsp.syntax.flow import NOTHING, Question, Reached, in_sequence
from codeact_lsp.syntax.logical import STAR, Item
from codeact_lsp.syntax.origins import Assigned, Binding, Iterate, Parameter
from codeact_lsp.syntax.places import Level, Place, place_of
from codeact_lsp.syntax.statements import Statement, StatementKind
from codeact_lsp.syntax.targets import bound, may_not_run

_EARLY: Final = frozenset({StatementKind.WITH, StatementKind.CASE})


def lookup(chain: Sequence[Document], name: str, offset: int) -> tuple[Binding, ...]:
    """The bindings that `name` may have at `offset` of the last document of `chain`.

    Nearest first; several where the flow is conditional; empty where it is not bound. The documents
    before the last count as run before it, in order (the prelude, earlier cells). A star import that
    precedes is among the answers (`Imported.star`), followed by what holds if it lacks the name. In a
    function, names of the scopes around it are those bound anywhere in them: it runs later.
    """
    if not chain:
        return ()
    document = chain[-1]
    path = path_at(document, offset)
    found = _in_expressions(path, name, offset)
    if found:
        return _numbered(found, len(chain) - 1)
    reached = _in_document(document, name, offset, own_scope=_has_own_scope(path, offset))
    bindings = list(_numbered(reached.bindings, len(chain) - 1))
    for number in range(len(chain) - 2, -1, -1):
        if reached.certain:
            break
        reached = _at_end(chain[number], name)
        bindings.extend(_numbered(reached.bindings, number))
    places = {(binding.document, binding.span): binding for binding in reversed(bindings)}
    return tuple(reversed(places.values()))


def _numbered(bindings: Sequence[Binding], number: int) -> tuple[Binding, ...]:
    return tuple(replace(binding, document=number) for binding in bindings)


def visible_names(chain: Sequence[Document], offset: int) -> frozenset[str]:
    """The names that the texts may bind and that can be seen at `offset`: perhaps some too many."""
    names: set[str] = set()
    for document in chain:
        for page in document.pages:
            names |= page.names
    if not chain:
        return frozenset()
    place = place_of(chain[-1], offset)
    question = Question("", place.base, chain[-1].work)
    for level in place.levels[1:]:
        names.update(*(item.names for item in level.items))
        header = question.header(level.owner.clauses[level.clause]) if level.owner else None
        names.update(p.name for p in (header.parameters if header is not None else ()))
    return frozenset(names - {STAR})


def _in_expressions(path: Sequence[Node], name: str, offset: int) -> tuple[Binding, ...]:
    """Lambdas and comprehensions around the place, innermost first."""
    for node in reversed(path):
        found: tuple[Binding, ...] = ()
        if isinstance(node, Lambda) and offset >= node.body.span.start:
            found = tuple(
                Binding(name, p.name_span, Parameter(p.annotation, p.default))
                for p in node.parameters
                if p.name == name
            )
        elif isinstance(node, Comprehension):
            found = tuple(b for b in _variables(node, offset) if b.name == name)
        if found:
            return found[:1]
    return ()


def _has_own_scope(path: Sequence[Node], offset: int) -> bool:
    """Whether a lambda or comprehension is around the place: neither sees the names of a class."""
    for node in path:
        match node:
            case Lambda(body=body) if offset >= body.span.start:
                return True
            case Comprehension(_, elements, (first, *_)):
                target = first.target.span
                inside = any(element.span.touches(offset) for element in elements)
                if inside or target.touches(offset) or offset > first.iterable.span.end:
                    return True
            case _:
                pass
    return False


def _variables(node: Comprehension, offset: int) -> Iterator[Binding]:
    """The variables of a comprehension that are bound at `offset`, innermost first."""
    for clause in reversed(node.clauses):
        iterable = clause.iterable.span
        in_elements = offset < node.clauses[0].span.start
        in_iterable = clause.target.span.end < offset <= iterable.end
        if in_elements or (offset >= clause.span.start and not in_iterable):
            yield from reversed(
                bound(clause.target, clause.iterable, (Iterate(clause.asynchronous),))
            )


@dataclass(frozen=True, slots=True)
class _Scope:
    """The levels of one function, class or module, innermost first."""

    levels: tuple[Level, ...]

    @property
    def word(self) -> str:
        """`def`, `class`, or "" for the module."""
        owner = self.levels[-1].owner
        return "" if owner is None else owner.line.word

    @property
    def body(self) -> tuple[Item, ...]:
        return self.levels[-1].items


def _scopes(place: Place) -> list[_Scope]:
    """The scopes around a place, innermost first; the module's is the last."""
    scopes: list[_Scope] = []
    levels: list[Level] = []
    for level in reversed(place.levels):
        levels.append(level)
        if level.owner is None or level.owner.line.word in {"def", "class"}:
            scopes.append(_Scope(tuple(levels)))
            levels = []
    return scopes


def _in_document(document: Document, name: str, offset: int, *, own_scope: bool) -> Reached:
    place = place_of(document, offset)
    question = Question(name, place.base, document.work)
    scopes = _scopes(place)
    here = _in_statement(question, place)
    if scopes[0].word == "class" and not own_scope:
        # A class body runs where it stands, so what surrounds it is asked for its flow.
        inner = scopes[0]
        here = in_sequence((here, _flow(question, inner), _parameters(question, inner)))
        if any(flow.anywhere(question, inner.body)):
            # Python looks for a name that a class binds in the class and the module only.
            if any(scope.word == "def" for scope in scopes):
                return in_sequence((here, _in_outer(document, question, scopes[-1:])))
            scopes = scopes[-1:]
    scopes = list(itertools.dropwhile(lambda scope: scope.word == "class", scopes))
    inner, outer = scopes[0], scopes[1:]
    if not outer:
        here = in_sequence((here, _flow(question, inner), _before(document, question, place.base)))
        return _with_globals(document, question, offset, here)
    declared = _declared(question, inner)
    if declared is None:
        here = in_sequence((here, _flow(question, inner), _parameters(question, inner)))
        if here.certain or any(flow.anywhere(question, inner.body)):
            return Reached((*here.bindings, *_set_inside(document, question, inner)), certain=True)
    else:
        here = in_sequence((here, _flow(question, inner)))
    if declared is StatementKind.GLOBAL:
        outer = outer[-1:]
    return in_sequence((here, _in_outer(document, question, outer)))


def _in_outer(document: Document, question: Question, outer: Sequence[_Scope]) -> Reached:
    """The scopes around a function or class, which are not asked for their flow."""
    for scope in outer[:-1]:
        if scope.word == "class":
            continue
        found = tuple(flow.anywhere(question, scope.body))
        inside = _parameters(question, scope)
        if found or inside.bindings:
            found += tuple(_set_inside(document, question, scope))
            return Reached((*found, *inside.bindings), certain=True)
    anywhere = tuple(
        binding
        for start, top in _tops_backwards(document, len(document.text) + 1, question)
        for binding in flow.anywhere(replace(question, base=start), top)
    )
    # It may run at any time after its own statement: what is bound by then hides earlier documents.
    certain = _before(document, question, question.base).certain
    return _with_globals(document, question, len(document.text) + 1, Reached(anywhere, certain))


def _in_statement(question: Question, place: Place) -> Reached:
    """What the statement itself, and those before it on its line, bind before the place."""
    before = flow.of_statements(question, place.before)
    if place.statement is None:
        return before
    own = _own(question, place.statement, place.offset)
    return in_sequence((own, before))


def _own(question: Question, statement: Statement, offset: int) -> Reached:
    """Items of a `with`, captures before a guard, and walruses bind before the statement ends."""
    early = statement.bindings if statement.kind in _EARLY else statement.walruses
    for binding in reversed(early):
        if binding.name == question.name and binding.span.end <= offset:
            value = binding.origin.value if isinstance(binding.origin, Assigned) else None
            if value is None or offset > value.span.end or value.span.end <= binding.span.start:
                conditional = binding in statement.walruses and may_not_run(statement, binding)
                return Reached((binding,), certain=not conditional)
    return NOTHING


def _flow(question: Question, scope: _Scope) -> Reached:
    """From the place backwards to where the scope starts."""
    return in_sequence(_flow_parts(question, scope.levels))


def _flow_parts(question: Question, levels: Sequence[Level]) -> Iterator[Reached]:
    for level in levels:
        if level.owner is not None and level.owner.line.word == "match":
            yield flow.past_cases(question, level.items[: level.index])
        else:
            yield flow.of_block(question, level.items[: level.index])
        if level.owner is not None and level.owner.line.word not in {"def", "class"}:
            into = flow.into_header if level.in_header else flow.into_clause
            yield into(question, level.owner, level.clause)


def _before(document: Document, question: Question, end: int) -> Reached:
    """The top-level statements before `end`."""
    return in_sequence(
        flow.of_block(replace(question, base=start), items)
        for start, items in _tops_backwards(document, end, question)
    )


def _with_globals(document: Document, question: Question, end: int, reached: Reached) -> Reached:
    """With what functions that stand before `end` may have set for all."""
    assigned = tuple(_assigned_globals(document, question, end))
    return Reached((*reached.bindings, *assigned), reached.certain)


def _at_end(document: Document, name: str) -> Reached:
    question, end = Question(name, 0, document.work), len(document.text) + 1
    return _with_globals(document, question, end, _before(document, question, end))


def _tops_backwards(
    document: Document, end: int, question: Question
) -> Iterator[tuple[int, tuple[Item, ...]]]:
    """The top-level statements that start before `end` and may bind the name, last first."""
    for number in range(len(document.pages) - 1, -1, -1):
        page, start = document.pages[number], document.page_starts[number]
        if start >= end or not question.concerns(page.names):
            continue
        for index in range(len(page.tops) - 1, -1, -1):
            top = page.tops[index]
            if start + page.starts[index] < end and question.concerns(top.names):
                yield start + page.starts[index], top.items


def _parameters(question: Question, scope: _Scope) -> Reached:
    owner = scope.levels[-1].owner
    header = None if owner is None else question.header(owner.clauses[0])
    found = () if header is None else header.parameters
    named = tuple(parameter for parameter in found if parameter.name == question.name)
    return Reached(named[:1], certain=bool(named))


def _declared(question: Question, scope: _Scope) -> StatementKind | None:
    """Whether the scope declares the name `global` or `nonlocal`."""
    for item in _simple_items(scope.body):
        if item.line.word in {"global", "nonlocal"} and question.name in item.line.names:
            for statement in question.statements(item.start, item.line):
                if question.name in statement.names:
                    return statement.kind
    return None


def _simple_items(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        if not item.clauses:
            yield item
        elif item.line.word not in {"def", "class"}:
            for clause in item.clauses:
                yield from _simple_items(clause.body)


def _assigned_globals(document: Document, question: Question, end: int) -> Iterator[Binding]:
    """What functions before `end` assign to the name after declaring it `global`."""
    for page_start, page in zip(document.page_starts, document.pages, strict=False):
        if question.name not in page.declared:
            continue
        for start, top in zip(page.starts, page.tops, strict=False):
            if question.name in top.declared and page_start + start < end:
                placed = replace(question, base=page_start + start)
                yield from _set_by_functions(placed, top.items, StatementKind.GLOBAL)


def _set_inside(document: Document, question: Question, scope: _Scope) -> Iterator[Binding]:
    """What functions inside a function assign to its name after declaring it `nonlocal`."""
    if question.name in document.top_at(question.base)[1].nonlocals:
        yield from _set_by_functions(question, scope.body, StatementKind.NONLOCAL)


def _set_by_functions(
    question: Question, items: Sequence[Item], kind: StatementKind
) -> Iterator[Binding]:
    for item in items:
        for number, clause in enumerate(item.clauses):
            if item.line.word == "def":
                scope = _Scope((Level(clause.body, 0, item, number),))
                declared = _declared(question, scope)
                own = tuple(flow.anywhere(question, clause.body))
                if declared is kind:
                    yield from own
                hidden = own or _parameters(question, scope).bindings
                if kind is StatementKind.NONLOCAL and declared is None and hidden:
                    continue
            yield from _set_by_functions(question, clause.body, kind)
