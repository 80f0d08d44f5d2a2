"""The language server. Only this room knows LSP."""
