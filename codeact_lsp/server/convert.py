"""Values of `ide` as LSP's JSON: ranges, edits, diagnostics, documentation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from codeact_lsp.catalogue.model import Problem, headline
from codeact_lsp.ide import prose
from codeact_lsp.ide.code_actions import Action
from codeact_lsp.ide.model import Diagnostic, Severity, TextEdit
from codeact_lsp.ide.prose import Block
from codeact_lsp.ide.signature_help import SignatureHelp
from codeact_lsp.server.client import Client
from codeact_lsp.server.documents import Documents, OpenDocument
from codeact_lsp.server.params import Json
from codeact_lsp.server.uris import from_path
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Span
from codeact_lsp.syntax.lines import Encoding, LineIndex

SOURCE: Final = "codeact-lsp"

SEVERITIES: Final[Mapping[Severity, int]] = MappingProxyType(
    {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFORMATION: 3, Severity.HINT: 4}
)
_UNNECESSARY: Final = 1
_DEPRECATED: Final = 2


def position(document: Document, offset: int, encoding: Encoding) -> Json:
    """The `Position` of an offset."""
    line, character = document.lines.position(document.text, offset, encoding)
    return {"line": line, "character": character}


def span(document: Document, where: Span, encoding: Encoding) -> Json:
    """The `Range` of a span."""
    return {
        "start": position(document, where.start, encoding),
        "end": position(document, where.end, encoding),
    }


def offset(document: Document, place: tuple[int, int], encoding: Encoding) -> int:
    """The offset of a line and character."""
    return document.lines.offset(document.text, *place, encoding)


def line_range(line: int) -> Json:
    """The `Range` of the start of a line in a text that is not at hand."""
    return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}


def location(document: Document, origin: Span, uri: str, line: int, client: Client) -> Json:
    """A `LocationLink` where the client takes one, otherwise a `Location`."""
    place = line_range(line)
    if not client.definition_links:
        return {"uri": uri, "range": place}
    return {
        "originSelectionRange": span(document, origin, client.encoding),
        "targetUri": uri,
        "targetRange": place,
        "targetSelectionRange": place,
    }


def text_edit(document: Document, edit: TextEdit, encoding: Encoding) -> Json:
    """A `TextEdit`."""
    return {"range": span(document, edit.span, encoding), "newText": edit.text}


def workspace_edit(
    changes: Iterable[tuple[OpenDocument, Sequence[TextEdit]]], client: Client
) -> Json:
    """A `WorkspaceEdit`, refused by the client if a text of it has changed since."""
    converted = [
        (opened, [text_edit(opened.document, edit, client.encoding) for edit in edits])
        for opened, edits in changes
        if edits
    ]
    if not client.document_changes:
        return {"changes": {opened.uri: edits for opened, edits in converted}}
    return {
        "documentChanges": [
            {"textDocument": {"uri": opened.uri, "version": opened.version}, "edits": edits}
            for opened, edits in converted
        ]
    }


def action(
    opened: OpenDocument, offered: Action, client: Client, later: Sequence[OpenDocument] = ()
) -> Json:
    """A `CodeAction`; `later` are the cells that `Action.later` is of."""
    changes = [(opened, offered.edits), *zip(later, offered.later, strict=False)]
    converted: Json = {
        "title": offered.title,
        "kind": offered.kind,
        "edit": workspace_edit(changes, client),
    }
    if offered.diagnostic is not None:
        converted["diagnostics"] = [diagnostic(opened.document, offered.diagnostic, client)]
    if offered.preferred:
        converted["isPreferred"] = True
    return converted


def is_wanted(kind: str, only: tuple[str, ...]) -> bool:
    """Whether a client that asks for `only` these kinds, or all, wants `kind`."""
    return not only or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)


def diagnostics(document: Document, found: Iterable[Diagnostic], client: Client) -> list[Json]:
    """The `Diagnostic`s of a document."""
    return [diagnostic(document, one, client) for one in found]


def diagnostic(document: Document, found: Diagnostic, client: Client) -> Json:
    """A `Diagnostic`."""
    converted: Json = {
        "range": span(document, found.span, client.encoding),
        "severity": SEVERITIES[found.severity],
        "code": found.code,
        "source": SOURCE,
        "message": found.message,
    }
    tags = [_UNNECESSARY] * found.unnecessary + [_DEPRECATED] * found.deprecated
    if tags and client.diagnostic_tags:
        converted["tags"] = tags
    return converted


# What waits for the user's word, and what only the author of a server can mend.
_NOT_THE_USERS: Final = frozenset({"not-approved", "schema"})


def problem(found: Problem, documents: Documents) -> Json:
    """A problem of the catalogue as a `Diagnostic` of its config file.

    A file that is not open is not read for this, so that its columns count code points.
    """
    assert found.path is not None
    opened = documents.get(from_path(found.path))
    start = {"line": found.line, "character": found.column}
    if opened is not None:
        document = opened.document
        line_start = offset(document, (found.line, 0), documents.encoding)
        start = position(document, line_start + found.column, documents.encoding)
    return {
        "range": {"start": start, "end": {**start, "character": start["character"] + 1}},
        "severity": SEVERITIES[_problem_severity(found)],
        "code": "catalogue-problem",
        "source": SOURCE,
        "message": headline(found),
        "data": {"server": found.server, "kind": found.kind},
    }


def _problem_severity(found: Problem) -> Severity:
    return Severity.INFORMATION if found.kind in _NOT_THE_USERS else Severity.WARNING


def signature(found: Iterable[SignatureHelp], client: Client) -> Json:
    """A `SignatureHelp`.

    A client that cannot be told "none of them" would light up the first parameter, so it is told of
    no parameter then.
    """
    converted = []
    for one in found:
        signature: Json = {"label": one.label, "parameters": []}
        if one.active is not None or client.no_active_parameter:
            signature["parameters"] = [
                {
                    "label": _label(one.label, parameter.label, client),
                    "documentation": documentation(
                        parameter.blocks, markdown=client.signature_markdown
                    ),
                }
                for parameter in one.parameters
            ]
            if client.active_parameter:
                signature["activeParameter"] = one.active
        if one.blocks:
            signature["documentation"] = documentation(
                one.blocks, markdown=client.signature_markdown
            )
        converted.append((one, signature))
    first = converted[0][0]
    answer: Json = {"signatures": [signature for _, signature in converted], "activeSignature": 0}
    if first.active is not None or client.no_active_parameter:
        answer["activeParameter"] = first.active
    return answer


def _label(label: str, where: Span, client: Client) -> str | list[int]:
    """Where a parameter stands in its signature; LSP counts UTF-16 units here, always."""
    if not client.label_offsets:
        return label[where.start : where.end]
    lines = LineIndex.of(label)
    return [lines.position(label, end, "utf-16")[1] for end in where]


def documentation(blocks: tuple[Block, ...], *, markdown: bool) -> Json:
    """A `MarkupContent`."""
    if markdown:
        return {"kind": "markdown", "value": prose.markdown(blocks)}
    return {"kind": "plaintext", "value": prose.plain(blocks)}
