"""One server's entry in a config file, of any client, read into a `ServerConfig`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue import documents
from codeact_lsp.catalogue.documents import Document
from codeact_lsp.catalogue.model import Problem
from codeact_lsp.catalogue.variables import Scope, expand

Transport = Literal["stdio", "http", "sse"]

_TRANSPORTS: Final[Mapping[str, Transport]] = MappingProxyType(
    {
        "stdio": "stdio",
        "local": "stdio",
        "http": "http",
        "streamable-http": "http",
        "streamablehttp": "http",
        "remote": "http",
        "sse": "sse",
    }
)
_URLS: Final = ("url", "httpUrl", "serverUrl", "uri")
_ENVS: Final = ("env", "environment")
_ENV_FILES: Final = ("envFile", "env_file", "env-file")
_HEADERS: Final = ("headers", "http_headers")
_INCLUDE: Final = ("includeTools", "include_tools", "include-tools", "enabled_tools", "tools")
_EXCLUDE: Final = ("excludeTools", "exclude_tools", "exclude-tools", "disabled_tools")
_EXCLUDE_ALSO: Final = "disabledTools"
_MILLISECONDS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Source:
    """The file that an entry stands in.

    Attributes:
        path: the absolute path of the file.
        folder: the workspace folder, where a relative path in the file starts.
        user_level: the file is the user's own, so its servers need no approval.
        document: the file as it was read last.
        url_is_sse: a bare `url` means the old SSE transport in this client's file.

    """

    path: Path
    folder: Path
    user_level: bool
    document: Document
    url_is_sse: bool = False


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server as some config file describes it, variables replaced.

    Attributes:
        name: the raw server name.
        path: the config file.
        line: the entry's line in that file, from 0.
        column: code points into that line, from 0.
        transport: how it is reached; None when the entry does not say.
        command: the program; `""` for a URL.
        args: its arguments.
        env: variables to set for it; values may be secret.
        cwd: the working directory.
        url: where it is; `""` for a command.
        headers: HTTP headers to send; values may be secret.
        shown: command and arguments, or the URL, as they may be shown: variables that may hold a
            secret stay as written.
        asked: `command`, `url`, `cwd` and `args` with inputs as they are written: what approval is
            asked for is known before a person gives a value. Empty where they are the same.
        written_env: (name, value as written in a file), sorted; decides approval.
        env_file: the file that some of the environment comes from.
        user_level: the user's own file; approved by being there.
        disabled: not to be started.
        timeout: seconds to wait for an answer; None for the default.
        include: raw names or patterns of the only tools wanted; None for all.
        exclude: raw names or patterns of tools not wanted.
        inputs: ids of `${input:id}` that have no value yet.
        problems: what is wrong with the entry.
        usable: nothing is so wrong that it cannot be started.
        complete: it is usable, or will be once `inputs` have values.

    """

    name: str
    path: str
    line: int = 0
    column: int = 0
    transport: Transport | None = None
    command: str = field(default="", repr=False)
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    cwd: str = ""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    shown: tuple[str, ...] = ()
    asked: tuple[str, ...] = field(default=(), repr=False)
    written_env: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    env_file: str | None = None
    user_level: bool = False
    disabled: bool = False
    timeout: float | None = None
    include: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    usable: bool = True
    complete: bool = True


