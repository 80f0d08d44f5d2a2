"""The prompt block: every binding as Python text for a model to read."""

from __future__ import annotations

from codeact_lsp import names
from codeact_lsp.bindings import source
from codeact_lsp.bindings.model import BINDINGS_MODULE, Bindings, ServerBinding, ToolBinding
from codeact_lsp.bindings.signature import Detail
from codeact_lsp.bindings.source import Module


def render(bindings: Bindings, detail: Detail = "full") -> str:
    """The block for `bindings`: imports, classes, then one section a module.

    It compiles and executes on its own, whatever the catalogue holds. Equal catalogues give equal
    text.
    """
    functions = [tool.name for tool in bindings.native if tool.name is not None]
    built = source.module(functions, detail, bindings.fold_characters)
    sections = [_native(built, bindings.native), *_servers(built, bindings)]
    parts = [
        [_import_line(bindings, functions), *source.imports(built)],
        *source.grouped(built.classes),
        *filter(None, sections),
    ]
    return "\n\n\n".join("\n".join(part) for part in parts) + "\n"


def _import_line(bindings: Bindings, functions: list[str]) -> str:
    root = [names.MCP] if bindings.servers else []
    imported = ", ".join([names.TOOL_CALL_ERROR, *root, *functions])
    return f"from {BINDINGS_MODULE} import {imported}"


def _native(built: Module, tools: tuple[ToolBinding, ...]) -> list[str]:
    """Functions first, then the tools that only `getattr` reaches."""
    if not tools:
        return []
    lines = [f"# {BINDINGS_MODULE}"]
    for tool in sorted(tools, key=lambda tool: tool.name is None):
        lines += ["", "", *source.written(tool, source.signature_in(built, tool))]
    return lines


def _servers(built: Module, bindings: Bindings) -> list[list[str]]:
    """One section a server, those without a name last."""
    ordered = sorted(bindings.servers, key=lambda server: server.name is None)
    return [_server(built, server) for server in ordered if server.tools]


def _server(built: Module, server: ServerBinding) -> list[str]:
    lines = [f"# {source.header(server)}"]
    ordered = sorted(server.tools, key=lambda tool: tool.name is None)
    for number, tool in enumerate(ordered):
        lines += [""] if number else []
        lines += source.called(tool, source.signature_in(built, tool))
    return lines
