"""Python values as JSON, for the arguments of a call."""

from __future__ import annotations

import dataclasses
import enum
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import PurePath
from typing import Any, Final

from codeact_lsp.text import json_key

MAX_DEPTH: Final = 200
"""How deep a value may nest; what is deeper refers to itself more often than not."""

_AS_STRING: Final[Mapping[type, Callable[[Any], str]]] = {
    PurePath: str,
    uuid.UUID: str,
    datetime: datetime.isoformat,
    date: date.isoformat,
    time: time.isoformat,
}


def arguments_to_json(arguments: Mapping[str, object]) -> dict[str, Any]:
    """The arguments of a call, by raw key, as JSON values.

    Raises:
        TypeError: for a value that JSON has no form for; the message says where it is.
        ValueError: for one that JSON cannot hold: NaN, a lone surrogate, a circle.

    """
    return {_text(key, json_key(key)): _value(v, json_key(key), 0) for key, v in arguments.items()}


def _value(value: object, where: str, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ValueError(
            f"{where[:200]}: nested deeper than {MAX_DEPTH} levels, or a value that holds itself"
        )
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, enum.Enum):
        return _value(value.value, where, depth + 1)
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return _number(float(value), where)
    if isinstance(value, Decimal):
        return _decimal(value, where)
    return _composite(value, where, depth)


def _composite(value: object, where: str, depth: int) -> Any:
    if isinstance(value, Mapping):
        return {
            _key(key, where): _value(member, f"{where}[{key!r}]", depth + 1)
            for key, member in value.items()
        }
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"{where}: bytes are not JSON; decode them, or send base64 text")
    if isinstance(value, (Sequence, AbstractSet)):
        return [_value(item, f"{where}[{i}]", depth + 1) for i, item in enumerate(value)]
    for cls, convert in _AS_STRING.items():
        if isinstance(value, cls):
            return _text(convert(value), where)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _value(getattr(value, field.name), f"{where}.{field.name}", depth + 1)
            for field in dataclasses.fields(value)
        }
    return _foreign(value, where, depth)


def _foreign(value: object, where: str, depth: int) -> Any:
    """Values of libraries that this project does not import: they say themselves what they are."""
    dump = getattr(value, "model_dump", None)  # pydantic
    if callable(dump) and not isinstance(value, type):
        return _value(dump(by_alias=True), where, depth + 1)
    if type(value).__module__.partition(".")[0] == "numpy":
        to_list = getattr(value, "tolist", None)  # scalars and arrays alike
        if callable(to_list):
            return _value(to_list(), where, depth + 1)
    raise TypeError(f"{where}: {type(value).__name__} cannot be sent as JSON")


def _key(key: object, where: str) -> str:
    if isinstance(key, enum.Enum):
        key = key.value
    if not isinstance(key, str):
        raise TypeError(f"{where}: the key {key!r} is not a string")
    return _text(key, where)


def _text(value: str, where: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{where}: a lone surrogate at {error.start} cannot be sent in UTF-8"
        ) from None
    return str(value)


def _number(value: float, where: str) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{where}: {value} is not a JSON number")
    return value


def _decimal(value: Decimal, where: str) -> int | float:
    if not value.is_finite():
        raise ValueError(f"{where}: {value} is not a JSON number")
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    # A receiver reads a JSON number as a double: digits that would be lost are not lost in silence.
    if Decimal(repr(number)) != value:
        raise ValueError(
            f"{where}: {value} has more digits than a JSON number keeps; send str(…) or float(…)"
        )
    return number