def read_entry(
    name: str, entry: Any, at: documents.Path, source: Source, scope: Scope
) -> ServerConfig:
    """The entry at the path `at` of `source`; whatever is wrong with it is among its problems."""
    place = source.document.place(at)
    reader = _Reader(name, at, source, scope)
    if not isinstance(entry, Mapping):
        reader.refuse("config", "the entry is no object", ())
        entry = {}
    command, args = _command_line(entry, reader)
    urls = [key for key in _URLS if entry.get(key) is not None]
    url = reader.text(entry[urls[0]], urls[0]) if urls else _Text("", "")
    transport = _transport(entry, command.text, urls, reader)
    env_file = reader.optional(entry, *_ENV_FILES)
    env_path = source.folder / os.path.expanduser(env_file.text) if env_file else None  # noqa: PTH111 - a text, not a path yet
    env, written_env = _environment(entry, env_path, reader)
    cwd = reader.optional(entry, "cwd")
    disabled = entry.get("disabled") is True or entry.get("enabled") is False
    if transport is None and not disabled and reader.complete:
        reader.refuse("config", "neither a command nor a url is given", ())
    line = [command, *args] if transport == "stdio" else [url]
    return ServerConfig(
        name=name,
        path=str(source.path),
        line=place.line,
        column=place.column,
        transport=transport,
        command=command.text,
        args=tuple(arg.text for arg in args),
        env=MappingProxyType(env),
        cwd=str(source.folder / os.path.expanduser(cwd.text)),  # noqa: PTH111 - a text, not a path yet
        url=url.text,
        headers=MappingProxyType(_headers(entry, reader)),
        shown=tuple(part.shown for part in line),
        asked=_asked(command, url, cwd, args) if reader.takes_inputs else (),
        written_env=written_env,
        env_file=str(env_path) if env_path else None,
        user_level=source.user_level,
        disabled=disabled,
        timeout=_timeout(entry, reader),
        include=_names(entry, _INCLUDE, reader),
        exclude=_excluded(entry, reader),
        inputs=tuple(dict.fromkeys(reader.inputs)),
        problems=tuple(reader.problems),
        usable=reader.usable,
        complete=reader.complete,
    )


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    shown: str
    asked: str = ""

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(slots=True)
class _Reader:
    """Collects what is wrong while an entry's fields are read."""

    name: str
    at: documents.Path
    source: Source
    scope: Scope
    problems: list[Problem] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    takes_inputs: bool = False
    usable: bool = True
    complete: bool = True

    def warn(self, kind: str, message: str, path: documents.Path) -> None:
        place = self.source.document.place((*self.at, *path))
        self.problems.append(
            Problem(
                kind=kind,
                message=f"{safe_text.escaped_name(self.name)}: {safe_text.one_line(message)}",
                server=self.name,
                path=str(self.source.path),
                line=place.line,
                column=place.column,
            )
        )

    def refuse(self, kind: str, message: str, path: documents.Path) -> None:
        self.warn(kind, message, path)
        self.usable = False
        if kind != "missing-input":
            self.complete = False

    def text(self, value: Any, *path: str | int) -> _Text:
        """A string with its variables replaced; numbers are taken as written."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            self.refuse("config", f"{_dotted(path)} is no string", path)
            return _Text("", "")
        expansion = expand(str(value), self.scope)
        for kind, message in expansion.missing:
            self.refuse(kind, f"{_dotted(path)}: {message}", path)
        for message in expansion.foreign:
            self.warn("variable-spelling", f"{_dotted(path)}: {message}", path)
        self.inputs += expansion.inputs
        self.takes_inputs |= expansion.asked != expansion.text
        return _Text(expansion.text, expansion.shown, expansion.asked)

    def optional(self, entry: Mapping[str, Any], *keys: str) -> _Text:
        for key in keys:
            if entry.get(key) is not None:
                return self.text(entry[key], key)
        return _Text("", "")

    def texts(self, value: Any, *path: str | int) -> list[_Text]:
        if value is None:
            return []
        if not isinstance(value, list):
            self.refuse("config", f"{_dotted(path)} is no list", path)
            return []
        return [self.text(item, *path, index) for index, item in enumerate(value)]

    def table(self, value: Any, *path: str) -> Iterator[tuple[str, str, str]]:
        """(name, value as written, value) of an object of strings; null takes an item out."""
        if value is None:
            return
        if not isinstance(value, Mapping):
            self.refuse("config", f"{_dotted(path)} is no object", path)
            return
        for name, item in value.items():
            if item is not None:
                yield str(name), str(item), self.text(item, *path, str(name)).text


def _asked(command: _Text, url: _Text, cwd: _Text, args: list[_Text]) -> tuple[str, ...]:
    return command.asked, url.asked, cwd.asked, *(arg.asked for arg in args)


def _dotted(path: Iterable[str | int]) -> str:
    return ".".join(map(str, path)) or "the entry"


def _command_line(entry: Mapping[str, Any], reader: _Reader) -> tuple[_Text, list[_Text]]:
    command = entry.get("command")
    if isinstance(command, Mapping):
        # One editor writes {"command": {"path": …, "args": […]}}.
        inner = reader.optional(command, "path")
        return inner, reader.texts(command.get("args"), "command", "args")
    if isinstance(command, list):
        first, *rest = reader.texts(command, "command") or [_Text("", "")]
        return first, [*rest, *reader.texts(entry.get("args"), "args")]
    return reader.optional(entry, "command"), reader.texts(entry.get("args"), "args")


def _transport(
    entry: Mapping[str, Any], command: str, urls: list[str], reader: _Reader
) -> Transport | None:
    for key in ("type", "transport"):
        said = entry.get(key)
        if said is None:
            continue
        known = _TRANSPORTS.get(str(said).lower().replace("_", "-"))
        if known is None:
            reader.refuse("config", f"{key} {said!r} is not stdio, http or sse", (key,))
            return None
        if known == "stdio" and entry.get("command") is None:
            reader.refuse("config", "a stdio server needs a command", (key,))
        if known != "stdio" and not urls:
            reader.refuse("config", f"{known} needs a url", (key,))
        return known
    if command or entry.get("command"):
        return "stdio"
    if not urls:
        return None
    return "sse" if reader.source.url_is_sse and urls[0] == "url" else "http"


def _environment(
    entry: Mapping[str, Any], env_file: Path | None, reader: _Reader
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    env: dict[str, str] = {}
    written: dict[str, str] = {}
    if env_file is not None:
        try:
            env = read_env_file(env_file.read_text("utf-8-sig"))
        except (OSError, UnicodeDecodeError):
            key = next(key for key in _ENV_FILES if entry.get(key) is not None)
            reader.refuse("config", f"{key} {env_file} cannot be read", (key,))
        written |= env
    inner = entry.get("command")
    if isinstance(inner, Mapping):
        tables = [*reader.table(inner.get("env"), "command", "env")]
    else:
        tables = []
    for key in _ENVS:
        tables += reader.table(entry.get(key), key)
    for name, as_written, value in tables:
        env[name], written[name] = value, as_written
    for name in [name for name in env if not name or "=" in name or "\0" in name + env[name]]:
        reader.refuse("config", f"{name!r} cannot be the name of a variable", ("env",))
        del env[name]
    return env, tuple(sorted(written.items()))


def read_env_file(text: str) -> dict[str, str]:
    """The variables of a `.env` file: `NAME=value` lines, comments, quotes, an optional `export`."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or name.startswith("#"):
            continue
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        else:
            value = value.split(" #", 1)[0].rstrip()
        found[name] = value
    return found


