"""What servers say on stderr is text, wherever it is shown."""

from __future__ import annotations

from typing import Any, cast

from codeact_lsp.catalogue.messages import Log
from codeact_lsp.server.client import Client
from codeact_lsp.server.logs import Logs
from codeact_lsp.server.session import Session

ATTACK = "\x1b[2J\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07boom \x9b31m"


class Heard:
    """As much of a session as logs use: what was sent to the client."""

    def __init__(self) -> None:
        self.client = Client()
        self.endpoint = self
        self.sent: list[tuple[str, dict[str, Any]]] = []

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self.sent.append((method, params))


def test_no_escape_sequence_of_a_server_reaches_a_log() -> None:
    heard = Heard()
    logs = Logs(cast("Session", heard))
    logs.take(Log(ATTACK, server="s\x1b[31m", level="error"))
    ((method, params),) = heard.sent
    assert method == "window/logMessage"
    for shown in (params["message"], logs.shown(None), logs.shown("s\x1b[31m")):
        assert all(character.isprintable() or character == "\n" for character in shown)
        assert "boom" in shown
