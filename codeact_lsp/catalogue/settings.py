"""The project's own settings, as every room reads them.

They come from `codeact-lsp.toml`, `[tool.codeact-lsp]`, the user's `config.toml` and the editor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp.names import DEFAULT_FOLD

DEFAULT_BINDINGS_MODULE: Final = "codeact_lsp.tools"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a project or a person asked for.

    Attributes:
        bindings_modules: import roots that mean the bindings, beside `codeact_lsp.tools`.
        prelude: Python that counts as run before every file.
        rules: diagnostic code → severity word, or `off`.
        fold_characters: the characters that a respelling turns into underscores.
        snapshots: absolute paths of snapshot files to serve.
        configs: other clients' config files to read, as written.

    """

    bindings_modules: tuple[str, ...] = ()
    prelude: str = ""
    rules: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    fold_characters: str = DEFAULT_FOLD
    snapshots: tuple[str, ...] = ()
    configs: tuple[str, ...] = ()


DEFAULT_SETTINGS: Final = Settings()


def to_json(settings: Settings) -> dict[str, Any]:
    """The JSON object that `from_json` reads back."""
    return {
        "bindings-modules": list(settings.bindings_modules),
        "prelude": settings.prelude,
        "rules": dict(settings.rules),
        "fold-characters": settings.fold_characters,
        "snapshots": list(settings.snapshots),
        "configs": list(settings.configs),
    }


def from_json(values: Mapping[str, Any]) -> Settings:
    """The settings in an object that `to_json` wrote."""
    return Settings(
        bindings_modules=tuple(values["bindings-modules"]),
        prelude=values["prelude"],
        rules=MappingProxyType(dict(values["rules"])),
        fold_characters=values["fold-characters"],
        snapshots=tuple(values["snapshots"]),
        configs=tuple(values["configs"]),
    )
