"""Variables in config files: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}` and a few more.

A variable that has no value is never left as literal text: whoever asks is told, and does not use
the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_FOREIGN: Final = re.compile(r"(?<!\$)\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Scope:
    """What variables may stand for.

    Attributes:
        environment: the environment of this process.
        builtins: `workspaceFolder`, `userHome` and such; not secret.
        inputs: `${input:id}` → value, from a person.
        known_inputs: the ids that the file declares.
        braces: `{env:VAR}` without a dollar is this file's own spelling.

    """

    environment: Mapping[str, str] = field(repr=False)
    builtins: Mapping[str, str]
    inputs: Mapping[str, str] = field(repr=False)
    known_inputs: frozenset[str] = frozenset()
    braces: bool = False


@dataclass(slots=True)
class Expansion:
    """What came of one text.

    Attributes:
        text: with every variable replaced; not to be used when `missing` is not empty.
        shown: the same for people: environment variables and inputs stay as they are written.
        asked: the same before a person gave the inputs: those alone stay as they are written.
        missing: (kind, message) for each variable without a value: `unset-variable`,
            `unknown-variable`, `missing-input` or `unknown-input`.
        foreign: messages on the spelling of another client, which was left alone.
        inputs: ids of inputs that were asked for and have no value.

    """

    text: str = field(default="", repr=False)
    shown: str = ""
    asked: str = field(default="", repr=False)
    missing: list[tuple[str, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)


def expand(text: str, scope: Scope) -> Expansion:
    """`text` with its variables replaced. It is not expanded again: a value is data."""
    expansion = Expansion()
    if scope.braces:
        text = _FOREIGN.sub(r"${env:\1}", text)
    else:
        expansion.foreign += [
            f"{found[0]} is another client's spelling and is sent as it is; write ${found[0]}"
            for found in _FOREIGN.finditer(text)
        ]
    at = 0
    while (start := text.find("${", at)) >= 0:
        _add(expansion, text[at:start])
        end = _closing(text, start + 2)
        if end < 0:
            expansion.missing.append(("unknown-variable", "a ${ is never closed"))
            return expansion
        written = text[start : end + 1]
        value, asked, secret = _value(text[start + 2 : end], scope, expansion)
        expansion.text += value
        expansion.shown += written if secret else value
        expansion.asked += asked
        at = end + 1
    _add(expansion, text[at:])
    return expansion


def input_variable(identifier: str) -> str:
    """The environment variable that can give `${input:identifier}` its value."""
    return "CODEACT_INPUT_" + re.sub(r"[^A-Za-z0-9]", "_", identifier).upper()


def _add(expansion: Expansion, text: str) -> None:
    expansion.text += text
    expansion.shown += text
    expansion.asked += text


def _closing(text: str, start: int) -> int:
    depth = 1
    for token in re.compile(r"\$\{|\}").finditer(text, start):
        depth += 1 if token[0] == "${" else -1
        if depth == 0:
            return token.start()
    return -1


def _value(inside: str, scope: Scope, expansion: Expansion) -> tuple[str, str, bool]:
    """The value of `${inside}`, the same before inputs are given, and whether it may be a secret."""
    if inside in scope.builtins:
        return scope.builtins[inside], scope.builtins[inside], False
    if inside.startswith("input:"):
        return _input(inside.removeprefix("input:"), scope, expansion), f"${{{inside}}}", True
    name, has_default, default = inside.removeprefix("env:").partition(":-")
    if _NAME.match(name) is None:
        message = f"${{{inside}}} is no variable that is known here"
        expansion.missing.append(("unknown-variable", message))
        return "", "", True
    found = scope.environment.get(name)
    # As in a shell, `:-` also steps in for a variable that is set to nothing.
    if found or (found is not None and not has_default):
        return found, found, True
    if has_default:
        nested = expand(default, scope)
        expansion.missing += nested.missing
        expansion.inputs += nested.inputs
        return nested.text, nested.asked, True
    message = f"the environment variable {name} is not set; set it, or write ${{{name}:-default}}"
    expansion.missing.append(("unset-variable", message))
    return "", "", True


def _input(identifier: str, scope: Scope, expansion: Expansion) -> str:
    variable = input_variable(identifier)
    value = scope.inputs.get(identifier, scope.environment.get(variable))
    if value is not None:
        return value
    if identifier not in scope.known_inputs:
        message = f'"inputs" of this file has no entry with the id {identifier!r}'
        expansion.missing.append(("unknown-input", message))
    else:
        expansion.inputs.append(identifier)
        message = (
            f"the input {identifier!r} has no value; an editor can ask for it, or set {variable}"
        )
        expansion.missing.append(("missing-input", message))
    return ""
