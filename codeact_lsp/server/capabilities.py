"""What the server says that it can do."""

from __future__ import annotations

from typing import Final

from codeact_lsp import __version__
from codeact_lsp.ide.code_actions import FIX_ALL, QUICK_FIX, REWRITE
from codeact_lsp.server.client import Client
from codeact_lsp.server.params import Json
from codeact_lsp.server.stub_files import SCHEME
from codeact_lsp.server.tokens import LEGEND

COMMANDS: Final = (
    "codeact-lsp.approve",
    "codeact-lsp.explain",
    "codeact-lsp.refresh",
    "codeact-lsp.report",
    "codeact-lsp.restart",
    "codeact-lsp.showCatalogue",
    "codeact-lsp.showLogs",
    "codeact-lsp.showPromptBlock",
)
_INCREMENTAL: Final = 2


def initialize_result(client: Client) -> Json:
    """The `InitializeResult` for `client`."""
    return {
        "capabilities": server_capabilities(client),
        "serverInfo": {"name": "codeact-lsp", "version": __version__},
    }


def server_capabilities(client: Client) -> Json:
    """The `ServerCapabilities` for `client`."""
    capabilities: Json = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": False},
        "notebookDocumentSync": {
            "notebookSelector": [{"notebook": "*", "cells": [{"language": "python"}]}],
            "save": False,
        },
        "completionProvider": {
            # "-" because raw names are typed too, and it ends a word in every editor.
            "triggerCharacters": [".", "(", ",", "=", '"', "'", "[", "{", "-"],
            "resolveProvider": True,
            "completionItem": {"labelDetailsSupport": True},
        },
        "hoverProvider": True,
        "definitionProvider": True,
        "declarationProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "workspaceSymbolProvider": True,
        "inlayHintProvider": True,
        "semanticTokensProvider": {"legend": dict(LEGEND), "full": True, "range": True},
        "signatureHelpProvider": {
            "triggerCharacters": ["(", ","],
            "retriggerCharacters": ["=", ")"],
        },
        "codeActionProvider": {"codeActionKinds": [QUICK_FIX, REWRITE, FIX_ALL]}
        if client.code_action_literals
        else False,
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
        },
    }
    if client.text_document_content:
        capabilities["workspace"]["textDocumentContent"] = {"schemes": [SCHEME]}
    if "runCell" in client.own:
        capabilities["codeLensProvider"] = {"resolveProvider": False}
    # A client of ours registers these commands itself, and would fail to do so twice.
    if "commands" not in client.own:
        capabilities["executeCommandProvider"] = {"commands": list(COMMANDS)}
    if client.pull_diagnostics and client.diagnostic_refresh:
        capabilities["diagnosticProvider"] = {
            "identifier": "codeact-lsp",
            "interFileDependencies": True,
            "workspaceDiagnostics": True,
        }
    return capabilities
