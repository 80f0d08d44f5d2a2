"""What an expression looks like: small frozen nodes with their place in the text.

The parser is tolerant: where an operand is absent there is a `Missing` node, an unclosed call or
display has `close` None, and an attribute that is being typed has the name "". Every span counts
code points of the document's text, start included, end not.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    """A stretch of the text, in code points: `text[start:end]`."""

    start: int
    end: int

    def touches(self, offset: int) -> bool:
        """Whether a cursor at `offset` is inside or at either edge."""
        return self.start <= offset <= self.end


@dataclass(frozen=True, slots=True)
class Missing:
    """An operand that is not there yet; the span is the gap in which it can be typed."""

    span: Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier. `name` is NFKC-normalised, as Python reads it."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """`value.name`; `name` is "" and `name_span` empty while nothing follows the dot."""

    span: Span
    value: Expression
    name: str
    name_span: Span


class ArgumentKind(enum.Enum):
    """How an argument is passed."""

    POSITIONAL = "positional"
    KEYWORD = "keyword"
    STAR = "*"
    DOUBLE_STAR = "**"


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call.

    Attributes:
        name: the keyword as it is spelled in the text, also where that is no Python
            (`file-path`, `from`); None unless the kind is KEYWORD.
        name_span: the whole spelling; None unless the kind is KEYWORD.
        value: what is passed, without the stars.

    """

    span: Span
    kind: ArgumentKind
    value: Expression
    name: str | None = None
    name_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`. `open` and `close` are the offsets of the parentheses."""

    span: Span
    function: Expression
    arguments: tuple[Argument, ...]
    open: int
    close: int | None


@dataclass(frozen=True, slots=True)
class Subscript:
    """`value[index]`. Several indices are one `Tuple`, a slice is a `Slice`."""

    span: Span
    value: Expression
    index: Expression
    open: int
    close: int | None


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step` in a subscript."""

    span: Span
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Await:
    """`await value`."""

    span: Span
    value: Expression


@dataclass(frozen=True, slots=True)
class String:
    """One string literal.

    Attributes:
        value: what the literal means; None where that is not known before it runs (an f-string with
            replacement fields) or it is no text (bytes).
        content: the span between the quotes.
        prefix: the letters before the quote, lower case.
        quote: one or three quote characters.
        closed: whether the closing quote is there.
        fields: the expressions in an f-string's braces.

    """

    span: Span
    value: str | None
    content: Span
    prefix: str
    quote: str
    closed: bool
    fields: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Strings:
    """Adjacent literals, joined by Python into one."""

    span: Span
    parts: tuple[String, ...]

    @property
    def value(self) -> str | None:
        """The joined text; None if any part is not known."""
        values = [part.value for part in self.parts]
        return None if None in values else "".join(value for value in values if value is not None)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, True, False, None or `...`. `value` is None for None and for a malformed number."""

    span: Span
    text: str
    value: float | complex | bool | None


@dataclass(frozen=True, slots=True)
class Starred:
    """`*value` in a display, a target or a subscript."""

    span: Span
    value: Expression


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a dict display: `key: value`, or `**value` with `key` None.

    `colon` is the offset of the colon; None while it is not typed yet (`value` is then `Missing`).
    """

    span: Span
    key: Expression | None
    value: Expression
    colon: int | None


@dataclass(frozen=True, slots=True)
class Dict:
    """`{key: value, **other}`. An empty `{}` is a Dict; `{"a"` is one too, until it is clear."""

    span: Span
    entries: tuple[Entry, ...]
    open: int
    close: int | None


class DisplayKind(enum.Enum):
    """Which brackets hold the items."""

    LIST = "list"
    TUPLE = "tuple"
    SET = "set"


@dataclass(frozen=True, slots=True)
class Display:
    """A list, tuple or set display; `open` is None for a tuple without parentheses."""

    span: Span
    kind: DisplayKind
    items: tuple[Expression, ...]
    open: int | None
    close: int | None


@dataclass(frozen=True, slots=True)
class Lambda:
    """`lambda parameters: body`."""

    span: Span
    parameters: tuple[ParameterNode, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class ParameterNode:
    """One parameter of a lambda or function."""

    span: Span
    name: str
    name_span: Span
    annotation: Expression | None = None
    default: Expression | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """`for target in iterable if condition …` of a comprehension."""

    span: Span
    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]
    asynchronous: bool


@dataclass(frozen=True, slots=True)
class Comprehension:
    """`element for …` in any brackets; `elements` is (key, value) for a dict, else (element,)."""

    span: Span
    elements: tuple[Expression, ...]
    clauses: tuple[Clause, ...]
    open: int | None
    close: int | None


@dataclass(frozen=True, slots=True)
class Walrus:
    """`target := value`."""

    span: Span
    target: Name
    value: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """`body if test else orelse`."""

    span: Span
    body: Expression
    test: Expression
    orelse: Expression


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands in the order of the text: one for `-x`, two for `a - b`.

    `operator` is as written, words joined by one space: `-`, `and`, `not in`.
    """

    span: Span
    operator: str
    operator_span: Span
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`(value)`: one expression in parentheses."""

    span: Span
    value: Expression
    open: int
    close: int | None


@dataclass(frozen=True, slots=True)
class Yield:
    """`yield value` or, where it delegates, `yield from value`."""

    span: Span
    value: Expression | None
    delegates: bool = False


Expression: TypeAlias = (
    Missing
    | Name
    | Attribute
    | Call
    | Subscript
    | Slice
    | Await
    | String
    | Strings
    | Constant
    | Starred
    | Dict
    | Display
    | Lambda
    | Comprehension
    | Walrus
    | Conditional
    | Operation
    | Group
    | Yield
)
Node: TypeAlias = Expression | Argument | Entry | Clause | ParameterNode


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly inside `node`, in the order of the text."""
    match node:
        case Missing() | Name() | Constant():
            return ()
        case Attribute() | Await() | Starred() | Group() | Argument():
            return (node.value,)
        case Call():
            return (node.function, *node.arguments)
        case Subscript():
            return (node.value, node.index)
        case Slice():
            return node.parts
        case String():
            return node.fields
        case Strings():
            return node.parts
        case Dict():
            return node.entries
        case Entry():
            return (node.value,) if node.key is None else (node.key, node.value)
        case Display():
            return node.items
        case Lambda():
            return (*node.parameters, node.body)
        case ParameterNode():
            return tuple(part for part in (node.annotation, node.default) if part is not None)
        case Clause():
            return (node.target, node.iterable, *node.conditions)
        case Comprehension():
            return (*node.elements, *node.clauses)
        case Walrus():
            return (node.target, node.value)
        case Conditional():
            return (node.body, node.test, node.orelse)
        case Operation():
            return node.operands
        case Yield():
            return () if node.value is None else (node.value,)


def walk(node: Node) -> Iterator[Node]:
    """The node and all inside it, each before what it holds, in the order of the text."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def bare(expression: Expression) -> Expression:
    """The expression without the parentheses around it."""
    while isinstance(expression, Group):
        expression = expression.value
    return expression


def literal_text(expression: Expression) -> str | None:
    """The text that a string literal (or several joined) means; None for anything else."""
    expression = bare(expression)
    return expression.value if isinstance(expression, (String, Strings)) else None
