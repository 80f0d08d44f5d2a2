"""Which servers are configured: the config files of MCP clients and the project's own, read.

Nearest first: the folder's own files, those of the folders around it up to the repository, the
user's. An entry with the same name in a nearer file replaces the farther one whole.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp import text as safe_text
from codeact_lsp.catalogue import documents
from codeact_lsp.catalogue.documents import Document, DocumentError, Place
from codeact_lsp.catalogue.entries import ServerConfig, Source, read_entry
from codeact_lsp.catalogue.folders import config_folder
from codeact_lsp.catalogue.model import Problem
from codeact_lsp.catalogue.own_settings import Layer, merge_layers, read_layer
from codeact_lsp.catalogue.settings import DEFAULT_SETTINGS, Settings
from codeact_lsp.catalogue.variables import Scope

OWN_FILE: Final = "codeact-lsp.toml"
_PYPROJECT: Final = "pyproject.toml"
_SHARED: Final = (".mcp.json", ".vscode/mcp.json")
_SERVER_KEYS: Final = ("mcpServers", "servers", "mcp", "context_servers", "mcp_servers")
_MAX_BYTES: Final = 8 * 1024 * 1024


Inputs = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class DeclaredInput:
    """An entry of `inputs`: a value that is asked of a person."""

    id: str
    description: str = ""
    password: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that the config files say.

    Attributes:
        servers: one of each name, nearest first.
        settings: the project's settings, merged.
        problems: what belongs to a file or to no single server; an entry's own are in the entry.
        files: every file that was read or looked for, so that a change can be noticed.
        inputs: config file → id → what to ask for.

    """

    servers: tuple[ServerConfig, ...] = ()
    settings: Settings = DEFAULT_SETTINGS
    problems: tuple[Problem, ...] = ()
    files: tuple[Path, ...] = ()
    inputs: Mapping[str, Mapping[str, DeclaredInput]] = field(
        default_factory=lambda: MappingProxyType({})
    )


