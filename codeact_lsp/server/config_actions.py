"""What can be done about a problem of a config file: commands, as no edit would help."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from codeact_lsp.server.convert import SOURCE, is_wanted
from codeact_lsp.server.params import Json
from codeact_lsp.text import escaped_name

_NOT_APPROVED: Final = "not-approved"
_QUICK_FIX: Final = "quickfix"


def config_actions(diagnostics: Iterable[Json], only: tuple[str, ...]) -> list[Json]:
    """The code actions for our diagnostics of config files among `diagnostics`."""
    actions: list[Json] = []
    for diagnostic in diagnostics:
        data = diagnostic.get("data")
        if not isinstance(data, dict):
            continue
        server = data.get("server")
        if diagnostic.get("source") != SOURCE or not isinstance(server, str):
            continue
        if not is_wanted(_QUICK_FIX, only):
            continue
        shown = escaped_name(server)
        offered = {"Restart": "restart", "Show the log of": "showLogs"}
        if data.get("kind") == _NOT_APPROVED:
            offered = {"Ask about": "approve"}
        actions += (
            {
                "title": f"{verb} {shown}",
                "kind": _QUICK_FIX,
                "diagnostics": [diagnostic],
                "command": {
                    "title": f"{verb} {shown}",
                    "command": f"codeact-lsp.{command}",
                    "arguments": [{"server": server}],
                },
            }
            for verb, command in offered.items()
        )
    return actions
