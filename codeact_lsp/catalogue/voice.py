"""What is said of a server: its own words beside the protocol, and problems; without its secrets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.model import Problem
from codeact_lsp.catalogue.secrets import redact, secrets_of

_QUOTED: Final = 200


class Voice:
    """Speaks of one server.

    Attributes:
        noisy: it wrote something to stdout that is not protocol.

    """

    def __init__(self, config: ServerConfig, log: Callable[[str, str], None]) -> None:
        self.noisy = False
        self._config = config
        self._log = log
        self._secrets = secrets_of(config)
        self._last_words = ""
        self._last_noise = ""

    def log(self, level: str, text: str) -> None:
        """A line for the server's log."""
        self._log(level, redact(text, self._secrets))

    def on_stderr(self, line: str) -> None:
        """A line of its stderr."""
        self._last_words = self._quote(line) or self._last_words
        self.log("info", line)

    def on_noise(self, line: str) -> None:
        """Output on its stdout that is not protocol."""
        self.noisy = True
        self._last_noise = self._quote(line)
        self.log("warning", f"not protocol: {line}")

    def _quote(self, line: str) -> str:
        # Redacted before it is cut: half a secret would not be found.
        return redact(line, self._secrets).strip()[:_QUOTED]

    def forget(self) -> None:
        """It starts anew, so its last words are no longer its last."""
        self._last_words = self._last_noise = ""

    def hint(self) -> str:
        """What a server that failed had written, which is where its reason stands."""
        noise = f"; on stdout it wrote {self._last_noise!r}" if self._last_noise else ""
        words = f"; its last words were {self._last_words!r}" if self._last_words else ""
        return noise + words

    def problem(self, kind: str, message: str) -> Problem:
        """A problem of the server as a whole, at its entry in the config file."""
        return problem_of(self._config, kind, redact(message, self._secrets))

    def placed(self, problem: Problem) -> Problem:
        """`problem` at the server's entry in the config file."""
        return _at_entry(problem, self._config)


def problem_of(config: ServerConfig, kind: str, message: str) -> Problem:
    """A problem of a server as a whole, at its entry; `message` without the server's name."""
    name = safe_text.escaped_name(config.name)
    problem = Problem(kind, f"{name}: {safe_text.one_line(message)}", server=config.name)
    return _at_entry(problem, config)


def _at_entry(problem: Problem, config: ServerConfig) -> Problem:
    return replace(problem, path=config.path, line=config.line, column=config.column)
