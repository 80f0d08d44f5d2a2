"""The frozen values that every answer of the editor is made of.

Offsets are code points into the text of the document that was asked about; ranges are half open.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from codeact_lsp.bindings.model import BINDINGS_MODULE, BINDINGS_MODULE_ALIASES, Bindings
from codeact_lsp.ide.prose import Block
from codeact_lsp.ide.refs import Path, Refs
from codeact_lsp.syntax.changes import Change
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.origins import Binding


class Empty(enum.Enum):
    """Why an answer is empty; the value is the sentence that people are shown."""

    CATALOGUE_EMPTY = "No server has listed any tool yet."
    SERVER_NOT_APPROVED = "The server is not approved, so its tools are not known."
    SERVER_HAS_NO_TOOLS = "The server has listed no tool."
    UNKNOWN_SERVER = "No configured server has this name."
    UNKNOWN_TOOL = "The server lists no tool of this name."
    NO_BINDING_HERE = "Nothing here refers to a server or a tool."
    NO_CALL_HERE = "The cursor is not inside a call of a tool."
    IN_STRING = "The cursor is in a plain string."
    IN_COMMENT = "The cursor is in a comment."
    NOT_PYTHON = "This line is not Python."
    NO_NAME_EXPECTED = "The cursor is in the middle of another expression."
    NOTHING_TYPED = "Nothing is typed yet that a tool could be found by."
    NOTHING_MATCHES = "No name starts like, or contains, what was typed."
    ALL_PARAMETERS_GIVEN = "Every parameter of the tool is already given."
    NO_KNOWN_VALUES = "The schema does not say which values are allowed here."
    NO_PARAMETER_HERE = "The tool has no parameter of this name."
    RESULT_UNTYPED = "The tool does not declare what its result looks like."


T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T_co]):
    """An answer, or the reason why there is none: exactly one of the two is not None."""

    value: T_co | None
    empty: Empty | None = None


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace `span` by `text`; the edits of one list never overlap."""

    span: Span
    text: str


