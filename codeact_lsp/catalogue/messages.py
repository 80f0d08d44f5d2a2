"""What the editor's process and the catalogue process say to each other.

One message a line, JSON in ASCII, over the child's stdin and stdout (`docs/catalogue-process.md`).
Schemas travel as JSON text inside a `Tool`, so a reader never parses one that nobody looks at.
"""

from __future__ import annotations

import enum
import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from types import MappingProxyType
from typing import Any, Final, cast

from codeact_lsp.catalogue import settings as settings_module
from codeact_lsp.catalogue.model import Hints, Packed, Problem, Server, ServerState, Text, Tool
from codeact_lsp.catalogue.settings import DEFAULT_SETTINGS, Settings

PROTOCOL: Final = 1


class MessageError(ValueError):
    """A line that is no message of this protocol."""


class Answer(enum.StrEnum):
    """What a person says to an approval request."""

    ONCE = "once"
    ALWAYS = "always"
    NEVER = "never"


# From the catalogue process to the editor's.


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message: the child runs."""

    pid: int
    protocol: int = PROTOCOL


@dataclass(frozen=True, slots=True)
class Configured:
    """The config was read; sent again after every change of it.

    Attributes:
        settings: the merged settings.
        servers: raw names of all servers there now; one that is missing here is gone.
        files: absolute paths of every config file that was read or looked for.

    """

    settings: Settings = DEFAULT_SETTINGS
    servers: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """A part of a listing, not in force before a `ServerUpdate` with a `tools` count.

    Attributes:
        server: raw server name; None for native tools.
        items: in the listing's order, a tool, or the digest of one that the reader has already.
        first: this part starts a listing and drops an unfinished one.

    """

    server: str | None
    items: tuple[Tool | str, ...] = ()
    first: bool = False


@dataclass(frozen=True, slots=True)
class ServerUpdate:
    """How a server is.

    Attributes:
        server: all of it except its tools, which are those of the listing just sent.
        tools: how many items that listing has; None keeps the tools as they are.

    """

    server: Server
    tools: int | None = None


@dataclass(frozen=True, slots=True)
class NativeUpdate:
    """Puts the native listing just sent in force; `tools` is how many items it has."""

    tools: int


@dataclass(frozen=True, slots=True)
class Problems:
    """The problems that belong to no single server, all of them."""

    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """A line for a log: of one server (its stderr, its noise) or of the process (server None).

    `level` is `debug`, `info`, `warning` or `error`. `text` is the server's own words, unescaped.
    """

    text: str
    server: str | None = None
    level: str = "info"


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """Whether a workspace's server may run.

    Attributes:
        key: hash of everything that decides what runs; goes back in the answer.
        server: raw server name.
        path: absolute path of the config file.
        shown: the whole command line or URL, escaped for display; never shortened.
        cwd: absolute path of the folder that it runs in; empty for a URL.
        sets: names of the environment variables or headers that it is given, escaped for display.

    """

    key: str
    server: str
    path: str
    shown: str
    cwd: str = ""
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InputRequest:
    """A value for `${input:id}` that only a person has; one for all servers of the file `path`."""

    id: str
    server: str
    path: str
    description: str = ""
    password: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """The process groups of all servers that run now.

    Whoever started the catalogue process ends them when it was killed and could not.
    """

    ids: tuple[int, ...] = ()


# From the editor's process to the catalogue process.


@dataclass(frozen=True, slots=True)
class Configure:
    """Where to look for config; the first message the child needs, and after every change.

    Attributes:
        folders: absolute paths of the workspace folders.
        settings: the editor's own settings, by the names of `codeact-lsp.toml`.
        can_ask: somebody can answer an `ApprovalRequest` or an `InputRequest`.

    """

    folders: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    can_ask: bool = False


@dataclass(frozen=True, slots=True)
class ApprovalAnswer:
    """The answer to the `ApprovalRequest` with this key."""

    key: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class InputValue:
    """The value for an `InputRequest`; kept in memory only. None when it was refused."""

    id: str
    path: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Refresh:
    """List again now; every server when `server` is None."""

    server: str | None = None


@dataclass(frozen=True, slots=True)
class Restart:
    """Stop and start again now; every server when `server` is None."""

    server: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask once more what was dismissed; of a named server also what was refused."""

    server: str | None = None


