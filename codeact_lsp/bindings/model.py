"""What a catalogue looks like from Python: frozen values, indexed by name.

The index (`Bindings`, `ServerBinding`, `ToolBinding`) is made when the catalogue changes and holds
names only. What a schema says (`ToolDetails`) is worked out when a tool is first looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from codeact_lsp.catalogue.model import EMPTY, Catalogue, Problem, Server, Tool
from codeact_lsp.names import Reason, Spelling
from codeact_lsp.schema.types import Field, Schemas

BINDINGS_MODULE: Final = "codeact_lsp.tools"
"""The import root that cells use."""
BINDINGS_MODULE_ALIASES: Final = ("__dsh__.tools",)
"""Other import roots that mean the same thing to the server."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A top-level parameter of a tool.

    Attributes:
        spelling: raw key, name (None when unspelled), reason, and the holder on a collision.
        field: type, required, description, default, examples.
        annotation: the type as Python source, such as `str | None`.

    """

    spelling: Spelling
    field: Field
    annotation: str

    @property
    def raw(self) -> str:
        """The JSON key."""
        return self.spelling.raw

    @property
    def name(self) -> str | None:
        """The keyword that code types; None when it is passed as a dict key."""
        return self.spelling.name

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.field.required


@dataclass(frozen=True, slots=True)
class CatchAll:
    """The `**` parameter: present for unspelled parameters and for declared extra keys.

    Attributes:
        name: `kwargs`, or with underscores before it where a parameter has that name.
        annotation: the type of a value as Python source.
        raw_keys: unspelled raw keys in the schema's order.
        required: those of `raw_keys` that a call must give.

    """

    name: str
    annotation: str
    raw_keys: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDetails:
    """What a tool's schemas say, as Python.

    Attributes:
        parameters: in the schema's order, unspelled ones included.
        by_name: name → parameter, spelled ones only.
        by_raw: raw key → parameter, all of them.
        renames: name → raw key, only where they differ.
        catch_all: the `**` parameter, or None.
        returns: the return annotation as Python source.
        schemas: the type model behind the annotations.
        closed: no key but the listed ones can be given (`additionalProperties: false`).
        problems: places of the schemas that were not understood.

    """

    parameters: tuple[Parameter, ...]
    by_name: Mapping[str, Parameter]
    by_raw: Mapping[str, Parameter]
    renames: Mapping[str, str]
    catch_all: CatchAll | None
    returns: str
    schemas: Schemas
    closed: bool
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolBinding:
    """A tool at its place in Python.

    Attributes:
        tool: as listed.
        spelling: how its name is spelled; `name` None means `getattr` only.
        server: the raw name of its server; None for a native tool.
        server_name: the spelled name of its server; None for a native tool or a server that is
            reached by `getattr(mcp, …)`.
        path: the expression that reaches it, such as `mcp.notion.API_patch_page` or
            `getattr(mcp.notion, "API.patch")`.

    """

    tool: Tool
    spelling: Spelling
    server: str | None
    server_name: str | None
    path: str

    @property
    def raw(self) -> str:
        """The name that the server knows."""
        return self.spelling.raw

    @property
    def name(self) -> str | None:
        """The attribute that code types."""
        return self.spelling.name


@dataclass(frozen=True, slots=True)
class ServerBinding:
    """A server as a module.

    Attributes:
        server: as in the catalogue.
        spelling: how its name is spelled; `name` None means `getattr(mcp, raw)` only.
        tools: in lexicographic order of raw name.
        by_name: attribute → tool.
        by_raw: raw name → tool.

    """

    server: Server
    spelling: Spelling
    tools: tuple[ToolBinding, ...]
    by_name: Mapping[str, ToolBinding]
    by_raw: Mapping[str, ToolBinding]

    @property
    def raw(self) -> str:
        """The name in the config file."""
        return self.spelling.raw

    @property
    def name(self) -> str | None:
        """The attribute of `mcp`."""
        return self.spelling.name


def _no_servers() -> Mapping[str, ServerBinding]:
    return MappingProxyType({})


def _no_tools() -> Mapping[str, ToolBinding]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Bindings:
    """Everything that a bindings module holds.

    Attributes:
        catalogue: what this was made from.
        fold_characters: the setting that names were folded with.
        servers: in lexicographic order of raw name.
        servers_by_name: attribute of `mcp` → server.
        servers_by_raw: raw name → server.
        native: tools at the module's root, in lexicographic order of raw name.
        native_by_name: name → native tool.
        native_by_raw: raw name → native tool.
        flat: `mcp__<server>__<tool>` → tool, where no native tool really has that name.

    """

    catalogue: Catalogue = EMPTY
    fold_characters: str = "-"
    servers: tuple[ServerBinding, ...] = ()
    servers_by_name: Mapping[str, ServerBinding] = field(default_factory=_no_servers)
    servers_by_raw: Mapping[str, ServerBinding] = field(default_factory=_no_servers)
    native: tuple[ToolBinding, ...] = ()
    native_by_name: Mapping[str, ToolBinding] = field(default_factory=_no_tools)
    native_by_raw: Mapping[str, ToolBinding] = field(default_factory=_no_tools)
    flat: Mapping[str, ToolBinding] = field(default_factory=_no_tools)


NO_BINDINGS: Final = Bindings()

__all__ = [
    "BINDINGS_MODULE",
    "BINDINGS_MODULE_ALIASES",
    "NO_BINDINGS",
    "Bindings",
    "CatchAll",
    "Parameter",
    "Reason",
    "ServerBinding",
    "ToolBinding",
    "ToolDetails",
]
