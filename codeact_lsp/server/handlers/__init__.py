"""One file a message, and the table of them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.server.handlers import (
    catalogue,
    code_action,
    code_lens,
    completion,
    completion_resolve,
    definition,
    diagnostic,
    document_highlight,
    execute_command,
    hover,
    initialize,
    inlay_hint,
    notebook_sync,
    references,
    semantic_tokens,
    shutdown,
    signature_help,
    text_document_content,
    text_sync,
    tool,
    workspace_diagnostic,
    workspace_events,
    workspace_symbol,
)

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

METHODS: Final[Mapping[str, Callable[[Session, Any], Any]]] = MappingProxyType(
    {
        "initialize": initialize.initialize,
        "initialized": initialize.initialized,
        "shutdown": shutdown.shutdown,
        "textDocument/didOpen": text_sync.did_open,
        "textDocument/didChange": text_sync.did_change,
        "textDocument/didClose": text_sync.did_close,
        "notebookDocument/didOpen": notebook_sync.did_open,
        "notebookDocument/didChange": notebook_sync.did_change,
        "notebookDocument/didClose": notebook_sync.did_close,
        "textDocument/completion": completion.completion,
        "completionItem/resolve": completion_resolve.resolve,
        "textDocument/hover": hover.hover,
        "textDocument/signatureHelp": signature_help.signature_help,
        "textDocument/definition": definition.definition,
        "textDocument/declaration": definition.definition,
        "textDocument/references": references.references,
        "textDocument/documentHighlight": document_highlight.document_highlight,
        "textDocument/inlayHint": inlay_hint.inlay_hint,
        "textDocument/semanticTokens/full": semantic_tokens.semantic_tokens,
        "textDocument/semanticTokens/range": semantic_tokens.semantic_tokens,
        "workspace/symbol": workspace_symbol.workspace_symbol,
        "workspace/textDocumentContent": text_document_content.text_document_content,
        "textDocument/codeAction": code_action.code_action,
        "textDocument/codeLens": code_lens.code_lens,
        "textDocument/diagnostic": diagnostic.diagnostic,
        "workspace/diagnostic": workspace_diagnostic.workspace_diagnostic,
        "workspace/executeCommand": execute_command.execute_command,
        "workspace/didChangeConfiguration": workspace_events.did_change_configuration,
        "workspace/didChangeWorkspaceFolders": workspace_events.did_change_workspace_folders,
        "workspace/didChangeWatchedFiles": workspace_events.did_change_watched_files,
        "codeact-lsp/catalogue": catalogue.catalogue,
        "codeact-lsp/tool": tool.tool,
    }
)
