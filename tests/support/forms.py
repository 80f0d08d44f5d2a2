"""A tool with a parameter of each kind, which completion is asked about."""

from __future__ import annotations

from tests.support.cells import IMPORT, SERVERS, STRING, bindings, tool

FLAG = {"type": "boolean"}
LEAF = {"type": "object", "properties": {"k-k": {"enum": ["u", "v"]}, "flag": FLAG}}
FORM = tool(
    "form",
    {
        "mode": {"enum": ["fast", "it's", 3, True, None]},
        "kind": {"const": "only"},
        "count": {"type": ["integer", "null"], "examples": [3, 7], "default": 5},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
        "pair": {"type": "array", "prefixItems": [{"enum": ["p"]}, {"enum": ["q"]}]},
        "deep": {
            "type": "object",
            "properties": {"in-ner": LEAF, "list": {"type": "array", "items": LEAF}},
            "required": ["list"],
        },
        "shape": {
            "oneOf": [
                {"type": "object", "properties": {"is": {"const": one}, one: STRING}, "required": ["is"]}
                for one in ("round", "square")
            ]
        },
        "old": {"type": "string", "deprecated": True},
        "page[size]": {"enum": [10, 20]},
        "$filter": STRING,
        "a b": STRING,
        "x.y": STRING,
        "1st": STRING,
    },
    ("mode",),
)  # fmt: skip
MADE = bindings(
    {**SERVERS, "forms": [FORM], "my srv": [tool("ping")]},
    (tool("native-note", {"text": STRING}, ("text",)), tool("not a name")),
)
CALL = IMPORT + "form = mcp.forms.form\n"
"""What a cell starts with that calls `form`."""
R = f"{IMPORT}import asyncio\nr = await mcp.notion.search(query='a')\n"
"""What a cell starts with that uses the result `r`."""
