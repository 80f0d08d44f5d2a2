"""The payload of a `tools/call` result, out of its wrapper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from codeact_lsp.runtime.errors import ToolCallError


def unwrap(result: Mapping[str, Any], *, server: str, tool_name: str, declares_output: bool) -> Any:
    """What a call returns.

    Args:
        result: a `CallToolResult` as sent (MCP 2026-07-28 §tools/call).
        server: raw server name.
        tool_name: raw tool name.
        declares_output: the tool has an output schema.

    Returns:
        With an output schema the structured content, or the text where none came. Without one, the
        text: the text blocks joined by a blank line.

    Raises:
        ToolCallError: when the result says that it is an error.

    """
    if result.get("resultType") == "input_required":
        message = "the tool asks for input from a person, which a cell cannot give"
        raise ToolCallError(message, server=server, tool_name=tool_name)
    said = _text_of(result.get("content"))
    structured = result.get("structuredContent")
    if result.get("isError") is True:
        if not said and structured is not None:
            said = json.dumps(structured, ensure_ascii=False)
        raise ToolCallError(
            said or "the tool failed and did not say why", server=server, tool_name=tool_name
        )
    if declares_output and "structuredContent" in result:
        return structured
    if not said and structured is not None:
        # Nothing is lost when a server answers with structured content that it never declared.
        return json.dumps(structured, ensure_ascii=False)
    return said


def _text_of(content: object) -> str:
    if not isinstance(content, Sequence) or isinstance(content, str):
        return ""
    return "\n\n".join(
        block["text"]
        for block in content
        if isinstance(block, Mapping)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    )
