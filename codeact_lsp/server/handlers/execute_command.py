"""`workspace/executeCommand`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from codeact_lsp.server import params as read
from codeact_lsp.server.commands import COMMANDS
from codeact_lsp.server.errors import InvalidParams

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def execute_command(session: Session, params: Any) -> Any:
    """Run one of our commands; its argument is one object, or nothing."""
    given = read.obj(params)
    name = read.text(given, "command")
    command = COMMANDS.get(name)
    if command is None:
        raise InvalidParams(f"no such command: {name[:200]}")
    arguments = read.items(given, "arguments", optional=True)
    return await command(session, arguments[0] if arguments else {})
