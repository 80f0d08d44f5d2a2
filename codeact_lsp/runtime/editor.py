"""What an editor gives a cell that it runs: all that makes its names mean what the editor shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from codeact_lsp.catalogue.config import Inputs

VARIABLE: Final = "CODEACT_LSP_EDITOR"
"""The environment variable that holds it, as JSON. Secrets are in it, and nowhere else."""


@dataclass(frozen=True, slots=True)
class FromEditor:
    """What is known to the editor alone.

    Attributes:
        folders: the workspace folders, absolute; the working directory where there are none.
        settings: the editor's own settings, by the names of `codeact-lsp.toml`.
        inputs: what a person gave for `${input:id}`: config file → id → value.
        approved: keys that a person approved for as long as the editor runs.

    """

    folders: tuple[Path, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    inputs: Inputs = field(default_factory=lambda: MappingProxyType({}), repr=False)
    approved: frozenset[str] = frozenset()


NO_EDITOR: Final = FromEditor()


def from_json(text: str) -> FromEditor:
    """What the variable holds.

    Raises:
        ValueError: it is not that.

    """
    value = json.loads(text)
    try:
        return FromEditor(
            folders=tuple(Path(folder) for folder in value.get("folders", ())),
            settings=MappingProxyType(dict(value.get("settings", {}))),
            inputs=MappingProxyType({str(k): dict(v) for k, v in value.get("inputs", {}).items()}),
            approved=frozenset(map(str, value.get("approved", ()))),
        )
    except (AttributeError, TypeError) as error:
        # What it holds may be secret, so it is not quoted.
        raise ValueError("it has another shape") from error
