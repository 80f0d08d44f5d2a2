"""What a simple statement or the header of a compound one says."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from codeact_lsp.syntax.expressions import Expression, Span
from codeact_lsp.syntax.origins import Binding, Test


class StatementKind(enum.Enum):
    """What a statement is; the value is its first word where it has one."""

    EXPRESSION = "expression"
    ASSIGNMENT = "assignment"
    AUGMENTED = "augmented"
    IMPORT = "import"
    IMPORT_FROM = "from"
    FUNCTION = "def"
    CLASS = "class"
    DECORATOR = "@"
    FOR = "for"
    WITH = "with"
    EXCEPT = "except"
    MATCH = "match"
    CASE = "case"
    TYPE_ALIAS = "type"
    DELETE = "del"
    GLOBAL = "global"
    NONLOCAL = "nonlocal"
    RETURN = "return"
    QUERY = "?"
    MAGIC = "%"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ImportedName:
    """One name after `import`.

    Attributes:
        name: the dotted module for `import a.b`, the plain name for `from m import name`, or "*".
        span: where it is written; empty while it is not there yet.
        alias: what stands behind `as`, if anything.
        alias_span: where the alias is written.

    """

    name: str
    span: Span
    alias: str | None = None
    alias_span: Span | None = None


@dataclass(frozen=True, slots=True)
class ImportFrom:
    """`from module import names`; `module` is without the `level` leading dots."""

    module: str
    module_span: Span
    level: int
    names: tuple[ImportedName, ...]
    import_keyword: int | None


@dataclass(frozen=True, slots=True)
class Statement:
    """One simple statement, or the header of a compound one up to its colon.

    Attributes:
        bindings: the names that it binds in the scope it stands in, in order; walruses included.
        walruses: those of `bindings` that `:=` makes while the statement runs.
        expressions: every expression of it, targets and annotations too, in the order of the text.
        source: for `from … import`, its parts.
        modules: for `import …`, its names.
        names: for `global`, `nonlocal` and `del`, the plain names.
        parameters: for `def`, the names that it binds inside its body.
        tests, exact: for `case`, see `patterns.Pattern`.

    """

    kind: StatementKind
    span: Span
    bindings: tuple[Binding, ...] = ()
    expressions: tuple[Expression, ...] = ()
    source: ImportFrom | None = None
    modules: tuple[ImportedName, ...] = ()
    names: tuple[str, ...] = ()
    parameters: tuple[Binding, ...] = ()
    walruses: tuple[Binding, ...] = ()
    tests: tuple[Test, ...] = ()
    exact: bool = False
