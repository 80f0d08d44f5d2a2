"""Where a name gets its value: the answers of `lookup`."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from codeact_lsp.syntax.expressions import Expression, Span


@dataclass(frozen=True, slots=True)
class Iterate:
    """An element of the value: `for x in value`, a comprehension's target."""

    asynchronous: bool = False


@dataclass(frozen=True, slots=True)
class Unpack:
    """Element `index` of `count` targets: `a, b = value`.

    `index` counts from the end, -1 last, for targets behind a starred one.
    """

    index: int
    count: int


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left for a starred target, a list: `a, *rest = value`. `before` targets stand before it."""

    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Enter:
    """What a context manager gives: `with value as x`."""

    asynchronous: bool = False


@dataclass(frozen=True, slots=True)
class Key:
    """The value under a key: `case {"key": x}`."""

    key: str


Step: TypeAlias = Iterate | Unpack | Rest | Enter | Key
Literal: TypeAlias = str | int | None
"""What a pattern or a comparison names: a text, a whole number, a truth value, None."""


@dataclass(frozen=True, slots=True)
class Test:
    """What `steps` lead to is one of `values`."""

    steps: tuple[Step, ...]
    values: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """The name was imported.

    Attributes:
        module: the dotted module; for `import a.b` the name `a` is bound to the module `a`.
        name: what was taken from the module; None where the name is the module itself.
            `from m import *` answers with the name that was asked for, and `star` true: whether the
            module really has that name is for the caller to say.
        level: the leading dots of a relative import.
        submodule: for `import a.b.c` (no `as`) the dotted path that was loaded besides.

    """

    module: str
    name: str | None = None
    level: int = 0
    star: bool = False
    submodule: str | None = None


@dataclass(frozen=True, slots=True)
class Assigned:
    """The name holds a value: evaluate `value`, then follow `steps` from first to last.

    `r = await f()` has no steps; `for k, v in d.items()` has (Iterate, Unpack(1, 2)) for `v`.
    Names in `value` are to be looked up at `value.span.start`, in the binding's document.
    """

    value: Expression
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Captured:
    """The name was captured by a `case`: follow `steps` from the subject of its `match`."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Augmented:
    """The name held a value already: `name += value`."""

    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function or lambda."""

    annotation: Expression | None
    default: Expression | None


@dataclass(frozen=True, slots=True)
class Defined:
    """A `def` or a `class` of the text itself."""

    is_class: bool


class OpaqueReason(enum.Enum):
    """Why nothing is known of a value that a name certainly has."""

    EXCEPTION = "exception"
    MATCH = "match"
    MAGIC = "magic"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Opaque:
    """The name is taken, by a value that is not followed."""

    reason: OpaqueReason


Origin: TypeAlias = Imported | Assigned | Augmented | Captured | Parameter | Defined | Opaque


@dataclass(frozen=True, slots=True)
class Binding:
    """One place that gives a name its value.

    Attributes:
        name: the name, NFKC-normalised.
        span: where the name is written; for a star import, the star.
        origin: how it gets its value.
        document: index, in the chain that was asked, of the document that holds `span`.

    """

    name: str
    span: Span
    origin: Origin
    document: int = 0
