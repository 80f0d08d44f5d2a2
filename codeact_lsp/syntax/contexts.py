"""What kind of place a cursor can be in: the answers of `context_at`."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias

from codeact_lsp.syntax.call import CallSite
from codeact_lsp.syntax.expressions import Expression, Span, String


class Silence(enum.Enum):
    """Why a place takes no completion."""

    COMMENT = "comment"
    STRING = "string"
    MAGIC = "magic"
    NUMBER = "number"
    DEFINITION = "definition"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class NothingHere:
    """A place where nothing is completed. For STRING, `string` is the literal."""

    reason: Silence
    string: String | None = None


@dataclass(frozen=True, slots=True)
class ModulePath:
    """In `import a.b‸` or `from a.b‸`: `parent` is the text before the last dot ("" at the first part).

    `span` is the part under the cursor, `prefix` its text up to the cursor. `imports` is whether
    `import` follows (then only `from` was typed for it).
    """

    parent: str
    level: int
    prefix: str
    span: Span
    is_from: bool
    imports: bool


@dataclass(frozen=True, slots=True)
class ImportName:
    """After `from module import`.

    `given` are the other names of the statement; `aliased` is whether `as` and a name follow. A raw
    name with hyphens is one word.
    """

    module: str
    level: int
    prefix: str
    span: Span
    given: tuple[str, ...]
    aliased: bool = False


@dataclass(frozen=True, slots=True)
class AttributeName:
    """After a dot: `value.‸`.

    Attributes:
        span: the identifier under the cursor, all of it.
        raw_span: the same with hyphenated parts that follow without spaces (`API-patch-page`).
        prefix, raw_prefix: from the start of each to the cursor.
        called: whether `(` follows the name.
        awaited: whether `await` stands before the whole chain.

    """

    value: Expression
    prefix: str
    span: Span
    raw_prefix: str
    raw_span: Span
    called: bool
    awaited: bool


@dataclass(frozen=True, slots=True)
class BareName:
    """A name where an expression or a statement may stand.

    `call` is the call whose parentheses hold the place: in a KEYWORD_NAME slot both a keyword and a
    plain value may be typed.
    """

    prefix: str
    span: Span
    called: bool
    call: CallSite | None


class KeyRoute(enum.Enum):
    """How a string key is used."""

    SUBSCRIPT = "subscript"
    GET = "get"
    GETATTR = "getattr"


@dataclass(frozen=True, slots=True)
class StringKey:
    """The key of `value["‸"]`, `value.get("‸")` or `getattr(value, "‸")`.

    `string` is None while no quote is typed; `span` is then what to replace, else the content.
    """

    route: KeyRoute
    value: Expression
    prefix: str
    span: Span
    string: String | None


@dataclass(frozen=True, slots=True)
class InCall:
    """In the parentheses of a call, in a slot other than NONE. See `CallSite.slot`."""

    site: CallSite


Context: TypeAlias = (
    NothingHere | ModulePath | ImportName | AttributeName | BareName | StringKey | InCall
)