def _headers(entry: Mapping[str, Any], reader: _Reader) -> dict[str, str]:
    headers: dict[str, str] = {}
    for key in _HEADERS:
        headers |= {name: value for name, _, value in reader.table(entry.get(key), key)}
    for name, variable, _ in reader.table(entry.get("env_http_headers"), "env_http_headers"):
        headers[name] = reader.text(f"${{{variable}}}", "env_http_headers", name).text
    bearer = entry.get("bearer_token_env_var")
    if isinstance(bearer, str):
        token = reader.text(f"${{{bearer}}}", "bearer_token_env_var").text
        headers["Authorization"] = f"Bearer {token}"
    for name, value in headers.items():
        if not name.isascii() or not name.isprintable() or not value.isprintable():
            reader.refuse("config", f"the header {name!r} cannot be sent", ("headers",))
    return headers


def _timeout(entry: Mapping[str, Any], reader: _Reader) -> float | None:
    for key, unit in (("startup_timeout_ms", 0.001), ("startup_timeout_sec", 1.0), ("timeout", 0)):
        value = entry.get(key)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            reader.warn("config", f"{key} is no positive number", (key,))
            return None
        # Some clients count `timeout` in seconds and some in milliseconds; nobody means an hour
        # by 3600, and nobody waits for less than a second.
        scale = unit or (0.001 if value >= _MILLISECONDS else 1.0)
        return float(value) * scale
    return None


def _names(
    entry: Mapping[str, Any], keys: tuple[str, ...], reader: _Reader
) -> tuple[str, ...] | None:
    for key in keys:
        value = entry.get(key)
        if value is None:
            continue
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        reader.warn("config", f"{key} is no list of tool names", (key,))
    return None


def _excluded(entry: Mapping[str, Any], reader: _Reader) -> tuple[str, ...]:
    return _names(entry, (*_EXCLUDE, _EXCLUDE_ALSO), reader) or ()
