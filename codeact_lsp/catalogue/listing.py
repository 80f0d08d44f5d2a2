"""Tool objects, as a server sent them, read into values; a bad one costs only itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from codeact_lsp import text
from codeact_lsp.catalogue import jsontext
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.model import Hints, Problem, Tool, digest

_UNREADABLE_SCHEMA: Final = '{"type":"object"}'
_HINTS: Final = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}
MAX_PROBLEMS: Final = 200
"""A server with a hundred thousand bad tools is told about once, not a hundred thousand times."""


@dataclass(slots=True)
class Reader:
    """Reads the tools of one listing, page by page.

    Attributes:
        server: raw server name, for problems; None for native tools.
        path: the snapshot file, for problems; None for a live server.
        tools: raw name → tool, in the listing's order.
        problems: what was wrong, at most `MAX_PROBLEMS` and a word on the rest.
        full: a limit was reached, so no further tool is taken.
        size: characters of all texts kept.

    """

    server: str | None
    path: str | None = None
    limits: Limits = DEFAULT
    tools: dict[str, Tool] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    full: bool = False
    size: int = 0
    _seen: int = 0

    def read(self, raws: Iterable[Any]) -> None:
        """Take the tools of one page."""
        for raw in raws:
            if len(self.tools) >= self.limits.tools:
                self.full = True
                self._report(
                    "limit", f"more than {self.limits.tools:,} tools; the rest is left out"
                )
                return
            if self.size > self.limits.listing_bytes:
                self.full = True
                message = f"more than {self.limits.listing_bytes:,} bytes; the rest is left out"
                self._report("limit", message)
                return
            self._read_one(raw)
            self._seen += 1

    def _read_one(self, raw: Any) -> None:
        pointer = f"/tools/{self._seen}"
        if not isinstance(raw, Mapping):
            self._report("bad-tool", f"{pointer} is no object and is left out", pointer=pointer)
            return
        name = raw.get("name")
        if not isinstance(name, str):
            self._report("bad-tool", f"{pointer} has no name and is left out", pointer=pointer)
        elif len(name) > self.limits.name:
            shown = text.escaped_name(name[:40])
            message = f"the name {shown}… is longer than {self.limits.name:,}; the tool is left out"
            self._report("limit", message, pointer=f"{pointer}/name")
        elif name in self.tools:
            message = f"{text.escaped_name(name)} is listed twice; the first one stands"
            self._report("duplicate-tool", message, tool=name, pointer=pointer)
        else:
            if text.is_suspicious(name):
                self._report(
                    "look-alike", text.look_alike(name), tool=name, pointer=f"{pointer}/name"
                )
            tool = self._tool(name, raw)
            self.tools[name] = tool
            self.size += len(tool.description) + len(tool.input_schema)
            self.size += len(tool.output_schema or "")

    def _tool(self, name: str, raw: Mapping[str, Any]) -> Tool:
        description = self._description(name, raw.get("description"))
        input_schema, input_key = self._schema(name, raw, "inputSchema")
        output_schema, output_key = (
            self._schema(name, raw, "outputSchema")
            if raw.get("outputSchema") is not None
            else (None, None)
        )
        title = raw.get("title")
        hints = _hints(raw.get("annotations"))
        said = raw.get("description")
        whole = said if isinstance(said, str) else description
        return Tool(
            raw=name,
            description=description,
            input_schema=input_schema,
            output_schema=output_schema,
            title=title if isinstance(title, str) else None,
            hints=hints,
            digest=digest(
                name,
                whole,
                input_key,
                output_key,
                title if isinstance(title, str) else None,
                repr(hints),
            ),
        )

    def _description(self, name: str, said: Any) -> str:
        if said is None:
            return ""
        if not isinstance(said, str):
            message = f"{text.escaped_name(name)}: the description is no string"
            self._report("bad-tool", message, tool=name, pointer="/description")
            return ""
        limit = self.limits.description
        if len(said) > limit:
            message = f"{text.escaped_name(name)}: the description is cut at {limit:,} characters"
            self._report("limit", message, tool=name, pointer="/description")
            return f"{said[:limit]}…"
        return said

    def _schema(self, name: str, raw: Mapping[str, Any], key: str) -> tuple[str, str]:
        """The JSON text of a schema, and a text that is equal for equal schemas."""
        shown = text.escaped_name(name)
        if raw.get(key) is None:
            message = f"{shown}: there is no {key}; every parameter is taken as it is given"
            self._report("schema", message, tool=name, pointer=f"/{key}")
            return "null", "null"
        try:
            written, key_text = jsontext.dumps(raw[key]), jsontext.canonical(raw[key])
        except RecursionError:
            self._report(
                "limit", f"{shown}: {key} is nested too deep", tool=name, pointer=f"/{key}"
            )
            return _UNREADABLE_SCHEMA, "too deep"
        if len(written) > self.limits.schema:
            message = f"{shown}: {key} is longer than {self.limits.schema:,} characters"
            self._report("limit", message, tool=name, pointer=f"/{key}")
            return _UNREADABLE_SCHEMA, key_text
        return written, key_text

    def report(self, kind: str, message: str) -> None:
        """Note a problem of the listing as a whole."""
        self._report(kind, message)

    def _report(
        self, kind: str, message: str, *, tool: str | None = None, pointer: str | None = None
    ) -> None:
        if len(self.problems) > MAX_PROBLEMS:
            return
        if len(self.problems) == MAX_PROBLEMS:
            kind, message, tool, pointer = "limit", "further problems are not shown", None, None
        self.problems.append(
            Problem(
                kind=kind,
                message=message,
                server=self.server,
                tool=tool,
                pointer=pointer,
                path=self.path,
            )
        )


def _hints(annotations: Any) -> Hints:
    if not isinstance(annotations, Mapping):
        return Hints()

    def flag(key: str) -> bool | None:
        value = annotations.get(key)
        return value if isinstance(value, bool) else None

    title = annotations.get("title")
    return Hints(
        title=title if isinstance(title, str) else None,
        **{name: flag(key) for name, key in _HINTS.items()},
    )


def to_json(tool: Tool) -> dict[str, Any]:
    """The MCP tool object that reads back as `tool`."""
    raw: dict[str, Any] = {"name": tool.raw}
    if tool.title is not None:
        raw["title"] = tool.title
    if tool.description:
        raw["description"] = tool.description
    input_schema = jsontext.loads(tool.input_schema)
    if input_schema is not None:
        raw["inputSchema"] = input_schema
    if tool.output_schema is not None:
        raw["outputSchema"] = jsontext.loads(tool.output_schema)
    hints: dict[str, Any] = {
        key: value
        for name, key in _HINTS.items()
        if (value := getattr(tool.hints, name)) is not None
    }
    if tool.hints.title is not None:
        hints = {"title": tool.hints.title, **hints}
    if hints:
        raw["annotations"] = hints
    return raw
