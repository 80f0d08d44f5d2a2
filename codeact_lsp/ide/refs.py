"""What an expression can be, as far as the catalogue is concerned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from codeact_lsp.bindings.model import ServerBinding, ToolBinding
from codeact_lsp.schema.types import Type
from codeact_lsp.syntax.expressions import Expression, Lambda
from codeact_lsp.syntax.origins import Binding

Path: TypeAlias = tuple[str | int, ...]
"""Raw keys and list positions, from the outside in."""


@dataclass(frozen=True, slots=True)
class Other:
    """Something else, or something that Python cannot know before it runs."""


OTHER: Final = Other()


@dataclass(frozen=True, slots=True)
class External:
    """A name of another module, such as `asyncio.gather` or `builtins.getattr`."""

    path: str


@dataclass(frozen=True, slots=True)
class Package:
    """A package on the way to a bindings module, such as `codeact_lsp`."""

    path: str


@dataclass(frozen=True, slots=True)
class Root:
    """A bindings module; `path` is how it was imported."""

    path: str


@dataclass(frozen=True, slots=True)
class Mcp:
    """`mcp`, whose attributes are the servers."""


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """`ToolCallError`."""


@dataclass(frozen=True, slots=True)
class ServerRef:
    """A server's module."""

    server: ServerBinding


@dataclass(frozen=True, slots=True)
class ToolRef:
    """A tool; `given` are the keywords that `functools.partial` already passed, None if unknown."""

    tool: ToolBinding
    given: frozenset[str] | None = frozenset()


@dataclass(frozen=True, slots=True)
class UnknownServer:
    """`mcp.<name>` where no server has that name."""

    name: str


@dataclass(frozen=True, slots=True)
class UnknownTool:
    """A name that the server, or with None the bindings module's root, does not have."""

    server: ServerBinding | None
    name: str


@dataclass(frozen=True, slots=True)
class Pending:
    """What `await` makes `value`.

    Attributes:
        task: it runs whether or not it is awaited.
        local: the coroutine of a function of the text itself.

    """

    value: Refs
    task: bool = False
    local: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A tool's result or a part of it; `path` leads there from the whole result."""

    tool: ToolBinding
    type: Type
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A tuple or list of known length."""

    items: tuple[Refs, ...]


@dataclass(frozen=True, slots=True)
class Many:
    """A list of unknown length, every item one of `item`."""

    item: Refs


@dataclass(frozen=True, slots=True)
class Table:
    """A dict.

    Attributes:
        entries: what it was made with, the later ones over the earlier; the key is None where it is
            not known, or where there may be any number of them.
        whole: nothing else can be in it.
        more: what may have been put in later.

    """

    entries: tuple[tuple[str | None, Refs], ...]
    whole: bool = True
    more: tuple[tuple[str | None, Refs], ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A `def` of the texts, by the name that it binds."""

    binding: Binding


@dataclass(frozen=True, slots=True)
class Anonymous:
    """A lambda; `document` is the index of its document in the chain."""

    function: Lambda
    document: int


@dataclass(frozen=True, slots=True)
class Managed:
    """A context manager: `with … as` gives `value`."""

    value: Refs


Ref: TypeAlias = (
    Other
    | External
    | Package
    | Root
    | Mcp
    | ErrorClass
    | ServerRef
    | ToolRef
    | UnknownServer
    | UnknownTool
    | Pending
    | Value
    | Row
    | Many
    | Table
    | Function
    | Anonymous
    | Managed
)
Refs: TypeAlias = tuple[Ref, ...]
"""Everything that may hold; `Other` among them where something unknown may hold too."""


class Follow(Protocol):
    """Resolves an expression of a document of the chain, by default of the one at hand.

    For a function, what a call of it gives.
    """

    def __call__(self, of: Expression | Function, document: int | None = None, /) -> Refs: ...
