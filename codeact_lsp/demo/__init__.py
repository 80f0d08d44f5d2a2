"""The tour: a small MCP server whose names need every kind of rename, and a cell that calls it."""
