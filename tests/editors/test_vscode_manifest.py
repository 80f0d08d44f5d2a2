"""The manifest of the extension says what the server understands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp import __version__
from codeact_lsp.ide.diagnostics.rules import RULES
from codeact_lsp.names import DEFAULT_FOLD
from codeact_lsp.server.capabilities import COMMANDS

MANIFEST: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "editors" / "vscode" / "package.json").read_text("utf-8")
)
SETTINGS: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]


def test_version_is_that_of_the_server() -> None:
    assert MANIFEST["version"] == __version__


def test_every_rule_can_be_set() -> None:
    assert RULES.keys() <= SETTINGS["codeact-lsp.rules"]["properties"].keys()


@pytest.mark.parametrize("code", sorted(RULES))
def test_a_rule_says_its_severity(code: str) -> None:
    about = SETTINGS["codeact-lsp.rules"]["properties"][code]["description"]
    assert f"By default: {RULES[code].value}." in about


def test_fold_characters_have_the_default_of_the_contract() -> None:
    assert SETTINGS["codeact-lsp.fold-characters"]["default"] == DEFAULT_FOLD


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_server_is_in_the_palette(command: str) -> None:
    assert command in {entry["command"] for entry in MANIFEST["contributes"]["commands"]}


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_setting_is_described(name: str) -> None:
    setting = SETTINGS[name]
    assert setting.get("description") or setting.get("markdownDescription")
    if "enum" in setting:
        assert len(setting["enumDescriptions"]) == len(setting["enum"])


def test_what_a_folder_could_run_is_restricted() -> None:
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert {"codeact-lsp.interpreter", "codeact-lsp.server", "codeact-lsp.configs"} <= {*restricted}


def test_no_setting_has_a_value_for_each_folder() -> None:
    """The server takes one set of settings for all folders of a window."""
    assert [name for name, s in SETTINGS.items() if s.get("scope") == "resource"] == []