class Severity(enum.StrEnum):
    """How much a diagnostic matters; `OFF` is a setting only."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Settings:
    """What of the settings changes an answer.

    Attributes:
        bindings_modules: import roots whose names are bindings.
        rules: diagnostic code → severity, where the user changed it.
        limit: the most items of one completion list.

    """

    bindings_modules: tuple[str, ...] = (BINDINGS_MODULE, *BINDINGS_MODULE_ALIASES)
    rules: Mapping[str, Severity] = field(default_factory=lambda: MappingProxyType({}))
    limit: int = 100


DEFAULT_SETTINGS: Final = Settings()


class PlacedChange(NamedTuple):
    """A change of what a list or dict holds, in a document of the chain."""

    document: int
    change: Change


@dataclass(frozen=True, slots=True)
class NamesHeld:
    """What one look at all names of the chain shows, so that most need not be looked up.

    Attributes:
        carriers: the names that may hold a binding or a result, in any scope.
        once: name → its only binding, where that is a plain statement of a module's top level, and
            the offset from which it holds in its document.
        again: the carriers that are bound more than once.
        changes: name → the changes of what it holds, in the order of the texts.
        fillable: the other names of lists and dicts that are changed, and of what is made of them.

    """

    carriers: frozenset[str]
    once: Mapping[str, tuple[Binding, int]]
    again: frozenset[str] = frozenset()
    changes: Mapping[str, tuple[PlacedChange, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    fillable: frozenset[str] = frozenset()


@dataclass(slots=True)
class Changes:
    """What was found of changes so far.

    Attributes:
        of_name: name → the changes of what it holds, for the names that were asked for; with a
            document and where a top-level statement starts in it, those in that statement.
        bound: document and place of a change's name → document and place of each binding it may have.

    """

    of_name: dict[tuple[str, tuple[int, int] | None], tuple[PlacedChange, ...]] = field(
        default_factory=dict
    )
    bound: dict[tuple[int, Span], frozenset[tuple[int, Span]]] = field(default_factory=dict)


_SPARED: Final = 500
"""How often something is worked out anew because it met what was still being worked out."""

ResolvedPlace: TypeAlias = tuple[int, Span, str]
"""An expression by its document in the chain, where it stands, and its kind."""


@dataclass(slots=True)
class Cycles:
    """What is being worked out, and so may be met again on the way.

    Attributes:
        assumed: what is taken for each place that is being worked out.
        met: those of them that were needed for what is worked out innermost.
        spared: how many answers were not kept because they rest on what was assumed.

    """

    assumed: dict[ResolvedPlace, Refs] = field(default_factory=dict)
    met: set[ResolvedPlace] = field(default_factory=set)
    spared: int = 0

    @property
    def exhausted(self) -> bool:
        """Whether so much was worked out anew that any answer is taken from now on."""
        return self.spared >= _SPARED


@dataclass(frozen=True, slots=True)
class View:
    """What an answer is worked out from: immutable, so nothing changes underneath it.

    Attributes:
        bindings: the catalogue as Python.
        chain: the prelude, earlier cells in order, and last the document that is asked about.
        settings: the settings that matter here.
        names: for an answer about the whole document, what a look at all names showed; None where
            each name is looked up when it is met.
        resolved: what `resolve` found so far, so that no expression is followed twice.
        cycles: see `Cycles`.
        changes: see `Changes`.
        searched: the names that were looked for in the whole document: what is said then follows
            from more than the place that it is said of.
        filled: the names of lists and dicts that a function of the text may put something into: what
            is said then follows from all such functions.

    """

    bindings: Bindings
    chain: tuple[Document, ...]
    settings: Settings = DEFAULT_SETTINGS
    names: NamesHeld | None = None
    resolved: dict[ResolvedPlace, Refs] = field(default_factory=dict, compare=False, repr=False)
    cycles: Cycles = field(default_factory=Cycles, compare=False, repr=False)
    changes: Changes = field(default_factory=Changes, compare=False, repr=False)
    searched: set[str] = field(default_factory=set, compare=False, repr=False)
    filled: set[str] = field(default_factory=set, compare=False, repr=False)

    @property
    def document(self) -> Document:
        """The document that is asked about."""
        return self.chain[-1]


@dataclass(frozen=True, slots=True)
class Target:
    """A thing of the catalogue that can be described, by raw names; small enough to travel.

    Attributes:
        server: None for a native tool.
        tool: None for the server itself.
        path: raw keys from the tool's parameter down; a number steps into a list. Empty for the
            tool itself.
        result: `path` is of the tool's result, not of its arguments.
        value: JSON text of one enum member at that place.

    """

    server: str | None
    tool: str | None = None
    path: Path = ()
    result: bool = False
    value: str | None = None


class ItemKind(enum.StrEnum):
    """What a completion item stands for."""

    MODULE = "module"
    SERVER = "server"
    TOOL = "tool"
    CLASS = "class"
    PARAMETER = "parameter"
    KEY = "key"
    VALUE = "value"
    ENUM_MEMBER = "enum-member"
    CALL = "call"


@dataclass(frozen=True, slots=True)
class Item:
    """One completion.

    Attributes:
        label: what the list shows.
        kind: what it stands for.
        text: what replaces `span`.
        snippet: the same with tab stops in LSP's snippet syntax; None where there are none.
        detail: shown right after the label, such as `: str`.
        description: shown at the end of the line, such as `required` or the server.
        filter_text: what the client matches against the text of `span`.
        sort_text: orders the list; unique within it.
        edits: further edits, such as an import, that touch nothing of `span`.
        deprecated: the schema says so.
        target: what documentation describes; None where there is none.

    """

    label: str
    kind: ItemKind
    text: str
    snippet: str | None = None
    detail: str = ""
    description: str = ""
    filter_text: str = ""
    sort_text: str = ""
    edits: tuple[TextEdit, ...] = ()
    deprecated: bool = False
    target: Target | None = None


@dataclass(frozen=True, slots=True)
class ItemList:
    """What completion answers.

    Attributes:
        items: best first.
        span: what every item replaces: the whole word around the cursor.
        cursor: the offset that was asked about; what an *insert* (not replace) stops at.
        incomplete: there are more; ask again when more is typed.

    """

    items: tuple[Item, ...]
    span: Span
    cursor: int
    incomplete: bool = False


@dataclass(frozen=True, slots=True)
class Hover:
    """What hover shows for `span`."""

    blocks: tuple[Block, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that a diagnostic offers.

    Attributes:
        title: what the menu shows, imperative.
        edits: in the document that was asked about, in order, never overlapping.
        safe: it cannot change what valid code means, so `source.fixAll` may take it.
        renames: the new name, where the edits rename what is bound at the diagnostic's place: cells
            that run later and use it have to follow.

    """

    title: str
    edits: tuple[TextEdit, ...]
    safe: bool = True
    renames: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something wrong at `span`; `code` names its page in the documentation."""

    code: str
    span: Span
    message: str
    severity: Severity
    fixes: tuple[Fix, ...] = ()
    deprecated: bool = False
    unnecessary: bool = False
