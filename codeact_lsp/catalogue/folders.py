"""Where the user's own files live; each can be moved by an environment variable."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import platformdirs

_APP: Final = "codeact-lsp"


def config_folder(environment: Mapping[str, str]) -> Path:
    """`CODEACT_LSP_CONFIG_DIR`, or the platform's place for config."""
    given = environment.get("CODEACT_LSP_CONFIG_DIR")
    return Path(given) if given else platformdirs.user_config_path(_APP, appauthor=False)


def state_folder(environment: Mapping[str, str]) -> Path:
    """`CODEACT_LSP_STATE_DIR`, or the platform's place for state: approvals live here."""
    given = environment.get("CODEACT_LSP_STATE_DIR")
    return Path(given) if given else platformdirs.user_state_path(_APP, appauthor=False)


def cache_folder(environment: Mapping[str, str]) -> Path:
    """`CODEACT_LSP_CACHE_DIR`, or the platform's place for what may be deleted at any time."""
    given = environment.get("CODEACT_LSP_CACHE_DIR")
    return Path(given) if given else platformdirs.user_cache_path(_APP, appauthor=False)
