"""Marked positions with what is right there, written by hand in `cells/*.cell`.

A file holds blocks. `== frame` starts a cell whose line `@` every later position replaces; `== NAME:
QUESTION` starts a category. Each line of it is `CODE :: FACTS`, or with ` ! renames` behind it where a
name is spelled otherwise than it is listed. In the code, `‸` is the cursor and `⏎` a line break.

A question is `members`, `names`, `keywords`, `strings` or `values` (all five are completion), `hover`,
`signature` (`> NAME` is the parameter that the cursor is at) or `definition`. A fact is a label, a
`/regular expression/`, or `@SERVER` for all tools of a server that has no odd names. `~LABEL` may be
offered or not: it works, and nobody needs it there.
"""

from __future__ import annotations

import json
import keyword
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
WILD: Final = HERE.parents[1] / "tests" / "wild" / "catalogues"
CATALOGUES: Final = (
    HERE / "work.json",
    *(WILD / f"{name}.json" for name in ("everything", "firecrawl", "memory", "notion")),
    WILD / "redis-mcp-server.json",
)
CURSOR, BREAK = "‸", "⏎"
COMPLETION: Final = ("members", "names", "keywords", "strings", "values")
QUESTIONS: Final = (*COMPLETION, "hover", "signature", "definition")


@dataclass(frozen=True, slots=True)
class Position:
    """One place, and what is right there.

    Attributes:
        source: the line as it was written.
        category: what the table counts it under.
        question: how it is asked.
        text: the whole document, without the marker.
        line, character: the cursor; all text before it on its line is ASCII.
        facts: labels and `/regular expressions/`.
        allowed: labels that count neither as right nor as wrong.
        active: for a signature, the parameter that the cursor is at.
        renames: whether a name there is spelled otherwise than it is listed.
        says: (label, raw name) of one that is, for completion and signature help: whether the item's
            or parameter's documentation names what is sent.

    """

    source: str
    category: str
    question: str
    text: str
    line: int
    character: int
    facts: frozenset[str]
    allowed: frozenset[str] = frozenset()
    active: str | None = None
    renames: bool = False
    says: tuple[str, str] | None = None


def tools_by_server(catalogues: tuple[Path, ...] = CATALOGUES) -> Mapping[str, tuple[str, ...]]:
    """Raw server name → its tools as Python spells them, by hyphens alone."""
    found: dict[str, tuple[str, ...]] = {}
    for path in catalogues:
        for server, listed in json.loads(path.read_text("utf-8"))["servers"].items():
            found[server] = tuple(tool["name"].replace("-", "_") for tool in listed["tools"])
    return found


def raw_names(catalogues: tuple[Path, ...] = CATALOGUES) -> Mapping[str, str]:
    """Name → raw name, for servers, tools and parameters whose spelling a hyphen or keyword changes."""
    raws: set[str] = set()
    for path in catalogues:
        for server, listed in json.loads(path.read_text("utf-8"))["servers"].items():
            raws.add(server)
            for tool in listed["tools"]:
                raws |= {tool["name"], *tool["inputSchema"].get("properties", {})}
    spelled = {raw: raw + "_" if keyword.iskeyword(raw) else raw.replace("-", "_") for raw in raws}
    return {name: raw for raw, name in spelled.items() if name != raw and name not in raws}


def positions() -> tuple[Position, ...]:
    """Every position of every file."""
    tools, raws = tools_by_server(), raw_names()
    return tuple(
        position
        for path in sorted((HERE / "cells").glob("*.cell"))
        for position in parse(path.read_text("utf-8"), tools, raws)
    )


def parse(
    text: str, tools: Mapping[str, tuple[str, ...]], raws: Mapping[str, str]
) -> Iterator[Position]:
    """The positions of one file.

    Raises:
        ValueError: a line is none of what is described above.

    """
    frame: list[str] = []
    category = question = ""
    for line in text.split("\n"):
        if line.startswith("== "):
            category, _, question = line[3:].partition(": ")
            if category == "frame":
                frame = []
            elif question not in QUESTIONS:
                raise ValueError(f"not a question: {line}")
        elif category == "frame":
            frame.append(line)
        elif line:
            yield _says(_position(line, category, question, frame, tools), raws)


def _position(
    source: str,
    category: str,
    question: str,
    frame: list[str],
    tools: Mapping[str, tuple[str, ...]],
) -> Position:
    code, _, expected = source.partition(" ::")
    renames = expected.endswith(" ! renames")
    words = shlex.split(expected.removesuffix(" ! renames"), posix=True)
    if code.count(CURSOR) != 1 or " ::" not in source:
        raise ValueError(f"not a position: {source}")
    active = None
    if ">" in words:
        at = words.index(">")
        words, active = words[:at], words[at + 1]
    facts = {
        fact
        for word in (_regular(expected) if question == "hover" else words)
        if not word.startswith("~")
        for fact in (tools[word[1:]] if word.startswith("@") else (word,))
    }
    marked = "\n".join(_filled(frame, code))
    before = marked[: marked.index(CURSOR)]
    return Position(
        source=source,
        category=category,
        question=question,
        text=marked.replace(CURSOR, ""),
        line=before.count("\n"),
        character=len(before) - before.rfind("\n") - 1,
        facts=frozenset(facts),
        allowed=frozenset(word[1:] for word in words if word.startswith("~")),
        active=active,
        renames=renames,
    )


def _says(position: Position, raws: Mapping[str, str]) -> Position:
    labels = sorted(position.facts) if position.active is None else [position.active]
    named = [(label, raws[label]) for label in labels if label in raws]
    if position.active is not None and not position.active.isidentifier():
        named = [(position.active, position.active)]  # unspelled: it has no name but its raw one
    if position.renames and named and position.question in {*COMPLETION, "signature"}:
        return replace(position, says=named[0])
    return position


def _regular(expected: str) -> list[str]:
    """The regular expressions of a line; blanks and quotes in them are themselves."""
    return re.findall(r"(?<= )/.*?/(?= |$)", expected)


def _filled(frame: list[str], code: str) -> Iterator[str]:
    for line in frame:
        if line.strip() == "@":
            indent = line[: line.index("@")]
            yield from (indent + part for part in code.split(BREAK))
        else:
            yield line
