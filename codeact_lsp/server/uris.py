"""Document URIs: compared in one spelling, answered in the client's own."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

_DRIVE = re.compile(r"^([\w.+-]+:/*)([A-Za-z])(?=:(?:/|$))")


def key(uri: str) -> str:
    """What of `uri` counts when two are compared: percent-decoded, the drive letter lower-case."""
    return _DRIVE.sub(lambda match: match[1] + match[2].lower(), unquote(uri))


def to_path(uri: str) -> Path | None:
    """The local file that a `file:` URI names; None for any other scheme or another host."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or not parts.path:
        return None
    try:
        return Path(_local(parts.path))
    except (OSError, ValueError):
        return None


def _local(path: str) -> str:
    """The path of a `file:` URI as the system spells it."""
    if os.name != "nt":
        return unquote(path)
    # This brings an HTTP client along, which every start would pay for.
    from urllib.request import url2pathname

    return url2pathname(path)


def from_path(path: str | PurePath) -> str:
    """The `file:` URI of an absolute path."""
    return PurePath(path).as_uri()
