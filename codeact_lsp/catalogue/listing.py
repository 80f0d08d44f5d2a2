"""Tool objects, as a server sent them, read into values; a bad one costs only itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from codeact_lsp import text
from codeact_lsp.catalogue import jsontext
from codeact_lsp.catalogue.jsonscan import Cut, Long
from codeact_lsp.catalogue.limits import DEFAULT, Limits
from codeact_lsp.catalogue.model import Hints, Problem, Text, Tool, digest, pack, unpack

_UNREADABLE_SCHEMA: Final = '{"type":"object"}'
_HINTS: Final = {
    "read_only": "readOnlyHint",
    "destructive": "destructiveHint",
    "idempotent": "idempotentHint",
    "open_world": "openWorldHint",
}
KEYS: Final = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
)
"""What is read of a tool object."""
MAX_PROBLEMS: Final = 200
"""A server with a hundred thousand bad tools is told about once, not a hundred thousand times."""


@dataclass(slots=True)
class Reader:
    """Reads the tools of one listing.

    Attributes:
        server: raw server name, for problems; None for native tools.
        path: the snapshot file, for problems; None for a live server.
        known: digest → a tool from before, which is taken again where it is listed unchanged.
        tools: raw name → tool, in the listing's order.
        problems: what was wrong, at most `MAX_PROBLEMS` and a word on the rest.
        full: a limit was reached, so no further tool is taken.
        size: characters of all texts kept, as long as they are unpacked.

    """

    server: str | None
    path: str | None = None
    limits: Limits = DEFAULT
    known: Mapping[str, Tool] = field(default_factory=dict)
    tools: dict[str, Tool] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    full: bool = False
    size: int = 0
    _seen: int = 0
    _before: Mapping[str, Tool] = field(default_factory=dict)

    def page(self) -> Reader:
        """A reader of the next page, which counts for nothing until `take`."""
        return Reader(
            self.server,
            self.path,
            self.limits,
            self.known,
            size=self.size,
            _seen=self._seen,
            _before=self.tools,
        )

    def take(self, page: Reader) -> None:
        """Take in what a page brought."""
        self.tools.update(page.tools)
        for problem in page.problems:
            self._add(problem)
        self.full, self.size, self._seen = page.full, page.size, page._seen

    def read(self, raw: Any) -> None:
        """Take the next tool; an object may have a `Cut` or `Long` in place of a value."""
        if self.full:
            return
        # What is no tool counts too, or there would be no end of it.
        if self._seen >= self.limits.tools:
            self.full = True
            self._report("limit", f"more than {self.limits.tools:,} tools; the rest is left out")
        elif self.size > self.limits.listing_bytes:
            self.end_here()
        else:
            self._read_one(raw)
            self._seen += 1

    def end_here(self) -> None:
        """Take no further tool, as the listing is too long."""
        if not self.full:
            self.full = True
            message = f"more than {self.limits.listing_bytes:,} bytes; the rest is left out"
            self._report("limit", message)

    def _read_one(self, raw: Any) -> None:
        pointer = f"/tools/{self._seen}"
        if not isinstance(raw, Mapping):
            self._report("bad-tool", f"{pointer} is no object and is left out", pointer=pointer)
            return
        name = raw.get("name")
        if isinstance(name, Cut):
            name = name.text()
        if not isinstance(name, str):
            self._report("bad-tool", f"{pointer} has no name and is left out", pointer=pointer)
        elif len(name) > self.limits.name:
            shown = text.escaped_name(name[:40])
            message = f"the name {shown}… is longer than {self.limits.name:,}; the tool is left out"
            self._report("limit", message, pointer=f"{pointer}/name")
        elif name in self.tools or name in self._before:
            message = f"{text.escaped_name(name)} is listed twice; the first one stands"
            self._report("duplicate-tool", message, tool=name, pointer=pointer)
        else:
            if text.is_suspicious(name):
                self._report(
                    "look-alike", text.look_alike(name), tool=name, pointer=f"{pointer}/name"
                )
            tool = self._tool(name, raw)
            self.tools[name] = self.known[tool.digest] if self._is_known(tool) else tool
            self.size += len(tool.description) + _length(tool.input_schema)
            self.size += _length(tool.output_schema or "")

    def _is_known(self, tool: Tool) -> bool:
        return self.known.get(tool.digest) == tool

    def _tool(self, name: str, raw: Mapping[str, Any]) -> Tool:
        description, description_key = self._description(name, raw.get("description"))
        input_schema, input_key = self._schema(name, raw, "inputSchema")
        output_schema, output_key = (
            self._schema(name, raw, "outputSchema")
            if raw.get("outputSchema") is not None
            else (None, None)
        )
        annotations = raw.get("annotations")
        said = _hints(annotations.value if isinstance(annotations, Long) else annotations)
        hints = replace(said, title=self._title(name, said.title, "/annotations/title"))
        title = raw.get("title")
        title = title.text() if isinstance(title, Cut) else title
        title = title if isinstance(title, str) else None
        return Tool(
            raw=name,
            description=description,
            input_schema=pack(input_schema),
            output_schema=None if output_schema is None else pack(output_schema),
            title=self._title(name, title, "/title"),
            hints=hints,
            digest=digest(name, description_key, input_key, output_key, title, repr(said)),
        )

    def _description(self, name: str, said: Any) -> tuple[str, str]:
        """A description, and a text that is equal for equal ones."""
        if said is None:
            return "", ""
        whole = said.text() if isinstance(said, Cut) else said
        if not isinstance(whole, str):
            message = f"{text.escaped_name(name)}: the description is no string"
            self._report("bad-tool", message, tool=name, pointer="/description")
            return "", ""
        return self._shortened(name, whole, self.limits.description, "/description"), (
            said.digest if isinstance(said, Cut) else whole
        )

    def _title(self, name: str, title: str | None, pointer: str) -> str | None:
        return None if title is None else self._shortened(name, title, self.limits.name, pointer)

    def _shortened(self, name: str, said: str, limit: int, pointer: str) -> str:
        if len(said) <= limit:
            return said
        what = pointer.rpartition("/")[2]
        message = f"{text.escaped_name(name)}: the {what} is cut at {limit:,} characters"
        self._report("limit", message, tool=name, pointer=pointer)
        return f"{said[:limit]}…"

    def _schema(self, name: str, raw: Mapping[str, Any], key: str) -> tuple[str, str]:
        """The JSON text of a schema, and a text that is equal for equal schemas."""
        shown = text.escaped_name(name)
        schema = raw.get(key)
        if schema is None:
            message = f"{shown}: there is no {key}; every parameter is taken as it is given"
            self._report("schema", message, tool=name, pointer=f"/{key}")
            return "null", "null"
        if not isinstance(schema, Cut):
            try:
                written, key_text = self._texts(schema)
            except RecursionError:
                self._report(
                    "limit", f"{shown}: {key} is nested too deep", tool=name, pointer=f"/{key}"
                )
                return _UNREADABLE_SCHEMA, "too deep"
            if len(written) <= self.limits.schema:
                return written, key_text
        message = f"{shown}: {key} is longer than {self.limits.schema:,} characters"
        self._report("limit", message, tool=name, pointer=f"/{key}")
        return _UNREADABLE_SCHEMA, schema.digest if isinstance(schema, Cut) else key_text

    def _texts(self, schema: Any) -> tuple[str, str]:
        if not isinstance(schema, Long):
            return jsontext.dumps(schema), jsontext.canonical(schema)
        key_text = jsontext.canonical_in_steps(schema.value)
        # Spaces between its parts do not count.
        fits = len(schema.text) <= self.limits.schema
        return schema.text if fits else jsontext.dumps(schema.value), key_text

    def report(self, kind: str, message: str) -> None:
        """Note a problem of the listing as a whole."""
        self._report(kind, message)

    def _report(
        self, kind: str, message: str, *, tool: str | None = None, pointer: str | None = None
    ) -> None:
        self._add(
            Problem(
                kind=kind,
                message=message,
                server=self.server,
                tool=tool,
                pointer=pointer,
                path=self.path,
            )
        )

    def _add(self, problem: Problem) -> None:
        if len(self.problems) == MAX_PROBLEMS:
            message = "further problems are not shown"
            problem = Problem("limit", message, server=self.server, path=self.path)
        if len(self.problems) <= MAX_PROBLEMS:
            self.problems.append(problem)


def _length(text: Text) -> int:
    return len(text) if isinstance(text, str) else text.size


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
    input_schema = jsontext.loads(unpack(tool.input_schema))
    if input_schema is not None:
        raw["inputSchema"] = input_schema
    if tool.output_schema is not None:
        raw["outputSchema"] = jsontext.loads(unpack(tool.output_schema))
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
