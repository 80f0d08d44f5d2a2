"""What the statements of a block leave a name bound to: flow as Python has it, read backwards."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from codeact_lsp.syntax.logical import STAR, Clause, Item, LogicalLine, Work
from codeact_lsp.syntax.origins import Binding, Imported
from codeact_lsp.syntax.statements import Statement, StatementKind
from codeact_lsp.syntax.targets import may_not_run

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


def _of_statement(question: Question, statement: Statement, *, truth: bool = False) -> Reached:
    if question.name in statement.names and statement.kind is StatementKind.DELETE:
        return _NEVER
    bindings: list[Binding] = []
    for binding in reversed(statement.bindings):
        if binding.name == question.name:
            bindings.append(binding)
            is_walrus = any(binding is walrus for walrus in statement.walruses)
            if not (is_walrus and may_not_run(statement, binding, truth=truth)):
                return Reached(tuple(bindings), certain=True)
        if binding.name == STAR and isinstance(binding.origin, Imported):
            origin = replace(binding.origin, name=question.name)
            bindings.append(replace(binding, name=question.name, origin=origin))
    return Reached(tuple(bindings), certain=False)


def of_header(question: Question, clause: Clause, *, truth: bool = False) -> Reached:
    """What a header itself binds: the target of a `for`, a walrus in an `if`.

    `truth` is whether its condition held.
    """
    if not question.concerns(clause.line.names):
        return NOTHING
    header = question.header(clause)
    return NOTHING if header is None else _of_statement(question, header, truth=truth)


def _of_headers(question: Question, clauses: Sequence[Clause], *, truth: bool) -> Reached:
    """Conditions that were asked one after the other; `truth` is whether the last one held."""
    return in_sequence(
        of_header(question, clause, truth=truth and clause is clauses[-1])
        for clause in reversed(clauses)
    )


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
        return _of_loop(question, item)
    if item.line.word == "try":
        return _of_try(question, item.clauses)
    if item.line.word == "match":
        return in_sequence((_of_match(question, item), of_header(question, item.clauses[0])))
    if item.line.word == "with":
        return in_sequence((_body(question, item.clauses[0]), of_header(question, item.clauses[0])))
    return _of_branches(question, item.clauses)


def _of_loop(question: Question, item: Item) -> Reached:
    first, last = item.clauses[0], item.clauses[-1]
    parts = [Reached(tuple(anywhere(question, (item,))), certain=False)]
    if last.line.word == "else" and not _breaks(first):
        looped = item._replace(clauses=item.clauses[:-1])
        parts = [
            _body(question, last),
            Reached(tuple(anywhere(question, (looped,))), certain=False),
        ]
    if item.line.word == "while":
        parts.append(of_header(question, first))
    return in_sequence(parts)


def _body(question: Question, clause: Clause) -> Reached:
    """The body of a clause; nothing comes out of one that is left before its end."""
    if is_left(clause):
        return _NEVER
    inline = question.statements(clause.start, clause.line)[1:]
    return in_sequence((of_block(question, clause.body), of_statements(question, inline)))


def is_left(clause: Clause) -> bool:
    """Whether the body of a clause never comes to its end."""
    if clause.body:
        return _leaves(clause.body[-1])
    texts = [token.text for token in clause.line.tokens]
    return any(word in _LEAVES and before == ":" for before, word in itertools.pairwise(texts))


def _leaves(item: Item) -> bool:
    """Whether nothing runs behind a statement."""
    word, clauses = item.line.word, item.clauses
    if not clauses:
        return word in _LEAVES
    if word == "if":
        return clauses[-1].line.word == "else" and all(map(is_left, clauses))
    if word == "try":
        return _try_leaves(clauses)
    if word == "match":
        cases = [case.clauses[0] for case in clauses[0].body if case.clauses]
        return any(map(_takes_all, cases)) and all(map(is_left, cases))
    if word == "with":
        # What is raised inside may be taken by the context manager.
        return is_left(clauses[0]) and not _raises(clauses[0])
    if word == "while":
        texts = [token.text for token in item.line.tokens]
        return texts[1:3] == ["True", ":"] and not _breaks(clauses[0])
    return False


def _try_leaves(clauses: Sequence[Clause]) -> bool:
    by_word = {clause.line.word: clause for clause in clauses}
    if "finally" in by_word and is_left(by_word["finally"]):
        return True
    handlers = (clause for clause in clauses if clause.line.word == "except")
    tried = is_left(clauses[0]) or ("else" in by_word and is_left(by_word["else"]))
    return tried and all(map(is_left, handlers))


def _raises(clause: Clause) -> bool:
    last = clause.body[-1] if clause.body else None
    return last is None or last.clauses != () or last.line.word == "raise"


def _breaks(clause: Clause) -> bool:
    if any(token.text == "break" for token in clause.line.tokens):
        return True
    return any(
        any(token.text == "break" for token in item.line.tokens) or any(map(_breaks, item.clauses))
        for item in clause.body
    )


def _either(branches: Sequence[Reached], *, exhaustive: bool) -> Reached:
    bindings = tuple(binding for branch in reversed(branches) for binding in branch.bindings)
    certain = exhaustive and all(branch.certain for branch in branches)
    return Reached(bindings, certain)


def _of_branches(question: Question, clauses: Sequence[Clause]) -> Reached:
    """`if`, `elif`, `else`."""
    taken = [
        in_sequence((_body(question, clause), _of_headers(question, clauses[: n + 1], truth=True)))
        for n, clause in enumerate(clauses)
    ]
    if clauses[-1].line.word == "else":
        return _either(taken, exhaustive=True)
    return _either([_of_headers(question, clauses, truth=False), *taken], exhaustive=True)


def _of_match(question: Question, item: Item) -> Reached:
    found = [case for case in item.clauses[0].body if case.clauses]
    cases = [case.clauses[0] for case in found]
    branches = [
        in_sequence(
            (_body(question, case), of_header(question, case), past_cases(question, found[:n]))
        )
        for n, case in enumerate(cases)
    ]
    if any(map(_takes_all, cases)):
        return _either(branches, exhaustive=True)
    return _either([past_cases(question, found), *branches], exhaustive=False)


def past_cases(question: Question, cases: Sequence[Item]) -> Reached:
    """What cases that were not taken leave: a pattern binds its names before the guard is asked."""
    guarded = [case.clauses[0] for case in cases if case.clauses and _has_guard(case.clauses[0])]
    bound = [of_header(question, clause).bindings for clause in guarded]
    return Reached(tuple(itertools.chain(*reversed(bound))), certain=False)


def _has_guard(case: Clause) -> bool:
    return any(token.text == "if" for token in case.line.tokens)


def _takes_all(case: Clause) -> bool:
    """Whether the pattern is a lone name: `case _:`."""
    kinds = [token.text for token in case.line.tokens[1:3]]
    name = kinds[0].isidentifier() and kinds[0] not in {"False", "None", "True"}
    return len(kinds) == 2 and name and kinds[1] == ":"


def _of_try(question: Question, clauses: Sequence[Clause]) -> Reached:
    by_word = {clause.line.word: clause for clause in clauses}
    tried = _body(question, clauses[0])
    if "else" in by_word:
        tried = in_sequence((_body(question, by_word["else"]), tried))
    handlers = [
        _of_handler(question, clause, clauses[0])
        for clause in clauses
        if clause.line.word == "except"
    ]
    either = _either([*handlers, tried], exhaustive=True)
    if "finally" in by_word:
        return in_sequence((_body(question, by_word["finally"]), either))
    return either


def _of_handler(question: Question, clause: Clause, tried: Clause) -> Reached:
    if of_header(question, clause).certain:
        return _NEVER  # Python deletes the name behind the handler
    return in_sequence((_body(question, clause), _some_of(question, tried)))


def _some_of(question: Question, clause: Clause) -> Reached:
    """What a clause leaves that may have been left anywhere in it."""
    inline = question.statements(clause.start, clause.line)[1:]
    found = (*anywhere(question, clause.body), *_all_of(question, inline))
    return Reached(tuple(found), certain=False)


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


def into_header(question: Question, item: Item, number: int) -> Reached:
    """What holds where the header of a clause starts, as far as the statement itself says."""
    if item.line.word == "try":
        return _into_handler(question, item, number)
    return _of_headers(question, item.clauses[:number], truth=False)


def into_clause(question: Question, item: Item, number: int) -> Reached:
    """What holds where the body of a clause starts, as far as the statement itself says."""
    clause, first = item.clauses[number], item.clauses[0]
    word, header = item.line.word, of_header(question, clause, truth=True)
    if word in _LOOPS and number == 0:
        again = Reached(tuple(anywhere(question, clause.body)), certain=False)
        return in_sequence((header, again))
    if word in _LOOPS:
        return Reached(tuple(anywhere(question, (item._replace(clauses=(first,)),))), certain=False)
    if word == "try" and number:
        return _into_handler(question, item, number)
    return _of_headers(question, item.clauses[: number + 1], truth=True)


def _into_handler(question: Question, item: Item, number: int) -> Reached:
    clause, tried = item.clauses[number], item.clauses[0]
    if clause.line.word == "else":
        return _body(question, tried)
    others = item.clauses[:number] if clause.line.word == "finally" else (tried,)
    inside = in_sequence(_some_of(question, other) for other in reversed(others))
    return in_sequence((of_header(question, clause), inside))
