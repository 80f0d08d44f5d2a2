"""What the configured servers list now, as immutable values.

A `Catalogue` never changes; a change makes a new one with a higher `version`. Schemas stay JSON
text until somebody looks at the tool: parsing ten thousand of them would cost every start.
"""

from __future__ import annotations

import enum
import hashlib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from codeact_lsp import text as safe_text

_LONG: Final = 8 * 1024
"""Characters. In real listings one schema in two hundred has more."""
_QUICKLY: Final = 1


class ServerState(enum.StrEnum):
    """Where a server stands in its life; the word is what people are shown."""

    NOT_APPROVED = "not approved"
    DISABLED = "disabled"
    STARTING = "starting"
    LISTING = "listing"
    READY = "ready"
    ASLEEP = "asleep"
    """Listed and then stopped: it offers no way to hear of changes."""
    RECONNECTING = "reconnecting"
    NEEDS_SIGN_IN = "needs sign-in"
    """It answered 401 or 403; only the user can help."""
    FAILED = "failed"
    """Its config cannot be used, so nothing is tried until the config changes."""
    SNAPSHOT = "snapshot"
    """It comes from a snapshot file and is not live."""


@dataclass(frozen=True, slots=True)
class Hints:
    """`ToolAnnotations` of MCP; `None` where the server does not say."""

    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


@dataclass(frozen=True, slots=True)
class Packed:
    """A long text, compressed.

    Attributes:
        size: its characters.
        data: its UTF-8, compressed.

    """

    size: int
    data: bytes


Text = str | Packed
"""A text that `unpack` gives, for those that may be long and that few look at."""


def pack(text: str) -> Text:
    """`text`, compressed when it is long and that makes it a good deal shorter."""
    if len(text) < _LONG:
        return text
    data = zlib.compress(text.encode("utf-8", "surrogatepass"), _QUICKLY)
    return Packed(len(text), data) if 4 * len(data) < 3 * len(text) else text


def unpack(text: Text) -> str:
    """The text that was packed; `"null"` where a file on disk was damaged."""
    if isinstance(text, str):
        return text
    try:
        # No more than it was: what is read from a file must not blow up here.
        data = zlib.decompressobj().decompress(text.data, 4 * text.size + 1)
        return data.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError):
        return "null"


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its server listed it.

    Attributes:
        raw: the name exactly as sent.
        description: what the tool says of itself; `""` when nothing or not a string.
        input_schema: JSON text of `inputSchema`, maybe packed; `"null"` when the server sent none.
        output_schema: the same of `outputSchema`, or None when the server sent none.
        title: `title` of the tool, for people.
        hints: behaviour the server claims.
        digest: a hash of the whole definition; equal digests mean equal tools.
        changed: the definition differs from the one that the user last looked at.

    """

    raw: str
    description: str = ""
    input_schema: Text = "null"
    output_schema: Text | None = None
    title: str | None = None
    hints: Hints = Hints()
    digest: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a person should know about a server, a tool or a config file.

    Attributes:
        kind: a stable word: `not-approved`, `failed-to-start`, `unset-variable`, `config-syntax`,
            `duplicate-tool`, `look-alike`, `schema`, `limit`, `list-loop`, `stdout-noise`, …
        message: one line: what, where and what to do.
        server: the raw server name, where there is one.
        tool: the raw tool name, where there is one.
        pointer: a JSON pointer into the tool's definition, where the place is known.
        path: the config file's absolute path, where the problem stands in one.
        line: the line in that file, from 0.
        column: code points into that line, from 0.

    """

    kind: str
    message: str
    server: str | None = None
    tool: str | None = None
    pointer: str | None = None
    path: str | None = None
    line: int = 0
    column: int = 0


def headline(problem: Problem) -> str:
    """What people are told of a problem: its message, and where in a tool's definition it is."""
    message = safe_text.one_line(problem.message)
    if problem.tool is None or not problem.pointer:
        return message
    whose = "" if problem.server is None else f" of {safe_text.escaped_name(problem.server)}"
    return f"{message} (at {safe_text.escaped_name(problem.pointer)}{whose})"


@dataclass(frozen=True, slots=True)
class Server:
    """A server and the tools it listed last.

    Attributes:
        raw: the name in the config file; it never travels to the server.
        tools: in the order of the listing, raw names unique.
        state: where the server stands.
        stale: the tools are the last good ones and not confirmed by this session's listing.
        title: what the server calls itself.
        version: the server's own version.
        protocol: the MCP revision that was negotiated, such as `2026-07-28`.
        address: command line or URL without secrets, for people.
        listed_at: seconds since the epoch of the last good listing; None when never.
        problems: what a person should know of this server.
        path: the file that its entry stands in, config or snapshot; None where there is none.
        line: the line of the entry, from 0.
        column: code points into that line, from 0.

    """

    raw: str
    tools: tuple[Tool, ...] = ()
    state: ServerState = ServerState.SNAPSHOT
    stale: bool = False
    title: str | None = None
    version: str | None = None
    protocol: str | None = None
    address: str | None = None
    listed_at: float | None = None
    problems: tuple[Problem, ...] = ()
    path: str | None = None
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that the configured servers list now.

    Attributes:
        servers: raw server name → server.
        native: tools without a server, bound at the module's root.
        problems: what belongs to no single server.
        version: grows with every change; 0 is the empty catalogue before anything was read.

    """

    servers: Mapping[str, Server] = field(default_factory=lambda: MappingProxyType({}))
    native: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()
    version: int = 0


EMPTY: Final = Catalogue()


def digest(*parts: str | None) -> str:
    """A short hash of texts, None distinct from empty, stable across processes and versions."""
    hasher = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = b"" if part is None else part.encode("utf-8", "surrogatepass")
        hasher.update(b"-" if part is None else b"+%d:" % len(data))
        hasher.update(data)
    return hasher.hexdigest()
