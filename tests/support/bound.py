"""Catalogues and schemas written as Python values, for tests of what is made from them."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings, ToolBinding
from codeact_lsp.catalogue.model import Catalogue, Server, Tool
from codeact_lsp.schema.annotations import annotation
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.types import Schemas

_UNSET = object()


def make_tool(
    raw: str, schema: Any = _UNSET, *, output: Any = _UNSET, description: str = ""
) -> Tool:
    """A tool as listed; without `schema` it takes nothing."""
    return Tool(
        raw=raw,
        description=description,
        input_schema=json.dumps({"type": "object"} if schema is _UNSET else schema),
        output_schema=None if output is _UNSET else json.dumps(output),
    )


def takes(*required: str, **properties: Any) -> dict[str, Any]:
    """An input schema with `properties`, of which `required` must be given."""
    return {"type": "object", "properties": properties, "required": list(required)}


def make_bindings(
    servers: dict[str, list[Tool]] | None = None, native: list[Tool] | None = None
) -> Bindings:
    """Bindings of servers by raw name, and of native tools."""
    return bind(
        Catalogue(
            servers=MappingProxyType(
                {raw: Server(raw, tuple(tools)) for raw, tools in (servers or {}).items()}
            ),
            native=tuple(native or ()),
            version=1,
        )
    )


def native_tool(tool: Tool) -> ToolBinding:
    """`tool` bound at the module's root."""
    return make_bindings(native=[tool]).native_by_raw[tool.raw]


def server_tool(tool: Tool, server: str = "s") -> ToolBinding:
    """`tool` bound as a server's."""
    return make_bindings({server: [tool]}).servers_by_raw[server].by_raw[tool.raw]


def mapped(schema: Any, *, root: dict[str, Any] | None = None) -> Schemas:
    """The schemas of a tool `t` whose parameter `p` has `schema`; `root` adds keywords beside."""
    return schemas(
        json.dumps({"type": "object", "properties": {"p": schema}, **(root or {})}), None, tool="t"
    )


def written(schema: Any, *, root: dict[str, Any] | None = None) -> str:
    """The annotation of a parameter that has `schema`."""
    found = mapped(schema, root=root)
    return annotation(found.arguments.fields[0].type, found.shapes)


def notes(schema: Any, *, root: dict[str, Any] | None = None) -> dict[str, str]:
    """Pointer → message for what is not understood of a parameter that has `schema`."""
    return {note.pointer: note.message for note in mapped(schema, root=root).notes}


def parameters(schema: Any) -> dict[str, str]:
    """Raw key → annotation, with ` = ...` where optional, of a tool with the input `schema`."""
    found = schemas(json.dumps(schema), None, tool="t")
    return {
        field.raw: annotation(field.type, found.shapes) + ("" if field.required else " = ...")
        for field in found.arguments.fields
    }


def classes(schema: Any, *, root: dict[str, Any] | None = None) -> dict[str, dict[str, str]]:
    """Class name → key → annotation (`?` before optional ones) behind a parameter `p`."""
    found = mapped(schema, root=root)
    return {
        shape.name: {
            field.raw: ("" if field.required else "?") + annotation(field.type, found.shapes)
            for field in shape.fields
        }
        for shape in found.shapes.values()
    }
