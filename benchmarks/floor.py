"""The floor: a `pygls` server that answers with fixed lists, whatever it is asked about."""

from __future__ import annotations

from typing import Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

ITEMS: Final = types.CompletionList(
    is_incomplete=False,
    items=[
        *(types.CompletionItem(label=f"tool_{n}", detail="a fixed item") for n in range(99)),
        types.CompletionItem(label="p_2=", detail="a fixed item"),
    ],
)
SIGNATURE: Final = types.SignatureHelp(
    signatures=[types.SignatureInformation("tool(p1: str)")], active_signature=0
)
server = LanguageServer("floor", "0")


@server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."]))
def complete(_: types.CompletionParams) -> types.CompletionList:
    return ITEMS


@server.feature(types.TEXT_DOCUMENT_SIGNATURE_HELP)
def help_with_signature(_: types.SignatureHelpParams) -> types.SignatureHelp:
    return SIGNATURE


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(_: types.HoverParams) -> types.Hover:
    return types.Hover("tool_")


server.start_io()
