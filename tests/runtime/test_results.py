"""The payload of a result, out of its wrapper."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.runtime.errors import ToolCallError
from codeact_lsp.runtime.results import unwrap


def text(*blocks: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": block} for block in blocks]


IMAGE = {"type": "image", "data": "", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("result", "declares_output", "payload"),
    [
        ({"content": text("a"), "structuredContent": {"a-b": 1}}, True, {"a-b": 1}),
        ({"content": text("a"), "structuredContent": {"result": [1]}}, True, {"result": [1]}),
        ({"content": [], "structuredContent": None}, True, None),
        ({"content": text("only", "text")}, True, "only\n\ntext"),
        ({"content": text("a", "b")}, False, "a\n\nb"),
        ({"content": [*text("a"), IMAGE, *text("b")]}, False, "a\n\nb"),
        ({"content": [IMAGE]}, False, ""),
        ({"content": []}, False, ""),
        ({}, False, ""),
        ({"content": text("said"), "structuredContent": {"a": 1}}, False, "said"),
        ({"content": [], "structuredContent": {"a": 1}}, False, '{"a": 1}'),
        ({"content": "no list"}, False, ""),
    ],
)
def test_payload(result: dict[str, Any], declares_output: bool, payload: object) -> None:  # noqa: FBT001 - a table
    assert unwrap(result, server="s", tool_name="t", declares_output=declares_output) == payload


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"content": text("no such page", "try p-1")}, "no such page\n\ntry p-1"),
        ({"content": [], "structuredContent": {"code": 4}}, '{"code": 4}'),
        ({"content": []}, "the tool failed and did not say why"),
    ],
)
def test_an_error_of_the_tool_is_raised_with_its_text(result: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolCallError) as raised:
        unwrap({**result, "isError": True}, server="s", tool_name="a-b", declares_output=True)
    error = raised.value
    assert (str(error), error.text, error.server, error.tool_name) == (said, said, "s", "a-b")


def test_the_text_of_an_error_cannot_drive_a_terminal() -> None:
    result = {"isError": True, "content": text("\x1b[2J gone")}
    with pytest.raises(ToolCallError) as raised:
        unwrap(result, server="s", tool_name="t", declares_output=False)
    assert str(raised.value) == "\\x1b[2J gone"
    assert raised.value.text == "\x1b[2J gone"


def test_a_tool_that_asks_a_person_is_an_error() -> None:
    with pytest.raises(ToolCallError, match="asks for input from a person"):
        unwrap({"resultType": "input_required"}, server="s", tool_name="t", declares_output=False)