@dataclass(frozen=True, slots=True)
class LookedAt:
    """The user has seen this definition, so it is no longer marked as changed."""

    server: str
    tool: str
    digest: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Stop every server and exit."""


FromChild = (
    Hello
    | Configured
    | Listing
    | ServerUpdate
    | NativeUpdate
    | Problems
    | Log
    | ApprovalRequest
    | InputRequest
    | Groups
)
ToChild = Configure | ApprovalAnswer | InputValue | Refresh | Restart | Ask | LookedAt | Shutdown
Message = FromChild | ToChild

_TYPES: Final[Mapping[str, type[Message]]] = MappingProxyType(
    {
        "hello": Hello,
        "configured": Configured,
        "listing": Listing,
        "server": ServerUpdate,
        "native": NativeUpdate,
        "problems": Problems,
        "log": Log,
        "approval": ApprovalRequest,
        "input": InputRequest,
        "groups": Groups,
        "configure": Configure,
        "answer": ApprovalAnswer,
        "value": InputValue,
        "refresh": Refresh,
        "restart": Restart,
        "ask": Ask,
        "looked-at": LookedAt,
        "shutdown": Shutdown,
    }
)
_TAGS: Final = {cls: tag for tag, cls in _TYPES.items()}


def _tool_to_json(item: Tool | str) -> Any:
    if isinstance(item, str):
        return item
    hints = item.hints
    return [
        item.raw,
        item.description,
        _text_to_json(item.input_schema),
        _text_to_json(item.output_schema),
        item.title,
        None
        if hints == Hints()
        else [hints.title, hints.read_only, hints.destructive, hints.idempotent, hints.open_world],
        item.digest,
        item.changed,
    ]


def _tool_from_json(value: Any) -> Tool | str:
    if isinstance(value, str):
        return value
    raw, description, input_schema, output_schema, title, hints, digest, changed = value
    return Tool(
        raw=raw,
        description=description,
        input_schema=_text_from_json(input_schema),
        output_schema=_text_from_json(output_schema),
        title=title,
        hints=Hints() if hints is None else Hints(*hints),
        digest=digest,
        changed=changed,
    )


def _text_to_json(text: Text | None) -> Any:
    return [text.size, b64encode(text.data).decode()] if isinstance(text, Packed) else text


def _text_from_json(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    size, data = value
    return Packed(int(size), b64decode(data, validate=True))


def _plain(value: object) -> dict[str, Any]:
    """The fields of a flat dataclass that are not at their default."""
    plain = {}
    for spec in fields(cast("Any", value)):
        default = spec.default if spec.default_factory is MISSING else spec.default_factory()
        current = getattr(value, spec.name)
        if current != default:
            plain[spec.name] = current
    return plain


_ENCODE: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "items": lambda items: [_tool_to_json(item) for item in items],
        "problems": lambda problems: [_plain(problem) for problem in problems],
    }
)
_DECODE: Final[Mapping[str, Callable[[Any], Any]]] = MappingProxyType(
    {
        "items": lambda items: tuple(_tool_from_json(item) for item in items),
        "problems": lambda problems: tuple(Problem(**problem) for problem in problems),
        "state": ServerState,
        "answer": Answer,
        "servers": tuple,
        "files": tuple,
        "folders": tuple,
        "ids": tuple,
        "sets": tuple,
    }
)


def encode(message: Message) -> bytes:
    """`message` as one line of ASCII, newline included."""
    plain = _plain(message)
    if isinstance(message, ServerUpdate):
        plain |= _plain(plain.pop("server"))
    for name, convert in _ENCODE.items():
        if name in plain:
            plain[name] = convert(plain[name])
    if isinstance(message, Configured) and "settings" in plain:
        plain["settings"] = settings_module.to_json(message.settings)
    elif isinstance(message, Configure) and "settings" in plain:
        plain["settings"] = dict(message.settings)
    text = json.dumps({"type": _TAGS[type(message)], **plain}, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def decode(line: bytes | str) -> Message:
    """The message on one line.

    Raises:
        MessageError: when the line is no message.

    """
    try:
        plain = json.loads(line)
        cls = _TYPES[plain.pop("type")]
        for name, convert in _DECODE.items():
            if name in plain:
                plain[name] = convert(plain[name])
        if cls is ServerUpdate:
            tools = plain.pop("tools", None)
            plain = {"server": Server(**plain), "tools": tools}
        if cls is Configured and "settings" in plain:
            plain["settings"] = settings_module.from_json(plain["settings"])
        # The constructors differ and are checked by the call itself.
        return cast("Callable[..., Message]", cls)(**plain)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise MessageError(f"not a message: {error!r}") from error
