"""What the statements of a block leave a name bound to: flow as Python has it, read backwards."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from codeact_lsp.syntax.logical import STAR, Clause, Item, LogicalLine, Work
from codeact_lsp.syntax.origins import Binding, Imported
from codeact_lsp.syntax.statements import Statement, StatementKind

_LEAVES: Final = frozenset({"break", "continue", "raise", "return"})
_SCOPES: Final = frozenset({"class", "def"})
_LOOPS: Final = frozenset({"for", "while"})


class Reached(NamedTuple):
    """The bindings that may hold behind some code, nearest first.

    `certain` is whether one of them does whatever came before: nothing earlier can be seen.
    """

    bindings: tuple[Binding, ...]
    certain: bool


NOTHING: Final = Reached((), certain=False)
_NEVER: Final = Reached((), certain=True)


@dataclass(frozen=True, slots=True)
class Question:
    """The name that is asked for, in statements that stand `base` code points into their document."""

    name: str
    base: int
    work: Work

    def concerns(self, names: frozenset[str]) -> bool:
        """Whether something that may bind `names` may bind the name."""
        return self.name in names or STAR in names

    def statements(self, start: int, line: LogicalLine) -> tuple[Statement, ...]:
        """The statements of a line that starts at `start`, counted from `base`."""
        return line.statements(self.base + start, self.work)

    def header(self, clause: Clause) -> Statement | None:
        """The header of a clause, without a body on the same line."""
        found = self.statements(clause.start, clause.line)
        return found[0] if found else None


def in_sequence(parts: Iterable[Reached]) -> Reached:
    """Code that runs one after the other, last first."""
    bindings: list[Binding] = []
    for part in parts:
        bindings.extend(part.bindings)
        if part.certain:
            return Reached(tuple(bindings), certain=True)
    return Reached(tuple(bindings), certain=False)


def of_statements(question: Question, found: Sequence[Statement]) -> Reached:
    """Simple statements, all of which run."""
    return in_sequence(_of_statement(question, statement) for statement in reversed(found))


def _of_statement(question: Question, statement: Statement) -> Reached:
    if question.name in statement.names and statement.kind is StatementKind.DELETE:
        return _NEVER
    bindings: list[Binding] = []
    for binding in reversed(statement.bindings):
        if binding.name == question.name:
            return Reached((*bindings, binding), certain=True)
        if binding.name == STAR and isinstance(binding.origin, Imported):
            origin = replace(binding.origin, name=question.name)
            bindings.append(replace(binding, name=question.name, origin=origin))
    return Reached(tuple(bindings), certain=False)


def of_header(question: Question, clause: Clause) -> Reached:
    """What a header itself binds: the target of a `for`, a walrus in an `if`."""
    if not question.concerns(clause.line.names):
        return NOTHING
    header = question.header(clause)
    return NOTHING if header is None else _of_statement(question, header)


def of_block(question: Question, items: Sequence[Item]) -> Reached:
    """A block that runs from its start to its end."""
    return in_sequence(
        of_item(question, item) for item in reversed(items) if question.concerns(item.names)
    )


def of_item(question: Question, item: Item) -> Reached:
    """A statement with all that is indented below it."""
    if not item.clauses:
        return of_statements(question, question.statements(item.start, item.line))
    if item.line.word in _SCOPES:
        return of_header(question, item.clauses[0])
    if item.line.word in _LOOPS:
        return Reached(tuple(anywhere(question, (item,))), certain=False)
    if item.line.word == "try":
        return _of_try(question, item.clauses)
    if item.line.word == "match":
        return in_sequence((_of_match(question, item), of_header(question, item.clauses[0])))
    if item.line.word == "with":
        return in_sequence((_body(question, item.clauses[0]), of_header(question, item.clauses[0])))
    return _of_branches(question, item.clauses)


def _body(question: Question, clause: Clause) -> Reached:
    """The body of a clause; nothing comes out of one that is left before its end."""
    if _is_left(clause):
        return _NEVER
    inline = question.statements(clause.start, clause.line)[1:]
    return in_sequence((of_block(question, clause.body), of_statements(question, inline)))


def _is_left(clause: Clause) -> bool:
    if clause.body:
        last = clause.body[-1]
        return not last.clauses and last.line.word in _LEAVES
    texts = [token.text for token in clause.line.tokens]
    return any(word in _LEAVES and before == ":" for before, word in itertools.pairwise(texts))


def _either(branches: Sequence[Reached], *, exhaustive: bool) -> Reached:
    bindings = tuple(binding for branch in reversed(branches) for binding in branch.bindings)
    certain = exhaustive and all(branch.certain for branch in branches)
    return Reached(bindings, certain)


def _of_branches(question: Question, clauses: Sequence[Clause]) -> Reached:
    """`if`, `elif`, `else`."""
    branches = [
        in_sequence((_body(question, clause), of_header(question, clause))) for clause in clauses
    ]
    either = _either(branches, exhaustive=clauses[-1].line.word == "else")
    # The first header has run whichever branch was taken.
    return in_sequence((either, of_header(question, clauses[0])))


def _of_match(question: Question, item: Item) -> Reached:
    cases = [case.clauses[0] for case in item.clauses[0].body if case.clauses]
    branches = [in_sequence((_body(question, case), of_header(question, case))) for case in cases]
    return _either(branches, exhaustive=any(map(_takes_all, cases)))


def _takes_all(case: Clause) -> bool:
    """Whether the pattern is a lone name: `case _:`."""
    kinds = [token.text for token in case.line.tokens[1:3]]
    return len(kinds) == 2 and kinds[0].isidentifier() and kinds[1] == ":"


def _of_try(question: Question, clauses: Sequence[Clause]) -> Reached:
    by_word = {clause.line.word: clause for clause in clauses}
    tried = _body(question, clauses[0])
    if "else" in by_word:
        tried = in_sequence((_body(question, by_word["else"]), tried))
    handlers = [
        in_sequence((_body(question, clause), of_header(question, clause)))
        for clause in clauses
        if clause.line.word == "except"
    ]
    either = _either([*handlers, tried], exhaustive=True)
    if "finally" in by_word:
        return in_sequence((_body(question, by_word["finally"]), either))
    return either


def anywhere(question: Question, items: Sequence[Item]) -> Iterator[Binding]:
    """Every binding in a block and those inside it of the same scope, the last one first."""
    for item in reversed(items):
        if not question.concerns(item.names):
            continue
        if not item.clauses:
            found = question.statements(item.start, item.line)
            yield from _all_of(question, found)
            continue
        for clause in reversed(item.clauses):
            found = question.statements(clause.start, clause.line)
            if item.line.word in _SCOPES:
                yield from _all_of(question, found[:1])
            else:
                yield from anywhere(question, clause.body)
                yield from _all_of(question, found)


def _all_of(question: Question, found: Sequence[Statement]) -> Iterator[Binding]:
    for statement in reversed(found):
        yield from _of_statement(question, replace(statement, names=())).bindings


def into_clause(question: Question, item: Item, number: int) -> Reached:
    """What holds where the body of a clause starts, as far as the statement itself says."""
    clause, first = item.clauses[number], item.clauses[0]
    word, header = item.line.word, of_header(question, clause)
    if word in _LOOPS and number == 0:
        again = Reached(tuple(anywhere(question, clause.body)), certain=False)
        return in_sequence((header, again))
    if word in _LOOPS:
        return Reached(tuple(anywhere(question, (item._replace(clauses=(first,)),))), certain=False)
    if word == "try" and number:
        return _into_handler(question, item, number)
    return in_sequence(of_header(question, item.clauses[n]) for n in range(number, -1, -1))


def _into_handler(question: Question, item: Item, number: int) -> Reached:
    clause, tried = item.clauses[number], item.clauses[0]
    if clause.line.word == "else":
        return _body(question, tried)
    others = item.clauses[:number] if clause.line.word == "finally" else (tried,)
    inside = tuple(
        binding
        for other in reversed(others)
        for binding in anywhere(question, (item._replace(clauses=(other,)),))
    )
    return in_sequence((of_header(question, clause), Reached(inside, certain=False)))
