"""One answer as clients of different abilities get it: what each gate opens, and what is sent without."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.completion import complete
from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.signature_help import signature_help
from codeact_lsp.server import convert
from codeact_lsp.server.client import Client, read_client
from codeact_lsp.server.completion_items import completion_list
from tests.support.cells import BINDINGS, IMPORT, STRING, bindings, cell, tool, view

Json = dict[str, Any]
OLD = bindings(
    {"s": [tool("t", {"old": {"type": "string", "deprecated": True}, "a": STRING, "b": STRING}, ("a", "b"))]}
)  # fmt: skip


def capable(path: str, value: Any) -> Client:
    """A client that has one capability, at a dotted path."""
    capabilities: Any = value
    for name in reversed(path.split(".")):
        capabilities = {name: capabilities}
    return read_client(capabilities)


def item(marked: str, label: str, client: Client, made: Bindings = BINDINGS) -> Json:
    """One item at the marker, as this client gets it."""
    return next(one for one in items(marked, client, made)["items"] if one["label"] == label)


def items(marked: str, client: Client, made: Bindings = BINDINGS) -> Json:
    at = cell(IMPORT + marked)
    seen = view(at.text, made)
    found = complete(seen, at.offset).value
    assert found is not None
    return completion_list(seen.document, found, client)


PLAIN = Client()
ITEM = "textDocument.completion.completionItem"
LIST = "textDocument.completion.completionList.itemDefaults"


def test_the_plainest_item() -> None:
    assert item("mcp.web.search(que‸ry)", "query=", PLAIN) == {
        "label": "query=",
        "kind": 6,
        "sortText": " !00000",
        "filterText": "query",
        "detail": "str  required",
        "textEdit": {"newText": "query=", "range": between(15, 20)},
        "data": ["web", "search", ["query"]],
    }


def between(start: int, end: int) -> Json:
    """A range of the line behind the import."""
    return {"start": {"line": 1, "character": start}, "end": {"line": 1, "character": end}}


@pytest.mark.parametrize(
    ("path", "value", "field", "expected"),
    [
        (f"{ITEM}.labelDetailsSupport", True, "labelDetails", {"detail": ": str", "description": "required"}),
        (f"{ITEM}.labelDetailsSupport", True, "detail", None),
        (f"{ITEM}.insertReplaceSupport", True, "textEdit", {"newText": "query=", "insert": between(15, 18), "replace": between(15, 20)}),
        (LIST, ["editRange"], "textEdit", None),
        (LIST, ["commitCharacters"], "textEdit", {"newText": "query=", "range": between(15, 20)}),
        (f"{ITEM}.resolveSupport", {"properties": ["documentation"]}, "data", ["web", "search", ["query"]]),
        (f"{ITEM}.resolveSupport", {"properties": ["additionalTextEdits"]}, "data", None),
    ],
)  # fmt: skip
def test_a_gate_of_an_item(path: str, value: Any, field: str, expected: Any) -> None:
    assert item("mcp.web.search(que‸ry)", "query=", capable(path, value)).get(field) == expected


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (f"{ITEM}.tagSupport", {"valueSet": [1]}, {"tags": [1]}),
        (f"{ITEM}.tagSupport", {"valueSet": []}, {}),
        (f"{ITEM}.deprecatedSupport", True, {"deprecated": True}),
        (f"{ITEM}", {}, {}),
        (f"{ITEM}", {"deprecatedSupport": True, "tagSupport": {"valueSet": [1]}}, {"tags": [1]}),
    ],
)
def test_how_an_item_is_marked_deprecated(path: str, value: Any, expected: Json) -> None:
    client = capable(path, value)
    found = item("mcp.s.t(ol‸)", "old=", client, OLD)
    assert {name: found[name] for name in ("tags", "deprecated") if name in found} == expected
    assert not {"tags", "deprecated"} & item("mcp.s.t(‸)", "a=", client, OLD).keys()


@pytest.mark.parametrize(
    ("marked", "label", "text", "snippet"),
    [
        ("mcp.s.t(‸)", "a, b", "a=, b=", "a=$1, b=$2"),
        ("mcp.web.search(page‸)", '**{"page[size]": …}', '**{"page[size]": }', '**{"page[size]": $0\\}'),
    ],
)  # fmt: skip
def test_a_snippet_is_sent_to_who_takes_it(
    marked: str, label: str, text: str, snippet: str
) -> None:
    made = OLD if label == "a, b" else BINDINGS
    plain = item(marked, label, PLAIN, made)
    assert (plain["textEdit"]["newText"], plain.get("insertTextFormat")) == (text, None)
    rich = item(marked, label, capable(f"{ITEM}.snippetSupport", value=True), made)
    assert (rich["textEdit"]["newText"], rich["insertTextFormat"]) == (snippet, 2)


def test_a_shared_range_is_sent_once_and_texts_only_where_they_are_not_the_labels() -> None:
    found = items("mcp.web.search(order=as‸)", capable(LIST, ["editRange"]))
    assert found["itemDefaults"] == {"editRange": between(21, 23)}
    [asc] = found["items"]
    assert not {"textEdit", "textEditText"} & asc.keys()
    unspelled = item("mcp.web.search(page‸)", '**{"page[size]": …}', capable(LIST, ["editRange"]))
    assert unspelled["textEditText"] == '**{"page[size]": }'


def test_no_item_holds_documentation() -> None:
    for client in (PLAIN, capable(f"{ITEM}.documentationFormat", ["markdown"])):
        assert all(
            "documentation" not in one for one in items("mcp.web.search(‸)", client)["items"]
        )


def test_an_import_comes_with_the_item() -> None:
    [edit] = item("nativ‸", "native_note", PLAIN)["additionalTextEdits"]
    assert edit["newText"] == ", native_note"
    assert edit["range"]["start"] == {"line": 0, "character": len(IMPORT) - 1}


SIGNATURE = "textDocument.signatureHelp.signatureInformation"


def shown(marked: str, client: Client, made: Bindings = BINDINGS) -> Json:
    """Signature help at the marker, as this client gets it."""
    at = cell(IMPORT + marked)
    found = signature_help(view(at.text, made), at.offset).value
    assert found is not None
    return convert.signature(found, client)


NOTHING_FITS = "mcp.notion.API_patch_page(nope=‸)"


@pytest.mark.parametrize("marked", ["mcp.web.search(order=‸)", "mcp.web.search(‸)"])
@pytest.mark.parametrize("gate", ["noActiveParameterSupport", "activeParameterSupport", "x"])
def test_the_active_parameter_is_one_of_the_parameters(marked: str, gate: str) -> None:
    found = shown(marked, capable(f"{SIGNATURE}.{gate}", value=True))
    [signature] = found["signatures"]
    label = signature["parameters"][found["activeParameter"]]["label"]
    assert label.startswith("order: " if "order" in marked else "query: ")
    assert signature.get("activeParameter", found["activeParameter"]) == found["activeParameter"]
    assert found["activeSignature"] == 0


def test_no_active_parameter_is_null_for_who_knows_that() -> None:
    found = shown(NOTHING_FITS, capable(f"{SIGNATURE}.noActiveParameterSupport", value=True))
    assert found["activeParameter"] is None
    assert len(found["signatures"][0]["parameters"]) == 4


def test_who_reads_no_active_parameter_as_the_first_one_gets_no_parameters() -> None:
    found = shown(NOTHING_FITS, PLAIN)
    assert "activeParameter" not in found
    assert found["signatures"][0]["parameters"] == []
    assert "archived: bool" in found["signatures"][0]["label"]


def test_each_signature_has_its_own_active_parameter_for_who_takes_it() -> None:
    marked = "f = mcp.web.search if x else mcp.notion.search\nf(order=‸)"
    gates = {"activeParameterSupport": True, "noActiveParameterSupport": True}
    found = shown(marked, capable(SIGNATURE, gates))
    active = [one["activeParameter"] for one in found["signatures"]]
    assert active == [3, None]
    plain = shown(marked, PLAIN)
    assert all("activeParameter" not in one for one in plain["signatures"])
    assert plain["activeParameter"] == 3
    assert plain["signatures"][1]["parameters"] == []


def test_label_offsets_count_utf_16_units_whatever_the_encoding() -> None:
    made = bindings(
        {"s": [tool("t", {"😋": {"enum": ["😋"]}, "a": {"enum": ["😋"]}, "b": STRING})]}
    )
    for encoding in ("utf-8", "utf-16", "utf-32"):
        client = read_client(
            {
                "general": {"positionEncodings": [encoding]},
                "textDocument": {
                    "signatureHelp": {
                        "signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}
                    }
                },
            }
        )  # fmt: skip
        [signature] = shown("mcp.s.t(‸)", client, made)["signatures"]
        units = signature["label"].encode("utf-16-le")
        cut = [units[2 * one["label"][0] : 2 * one["label"][1]] for one in signature["parameters"]]
        assert [one.decode("utf-16-le").partition(":")[0] for one in cut] == ["a", "b", "**kwargs"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("textDocument.hover.contentFormat", "markdown"), ("textDocument.hover", "plaintext")],
)
def test_hover_is_markdown_for_who_takes_it_and_plain_text_for_others(path: str, kind: str) -> None:
    client = capable(path, ["plaintext", "markdown"] if "content" in path else {})
    at = cell(f"{IMPORT}mcp.web.sea‸rch")
    found = hover(view(at.text), at.offset).value
    assert found is not None
    sent = convert.documentation(found.blocks, markdown=client.hover_markdown)
    assert sent["kind"] == kind
    assert ("```python" in sent["value"]) is (kind == "markdown")
    assert "async def search(" in sent["value"]
