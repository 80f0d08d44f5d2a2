"""Scalar JSON values against scalar types: one reading for the mapper and the checker."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Final, NamedTuple

from codeact_lsp import text
from codeact_lsp.schema.types import Json, Limits, Scalar, ScalarType

JsonScalar = str | int | float | bool | None

# A pattern can take exponential time on a text made for it, and polynomial time on any. So groups
# that repeat are not tried, nor are more than two open repeats in one pattern.
_LARGEST: Final = 1e300
_MAX_MATCHED: Final = 200
_MAX_PATTERN: Final = 1_000
_MAX_REPEATS: Final = 2
_REPEATED_GROUP: Final = re.compile(r"\)[*+{]|\\[1-9]")
# What is no ECMAScript, or means something else there: other escapes of letters and digits, groups
# with flags or names, possessive repeats, `{,3}`, empty classes, sets inside classes.
_OTHER: Final = re.compile(
    r"""
    (?<!\\)(?:\\\\)*  # the backslash after these is none that is escaped itself
    (?: \\[^dDsSwWbBtnrfvxu\W]
      | \(\?(?![:=!]|<[=!])
      | [*+?}]\+
      | \{,
      | \[\^?\]
      | \[[^\]]*(?:\[|--|&&|\|\||~~)
    )
    """,
    re.VERBOSE,
)
_LITERAL: Final = re.compile(r"\\.|\[[^\]]*\]")
_OPEN_REPEAT: Final = re.compile(r"[*+]|\{\d*,\d*\}")


class Refusal(NamedTuple):
    """Why a value does not fit: the JSON Schema keyword and one line for people."""

    keyword: str
    message: str


def scalar_of(value: object) -> Scalar | None:
    """The scalar JSON type of a Python value; None for containers and foreign values."""
    match value:
        case None:
            return Scalar.NULL
        case bool():
            return Scalar.BOOLEAN
        case int():
            return Scalar.INTEGER
        case float():
            return Scalar.INTEGER if value.is_integer() else Scalar.NUMBER
        case str():
            return Scalar.STRING
    return None


def refusal(value: JsonScalar, type_: ScalarType) -> Refusal | None:
    """Why `value` is no `type_`; None when it is one."""
    kind = scalar_of(value)
    if kind is not type_.scalar and not (kind is Scalar.INTEGER and type_.scalar is Scalar.NUMBER):
        return Refusal("type", f"expected {type_.scalar}")
    if isinstance(value, str):
        return _text_refusal(value, type_.limits)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number_refusal(value, type_.limits)
    return None


def _number_refusal(value: float, limits: Limits) -> Refusal | None:
    if limits.minimum is not None and value < limits.minimum:
        return Refusal("minimum", f"must be at least {limits.minimum}")
    if limits.maximum is not None and value > limits.maximum:
        return Refusal("maximum", f"must be at most {limits.maximum}")
    if limits.exclusive_minimum is not None and value <= limits.exclusive_minimum:
        return Refusal("exclusiveMinimum", f"must be more than {limits.exclusive_minimum}")
    if limits.exclusive_maximum is not None and value >= limits.exclusive_maximum:
        return Refusal("exclusiveMaximum", f"must be less than {limits.exclusive_maximum}")
    if _is_no_multiple(value, limits.multiple_of):
        return Refusal("multipleOf", f"must be a multiple of {limits.multiple_of}")
    return None


def _is_no_multiple(value: float, step: float | None) -> bool:
    # Only whole numbers: 0.3 is a multiple of 0.1 for people and not for binary fractions.
    if not step or not (float(step).is_integer() and value == value // 1):
        return False
    return value % int(step) != 0


def _text_refusal(value: str, limits: Limits) -> Refusal | None:
    if limits.min_length is not None and len(value) < limits.min_length:
        return Refusal("minLength", f"must have at least {counted(limits.min_length, 'character')}")
    if limits.max_length is not None and len(value) > limits.max_length:
        return Refusal("maxLength", f"must have at most {counted(limits.max_length, 'character')}")
    if limits.pattern is not None and matches(limits.pattern, value) is False:
        return Refusal("pattern", f"must match {text.one_line(limits.pattern)}")
    return None


def counted(number: int, noun: str) -> str:
    """`1 item`, `2 items`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def matches(pattern: str, value: str) -> bool | None:
    """Whether the ECMAScript `pattern` is found in `value`; None where that cannot be told.

    Python's `re` agrees with ECMAScript on printable ASCII, for what both of them read alike.
    """
    if len(value) > _MAX_MATCHED or not (value.isascii() and value.isprintable()):
        return None
    compiled = _compile(pattern)
    return None if compiled is None else compiled.search(value) is not None


@lru_cache(maxsize=1_000)
def _compile(pattern: str) -> re.Pattern[str] | None:
    if len(pattern) > _MAX_PATTERN or _REPEATED_GROUP.search(pattern) or _OTHER.search(pattern):
        return None
    if len(_OPEN_REPEAT.findall(_LITERAL.sub("x", pattern))) > _MAX_REPEATS:
        return None
    try:
        return re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None


def number(value: Json) -> int | float | None:
    """A bound that a float can hold, or None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if abs(value) <= _LARGEST else None


def count(value: Json) -> int | None:
    """A length or number of items, or None for anything else."""
    found = number(value)
    return int(found) if found is not None and found >= 0 and found == int(found) else None


def canonical(value: Json) -> str:
    """Equal for values that JSON Schema calls equal (2020-12 Core §4.2.2): 1 is 1.0, not true."""
    return json.dumps(_plain(value), sort_keys=True)


def _plain(value: Json) -> Json:
    match value:
        case float() if value.is_integer():
            return int(value)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {key: _plain(item) for key, item in value.items()}
    return value
