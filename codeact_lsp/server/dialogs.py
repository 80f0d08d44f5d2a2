"""Questions that only a person can answer: may this server run, what is this input's value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from codeact_lsp.catalogue.messages import (
    Answer,
    ApprovalAnswer,
    ApprovalRequest,
    InputRequest,
    InputValue,
    ToChild,
)
from codeact_lsp.text import one_line

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

_INFO: Final = 3
CHOICES: Final = {
    "Allow once": Answer.ONCE,
    "Always allow": Answer.ALWAYS,
    "Never": Answer.NEVER,
}


class Dialogs:
    """Asks one question at a time; one that is on screen is not asked a second time."""

    def __init__(self, session: Session, send: Callable[[ToChild], None]) -> None:
        self._session = session
        self._send = send
        self._turn = asyncio.Lock()
        self._asking: set[str] = set()

    def ask_approval(self, request: ApprovalRequest) -> None:
        """Ask whether a workspace's server may run, unless that very question is on screen."""
        if request.key not in self._asking:
            self._asking.add(request.key)
            self._session.endpoint.spawn(self._approve(request), "codeact-lsp/approve")

    def ask_input(self, request: InputRequest) -> None:
        """Ask for the value of `${input:id}`."""
        self._session.endpoint.spawn(self._input(request), "codeact-lsp/input")

    async def _approve(self, request: ApprovalRequest) -> None:
        try:
            async with self._turn:
                answer = await self._choose(request)
        finally:
            self._asking.discard(request.key)
        if answer is not None:
            self._send(ApprovalAnswer(request.key, answer))

    async def _choose(self, request: ApprovalRequest) -> Answer | None:
        endpoint = self._session.endpoint
        if "approval" in self._session.client.own:
            chosen = await endpoint.request(
                "codeact-lsp/approve",
                {
                    "key": request.key,
                    "server": request.server,
                    "path": request.path,
                    "shown": request.shown,
                    "cwd": request.cwd,
                    "sets": list(request.sets),
                },
            )
            return Answer(chosen) if chosen in {a.value for a in Answer} else None
        lines = [
            f"May the MCP server {one_line(request.server)!r} of {one_line(request.path)} run?",
            request.shown,
        ]
        if request.cwd:
            lines.append(f"in {one_line(request.cwd)}")
        if request.sets:
            lines.append(f"with {', '.join(request.sets)}")
        message = _without_links("\n".join(lines))
        picked = await endpoint.request(
            "window/showMessageRequest",
            {"type": _INFO, "message": message, "actions": [{"title": t} for t in CHOICES]},
        )
        title = picked.get("title") if isinstance(picked, dict) else None
        return CHOICES.get(title) if isinstance(title, str) else None

    async def _input(self, request: InputRequest) -> None:
        value = None
        if "input" in self._session.client.own:
            async with self._turn:
                answer = await self._session.endpoint.request(
                    "codeact-lsp/input",
                    {
                        "id": request.id,
                        "server": request.server,
                        "path": request.path,
                        "description": request.description,
                        "password": request.password,
                    },
                )
            given = answer.get("value") if isinstance(answer, dict) else None
            value = given if isinstance(given, str) else None
        self._send(InputValue(request.id, request.path, value))


def _without_links(message: str) -> str:
    """Clients make a link of `[text](command:…)` also where no markdown is."""
    return message.replace("](", "] (")
