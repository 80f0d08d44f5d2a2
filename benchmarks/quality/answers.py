"""What a server answered at a position, as facts that can be counted.

A completion item counts when a client would show it and taking it leaves a whole name: the text that it
replaces, up to the cursor, must be found in its `filterText` in this order, and hold all of the name
that was typed, hyphens included.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from benchmarks.client import Client, Json
from benchmarks.quality.positions import COMPLETION, Position

NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said of the position's facts, and what was said that is not so."""

    right: frozenset[str]
    wrong: frozenset[str] = NOTHING


def ask(client: Client, uri: str, position: Position) -> Answer:
    """Ask a server that has the position's text open as `uri`."""
    params = {
        "textDocument": {"uri": uri},
        "position": {"line": position.line, "character": position.character},
    }
    match position.question:
        case "hover":
            return hover(position, client.request("textDocument/hover", params))
        case "signature":
            return signature(position, client.request("textDocument/signatureHelp", params))
        case "definition":
            return definition(position, client.request("textDocument/definition", params))
        case _:
            result = client.request("textDocument/completion", params)
            return completion(
                position, result, lambda item: client.request("completionItem/resolve", item)
            )


# Completion


def completion(position: Position, result: Any, resolve: Callable[[Json], Any]) -> Answer:
    """Labels that are expected there, and labels of the same sort that are not.

    `resolve` asks for the rest of an item; it may answer nothing.
    """
    assert position.question in COMPLETION
    right: set[str] = set()
    wrong: set[str] = set()
    for item, typed, filtered in _offered(position, result):
        label = item["label"]
        name = _counted(label, position.question)
        if name is None or name in position.allowed:
            continue
        if not _is_whole(position, typed):
            continue
        if name in position.facts:
            if _is_shown(typed, filtered):
                right.add(name)
                if position.says is not None and name == position.says[0]:
                    shown = json.dumps(resolve(item) or item, ensure_ascii=False)
                    right |= _said(position, shown)
        elif position.question != "names" and filtered.lower().startswith(typed.lower()):
            is_binding = position.question != "values" or label.startswith(('"', "'"))
            wrong |= {name} if is_binding else set()
    return Answer(frozenset(right), frozenset(wrong))


def _said(position: Position, shown: str) -> set[str]:
    """Whether what is shown names what is sent. A keyword is looked for in quotes: it is a word too."""
    assert position.says is not None
    raw = position.says[1]
    found = raw in shown if "-" in raw else re.search(rf"""["'`]{raw}\\\\?["'`]""", shown)
    return {says(raw)} if found else set()


def says(raw: str) -> str:
    """The fact that a raw name is told."""
    return f"says {raw}"


def _is_whole(position: Position, typed: str) -> bool:
    line = position.text.split("\n")[position.line][: position.character]
    word = re.search(r"\w+(?:-\w*)+$", line)
    return word is None or len(typed) >= len(word.group())


def _offered(position: Position, result: Any) -> Iterator[tuple[Json, str, str]]:
    """(item, text that the item replaces up to the cursor, text to find it by) of each item."""
    listed: Json = result if isinstance(result, dict) else {"items": result or []}
    defaults = (listed.get("itemDefaults") or {}).get("editRange")
    line = position.text.split("\n")[position.line][: position.character]
    word = re.search(r"\w*$", line)
    for item in listed["items"]:
        edit = item.get("textEdit") or {}
        place = edit.get("range") or edit.get("insert") or defaults
        place = place.get("insert", place) if place else None
        typed = line[place["start"]["character"] :] if place else word.group() if word else ""
        yield item, typed, item.get("filterText") or item["label"]


def _counted(label: str, question: str) -> str | None:
    """The name that an item offers; None if it is not of the sort that is asked for."""
    by_key = re.match(r'\*\*\{"(.*?)"', label)
    match question:
        case "keywords":
            return by_key[1] if by_key else label[:-1] if label.endswith("=") else None
        case "members" | "names":
            name = label.removesuffix("()").removesuffix("(…)")
            return None if name.startswith("__") else name
        case "values":
            is_value = label.startswith(('"', "'")) or label in {"True", "False", "None"}
            return label.strip("\"'") if is_value else None
        case _:
            return label.strip("\"'")


def _is_shown(typed: str, filtered: str) -> bool:
    left = iter(filtered.lower())
    return all(character in left for character in typed.lower())


# Hover, signature help, definition


def hover(position: Position, result: Any) -> Answer:
    """The expected expressions that the shown text matches."""
    text = plain(result)
    found = {fact for fact in position.facts if re.search(fact.strip("/"), text)}
    return Answer(frozenset(found))


def plain(result: Any) -> str:
    """The text of a hover, without markdown's escapes, its white space collapsed."""
    contents = (result or {}).get("contents") or ""
    parts = contents if isinstance(contents, list) else [contents]
    text = " ".join(part if isinstance(part, str) else part["value"] for part in parts)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text.replace("&nbsp;", " "))
    return re.sub(r"\s+", " ", text)


def signature(position: Position, result: Any) -> Answer:
    """The parameters that are shown, and which of them the cursor is at."""
    signatures = (result or {}).get("signatures") or []
    if not signatures:
        return Answer(NOTHING)
    shown = signatures[result.get("activeSignature") or 0]
    names = [_parameter(shown, one) for one in shown.get("parameters") or []]
    right = {fact for fact in position.facts if fact in names}
    at = shown.get("activeParameter", result.get("activeParameter"))
    active = names[at] if at is not None and 0 <= at < len(names) else None
    if position.active is None or active is None:
        return Answer(frozenset(right))
    if active == position.active or (active.startswith("**") and " " in position.active):
        right.add(f"> {position.active}")
        if position.says is not None:
            right |= _said(position, json.dumps(shown["parameters"][at], ensure_ascii=False))
        return Answer(frozenset(right))
    return Answer(frozenset(right), frozenset({f"> {active}"}))


def _parameter(shown: Json, parameter: Json) -> str:
    label = parameter["label"]
    text = label if isinstance(label, str) else shown["label"][label[0] : label[1]]
    return re.split(r"[:=]", text, maxsplit=1)[0].strip()


def definition(position: Position, result: Any) -> Answer:
    """Whether the line that a definition leads to holds what is expected."""
    found = result if isinstance(result, list) else [result] if result else []
    lines = [line for one in found if (line := _line(one)) is not None]
    right = {fact for fact in position.facts if any(_is_in(fact, line) for line in lines)}
    return Answer(frozenset(right), NOTHING if right else frozenset(line.strip() for line in lines))


def _is_in(fact: str, line: str) -> bool:
    if fact.startswith("/"):
        return re.search(fact.strip("/"), line) is not None
    return fact in line


def _line(location: Json) -> str | None:
    uri = location.get("targetUri") or location["uri"]
    place = location.get("targetSelectionRange") or location["range"]
    path = Path(unquote(urlsplit(uri).path))
    if not path.is_file():
        return None
    lines = path.read_text("utf-8").split("\n")
    return lines[place["start"]["line"]] if place["start"]["line"] < len(lines) else None
