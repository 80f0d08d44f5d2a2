"""The bindings as a stub package for type checkers (PEP 561), one file a server."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from codeact_lsp import names
from codeact_lsp.bindings import source
from codeact_lsp.bindings.model import Bindings, ServerBinding, ToolBinding
from codeact_lsp.bindings.source import Module
from codeact_lsp.schema.annotations import Vocabulary

PACKAGE: Final = "codeact_lsp-stubs"
_ROOT: Final = f"{PACKAGE}/tools/__init__.pyi"
_MCP: Final = f"{PACKAGE}/tools/mcp/__init__.pyi"
_MINIMAL: Final = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"
_NOTICE: Final = "# Made by codeact-lsp from the listed tools; edits are lost."
_MAX_FILE_NAME: Final = 60
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_DEVICES: Final = frozenset(
    ("aux", "con", "nul", "prn", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(10)))
)


@dataclass(frozen=True, slots=True)
class StubFile:
    """One stub and where its tools stand in it.

    Attributes:
        path: relative, with `/`.
        text: the source.
        tools: raw tool name → line of its signature, from 0.
        parameters: (raw tool name, raw key) → line of the parameter, from 0; spelled ones only.

    """

    path: str
    text: str
    tools: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    parameters: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))


def stubs(bindings: Bindings, *, minimal: bool = False) -> Mapping[str, str]:
    """Path → text of every file of the package.

    With `minimal`, files that only make the imports known and leave every name `Any`.
    """
    # A package file of its own lets mypy read the stubs where the package itself is missing.
    files = {f"{PACKAGE}/py.typed": "partial\n", f"{PACKAGE}/__init__.pyi": f"{_NOTICE}\n"}
    modules = module_files(bindings)
    if minimal:
        # Not every checker takes a package's __getattr__ as a sign of submodules.
        paths = (_ROOT, _MCP, *map(_path, modules.values()))
        return MappingProxyType(files | dict.fromkeys(paths, _MINIMAL))
    made = [native_stub(bindings), _mcp_stub(bindings, modules)]
    made += [
        _server_stub(bindings, server, _path(modules[server.raw]))
        for server in bindings.servers
        if server.name is not None
    ]
    return MappingProxyType(files | {file.path: file.text for file in made})


def module_files(bindings: Bindings) -> Mapping[str, str]:
    """Raw server name → name of its stub's module, for servers that have a name.

    The two are the same but where a file system could take two files for one, or for a device.
    """
    taken: set[str] = set(_DEVICES)
    modules: dict[str, str] = {}
    for server in bindings.servers:
        if server.name is None:
            continue
        base = name = server.name[:_MAX_FILE_NAME]
        number = 2
        while _on_disk(name) in taken:
            name = f"{base}_{number}"
            number += 1
        taken.add(_on_disk(name))
        modules[server.raw] = name
    return MappingProxyType(modules)


def _on_disk(name: str) -> str:
    """Equal for names that some file system does not tell apart."""
    return unicodedata.normalize("NFKD", name.casefold())


def native_stub(bindings: Bindings) -> StubFile:
    """The stub of the bindings module itself."""
    functions = [tool.name for tool in bindings.native if tool.name is not None]
    built = source.module(functions, "full", bindings.fold_characters)
    words = Vocabulary(str, built.spelled, used=built.used)
    error = [
        f"class {names.TOOL_CALL_ERROR}({words.word('Exception')}):",
        f"    server: {words.word('str')} | None",
        f"    tool_name: {words.word('str')}",
    ]
    return _file(
        _ROOT, built, bindings.native, [f"from . import {names.MCP} as {names.MCP}"], error
    )


def server_stub(bindings: Bindings, server: ServerBinding) -> StubFile:
    """The stub of one server; no file holds that of one without a name, so its path is empty."""
    module = module_files(bindings).get(server.raw)
    return _server_stub(bindings, server, _path(module) if module else "")


def _server_stub(bindings: Bindings, server: ServerBinding, path: str) -> StubFile:
    functions = [tool.name for tool in server.tools if tool.name is not None]
    built = source.module(functions, "full", bindings.fold_characters)
    return _file(path, built, server.tools, [f"# {source.header(server)}"], [])


def _path(module: str) -> str:
    return f"{PACKAGE}/tools/mcp/{module}.pyi"


def _mcp_stub(bindings: Bindings, modules: Mapping[str, str]) -> StubFile:
    """The stub of `mcp`: its servers, then as comments those that only `getattr` reaches."""
    named = {modules[server.raw]: server.name for server in bindings.servers if server.name}
    lines = [_NOTICE, *(f"from . import {file} as {name}" for file, name in named.items())]
    # An import under another name is no export by itself.
    exported = ", ".join(f'"{name}"' for name in named.values())
    lines += ["", f"__all__ = [{exported}]"]
    unnamed = [server for server in bindings.servers if server.name is None]
    built = source.module((), "full", bindings.fold_characters)
    for server in unnamed:
        lines += ["", f"# {source.header(server)}"]
        for tool in server.tools:
            lines += source.called(tool, source.signature_in(built, tool))
    return StubFile(_MCP, "\n".join(lines) + "\n")


def _file(
    path: str, built: Module, tools: tuple[ToolBinding, ...], head: list[str], tail: list[str]
) -> StubFile:
    """A stub: imports and classes, then the functions, then what has no name as comments."""
    ordered = sorted(tools, key=lambda tool: tool.name is None)
    functions = [_function(built, tool) for tool in ordered]
    lines = [_NOTICE, *head, *source.imports(built)]
    for definition in (*filter(None, [tail]), *source.grouped(built.classes)):
        lines += ["", *definition]
    tool_lines: dict[str, int] = {}
    parameter_lines: dict[tuple[str, str], int] = {}
    for tool, (written, offsets) in zip(ordered, functions, strict=True):
        lines.append("")
        tool_lines[tool.raw] = len(lines)
        for raw, offset in offsets.items():
            parameter_lines[tool.raw, raw] = len(lines) + offset
        lines += written
    return StubFile(
        path,
        "\n".join(lines) + "\n",
        MappingProxyType(tool_lines),
        MappingProxyType(parameter_lines),
    )


def _function(built: Module, tool: ToolBinding) -> tuple[list[str], dict[str, int]]:
    """The lines of a tool, and raw key → line among them."""
    found = source.signature_in(built, tool)
    offsets = {
        parameter.parameter.raw: found.text.count("\n", 0, parameter.text_range[0])
        for parameter in found.parameters
        if parameter.parameter is not None
    }
    return source.written(tool, found), offsets
