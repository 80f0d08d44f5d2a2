"""The language server for Python that calls MCP tools."""

from typing import Any

__version__ = "0.1.0"


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext codeact_lsp` binds `mcp` and `ToolCallError` in an IPython session."""
    from codeact_lsp import tools

    ipython.push({"mcp": tools.mcp, "ToolCallError": tools.ToolCallError})


def unload_ipython_extension(ipython: Any) -> None:
    """`%unload_ext codeact_lsp` takes the names out again, unless they were bound anew."""
    from codeact_lsp import tools

    ipython.drop_by_id({"mcp": tools.mcp, "ToolCallError": tools.ToolCallError})
