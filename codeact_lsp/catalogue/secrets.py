"""Keeps the secrets of a config entry out of what is written anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from codeact_lsp.catalogue.entries import ServerConfig

_SHORTEST: Final = 6
_SHOWN: Final = "***"


def secrets_of(server: ServerConfig) -> tuple[str, ...]:
    """The texts that may be secret, longest first: values of env and headers, and of variables."""
    found = set(server.env.values())
    for value in server.headers.values():
        found |= {value, *value.split()}
    if server.transport == "stdio":
        for shown, real in zip(server.shown, (server.command, *server.args), strict=True):
            if shown != real:
                found.add(real)
    elif server.shown and server.shown[0] != server.url:
        found.add(server.url)
    # A short word or a folder is no secret, and hiding it would make a log unreadable.
    kept = (value for value in found if len(value) >= _SHORTEST and not value.startswith("/"))
    return tuple(sorted(kept, key=len, reverse=True))


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` with every one of `secrets` replaced."""
    for secret in secrets:
        text = text.replace(secret, _SHOWN)
    return text
