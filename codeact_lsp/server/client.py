"""What the client can do, read once from `initialize`; the gates of every handler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args

from codeact_lsp.server.params import Json
from codeact_lsp.syntax.lines import Encoding

_ENCODINGS: Final = frozenset(get_args(Encoding))
_DEPRECATED_TAG: Final = 1
EXTENSION: Final = "codeactLsp"
"""The key under `capabilities.experimental` where our own extensions announce themselves."""


@dataclass(frozen=True, slots=True)
class Client:
    """Capabilities as LSP 3.18 names them, all off unless the client or LSP says otherwise.

    Attributes:
        encoding: of every character position, the first of the client's that is known here.
        hover_markdown: `hover.contentFormat` lists markdown.
        item_defaults: the fields that `CompletionList.itemDefaults` may hold.
        resolves: documentation may come with `completionItem/resolve`, as by default.
        own: messages of ours that the client understands: `status`, `approval`, `input`, `log`,
            `runCell`.

    """

    encoding: Encoding = "utf-16"
    hover_markdown: bool = False
    item_markdown: bool = False
    snippets: bool = False
    insert_replace: bool = False
    label_details: bool = False
    item_defaults: frozenset[str] = frozenset()
    resolves: bool = True
    deprecated_tag: bool = False
    deprecated_flag: bool = False
    signature_markdown: bool = False
    label_offsets: bool = False
    no_active_parameter: bool = False
    active_parameter: bool = False
    pull_diagnostics: bool = False
    diagnostic_refresh: bool = False
    diagnostic_tags: bool = False
    diagnostic_versions: bool = False
    code_action_literals: bool = False
    document_changes: bool = False
    definition_links: bool = False
    configuration: bool = False
    watch_configuration: bool = False
    watch_files: bool = False
    progress: bool = False
    message_actions: bool = False
    inlay_hint_refresh: bool = False
    code_lens_refresh: bool = False
    semantic_tokens_refresh: bool = False
    text_document_content: bool = False
    own: frozenset[str] = frozenset()


def read_client(capabilities: Json) -> Client:
    """The gates that `capabilities` opens; what has an unexpected shape is a closed one."""

    def at(path: str) -> Any:
        value: Any = capabilities
        for name in path.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    def yes(path: str) -> bool:
        return at(path) is True

    def words(path: str) -> tuple[str, ...]:
        value = at(path)
        return tuple(w for w in value if isinstance(w, str)) if isinstance(value, list) else ()

    item = "textDocument.completion.completionItem"
    signature = "textDocument.signatureHelp.signatureInformation"
    tags = at(f"{item}.tagSupport.valueSet")
    own = at(f"experimental.{EXTENSION}")
    return Client(
        encoding=_encoding(words("general.positionEncodings")),
        hover_markdown="markdown" in words("textDocument.hover.contentFormat"),
        item_markdown="markdown" in words(f"{item}.documentationFormat"),
        snippets=yes(f"{item}.snippetSupport"),
        insert_replace=yes(f"{item}.insertReplaceSupport"),
        label_details=yes(f"{item}.labelDetailsSupport"),
        item_defaults=frozenset(words("textDocument.completion.completionList.itemDefaults")),
        # A client that does not say which properties it resolves takes documentation late.
        resolves=at(f"{item}.resolveSupport") is None
        or "documentation" in words(f"{item}.resolveSupport.properties"),
        deprecated_tag=isinstance(tags, list) and _DEPRECATED_TAG in tags,
        deprecated_flag=yes(f"{item}.deprecatedSupport"),
        signature_markdown="markdown" in words(f"{signature}.documentationFormat"),
        label_offsets=yes(f"{signature}.parameterInformation.labelOffsetSupport"),
        no_active_parameter=yes(f"{signature}.noActiveParameterSupport"),
        active_parameter=yes(f"{signature}.activeParameterSupport"),
        pull_diagnostics=at("textDocument.diagnostic") is not None,
        diagnostic_refresh=yes("workspace.diagnostics.refreshSupport"),
        diagnostic_tags=at("textDocument.publishDiagnostics.tagSupport") is not None,
        diagnostic_versions=yes("textDocument.publishDiagnostics.versionSupport"),
        code_action_literals=at("textDocument.codeAction.codeActionLiteralSupport") is not None,
        document_changes=yes("workspace.workspaceEdit.documentChanges"),
        definition_links=yes("textDocument.definition.linkSupport"),
        configuration=yes("workspace.configuration"),
        watch_configuration=yes("workspace.didChangeConfiguration.dynamicRegistration"),
        watch_files=yes("workspace.didChangeWatchedFiles.dynamicRegistration"),
        progress=yes("window.workDoneProgress"),
        message_actions=at("window.showMessage.messageActionItem") is not None,
        inlay_hint_refresh=yes("workspace.inlayHint.refreshSupport"),
        code_lens_refresh=yes("workspace.codeLens.refreshSupport"),
        semantic_tokens_refresh=yes("workspace.semanticTokens.refreshSupport"),
        text_document_content=at("workspace.textDocumentContent") is not None,
        own=frozenset(name for name, on in own.items() if on is True)
        if isinstance(own, Mapping)
        else frozenset(),
    )


def _encoding(offered: tuple[str, ...]) -> Encoding:
    for name in offered:
        if name in _ENCODINGS:
            return name  # type: ignore[return-value]  # one of the literal's own members
    return "utf-16"
