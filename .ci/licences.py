"""Check that everything that the package and the extension need at run time may be given away with them."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ALLOWED = re.compile(
    r"\b(MIT|Apache|BSD|ISC|PSF|Python Software Foundation|MPL|Mozilla|BlueOak)\b", re.IGNORECASE
)
REFUSED = re.compile(r"\b(A?GPL|SSPL|Commons Clause|proprietary)\b", re.IGNORECASE)


def licence_of(name: str) -> str:
    """The licence that a distribution declares, in one of the three places that are in use."""
    told = metadata(name)
    classifiers = [c for c in told.get_all("Classifier") or () if c.startswith("License ::")]
    return told["License-Expression"] or "; ".join(classifiers) or (told["License"] or "")[:80]


def main() -> int:
    declared = dict([*python_packages(), *javascript_packages()])
    refused = {
        name: licence
        for name, licence in declared.items()
        if not ALLOWED.search(licence) or REFUSED.search(licence)
    }
    for name, licence in refused.items():
        print(f"{name}: {licence or 'no licence declared'}")
    print(f"licences: {len(declared)} packages, {len(refused)} refused")
    return int(bool(refused))


def python_packages() -> Iterator[tuple[str, str]]:
    """What the lock of the package names and this platform needs."""
    for name in re.findall(
        r"^([A-Za-z0-9._-]+)==", Path("requirements.txt").read_text("utf-8"), re.MULTILINE
    ):
        try:
            yield name, licence_of(name)
        except PackageNotFoundError:
            continue  # for another platform


def javascript_packages() -> Iterator[tuple[str, str]]:
    """What is bundled into the extension for Visual Studio Code."""
    lock = json.loads(Path("editors/vscode/package-lock.json").read_text("utf-8"))
    for where, package in lock["packages"].items():
        if where and not package.get("dev"):
            yield where, package.get("license", "")


if __name__ == "__main__":
    sys.exit(main())
