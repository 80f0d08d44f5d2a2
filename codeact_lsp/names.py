"""The naming contract: how a raw JSON name becomes a Python name, and back.

Pure functions over strings, standard library only. Nothing else in the project folds, suffixes,
compares to a keyword list or builds a rename map.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

# Both lists are written out so that one catalogue has the same names under every interpreter.
# https://docs.python.org/3/reference/lexical_analysis.html#keywords
HARD_KEYWORDS: Final = frozenset(
    """
    False None True and as assert async await break class continue def del elif else except finally
    for from global if import in is lambda nonlocal not or pass raise return try while with yield
    """.split()
)
SOFT_KEYWORDS: Final = frozenset({"_", "case", "lazy", "match", "type"})
DEFAULT_FOLD: Final = "-"
MCP: Final = "mcp"
TOOL_CALL_ERROR: Final = "ToolCallError"
ROOT_NAMES: Final = frozenset({MCP, TOOL_CALL_ERROR})
"""What the bindings module itself holds, so no native tool may take it."""


class Reason(enum.StrEnum):
    """Why a raw name is not the name that Python code types."""

    HYPHEN = "hyphen"
    KEYWORD = "keyword"
    COLLISION = "collision"
    NO_IDENTIFIER = "no-identifier"
    RESERVED = "reserved"


@dataclass(frozen=True, slots=True)
class Spelling:
    """How one raw name is spelled.

    Attributes:
        raw: the name as the server sent it.
        name: what Python code types; None where there is no such name.
        reason: why `name` is not `raw`; None where they are equal.
        holder: on a collision, the raw name of the one that holds the wanted name.
        wanted: on a collision, the name that was wanted.

    """

    raw: str
    name: str | None
    reason: Reason | None = None
    holder: str | None = None
    wanted: str | None = None


def is_usable(name: str) -> bool:
    """Whether Python takes `name` as an identifier and keeps it as it is."""
    return (
        name.isidentifier()
        and unicodedata.normalize("NFKC", name) == name
        and name not in HARD_KEYWORDS
        and name != "__debug__"
    )


def is_hard_keyword(name: str) -> bool:
    """Whether no Python code can use `name` as a name at all."""
    return name in HARD_KEYWORDS


def is_soft_keyword(name: str) -> bool:
    """Whether `name` is a keyword only in some places, in any Python up to 3.15."""
    return name in SOFT_KEYWORDS


def fold(raw: str, fold_characters: str = DEFAULT_FOLD) -> str:
    """`raw` with each of `fold_characters` replaced by an underscore."""
    return raw.translate({ord(character): "_" for character in fold_characters})


def normalise(identifier: str) -> str:
    """The name that Python sees when code holds `identifier` (NFKC, reference §2.3)."""
    return unicodedata.normalize("NFKC", identifier)


def _offer(raw: str, fold_characters: str) -> tuple[str, Reason | None] | None:
    """The name a parameter would like to have, and why, before its siblings are asked."""
    if is_usable(raw):
        return raw, None
    if raw in HARD_KEYWORDS:
        return f"{raw}_", Reason.KEYWORD
    folded = fold(raw, fold_characters)
    return (folded, Reason.HYPHEN) if is_usable(folded) else None


def spell_parameters(
    raws: Sequence[str], fold_characters: str = DEFAULT_FOLD
) -> tuple[Spelling, ...]:
    """The spelling of every parameter of one tool, in the order of `raws` (the schema's order).

    The sibling rule: a rename is given only if its name is no sibling's raw name and no earlier
    sibling was given it. `raws` are unique, as keys of a JSON object are.
    """
    siblings = frozenset(raws)
    given: dict[str, str] = {}
    spellings = []
    for raw in raws:
        offer = _offer(raw, fold_characters)
        if offer is None:
            spellings.append(Spelling(raw, None, Reason.NO_IDENTIFIER))
            continue
        name, reason = offer
        if reason is None:
            spellings.append(Spelling(raw, name))
            continue
        holder = name if name in siblings else given.get(name)
        if holder is not None:
            spellings.append(Spelling(raw, None, Reason.COLLISION, holder, name))
            continue
        given[name] = raw
        spellings.append(Spelling(raw, name, reason))
    return tuple(spellings)


def rename_map(spellings: Iterable[Spelling]) -> Mapping[str, str]:
    """Name → raw name, only where they differ: the way back."""
    return MappingProxyType(
        {
            spelling.name: spelling.raw
            for spelling in spellings
            if spelling.name is not None and spelling.name != spelling.raw
        }
    )


def catch_all_name(spellings: Iterable[Spelling]) -> str:
    """The name of the `**` parameter: `kwargs`, stepping aside for every parameter's name."""
    taken = {spelling.name for spelling in spellings}
    name = "kwargs"
    while name in taken:
        name = f"_{name}"
    return name


def to_wire(arguments: Mapping[str, object], renames: Mapping[str, str]) -> dict[str, object]:
    """The JSON keys for the keywords of a call, in the order given.

    Raises:
        TypeError: when a name and its raw key are both given; the message names both.

    """
    sent: dict[str, object] = {}
    for name, value in arguments.items():
        raw = renames.get(name, name)
        if raw != name and raw in arguments:
            raise TypeError(
                f"got both {name!r} and its raw key {raw!r}: they are the same parameter, give one"
            )
        sent[raw] = value
    return sent


_DUNDER: Final = re.compile(r"__[^_](?:.*[^_])?__", re.DOTALL)


def is_dunder(name: str) -> bool:
    """Whether Python may probe a module for `name`: two underscores, no more, on both sides."""
    return _DUNDER.fullmatch(name) is not None


def _is_attribute(name: str) -> bool:
    return is_usable(name) and not is_dunder(name)


def spell_tools(raws: Iterable[str], fold_characters: str = DEFAULT_FOLD) -> Mapping[str, Spelling]:
    """Raw name → spelling for the tools of one server, whatever the order of `raws`.

    A tool's raw name, where usable, always stands. A fold never displaces a raw name; of two tools
    with one fold, the one whose raw name sorts first gets it. A fold that is a soft keyword is not taken.
    """
    ordered = sorted(set(raws))
    names = {raw: Spelling(raw, raw) for raw in ordered if _is_attribute(raw)}
    holders: dict[str, str] = {}
    for raw in ordered:
        if raw in names:
            continue
        if raw in HARD_KEYWORDS or is_dunder(raw):
            names[raw] = Spelling(raw, None, Reason.RESERVED)
            continue
        folded = fold(raw, fold_characters)
        if folded in SOFT_KEYWORDS or is_dunder(folded):
            names[raw] = Spelling(raw, None, Reason.RESERVED)
        elif not is_usable(folded):
            names[raw] = Spelling(raw, None, Reason.NO_IDENTIFIER)
        elif (holder := folded if folded in names else holders.get(folded)) is not None:
            names[raw] = Spelling(raw, None, Reason.COLLISION, holder, folded)
        else:
            holders[folded] = raw
            names[raw] = Spelling(raw, folded, Reason.HYPHEN)
    return MappingProxyType(names)


def is_bare_importable(name: str) -> bool:
    """Whether `from … import name` may be offered: a soft keyword would hide its meaning."""
    return is_usable(name) and name not in SOFT_KEYWORDS


def spell_native_tools(
    raws: Iterable[str], fold_characters: str = DEFAULT_FOLD
) -> Mapping[str, Spelling]:
    """Raw name → spelling for tools without a server, which live at the module's root.

    As `spell_tools`, but a name that the root cannot hold is refused: keywords of both kinds, the
    root's own names, and anything that starts with an underscore.
    """

    def refused(name: str) -> bool:
        return name in SOFT_KEYWORDS or name in ROOT_NAMES or name.startswith("_")

    return MappingProxyType(
        {
            raw: Spelling(raw, None, Reason.RESERVED)
            if spelling.name is not None and refused(spelling.name)
            else spelling
            for raw, spelling in spell_tools(raws, fold_characters).items()
        }
    )


def _server_fold(raw: str) -> tuple[str, Reason]:
    """A server name made usable; the reason is the strongest change that was needed."""
    hyphenless = raw.replace("-", "_")
    if is_usable(hyphenless):
        return hyphenless, Reason.HYPHEN
    if raw in HARD_KEYWORDS:
        return f"{raw}_", Reason.KEYWORD
    cleaned = "".join(
        character if f"_{character}".isidentifier() else "\0" for character in normalise(hyphenless)
    )
    cleaned = re.sub("\0+", "_", cleaned)
    if cleaned and not cleaned.isidentifier():
        cleaned = f"_{cleaned}"
    if cleaned in HARD_KEYWORDS or cleaned == "__debug__":
        cleaned = f"{cleaned}_"
    return cleaned or "server", Reason.NO_IDENTIFIER


def spell_servers(raws: Iterable[str]) -> Mapping[str, Spelling]:
    """Raw name → spelling for server names from config files, whatever the order of `raws`.

    A respelled name never displaces a server that is really called so; of two that fold to one
    name the raw name that sorts first gets it and the other is reached by `getattr(mcp, raw)`.
    """
    ordered = sorted(set(raws))
    names = {raw: Spelling(raw, raw) for raw in ordered if _is_attribute(raw)}
    holders: dict[str, str] = {}
    for raw in ordered:
        if raw in names:
            continue
        name, reason = _server_fold(raw)
        holder = name if name in names else holders.get(name)
        if is_dunder(name):
            names[raw] = Spelling(raw, None, Reason.RESERVED)
        elif holder is not None:
            names[raw] = Spelling(raw, None, Reason.COLLISION, holder, name)
        else:
            holders[name] = raw
            names[raw] = Spelling(raw, name, reason)
    return MappingProxyType(names)


def flat_name(server: str, tool: str) -> str:
    """The root alias that old cells use, from both raw names."""
    return f"mcp__{server}__{tool}"
