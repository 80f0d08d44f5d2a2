"""Logical lines, and the blocks that their indentation makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from codeact_lsp.syntax import boundaries, tokens
from codeact_lsp.syntax.changes import CHANGING, leaves_alone
from codeact_lsp.syntax.parser import KEYWORDS, normalised
from codeact_lsp.syntax.statement_parser import parse_line
from codeact_lsp.syntax.statements import Statement
from codeact_lsp.syntax.tokens import Token, TokenKind

STAR: Final = "*"
_CONTINUATIONS: Final = frozenset({"elif", "else", "except", "finally"})
_SCOPES: Final = frozenset({"class", "def"})
_BINDERS: Final = frozenset(
    "case class def del except for from global import nonlocal type with".split()
)
_BINDING: Final = re.compile(r"=|\w\s*\(")
_DEPTH: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Work:
    """How much was analysed; a document shares it with those made from it by edits."""

    lines_lexed: int = 0
    characters_read: int = 0
    lines_parsed: int = 0
    statements_grouped: int = 0


@dataclass(slots=True, eq=False)
class LogicalLine:
    """One logical line, its terminator included. It knows nothing of where it stands.

    Attributes:
        columns: its indentation.
        word: its first token behind `async`; "" for a line that is blank or a comment.
        unfinished, reach: see `Lexed`.

    """

    text: str
    tokens: tuple[Token, ...]
    columns: int
    word: str
    unfinished: bool
    reach: int
    _names: frozenset[str] | None = None
    _parsed: tuple[int, tuple[Statement, ...]] | None = None

    @property
    def names(self) -> frozenset[str]:
        """The names that the line may bind or declare, or whose lists and dicts it may change.

        Perhaps some others too, but never too few.
        """
        if self._names is None:
            self._names = _candidates(self)
        return self._names

    def statements(self, base: int, work: Work) -> tuple[Statement, ...]:
        """Its statements, placed for a line that starts at `base`."""
        # Held in a local: a thread that reads another version may place the line anew meanwhile.
        parsed = self._parsed
        if parsed is None or parsed[0] != base:
            work.lines_parsed += 1
            parsed = base, parse_line(self.text, self.tokens, base)
            self._parsed = parsed
        return parsed[1]


def read_line(text: str, start: int, work: Work) -> LogicalLine:
    """The logical line that starts at `start`."""
    work.lines_lexed += 1
    lexed = tokens.lex(text, start)
    work.characters_read += lexed.length + lexed.reach
    words = [token for token in lexed.tokens[:2] if token.kind is not TokenKind.COMMENT]
    word = words[0].text if words else ""
    if word == "async" and len(words) == 2:
        word = words[1].text
    columns = boundaries.indentation(text, start).columns
    line = text[start : start + lexed.length]
    return LogicalLine(line, lexed.tokens, columns, word, lexed.unfinished, lexed.reach)


def _candidates(line: LogicalLine) -> frozenset[str]:
    if not line.word or not (line.word in _BINDERS or _BINDING.search(line.text)):
        return _NOTHING
    last = len(line.tokens)
    walruses = {
        normalised(name.text)
        for name, sign in pairwise(line.tokens)
        if sign.text == ":=" and name.kind is TokenKind.NAME
    }
    if line.word not in _BINDERS and line.tokens[0].kind is not TokenKind.MAGIC:
        last = _last_sign(line.tokens)
    words = [t.text for t in line.tokens[:last] if t.kind is TokenKind.NAME]
    if line.word in _SCOPES:  # what is in the parentheses is bound inside
        place = words.index(line.word)
        words = words[place : place + 2]
    names = {normalised(word) for word in words if word not in KEYWORDS}
    if line.word == "from" and any(token.text == STAR for token in line.tokens):
        names.add(STAR)
    changed = () if line.word in _SCOPES else _changed(line.tokens)
    return frozenset(names | walruses | set(changed))


def _changed(line: Sequence[Token]) -> Iterator[str]:
    """The names whose lists or dicts the line may change; see `changes`."""
    texts = ["", *(token.text for token in line), ""]
    called = {
        at for at in range(1, len(texts) - 1) if texts[at + 1] == "(" and texts[at].isidentifier()
    }
    methods = {at for at in called if texts[at] in CHANGING and texts[at - 1] == "."}
    nested = any(texts[at - 2] in {"]", ")"} for at in methods)
    given = any(texts[at] not in CHANGING and not leaves_alone(texts[at]) for at in called)
    for at in range(1, len(texts) - 1) if methods or given else ():
        if line[at - 1].kind is not TokenKind.NAME or texts[at - 1] == ".":
            continue
        holds = at + 2 in methods or (nested and texts[at + 1] in {".", "["})
        if holds or (given and texts[at - 1] in {"(", ","} and texts[at + 1] in {")", ","}):
            yield normalised(texts[at])


def _last_sign(line: Sequence[Token]) -> int:
    """Where the last `=` (`+=` too) outside brackets stands; 0 if there is none."""
    depth = last = 0
    for index, token in enumerate(line):
        if token.kind is TokenKind.OPERATOR:
            depth += _DEPTH.get(token.text, 0)
            if depth <= 0 and token.text[-1] == "=":
                last = index
    return last


class Clause(NamedTuple):
    """A header and its body: `if x:`, `else:`, `def f():`. `start` counts as in `Item`."""

    start: int
    line: LogicalLine
    body: tuple[Item, ...]


class Item(NamedTuple):
    """One statement of a block: a logical line, or a compound statement with its clauses.

    Attributes:
        start: where its first line starts, from the start of the top-level statement.
        names: the names that it may bind in the scope that it stands in; see `LogicalLine.names`.
        clauses: empty for a simple line.

    """

    start: int
    line: LogicalLine
    clauses: tuple[Clause, ...]
    names: frozenset[str]


@dataclass(slots=True, eq=False)
class TopLevel:
    """A top-level statement with all that is indented below it, and the blank lines behind.

    Attributes:
        starts: where each line starts, from its own start; one more than there are lines.
        reach: how many code points behind it were looked at to end its lines.
        declared, nonlocals: the names that `global` and `nonlocal` in it declare.

    """

    lines: tuple[LogicalLine, ...]
    starts: tuple[int, ...]
    reach: int
    _items: tuple[Item, ...] | None = None
    _names: frozenset[str] | None = None
    declared: frozenset[str] = field(default=_NOTHING)
    nonlocals: frozenset[str] = field(default=_NOTHING)

    @property
    def length(self) -> int:
        """Its length in code points."""
        return self.starts[-1]

    @property
    def items(self) -> tuple[Item, ...]:
        """Its blocks."""
        if self._items is None:
            placed = [
                (start, line)
                for start, line in zip(self.starts, self.lines, strict=False)
                if line.word
            ]
            self._items = _block(_Cursor(placed), -1)
        return self._items

    @property
    def names(self) -> frozenset[str]:
        """The names that it may bind at the top level."""
        if self._names is None:
            self._names = (
                _union(item.names for item in self.items)
                if len(self.lines) > 1
                else self.lines[0].names
            )
        return self._names


def top_level(lines: Sequence[LogicalLine], work: Work) -> TopLevel:
    """The top-level statement made of these lines."""
    work.statements_grouped += 1
    starts = (0, *accumulate(len(line.text) for line in lines))
    reach = max((end + line.reach for end, line in zip(starts[1:], lines, strict=True)), default=0)
    declared, nonlocals = (
        _union(line.names for line in lines if line.word == word) for word in ("global", "nonlocal")
    )
    return TopLevel(
        tuple(lines), starts, max(reach - starts[-1], 0), declared=declared, nonlocals=nonlocals
    )


def grouped(lines: Sequence[LogicalLine], work: Work) -> list[TopLevel]:
    """Cut a run of lines into top-level statements."""
    groups: list[list[LogicalLine]] = []
    decorated = False
    for line in lines:
        if not groups or (line.word and starts_top_level(line, decorated=decorated)):
            groups.append([])
        groups[-1].append(line)
        if line.word:
            decorated = line.word == "@"
    return [top_level(group, work) for group in groups]


def starts_top_level(line: LogicalLine, *, decorated: bool) -> bool:
    """Whether a line that is not blank starts a top-level statement."""
    if line.columns or line.word in _CONTINUATIONS:
        return False
    return not (decorated and line.word in {"@", "def", "class"})


_DEEPEST: Final = 50


class _Cursor:
    """The lines of a top-level statement that are still to be put into blocks."""

    __slots__ = ("index", "lines")

    def __init__(self, lines: list[tuple[int, LogicalLine]]) -> None:
        self.lines = lines
        self.index = 0

    def peek(self) -> tuple[int, LogicalLine] | None:
        return self.lines[self.index] if self.index < len(self.lines) else None


def _block(cursor: _Cursor, outside: int, depth: int = 0) -> tuple[Item, ...]:
    """The statements that are indented deeper than `outside`, inside `depth` other blocks.

    A line that is deeper than the one before it is its body, whatever that line says: it may be the
    header that is being typed. A line between two blocks, which Python refuses, is in the nearer one:
    a word that is deleted before it leaves a space behind.
    """
    items: list[Item] = []
    least = outside + 1
    while (following := cursor.peek()) is not None and following[1].columns >= least:
        start, line = following
        if not items and outside >= 0:
            least = (outside + line.columns) // 2 + 1
        clauses = _clauses(cursor, following, depth)
        if len(clauses) == 1 and not clauses[0].body and line.word not in _HEADERS:
            clauses = []
        items.append(Item(start, line, tuple(clauses), _item_names(line, clauses)))
    return tuple(items)


def _clauses(cursor: _Cursor, first: tuple[int, LogicalLine], depth: int) -> list[Clause]:
    """A line with its body, and the `else:` and the like that go on with it."""
    clauses: list[Clause] = []
    following: tuple[int, LogicalLine] | None = first
    while following is not None and (not clauses or _continues(first[1], following[1])):
        cursor.index += 1
        # Below the deepest level, lines stand side by side: readers of blocks are recursive.
        body = _block(cursor, following[1].columns, depth + 1) if depth < _DEEPEST else ()
        clauses.append(Clause(*following, body))
        following = cursor.peek()
    return clauses


_HEADERS: Final = tokens.HEADERS | {"match", "case"}


def _continues(first: LogicalLine, line: LogicalLine) -> bool:
    return line.word in _CONTINUATIONS and line.columns == first.columns and first.word in _HEADERS


def _item_names(line: LogicalLine, clauses: Sequence[Clause]) -> frozenset[str]:
    if not clauses:
        return line.names
    headers = _union(clause.line.names for clause in clauses)
    if line.word in _SCOPES:
        return headers
    return headers | _union(item.names for clause in clauses for item in clause.body)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return _NOTHING.union(*sets)
