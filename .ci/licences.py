"""Check that everything the package needs at run time may be used under the MIT licence's terms."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

ALLOWED = re.compile(
    r"\b(MIT|Apache|BSD|ISC|PSF|Python Software Foundation|MPL|Mozilla)\b", re.IGNORECASE
)
REFUSED = re.compile(r"\b(A?GPL|SSPL|Commons Clause|proprietary)\b", re.IGNORECASE)


def licence(name: str) -> str:
    """The licence that a distribution declares, in one of the three places that are in use."""
    told = metadata(name)
    classifiers = [c for c in told.get_all("Classifier") or () if c.startswith("License ::")]
    return told["License-Expression"] or "; ".join(classifiers) or (told["License"] or "")[:80]


def main() -> int:
    locked = Path("requirements.txt").read_text("utf-8")
    refused = 0
    checked = 0
    for name in re.findall(r"^([A-Za-z0-9._-]+)==", locked, re.MULTILINE):
        try:
            declared = licence(name)
        except PackageNotFoundError:
            continue  # for another platform
        checked += 1
        if not ALLOWED.search(declared) or REFUSED.search(declared):
            print(f"{name}: {declared or 'no licence declared'}")
            refused += 1
    print(f"licences: {checked} packages, {refused} refused")
    return int(refused > 0)


if __name__ == "__main__":
    sys.exit(main())
