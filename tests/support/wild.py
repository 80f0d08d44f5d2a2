"""Real catalogues, as values."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp.catalogue.model import Catalogue, Server, Tool

CATALOGUES: Final = Path(__file__).parents[1] / "wild" / "catalogues"


def read(*paths: Path) -> Catalogue:
    """The servers of snapshot files, each schema exactly as it was listed."""
    servers: dict[str, Server] = {}
    for path in paths:
        for raw, listed in json.loads(path.read_text("utf-8"))["servers"].items():
            servers[raw] = Server(raw, tuple(map(_tool, listed["tools"])))
    return Catalogue(MappingProxyType(servers), version=1)


def _tool(listed: dict[str, Any]) -> Tool:
    output, description = listed.get("outputSchema"), listed.get("description")
    return Tool(
        raw=listed["name"],
        description=description if isinstance(description, str) else "",
        input_schema=json.dumps(listed.get("inputSchema")),
        output_schema=None if output is None else json.dumps(output),
    )
