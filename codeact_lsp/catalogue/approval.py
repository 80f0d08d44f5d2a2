"""Whether a server may run: a workspace's config is somebody else's program until the user says so.

Answers live in the user's state folder. Nothing in a repository can give one.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.files import write_atomically
from codeact_lsp.catalogue.folders import state_folder
from codeact_lsp.catalogue.messages import Answer
from codeact_lsp.catalogue.model import digest

_FILE: Final = "approvals.json"
_VERSION: Final = 1


def find_command(server: ServerConfig, environment: Mapping[str, str]) -> str | None:
    """The absolute path of the program that `server` names, or None when there is none.

    Looked for as a shell in the server's folder would, in the `PATH` that the server gets.
    """
    if os.path.dirname(server.command):  # noqa: PTH120 - "./x" and "x" differ, and Path drops the dot
        # A path is meant from the server's folder, wherever this process stands.
        path = str(Path(server.cwd) / server.command)
        return shutil.which(path)
    return shutil.which(server.command, path=search_path(server, environment))


def search_path(server: ServerConfig, environment: Mapping[str, str]) -> str:
    """The `PATH` in which the server's program is looked for."""
    return server.env.get("PATH") or environment.get("PATH", os.defpath)


def key(server: ServerConfig, environment: Mapping[str, str]) -> str:
    """A hash of everything that decides what runs; any change of it asks again.

    What a person gives for an input decides nothing: it is asked for after approval.
    """
    command, url, cwd, *args = server.asked or (
        *(server.command, server.url, server.cwd),
        *server.args,
    )
    if server.transport != "stdio":
        command = ""
    elif command == server.command:
        command = find_command(server, environment) or command
    env = [part for pair in server.written_env for part in pair]
    return digest(
        str(server.transport),
        server.path,
        server.name,
        command,
        str(len(args)),
        *args,
        cwd,
        str(len(env)),
        *env,
        url,
        *sorted(server.headers),
    )


def shown(server: ServerConfig, environment: Mapping[str, str]) -> str:
    """`command_line`, and the names of what is set for it."""
    label = "env" if server.transport == "stdio" else "headers"
    extra = ", ".join(names_set(server))
    line = command_line(server, environment)
    return f"{line}  ({label}: {extra})" if extra else line


def names_set(server: ServerConfig) -> tuple[str, ...]:
    """The names of the environment variables or headers that it is given, fit for a terminal."""
    stdio = server.transport == "stdio"
    names = [name for name, _ in server.written_env] if stdio else sorted(server.headers)
    return tuple(map(safe_text.escaped_name, names))


def command_line(server: ServerConfig, environment: Mapping[str, str]) -> str:
    """The whole command line or URL, fit for a terminal, never shortened.

    The program is the one that was found. Variables that may hold a secret stay as they are
    written.
    """
    if server.transport == "stdio":
        command = find_command(server, environment) or server.command
        # The written program stands first when it is a variable: what it stands for may be secret.
        words = [command if "${" not in server.shown[0] else server.shown[0], *server.shown[1:]]
        return shlex.join(safe_text.visible(word).replace("\n", "\\n") for word in words)
    return safe_text.one_line(" ".join(server.shown))


class Store:
    """The answers that the user gave.

    `always` and `never` are kept in a file that only the user can write; `once` ends with this
    process. A file that cannot be read holds no answers; one that cannot be written costs only
    remembering.
    """

    def __init__(self, environment: Mapping[str, str], once: Iterable[str] = ()) -> None:
        """Read nothing yet; `once` are keys that were approved for as long as this process runs."""
        self._environment = environment
        self._path = state_folder(environment) / _FILE
        self._once: dict[str, Answer] = dict.fromkeys(once, Answer.ONCE)

    @property
    def path(self) -> Path:
        """The file, whether it is there or not."""
        return self._path

    def answer(self, key: str) -> Answer | None:
        """What was said about this key; None when nobody was asked."""
        if key in self._once:
            return self._once[key]
        entry = self._read().get(key)
        said = entry.get("answer") if isinstance(entry, Mapping) else None
        return Answer(said) if said in {Answer.ALWAYS, Answer.NEVER} else None

    def record(self, server: ServerConfig, answer: Answer) -> None:
        """Keep the answer for `server` as it is now.

        Raises:
            OSError: when it could not be written; it then counts for this process only.

        """
        self.record_key(key(server, self._environment), server.name, server.path, answer)

    def record_key(self, key: str, name: str, path: str, answer: Answer) -> None:
        """As `record`, for a key that was asked about.

        Raises:
            OSError: when it could not be written; it then counts for this process only.

        """
        self._once[key] = answer
        if answer is Answer.ONCE:
            return
        answers = {**self._read(), key: {"answer": answer.value, "server": name, "path": path}}
        value = {"version": _VERSION, "answers": answers}
        write_atomically(self._path, (json.dumps(value, indent=1), "\n"), mode=0o600)

    def is_approved(self, server: ServerConfig) -> bool:
        """Whether `server` may run as it is now."""
        if server.user_level:
            return True
        said = self.answer(key(server, self._environment))
        return said in {Answer.ONCE, Answer.ALWAYS}

    def _read(self) -> Mapping[str, Any]:
        try:
            value = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return MappingProxyType({})
        answers = value.get("answers") if isinstance(value, dict) else None
        return answers if isinstance(answers, dict) else MappingProxyType({})
