# ruff: noqa: INP001 — a script, not a package
"""Check that a VSIX holds what runs, its licences and nothing else, and is small: `check.py FILE`.

A licence is there when the text of each package that is packed, JavaScript or Python, stands below the
package's name and version.
"""

from __future__ import annotations

import io
import json
import lzma
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 15_000_000
EXPECTED: Final = re.compile(
    r"\[Content_Types\]\.xml|extension\.vsixmanifest|extension/("
    r"package\.json|readme\.md|changelog\.md|LICENSE\.txt|THIRD_PARTY_LICENSES\.txt"
    r"|dist/extension\.js"
    r"|media/(icon\.png|tools\.svg|walkthrough/[\w-]+\.(md|png))"
    r"|bundled/(run\.py|packages\.(tar\.xz|sha256)|tags\.json|[\w.-]+\.whl)"
    r"|bundled/server/codeact_lsp(-[\w.]+\.dist-info)?/.+)"
)
SECTION: Final = re.compile(r"^={78}\n(\S+ \S+)[^\n]*\n={78}\n", re.MULTILINE)
LEAST_TEXT: Final = 500
PACKAGES: Final = "extension/bundled/packages.tar.xz"
LOCK: Final = Path(__file__).resolve().parents[1] / "package-lock.json"


def main(vsix: Path) -> int:
    problems = []
    with zipfile.ZipFile(vsix) as archive:
        names = archive.namelist()
        licences = archive.read("extension/THIRD_PARTY_LICENSES.txt").decode()
        packed = archive.read(PACKAGES) if PACKAGES in names else None
    problems += [
        f"{name} does not belong into it" for name in names if not EXPECTED.fullmatch(name)
    ]
    size = vsix.stat().st_size
    if size > MOST_BYTES:
        problems.append(f"it has {size:,} bytes; at most {MOST_BYTES:,} are wanted")
    shipped = {*javascript(), *(() if packed is None else python(packed))}
    texts = sections(licences)
    problems += [
        f"the licence of {package} is missing"
        for package in sorted(shipped)
        if len(texts.get(package, "")) < LEAST_TEXT
    ]
    for problem in problems:
        print(f"{vsix.name}: {problem}", file=sys.stderr)  # noqa: T201 — a script prints
    told = f"{len(names)} files, {size / 1e6:.1f} MB, {len(shipped)} packages with their licences"
    print(f"{vsix.name}: {told}")  # noqa: T201 — a script prints
    return int(bool(problems))


def javascript() -> Iterator[str]:
    """`name version` of each package that is bundled into the extension's one file."""
    for where, package in json.loads(LOCK.read_text("utf-8"))["packages"].items():
        if where and not package.get("dev"):
            yield f"{where.split('node_modules/')[-1]} {package['version']}"


def python(packed: bytes) -> Iterator[str]:
    """`name version` of each distribution in the archive of packages."""
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(packed))) as archive:
        for member in archive:
            if member.name.endswith(".dist-info/METADATA"):
                content = archive.extractfile(member)
                assert content is not None
                metadata = HeaderParser().parsestr(content.read().decode())
                yield f"{metadata['Name']} {metadata['Version']}"


def sections(licences: str) -> dict[str, str]:
    """The text below each `name version`."""
    _, *parts = SECTION.split(licences)
    return dict(zip(parts[::2], parts[1::2], strict=True))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
