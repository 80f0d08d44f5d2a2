# ruff: noqa: INP001 — a script, not a package
"""Collect the server and what it needs, for every supported Python of one platform.

`bundle.py PLATFORM FOLDER`, with PLATFORM as vsce names it. Versions and hashes are those of the
project's lock file. Writes `run.py`, the server as plain files in `server/`, the packages that it
needs as `packages.tar.xz` with its digest, `tags.json`, and the licences of all packages. The wheel of
the server is there too, for a Python that no packages are bundled for; for a platform without any
it is all there is.

Packing takes a minute, so the packages are kept in the user's cache for the same lock file.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
PROJECT: Final = HERE.parents[2]
VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS: Final = {
    "linux-x64": "x86_64-manylinux_2_28",
    "linux-arm64": "aarch64-manylinux_2_28",
    "darwin-x64": "x86_64-apple-darwin",
    "darwin-arm64": "aarch64-apple-darwin",
}
# Only `codeact-lsp demo` draws in a terminal, and the extension does not run it.
LEFT_OUT: Final = frozenset({"rich", "pygments", "markdown-it-py", "mdurl"})
# rapidfuzz falls back from its variants for newer processors; one function of it is used.
UNNEEDED: Final = (
    "rapidfuzz/*avx2*",
    "rapidfuzz/distance/*avx2*",
    "rapidfuzz/fuzz_cpp*",
    "rapidfuzz/process_cpp_impl*",
    "rapidfuzz/utils_cpp*",
    "**/__pyinstaller",
)


def main(platform: str, output: Path) -> None:
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    wheel = build_wheel(output)
    if platform not in PLATFORMS:
        # The extension installs this wheel into an environment of its own there.
        (output / "tags.json").write_text("[]\n", encoding="ascii")
        return
    shutil.copytree(packages(platform), output, dirs_exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(output / "server")  # noqa: S202 — the wheel was built above
    shutil.copy(HERE.parent / "python" / "run.py", output)
    tags = [tag(version) for version in VERSIONS]
    (output / "tags.json").write_text(json.dumps(tags) + "\n", encoding="ascii")


def packages(platform: str) -> Path:
    """The folder with everything that depends on the lock file and on this script only."""
    lock = PROJECT / "requirements.txt"
    key = hashlib.sha256(lock.read_bytes() + Path(__file__).read_bytes()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "codeact-lsp"
    target = cache / f"packages-{platform}-{key}"
    if target.is_dir():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        contents, notices = Path(temporary) / "contents", dict[str, str]()
        for version in VERSIONS:
            installed = Path(temporary) / version
            install(lock, installed, version, PLATFORMS[platform])
            sort_out(installed, contents, tag(version), notices)
        result = Path(temporary) / "result"
        result.mkdir()
        pack(contents, result / "packages.tar.xz")
        digest = hashlib.sha256((result / "packages.tar.xz").read_bytes()).hexdigest()
        (result / "packages.sha256").write_text(f"{digest}\n", encoding="ascii")
        (result / "LICENSES.txt").write_text(
            "\n".join(notices[name] for name in sorted(notices)), encoding="utf-8"
        )
        result.rename(target)
    return target


def tag(version: str) -> str:
    """`sys.implementation.cache_tag` of CPython `version`."""
    return f"cpython-{version.replace('.', '')}"


def build_wheel(output: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(output))
    (wheel,) = output.glob("*.whl")
    return wheel


def install(lock: Path, target: Path, version: str, platform: str) -> None:
    uv = Path(sys.executable).with_name("uv")
    run(
        *(str(uv), "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:"),
        *("--target", str(target), "--python-version", version, "--python-platform", platform),
        *("--require-hashes", "-r", str(lock)),
    )


def sort_out(installed: Path, contents: Path, own: str, notices: dict[str, str]) -> None:
    """Move what fits every Python to `common`, and the rest to `own`."""
    for pattern in UNNEEDED:
        for path in installed.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for information in installed.glob("*.dist-info"):
        metadata = HeaderParser().parsestr((information / "METADATA").read_text(encoding="utf-8"))
        if metadata["Name"].lower() in LEFT_OUT:
            continue
        notices[metadata["Name"].lower()] = notice(
            information, metadata["Name"], metadata["Version"]
        )
        tags = HeaderParser().parsestr((information / "WHEEL").read_text(encoding="utf-8"))
        anywhere = all("-none-any" in t or "-abi3-" in t for t in tags.get_all("Tag", []))
        for name in recorded(information):
            source = installed / name
            if ".." not in Path(name).parts and source.is_file() and wanted(name):
                target = contents / ("common" if anywhere else own) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)


def recorded(information: Path) -> Iterator[str]:
    for line in (information / "RECORD").read_text(encoding="utf-8").splitlines():
        yield line.rsplit(",", 2)[0].strip('"')


def wanted(name: str) -> bool:
    kept = {"METADATA", "entry_points.txt"}
    path = Path(name)
    if path.parts[0] == "bin" or path.suffix in {".pyc", ".pyi", ".c", ".h", ".pxd", ".pyx"}:
        return False
    return not path.parts[0].endswith(".dist-info") or path.name in kept


def notice(information: Path, name: str, version: str) -> str:
    texts = [
        path.read_text(encoding="utf-8", errors="replace").strip()
        for path in sorted(information.rglob("*"))
        if path.is_file()
        and path.name.upper().startswith(("LICEN", "COPYING", "NOTICE", "AUTHORS"))
    ]
    metadata = HeaderParser().parsestr((information / "METADATA").read_text(encoding="utf-8"))
    named = metadata["License-Expression"] or metadata["License"] or ""
    rule = "=" * 78
    return "\n".join(
        (
            rule,
            f"{name} {version} {named.splitlines()[0] if named else ''}".rstrip(),
            rule,
            *texts,
            "",
        )
    )


def pack(contents: Path, archive: Path) -> None:
    """One solid archive; copies of one module for several Pythons stand side by side."""

    def order(path: Path) -> tuple[bool, str, str]:
        inner = path.relative_to(contents)
        return (path.suffix != ".so", path.name.split(".")[0], str(inner))

    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 64 * 1024 * 1024}]
    files = sorted((path for path in contents.rglob("*") if path.is_file()), key=order)
    with (
        lzma.open(archive, "wb", filters=filters) as stream,
        tarfile.open(fileobj=stream, mode="w|") as tar,
    ):
        for path in files:
            information = tar.gettarinfo(path, str(path.relative_to(contents)))
            information.uid = information.gid = 0
            information.uname = information.gname = ""
            information.mtime = 0
            with path.open("rb") as content:
                tar.addfile(information, content)


def run(*command: str) -> None:
    subprocess.run(command, check=True, cwd=PROJECT, stdout=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]).resolve())
