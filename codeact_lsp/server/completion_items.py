"""A completion list as LSP's JSON, with only what the client can use."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp.ide.model import Item, ItemKind, ItemList, Target
from codeact_lsp.server import convert
from codeact_lsp.server.client import Client
from codeact_lsp.server.params import Json
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Span

KINDS: Final[Mapping[ItemKind, int]] = MappingProxyType(
    {
        ItemKind.MODULE: 9,
        ItemKind.SERVER: 9,
        ItemKind.TOOL: 3,
        ItemKind.CLASS: 7,
        ItemKind.PARAMETER: 6,
        ItemKind.KEY: 10,
        ItemKind.VALUE: 12,
        ItemKind.ENUM_MEMBER: 20,
        ItemKind.CALL: 15,
    }
)
_SNIPPET: Final = 2
_DEPRECATED: Final = 1


def completion_list(document: Document, found: ItemList, client: Client) -> Json:
    """A `CompletionList`.

    All items replace one range, so a client that knows `itemDefaults` is told it once.
    """
    where = _edit_range(document, found, client)
    shared = "editRange" in client.item_defaults
    items = []
    for item in found.items:
        converted = _item(document, item, client)
        text = item.text
        if item.snippet is not None and client.snippets:
            text = item.snippet
            converted["insertTextFormat"] = _SNIPPET
        if not shared:
            converted["textEdit"] = {**where, "newText": text}
        elif text != item.label:
            converted["textEditText"] = text
        items.append(converted)
    answer: Json = {"isIncomplete": found.incomplete, "items": items}
    if shared:
        answer["itemDefaults"] = {"editRange": where.get("range", where)}
    return answer


def _edit_range(document: Document, found: ItemList, client: Client) -> Json:
    replace = convert.span(document, found.span, client.encoding)
    if not client.insert_replace or found.cursor == found.span.end:
        return {"range": replace}
    before = Span(found.span.start, found.cursor)
    return {"insert": convert.span(document, before, client.encoding), "replace": replace}


def _item(document: Document, item: Item, client: Client) -> Json:
    converted: Json = {"label": item.label, "kind": KINDS[item.kind], "sortText": item.sort_text}
    if item.filter_text and item.filter_text != item.label:
        converted["filterText"] = item.filter_text
    if client.label_details:
        details = {"detail": item.detail, "description": item.description}
        if any(details.values()):
            converted["labelDetails"] = {name: said for name, said in details.items() if said}
    elif item.detail or item.description:
        converted["detail"] = "  ".join(filter(None, (item.detail.lstrip(": "), item.description)))
    if item.edits:
        converted["additionalTextEdits"] = [
            convert.text_edit(document, edit, client.encoding) for edit in item.edits
        ]
    if item.deprecated and client.deprecated_tag:
        converted["tags"] = [_DEPRECATED]
    elif item.deprecated and client.deprecated_flag:
        converted["deprecated"] = True
    if item.target is not None and client.resolves:
        converted["data"] = target_to_json(item.target)
    return converted


def target_to_json(target: Target) -> list[Any]:
    """What `completionItem/resolve` needs to find `target` again; kept short, it is in each item."""
    data = [target.server, target.tool, list(target.path), target.result, target.value]
    while len(data) > 1 and not data[-1]:
        data.pop()
    return data


def target_from_json(data: Any) -> Target | None:
    """The target in the `data` of an item; None when it is not one of ours."""
    if not isinstance(data, list) or not 1 <= len(data) <= 5:
        return None
    server, tool, path, result, value = (data + [None] * 4)[:5]
    path = path or []
    names_fit = all(name is None or isinstance(name, str) for name in (server, tool, value))
    if not names_fit or not isinstance(path, list):
        return None
    if not all(isinstance(step, (str, int)) for step in path):
        return None
    return Target(server, tool, tuple(path), bool(result), value)
