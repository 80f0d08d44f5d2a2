"""A workspace whose servers are the echo server, with any tools."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from codeact_lsp.runtime.session import Session, use

ECHO = Path(__file__).with_name("echo_server.py")


def tool(
    name: str,
    properties: dict[str, Any] | None = None,
    *,
    required: tuple[str, ...] = (),
    output: bool = True,
) -> dict[str, Any]:
    """A tool as listed: `properties` are schemas by raw key, `required` those that must be given."""
    listed: dict[str, Any] = {
        "name": name,
        "description": f"What {name} does.",
        "inputSchema": {
            "type": "object",
            "properties": properties or {},
            "required": list(required),
        },
    }
    if output:
        listed["outputSchema"] = {
            "type": "object",
            "properties": {"tool": {"type": "string"}, "received": {"type": "object"}},
            "required": ["tool", "received"],
        }
    return listed


class Desk:
    """The workspace: files to write, and what the servers' processes left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session: Session | None = None

    def serve(self, **servers: list[dict[str, Any]]) -> None:
        """Configure servers at user level, which approves them, `__` in a name meaning a hyphen."""
        entries = {}
        for keyword, tools in servers.items():
            name = keyword.replace("__", "-")
            self.tools_file(name).write_text(json.dumps({"tools": tools}), "utf-8")
            entries[name] = self.entry(name)
        self.write_user_config(entries)

    def entry(self, name: str) -> dict[str, Any]:
        started = self.folder / f"{name}.started"
        return {
            "command": sys.executable,
            "args": [str(ECHO), str(self.tools_file(name)), str(started)],
        }

    def tools_file(self, name: str) -> Path:
        return self.folder / f"{name}.tools.json"

    def write_user_config(self, entries: dict[str, dict[str, Any]], extra: str = "") -> None:
        lines = [extra]
        for name, entry in entries.items():
            lines.append(f"[servers.{json.dumps(name)}]")
            lines += [f"{key} = {json.dumps(value)}" for key, value in entry.items()]
        path = self.folder / "config" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(lines), "utf-8")

    def starts(self, name: str) -> list[int]:
        """Process ids of every start of a server."""
        path = self.folder / f"{name}.started"
        return [int(line) for line in path.read_text().splitlines()] if path.exists() else []

    def open(self) -> Session:
        """A new session in the workspace, in force for the bindings module."""
        forget_modules()
        if self.session is not None:
            self.session.close()
        self.session = Session(folder=self.folder)
        use(self.session)
        return self.session


def forget_modules() -> None:
    for name in list(sys.modules):
        if name.startswith("codeact_lsp.tools"):
            del sys.modules[name]
