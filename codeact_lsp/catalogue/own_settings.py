"""The project's own settings, checked; `settings` holds the values."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp.catalogue.settings import DEFAULT_SETTINGS, Settings

Report = Callable[[str, str], None]
"""Takes the key of a setting and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings of one place, checked, by their names in a file.

    `folder` is where relative paths start.
    """

    values: Mapping[str, Any]
    folder: Path


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_rules(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(item, str) for item in value.values())


def _is_foldable(value: Any) -> bool:
    return isinstance(value, str) and not any(f"_{character}".isidentifier() for character in value)


_CHECKS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = MappingProxyType(
    {
        "bindings-modules": (_is_texts, "a list of module names"),
        "snapshots": (_is_texts, "a list of files"),
        "configs": (_is_texts, "a list of files"),
        "prelude": (lambda value: isinstance(value, str), "a string of Python"),
        "rules": (_is_rules, "a table of diagnostic code = severity"),
        "fold-characters": (_is_foldable, "a string of characters that no Python name can hold"),
    }
)


def read_layer(
    table: Mapping[str, Any], folder: Path, report: Report, *, strict: bool
) -> dict[str, Any]:
    """The settings of `table` that are as they should be; `report` hears of the others.

    Args:
        table: the settings; keys in kebab-case, snake_case or camelCase.
        folder: where the relative paths of snapshots start.
        report: hears of every setting that is not as it should be.
        strict: also report keys that are no setting.

    """
    values: dict[str, Any] = {}
    for written, value in table.items():
        key = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", str(written)).lower().replace("_", "-")
        if key not in _CHECKS:
            if strict and key != "servers":
                known = ", ".join(sorted((*_CHECKS, "servers")))
                report(written, f"{written} is no setting; there are {known}")
            continue
        check, wanted = _CHECKS[key]
        if value is None:
            continue
        if check(value):
            values[key] = value
        else:
            report(written, f"{written} must be {wanted}")
    if "snapshots" in values:
        values["snapshots"] = [
            str(folder / os.path.expanduser(name))  # noqa: PTH111 - a text, not a path yet
            for name in values["snapshots"]
        ]
    return values


def merge_layers(layers: Sequence[Layer]) -> Settings:
    """The settings of all places; of each the nearest, which is the first, counts whole."""
    values: dict[str, Any] = {}
    for layer in layers:
        values = {**layer.values, **values}
    return Settings(
        bindings_modules=tuple(values.get("bindings-modules", ())),
        prelude=values.get("prelude", ""),
        rules=MappingProxyType(dict(values.get("rules", {}))),
        fold_characters=values.get("fold-characters", DEFAULT_SETTINGS.fold_characters),
        snapshots=tuple(values.get("snapshots", ())),
        configs=tuple(values.get("configs", ())),
    )
