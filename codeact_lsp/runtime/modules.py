"""The bindings module and what is under it: live views of the catalogue that Python can import.

`codeact_lsp.tools` is a real package; `codeact_lsp.tools.mcp` and `codeact_lsp.tools.mcp.<server>` are
made here. A module keeps no public attribute of its own, since any name may be a tool's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from codeact_lsp import names, text
from codeact_lsp.bindings.model import BINDINGS_MODULE, Bindings, ServerBinding, ToolBinding
from codeact_lsp.runtime.errors import ToolCallError
from codeact_lsp.runtime.session import current

_MCP: Final = f"{BINDINGS_MODULE}.{names.MCP}"
# Servers by the name of their module; kept outside of it, where no tool's name can collide.
_RAW_SERVERS: Final[dict[str, str]] = {}


class _LiveModule(ModuleType):
    """A module whose names are looked up when they are asked for."""

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return _exported(self)
        if names.is_dunder(name):
            # Python and its tools probe for these; the answer never needs a server.
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return _attribute(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*ModuleType.__dir__(self), *_listed(self)})

    def __setattr__(self, name: str, value: object) -> None:
        if names.is_dunder(name):
            super().__setattr__(name, value)
        elif sys.modules.get(f"{self.__name__}.{name}") is not value:
            # The import system binds a submodule to its parent; the name leads there anyway.
            raise AttributeError(
                f"{_shown(self)} is a view of the catalogue: {name!r} cannot be set"
            )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(
            f"{_shown(self)} is a view of the catalogue: {name!r} cannot be deleted"
        )

    def __repr__(self) -> str:
        return f"<module {self.__name__!r} (bindings)>"


def install(root: ModuleType) -> None:
    """Make `root` the bindings module, and let the modules under it be imported."""
    root.__class__ = _LiveModule
    finder = _Finder()
    if not any(isinstance(other, _Finder) for other in sys.meta_path):
        sys.meta_path.insert(0, finder)


class _Finder(MetaPathFinder, Loader):
    """Finds what is under the bindings module, and says what is there when something is not."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib's protocol
        target: ModuleType | None = None,  # noqa: ARG002 - importlib's protocol
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{BINDINGS_MODULE}."):
            return None
        if fullname == _MCP:
            return ModuleSpec(fullname, self, is_package=True)
        parent, _, name = fullname.rpartition(".")
        if parent == _MCP:
            server = _server_called(name)
            if server is None or server.name != name:
                raise ModuleNotFoundError(_no_server(name, current().bindings()), name=name)
            _RAW_SERVERS[fullname] = server.raw
            return ModuleSpec(fullname, self, is_package=True)
        # `from module import name` comes here only when the module has no such attribute.
        module = sys.modules.get(parent)
        if isinstance(module, _LiveModule):
            if hasattr(module, name):
                reason = (
                    f"{_shown(module)}.{name} is a tool, not a module: from {parent} import {name}"
                )
                raise ModuleNotFoundError(reason, name=name)
            raise ModuleNotFoundError(_missing(module, name), name=name)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _LiveModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing runs: the names are looked up when they are asked for."""


def _attribute(module: ModuleType, name: str) -> Any:
    if module.__name__ == BINDINGS_MODULE:
        found: Any = _root_attribute(name)
    elif module.__name__ == _MCP:
        found = _server_module(name)
    else:
        found = _server_tool(_RAW_SERVERS[module.__name__], name)
    if found is None:
        raise AttributeError(_missing(module, name), name=name, obj=module)
    return found


def _root_attribute(name: str) -> Any:
    if name == names.TOOL_CALL_ERROR:
        return ToolCallError
    if name == names.MCP:
        return import_module(_MCP)
    bindings = current().bindings()
    tool = bindings.native_by_name.get(name) or bindings.native_by_raw.get(name)
    tool = tool or bindings.flat.get(name)
    return None if tool is None else current().function(tool)


def _server_called(name: str) -> ServerBinding | None:
    """The server of this name or raw name; config is looked at again before the answer is none."""
    bindings = current().bindings()
    found = bindings.servers_by_name.get(name) or bindings.servers_by_raw.get(name)
    if found is None and not name.startswith("_"):
        bindings = current().looked_again()
        found = bindings.servers_by_name.get(name) or bindings.servers_by_raw.get(name)
    return found


def _server_module(name: str) -> ModuleType | None:
    server = _server_called(name)
    if server is None:
        return None
    if server.name is not None:
        return import_module(f"{_MCP}.{server.name}")
    # No import statement reaches this one, so its name only has to be readable and unique.
    fullname = f"getattr({_MCP}, {text.literal(name)})"
    _RAW_SERVERS[fullname] = name
    return _LiveModule(fullname)


def _server_tool(raw_server: str, name: str) -> Any:
    server = current().listed(raw_server)
    tool = _find(server, name)
    if tool is None and not name.startswith("_"):
        # What is known may be old; a tool that was added since then is worth one listing.
        tool = _find(current().relisted(raw_server), name)
    return None if tool is None else current().function(tool)


def _find(server: ServerBinding | None, name: str) -> ToolBinding | None:
    if server is None:
        return None
    return server.by_name.get(name) or server.by_raw.get(name)


def _listed(module: ModuleType) -> list[str]:
    """What `dir()` adds: names, and raw names of what only `getattr` reaches."""
    bindings = current().bindings()
    if module.__name__ == BINDINGS_MODULE:
        return list(dict.fromkeys((names.MCP, names.TOOL_CALL_ERROR, *_names(bindings.native))))
    if module.__name__ == _MCP:
        return _names(bindings.servers)
    server = current().listed(_RAW_SERVERS[module.__name__])
    return [] if server is None else _names(server.tools)


def _names(things: Iterable[ToolBinding | ServerBinding]) -> list[str]:
    return [thing.raw if thing.name is None else thing.name for thing in things]


def _exported(module: ModuleType) -> list[str]:
    """What `import *` binds: every name that hides no keyword."""
    bindings = current().bindings()
    if module.__name__ == BINDINGS_MODULE:
        found: Mapping[str, object] = bindings.native_by_name
        return [names.MCP, names.TOOL_CALL_ERROR, *found]
    if module.__name__ == _MCP:
        found = bindings.servers_by_name
    else:
        server = current().listed(_RAW_SERVERS[module.__name__])
        found = {} if server is None else server.by_name
    return [name for name in found if names.is_bare_importable(name)]


def _missing(module: ModuleType, name: str) -> str:
    bindings = current().bindings()
    if module.__name__ == _MCP:
        return _no_server(name, bindings)
    if module.__name__ == BINDINGS_MODULE:
        return _say("tool", name, _listed(module))
    why = current().why_unlisted(_RAW_SERVERS[module.__name__])
    said = _say("tool", f"{_shown(module)}.{name}", _listed(module))
    return f"{said} ({why})" if why else said


def _no_server(name: str, bindings: Bindings) -> str:
    return _say("server", f"{names.MCP}.{name}", _names(bindings.servers))


def _say(kind: str, path: str, available: Sequence[str]) -> str:
    shown = ", ".join(text.escaped_name(name) for name in available) or "none"
    return f"no such {kind}: {text.escaped_name(path)}. Available: {shown}"


def _shown(module: ModuleType) -> str:
    return module.__name__.removeprefix(f"{BINDINGS_MODULE}.")
