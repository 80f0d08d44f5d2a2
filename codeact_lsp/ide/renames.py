"""Why a name is not the raw name, in one plain sentence."""

from __future__ import annotations

from codeact_lsp import text
from codeact_lsp.ide.prose import Key, Name, Part, Sentence, sentence
from codeact_lsp.names import Reason, Spelling, is_dunder, is_hard_keyword


def parameter_rename(spelling: Spelling) -> Sentence | None:
    """Why a parameter is spelled as it is, and how to pass it; None where nothing changed."""
    raw = spelling.raw
    if spelling.name is None:
        passed: tuple[Part, ...] = (
            "pass it as a dict key, ",
            Name(f"**{{{text.literal(raw)}: ...}}"),
        )
        if spelling.reason is Reason.COLLISION:
            return sentence(
                Name(spelling.wanted or raw),
                " already means the parameter ",
                Key(spelling.holder or ""),
                ", so ",
                Key(raw),
                " has no name of its own: ",
                *passed,
            )
        return sentence(Key(raw), " cannot be written as a Python name: ", *passed)
    if spelling.name == raw:
        return None
    return sentence("sent as ", Key(raw), "; ", *_because(raw), _spelled(spelling.name), " here")


def tool_rename(spelling: Spelling, path: str) -> Sentence | None:
    """The same for a tool; `path` is the expression that reaches it."""
    return _attribute_rename(spelling, path, "listed as ")


def server_rename(spelling: Spelling, path: str) -> Sentence | None:
    """The same for a server; `path` is the expression that reaches it."""
    return _attribute_rename(spelling, path, "configured as ")


def short_reason(spelling: Spelling) -> tuple[Part, ...]:
    """The reason for a cell of the rename table."""
    match spelling.reason:
        case Reason.HYPHEN:
            return ("a hyphen is a minus sign",)
        case Reason.KEYWORD:
            return ("a Python keyword",)
        case Reason.COLLISION:
            return (
                Name(spelling.wanted or spelling.raw),
                " already means ",
                Key(spelling.holder or ""),
            )
        case Reason.NO_IDENTIFIER:
            return ("not a Python name",)
        case Reason.RESERVED:
            return ("reserved by Python",)
        case None:
            return ("",)


def _attribute_rename(spelling: Spelling, path: str, verb: str) -> Sentence | None:
    raw = spelling.raw
    if spelling.name == raw:
        return None
    if spelling.name is not None:
        return sentence(verb, Key(raw), "; ", *_because(raw), _spelled(spelling.name), " here")
    reached: tuple[Part, ...] = ("reach it with ", Name(path))
    if spelling.reason is Reason.COLLISION:
        return sentence(
            Name(spelling.wanted or raw),
            " already means ",
            Key(spelling.holder or ""),
            ", so ",
            Key(raw),
            " has no name of its own: ",
            *reached,
        )
    if is_hard_keyword(raw):
        return sentence(Name(raw), " is a Python keyword: ", *reached)
    if spelling.reason is Reason.RESERVED:
        why = "Python looks such names up by itself" if is_dunder(raw) else "its name is reserved"
        return sentence(why, ": ", *reached)
    return sentence(Key(raw), " cannot be written as a Python name: ", *reached)


def _because(raw: str) -> tuple[Part, ...]:
    if is_hard_keyword(raw):
        return (Name(raw), " is a Python keyword, so it is spelled ")
    if "-" in raw:
        return ("a hyphen is a minus sign in Python, so it is spelled ",)
    return (Key(raw), " cannot be written as a Python name, so it is spelled ")


def _spelled(name: str) -> Name:
    return Name(name)
