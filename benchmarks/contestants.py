"""The language servers that are put side by side, each as a user would start it.

A general Python server reads stub files that `codeact-lsp stubs` made. They lie in the workspace as a
package `codeact_lsp`, which all of them read as it is; this server reads the tools themselves.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from benchmarks.client import Client

PEERS: Final = Path(__file__).parents[1] / ".peers"
OURS: Final = "codeact-lsp"


@dataclass(frozen=True, slots=True)
class Contestant:
    """One language server.

    Attributes:
        name: of its package.
        command: starts it; `{catalogue}` stands for the snapshot file.
        configuration: what it is told when it asks, by section.
        options: its `initializationOptions`.

    """

    name: str
    command: tuple[str, ...]
    configuration: Mapping[str, Any] = field(default_factory=dict)
    options: Any = None

    @property
    def is_ours(self) -> bool:
        return self.name == OURS

    def start(self, folder: Path) -> Client:
        """Start it in a workspace that `prepare` made, and initialize it."""
        catalogue = str(folder / "catalogue.json")
        command = [catalogue if part == "{catalogue}" else part for part in self.command]
        client = Client(command, folder, self.configuration)
        client.initialize(self.options)
        return client


CONTESTANTS: Final = (
    Contestant(OURS, (sys.executable, "-m", "codeact_lsp", "serve", "--catalogue", "{catalogue}")),
    Contestant("pyright", (str(PEERS / "bin/pyright-langserver"), "--stdio")),
    Contestant("basedpyright", (str(PEERS / "bin/basedpyright-langserver"), "--stdio")),
    Contestant("ty", (str(PEERS / "bin/ty"), "server")),
    Contestant(
        "pyrefly",
        (str(PEERS / "bin/pyrefly"), "lsp"),
        # Without a config file in the workspace it shows no type errors by itself.
        {"python": {"pyrefly": {"displayTypeErrors": "force-on"}}},
        {"pyrefly": {"displayTypeErrors": "force-on"}},
    ),
    Contestant("jedi-language-server", (str(PEERS / "bin/jedi-language-server"),)),
)


def chosen(names: str) -> tuple[Contestant, ...]:
    """The contestants of a comma-separated list; all of them if it is empty."""
    wanted = names.split(",") if names else [one.name for one in CONTESTANTS]
    return tuple(one for one in CONTESTANTS if one.name in wanted)


def prepare(folder: Path, catalogues: Sequence[Path]) -> None:
    """Make a workspace: `catalogue.json` for us, stubs as a package `codeact_lsp` for the others."""
    given = [part for path in catalogues for part in ("--catalogue", str(path))]
    run = (sys.executable, "-m", "codeact_lsp")
    subprocess.run(
        [*run, "stubs", *given, "--output", str(folder)], check=True, capture_output=True
    )
    (folder / "codeact_lsp-stubs").rename(folder / "codeact_lsp")
    saved = folder / "catalogue.json"
    if len(catalogues) == 1:
        shutil.copy(catalogues[0], saved)
    else:
        save = [*run, "catalogue", "save", *given, str(saved)]
        subprocess.run(save, check=True, capture_output=True)


def versions(contestants: Sequence[Contestant]) -> dict[str, str]:
    """Name → version, as their environments say."""
    found = {OURS: metadata.version(OURS)}
    library = next(PEERS.glob("lib/python*/site-packages"), None)
    if library is not None:
        for package in metadata.distributions(path=[str(library)]):
            found[package.metadata["Name"]] = package.version
    return {one.name: found.get(one.name, "not installed") for one in contestants}
