"""The language server for Python that calls MCP tools."""
