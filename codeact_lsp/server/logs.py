"""What servers and the catalogue process say, kept for `codeact-lsp.showLogs`, bounded."""

from __future__ import annotations

import logging
from collections import deque
from typing import TYPE_CHECKING, Final

from codeact_lsp.catalogue.messages import Log
from codeact_lsp.text import log_line

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

MOST_LINES: Final = 1_000
_LEVELS: Final = {"debug": 4, "info": 3, "warning": 2, "error": 1}

log = logging.getLogger(__name__)


class Logs:
    """The newest lines of each server, and of the catalogue process under None."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lines: dict[str | None, deque[str]] = {}

    def take(self, message: Log) -> None:
        """Keep a line, and pass it on to a client that shows logs of its own."""
        line = log_line(message.text)
        self._lines.setdefault(message.server, deque(maxlen=MOST_LINES)).append(
            f"{message.level}: {line}"
        )
        if "log" in self._session.client.own:
            self._session.endpoint.notify(
                "codeact-lsp/log",
                {"server": message.server, "level": message.level, "text": line},
            )
        elif message.server is None or message.level in {"warning", "error"}:
            who = "" if message.server is None else f"{log_line(message.server, 100)}: "
            self._session.endpoint.notify(
                "window/logMessage",
                {"type": _LEVELS.get(message.level, 3), "message": who + line},
            )

    def shown(self, server: str | None) -> str:
        """The kept lines of one server, or of all."""
        chosen = self._lines if server is None else {server: self._lines.get(server, deque())}
        parts = []
        for name, lines in chosen.items():
            title = "catalogue process" if name is None else log_line(name, 200)
            parts.append("\n".join((f"== {title}", *lines)))
        return "\n\n".join(parts)
