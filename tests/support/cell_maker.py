"""Writes a cell line by line: expressions for what names most likely hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple, TypeAlias

from codeact_lsp.bindings.model import Bindings
from tests.support.recording import place_of

NAMES: Final = ("a", "b", "c", "mcp", "web", "notion", "shell", "search", "run")


class Kind(NamedTuple):
    """What a name most likely holds: `root`, `mcp`, `server`, `tool`, `result`, `other`."""

    what: str
    which: str = ""


SERVERS: Final = ("web", "notion", "redis", "shell", "my-server")
ARGUMENTS: Final = (
    "", "", ", query=1", ", from_=1", ', **{"page[size]": 1}', ", max_results=2, order=3",
    ", **dict(query=1)",
)  # fmt: skip

ROOT, MCP, OTHER = Kind("root"), Kind("mcp"), Kind("other")
Names: TypeAlias = dict[str, Kind]


@dataclass(slots=True)
class Maker:
    random: Random
    bindings: Bindings
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    number: int = 0
    in_function: int = 0
    in_finally: int = 0
    in_class: bool = False
    in_loop: bool = False
    later: set[int] = field(default_factory=set)
    sure: bool = True
    forms: set[str] = field(default_factory=set)

    # Text

    def write(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def pick(self, options: tuple[str, ...] | list[str]) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def next_number(self) -> int:
        self.number += 1
        if self.in_function or self.in_finally:
            self.later.add(self.number)
        return self.number

    # Expressions

    def named(self, names: Names, *kinds: Kind) -> list[str]:
        return [name for name, kind in names.items() if kind in kinds]

    def mcp(self, names: Names) -> str:
        options = self.named(names, MCP) + [f"{root}.mcp" for root in self.named(names, ROOT)]
        if options:
            return self.pick(options)
        self.write("from codeact_lsp.tools import mcp")
        bind(names, "mcp", MCP)
        return "mcp"

    def server(self, names: Names, raw: str | None = None) -> tuple[str, Kind]:
        server = self.bindings.servers_by_raw[raw or self.pick(list(SERVERS))]
        kind = Kind("server", server.raw)
        options = self.named(names, kind)
        if options and self.chance(0.6):
            return self.pick(options), kind
        mcp = self.mcp(names)
        if self.chance(0.2):
            return f'getattr({mcp}, "{server.raw}")', kind
        return f"{mcp}.{server.name}", kind

    def tool(self, names: Names) -> tuple[str, Kind]:
        held = [(name, kind) for name, kind in names.items() if kind.what == "tool"]
        if held and self.chance(0.5):
            return self.random.choice(held)
        server = self.bindings.servers_by_raw[self.pick(list(SERVERS))]
        tool = self.random.choice(server.tools)
        kind = Kind("tool", place_of(tool))
        roots = self.named(names, ROOT)
        if roots and tool.name is not None and self.chance(0.1):
            return f'getattr({self.pick(roots)}, "mcp__{server.raw}__{tool.raw}")', kind
        prefix, _ = self.server(names, server.raw)
        if tool.name is None or self.chance(0.2):
            return f'getattr({prefix}, "{tool.raw}")', kind
        return f"{prefix}.{tool.name}", kind

    def call(self, names: Names) -> tuple[str, Kind]:
        written, kind = self.tool(names)
        given = self.pick(ARGUMENTS)
        return f"{written}(at{self.next_number()}=0{given})", Kind("result", kind.which)

    def value(self, names: Names) -> tuple[str, Kind]:
        """Any expression that can be assigned."""
        what = self.random.random()
        if what < 0.3:
            return self.server(names)
        if what < 0.6:
            return self.tool(names)
        if what < 0.75 and not self.in_class:
            written, kind = self.call(names)
            return f"await {written}", kind
        if what < 0.85:
            mcp = self.mcp(names)
            return mcp, MCP
        if what < 0.92 and names:
            name = self.pick(list(names))
            return name, names[name]
        return self.pick(("1", '"text"', "None", "str", "len")), OTHER

    def target(self) -> str:
        return self.pick(NAMES if self.chance(0.3) else NAMES[:3])

    def probe(self, names: Names, *more: str) -> None:
        options = [*(names or {"mcp": MCP}), *more]
        name = self.pick(options)
        kind = names.get(name, OTHER)
        if kind.what == "result" and kind.which == "notion/search" and self.chance(0.6):
            name += self.pick(
                ['["items"]', '["items"][0]', '["items"][-1]["title"]', '.get("items")', '["items"][:1]']
            )  # fmt: skip
        self.write(f"probe({self.next_number()}, {name})")


def bind(names: Names, name: str, kind: Kind) -> None:
    names.pop(name, None)
    names[name] = kind
