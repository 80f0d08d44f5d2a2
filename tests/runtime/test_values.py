"""What Python people pass, as JSON."""

from __future__ import annotations

import enum
import uuid
from collections import OrderedDict, deque
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from codeact_lsp.runtime.values import arguments_to_json


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Word(enum.StrEnum):
    YES = "yes"


@dataclass
class Point:
    x: int
    where: Path


class Model(BaseModel):
    file_path: str = Field(alias="file-path")
    when: date


class int64:  # noqa: N801 - stands for a numpy scalar
    def tolist(self) -> int:
        return 7


int64.__module__ = "numpy"


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (None, None),
        (True, True),
        (0, 0),
        (10**30, 10**30),
        (1.5, 1.5),
        ("naïve \N{GRINNING FACE}", "naïve \N{GRINNING FACE}"),
        ([1, (2, 3)], [1, [2, 3]]),
        (deque([1]), [1]),
        (range(2), [0, 1]),
        ({4}, [4]),
        ({"a-b": {"c d": None}}, {"a-b": {"c d": None}}),
        (OrderedDict(z=1, a=2), {"z": 1, "a": 2}),
        ({Word.YES: 1}, {"yes": 1}),
        (PurePosixPath("/tmp/x"), "/tmp/x"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05+00:00"),
        (date(2026, 1, 2), "2026-01-02"),
        (time(3, 4), "03:04:00"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Decimal("0.1"), 0.1),
        (Decimal("1E+2"), 100),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Word.YES, "yes"),
        (Point(1, Path("a")), {"x": 1, "where": "a"}),
        (
            Model.model_validate({"file-path": "p", "when": date(2026, 1, 2)}),
            {"file-path": "p", "when": "2026-01-02"},
        ),
        (int64(), 7),
    ],
)
def test_a_value_is_sent_as(value: object, sent: object) -> None:
    found = arguments_to_json({"k": value})["k"]
    assert found == sent
    assert type(found) is type(sent)


@pytest.mark.parametrize(
    ("value", "error", "said"),
    [
        (object(), TypeError, '"a b": object cannot be sent as JSON'),
        (b"x", TypeError, '"a b": bytes are not JSON'),
        ({1: 2}, TypeError, '"a b": the key 1 is not a string'),
        (Point, TypeError, '"a b": type cannot be sent'),
        (float("nan"), ValueError, '"a b": nan is not a JSON number'),
        (Decimal("Infinity"), ValueError, '"a b": Infinity is not a JSON number'),
        (Decimal("0.12345678901234567890"), ValueError, "more digits than a JSON number keeps"),
        ({"c": [1, "\ud800"]}, ValueError, "\"a b\"['c'][1]: a lone surrogate at 0"),
        ({"\udfff": 1}, ValueError, "a lone surrogate at 0"),
    ],
)
def test_a_value_that_json_cannot_hold_is_refused_with_its_place(
    value: object, error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as raised:
        arguments_to_json({"a b": value})
    assert said in str(raised.value)


def test_a_value_that_holds_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="a value that holds itself"):
        arguments_to_json({"k": circle})


def test_a_key_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ValueError, match="lone surrogate"):
        arguments_to_json({"\ud800": 1})


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@settings(deadline=None, max_examples=100)
@given(JSON)
def test_json_is_sent_as_it_is(value: object) -> None:
    assert arguments_to_json({"k": value}) == {"k": value}