def load(
    folders: Sequence[Path],
    settings: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Config:
    """The config for `folders` (absolute), read once; see `ConfigReader`."""
    return ConfigReader(os.environ if environment is None else environment).read(folders, settings)


class ConfigReader:
    """Reads config again and again; a broken file keeps the last good reading."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._good: dict[Path, Document] = {}

    def read(
        self,
        folders: Sequence[Path],
        settings: Mapping[str, Any] | None = None,
        inputs: Inputs | None = None,
    ) -> Config:
        """The config now; never fails.

        Args:
            folders: workspace folders, absolute.
            settings: the editor's own settings, nearest of all.
            inputs: what a person gave for `${input:id}`: config file → id → value.

        """
        return _Reading(self._environment, self._good, inputs or {}).run(folders, settings or {})


@dataclass(slots=True)
class _Reading:
    """One reading of all files."""

    environment: Mapping[str, str]
    good: dict[Path, Document]
    answers: Inputs
    files: dict[Path, None] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    servers: dict[str, ServerConfig] = field(default_factory=dict)
    inputs: dict[str, Mapping[str, DeclaredInput]] = field(default_factory=dict)

    def run(self, folders: Sequence[Path], editor: Mapping[str, Any]) -> Config:
        first = folders[0] if folders else Path.home()
        layers = [Layer(read_layer(editor, first, self._discard, strict=False), first)]
        sources: list[tuple[Source, documents.Path]] = []
        for folder in folders:
            for level in _levels(folder):
                layer, found = self._project(level)
                layers.append(layer)
                sources += found
                # A repository names files of its own only; the editor's word is the user's.
                sources += self._named(layer, level, within=level)
        sources += self._named(layers[0], first, within=None)
        user_layer, user_sources = self._user(first)
        layers.append(user_layer)
        for source, path in (*sources, *user_sources):
            self._take(source, path)
        self._compare_names()
        return Config(
            servers=tuple(self.servers.values()),
            settings=merge_layers(layers),
            problems=tuple(self.problems),
            files=tuple(self.files),
            inputs=MappingProxyType(self.inputs),
        )

    def _project(self, folder: Path) -> tuple[Layer, list[tuple[Source, documents.Path]]]:
        """The files of one folder: its settings, and its tables of servers nearest first."""
        values: dict[str, Any] = {}
        sources: list[tuple[Source, documents.Path]] = []
        for name, root in ((OWN_FILE, ()), (_PYPROJECT, ("tool", "codeact-lsp"))):
            found = self._own(folder / name, root, folder, user_level=False)
            if found is not None:
                source, layer = found
                sources.append((source, (*root, "servers")))
                values = {**layer, **values}
        for name in _SHARED:
            sources += self._client(folder / name, folder, user_level=False)
        return Layer(values, folder), sources

    def _user(self, folder: Path) -> tuple[Layer, list[tuple[Source, documents.Path]]]:
        home = config_folder(self.environment)
        found = self._own(home / "config.toml", (), folder, user_level=True)
        if found is None:
            return Layer({}, home), []
        source, values = found
        layer = Layer(values, home)
        named = self._named(layer, home, within=None, user_level=True)
        return layer, [(source, ("servers",)), *named]

    def _own(
        self, path: Path, root: documents.Path, folder: Path, *, user_level: bool
    ) -> tuple[Source, dict[str, Any]] | None:
        document = self._document(path)
        if document is None:
            return None
        table: Any = document.value
        for key in root:
            table = table.get(key) if isinstance(table, Mapping) else None
        if table is None:
            return None

        def report(key: str, message: str) -> None:
            place = document.place((*root, key))
            self._problem("setting", f"{path.name}: {message}", path, place)

        if not isinstance(table, Mapping):
            report("", "codeact-lsp is no table")
            return None
        values = read_layer(table, path.parent, report, strict=True)
        return Source(path, folder, user_level, document), values

    def _named(
        self, layer: Layer, folder: Path, *, within: Path | None, user_level: bool = False
    ) -> list[tuple[Source, documents.Path]]:
        sources: list[tuple[Source, documents.Path]] = []
        for name in layer.values.get("configs", ()):
            path = Path(os.path.normpath(layer.folder / os.path.expanduser(name)))  # noqa: PTH111 - a text, not a path yet
            if within is not None and not path.is_relative_to(within):
                message = f"{safe_text.one_line(name)} is outside of the project and is not read"
                self._problem("setting", message, within / OWN_FILE, Place())
            else:
                sources += self._client(path, folder, user_level=user_level)
        return sources

    def _client(
        self, path: Path, folder: Path, *, user_level: bool
    ) -> list[tuple[Source, documents.Path]]:
        """The table of servers in another client's file, if there is one."""
        document = self._document(path)
        if document is None:
            return []
        key = next((key for key in _SERVER_KEYS if key in document.value), None)
        if key is None:
            if path.name in {".mcp.json", "mcp.json"} and document.value:
                message = f'{path.name} has no "mcpServers", so it names no server'
                self._problem("config", message, path, Place())
            return []
        gemini = path.parent.name == ".gemini"
        return [(Source(path, folder, user_level, document, url_is_sse=gemini), (key,))]

    def _document(self, path: Path) -> Document | None:
        """The file's document; the last good one when it is broken; None when there is none."""
        if path in self.files:
            return None
        self.files[path] = None
        try:
            with path.open("rb") as stream:
                data = stream.read(_MAX_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            self.good.pop(path, None)
            return None
        except OSError as error:
            message = f"{path.name} cannot be read: {error.strerror}"
            self._problem("config", message, path, Place())
            return self.good.get(path)
        if path.name == _PYPROJECT and b"codeact-lsp" not in data:
            # A project's other settings, and their mistakes, are other tools' business.
            return None
        try:
            if len(data) > _MAX_BYTES:
                raise DocumentError(f"the file is larger than {_MAX_BYTES:,} bytes", Place())  # noqa: TRY301 - one way to say it
            document = documents.parse(documents.decode(data), toml=path.suffix == ".toml")
        except DocumentError as error:
            kept = "; what it said before still holds" if path in self.good else ""
            self._problem("config-syntax", f"{path.name}: {error}{kept}", path, error.place)
            return self.good.get(path)
        self.good[path] = document
        for keys, place in document.duplicates:
            shown = safe_text.json_key(str(keys[-1]))
            message = f"{path.name}: the key {shown} stands here a second time; this one counts"
            self._problem("duplicate-key", message, path, place)
        return document

    def _take(self, source: Source, path: documents.Path) -> None:
        table: Any = source.document.value
        for key in path:
            table = table.get(key) if isinstance(table, Mapping) else None
        if table is None:
            return
        if not isinstance(table, Mapping):
            place = source.document.place(path)
            self._problem("config", f"{path[-1]} is no object", source.path, place)
            return
        declared = dict(_declared_inputs(source.document.value.get("inputs")))
        self.inputs[str(source.path)] = declared
        scope = Scope(
            environment=self.environment,
            builtins=_builtins(source.folder),
            inputs=self.answers.get(str(source.path), {}),
            known_inputs=frozenset(declared),
            braces=source.path.name.startswith("opencode."),
        )
        for name, entry in table.items():
            if name in self.servers:
                self._replaced(self.servers[name], source, (*path, name))
            else:
                self.servers[name] = read_entry(name, entry, (*path, name), source, scope)

    def _replaced(self, nearer: ServerConfig, source: Source, at: documents.Path) -> None:
        shown = safe_text.escaped_name(nearer.name)
        message = f"{shown} is not used: {safe_text.one_line(nearer.path)} has it too and is nearer"
        self._problem("replaced-server", message, source.path, source.document.place(at))
        message = f"{shown} replaces the one in {safe_text.one_line(str(source.path))}"
        place = Place(nearer.line, nearer.column)
        self._problem("replaced-server", message, Path(nearer.path), place, nearer.name)

    def _compare_names(self) -> None:
        seen: dict[str, str] = {}
        for server in self.servers.values():
            place = Place(server.line, server.column)
            if safe_text.is_suspicious(server.name):
                message = safe_text.look_alike(server.name)
                self._problem("look-alike", message, Path(server.path), place, server.name)
            key = unicodedata.normalize("NFKC", server.name).casefold()
            other = seen.setdefault(key, server.name)
            if other != server.name:
                one, two = (safe_text.escaped_name(name) for name in (server.name, other))
                message = f"{one} and {two} are two servers, but their names look alike"
                self._problem("similar-servers", message, Path(server.path), place, server.name)

    def _problem(
        self, kind: str, message: str, path: Path, place: Place, server: str | None = None
    ) -> None:
        problem = Problem(kind, message, server, None, None, str(path), place.line, place.column)
        if problem not in self.problems:
            self.problems.append(problem)

    def _discard(self, _key: str, _message: str) -> None:
        """An editor's settings have no place in a file; the editor's own schema checks them."""


def _levels(folder: Path) -> Iterator[Path]:
    """`folder`, then the folders around it up to the repository's root; just it if there is none."""
    above = [folder, *folder.parents]
    root = next((level for level in above if (level / ".git").exists()), folder)
    yield from above[: above.index(root) + 1]


def _builtins(folder: Path) -> dict[str, str]:
    return {
        "workspaceFolder": str(folder),
        "workspaceRoot": str(folder),
        "workspaceFolderBasename": folder.name,
        "userHome": str(Path.home()),
        "pathSeparator": os.sep,
        "/": os.sep,
    }


def _declared_inputs(value: Any) -> Iterator[tuple[str, DeclaredInput]]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, Mapping) and isinstance(entry.get("id"), str):
            description = entry.get("description")
            yield (
                entry["id"],
                DeclaredInput(
                    id=entry["id"],
                    description=description if isinstance(description, str) else "",
                    password=entry.get("password") is True,
                ),
            )
