from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.catalogue import jsonstream, jsontext
from codeact_lsp.catalogue.jsonscan import Cut, Long
from codeact_lsp.catalogue.jsonstream import PIECE, JsonError, Lifter, Rules

TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(
    ['"', "\\", '\\"', "\\\\", "{[", '}]"', "\n", "\ud800", "é\u2028😀"]
)
KEYS = st.sampled_from(["name", "x", "tools", "result", "a b", '"', "\\"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@dataclass
class Taken:
    """The items of one array."""

    values: list[Any] = field(default_factory=list)
    full: bool = False
    most: int = 1_000_000

    def read(self, value: Any) -> None:
        self.values.append(value)
        self.full = len(self.values) >= self.most


@dataclass
class Read:
    """What came of a text."""

    rest: Any
    lists: list[list[Any]]
    too_large: bool


def read(
    parts: Iterable[str], *, value: int = 10**9, rest: int = 10**9, most: int = 1_000_000
) -> Read:
    taken: list[Taken] = []

    def opens(_path: tuple[str, ...]) -> tuple[str, Taken]:
        taken.append(Taken(most=most))
        return f"list {len(taken)}", taken[-1]

    keys = frozenset({"name", "x"})
    lifter = Lifter(Rules((("result", "tools"),), opens, keys, value, rest))
    for part in parts:
        lifter.feed(part)
    return Read(json.loads(lifter.finish()), [one.values for one in taken], lifter.too_large)


def by(size: int, text: str) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


def wanted(item: Any) -> Any:
    """An item as it may come: keys that nobody asked for may be there or not."""
    if isinstance(item, dict):
        return {key: value for key, value in item.items() if key in {"name", "x"}}
    return item


@settings(deadline=None, max_examples=200)
@given(
    st.lists(VALUES, max_size=4),
    VALUES,
    st.integers(1, 9),
    st.sampled_from([{}, {"ensure_ascii": False}, {"indent": 1}]),
)
def test_any_split_gives_the_same_items_and_the_same_rest(
    tools: list[Any], other: Any, size: int, layout: dict[str, Any]
) -> None:
    message = {"id": other, "result": {"tools": tools, "nextCursor": "x"}, "z": [other]}
    text = json.dumps(message, **layout)
    found = read(by(size, text))
    assert [wanted(item) for item in found.lists[0]] == [wanted(item) for item in tools]
    result = {"tools": ["list 1"], "nextCursor": "x"}
    assert found.rest == {**message, "result": result}


@settings(deadline=None, max_examples=200)
@given(st.text(st.sampled_from('{}[]",:\\ \n10ae'), max_size=30), st.integers(1, 5))
def test_a_text_is_refused_that_is_no_json(text: str, size: int) -> None:
    try:
        value = json.loads(text)
    except ValueError:
        with pytest.raises(JsonError):
            read(by(size, text))
    else:
        assert read(by(size, text)).rest == value


@pytest.mark.parametrize(
    ("text", "rest", "lists"),
    [
        # The order of keys is of no matter, and the last of two stands, as for any reader.
        ('{"result": {"tools": [1]}, "id": 7}', {"result": {"tools": ["list 1"]}, "id": 7}, [[1]]),
        (
            '{"result": {"tools": [1], "tools": [2, 3]}}',
            {"result": {"tools": ["list 2"]}},
            [[1], [2, 3]],
        ),
        (
            '{"result": {"tools": [1]}, "result": {"a": []}}',
            {"result": {"a": []}},
            [[1]],
        ),
        ('{"re\\u0073ult": {"t\\u006fols": [1]}}', {"result": {"tools": ["list 1"]}}, [[1]]),
        ('{"result": {"tools": []}}', {"result": {"tools": ["list 1"]}}, [[]]),
        # Only this place is meant.
        ('{"tools": [1]}', {"tools": [1]}, []),
        ('{"result": {"tools": {"tools": [1]}}}', {"result": {"tools": {"tools": [1]}}}, []),
        ('{"result": [{"tools": [1]}]}', {"result": [{"tools": [1]}]}, []),
        ('{"result": {"tools": 7}}', {"result": {"tools": 7}}, []),
        ("[]", [], []),
        ("7", 7, []),
        (' {"a": -0.5e+3} ', {"a": -500.0}, []),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 1_000])
def test_what_is_lifted(text: str, rest: Any, lists: list[Any], size: int) -> None:
    found = read(by(size, text))
    assert (found.rest, found.lists) == (rest, lists)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 0, 0),
        ("{", 0, 1),
        ('{"a" 1}', 0, 5),
        ('{"a": 1,}', 0, 8),
        ('{"a": 1 "b": 2}', 0, 8),
        ('{"a": 1}\n\n x', 2, 1),
        ('{"a":\n\n  {"b": x}}', 2, 8),
        ('{"result":\n {"tools": [1,\n x]}}', 2, 1),
        ('{"result":\n {"tools": [\n  {"name": 1, "x": y}]}}', 2, 19),
        ('{"result":\n {"tools": [1 2]}}', 1, 14),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_what_is_wrong_has_its_place(text: str, line: int, column: int, size: int) -> None:
    with pytest.raises(JsonError) as caught:
        read(by(size, text))
    assert (caught.value.line, caught.value.column) == (line, column)


def test_a_value_over_the_limit_is_cut_and_the_item_stays() -> None:
    long = json.dumps({"name": "n", "x": {"a": "b" * 200_000}, "y": "c" * 200_000})
    (found,) = read(by(5_000, f'{{"result": {{"tools": [{long}, 1]}}}}'), value=100_000).lists
    item, last = found
    assert last == 1
    assert item["name"] == "n"
    assert isinstance(item["x"], Cut)
    assert item["x"].size == len('{"a": "') + 200_000 + len('"}')
    assert item["x"].head.startswith('{"a": "bbb')


def test_a_cut_is_told_from_another_by_its_digest() -> None:
    def cut(value: str) -> Any:
        text = json.dumps({"result": {"tools": [{"x": value}]}})
        return read(by(7_000, text), value=70_000).lists[0][0]["x"]

    one, other = cut("a" * 200_000), cut("a" * 199_999 + "b")
    assert one.digest != other.digest
    assert one == cut("a" * 200_000)


@pytest.mark.parametrize("end", ["", "\\", '\\"', "\\\\", "\\u00e9", "\\ud83d\\ude00"])
def test_the_start_of_a_string_that_is_cut_is_text(end: str) -> None:
    # Whatever stands where it is cut.
    for size in range(14):
        head = '"' + "a" * (100 - size) + end * 30
        start = Cut(10**6, head[:100], "").text()
        assert start is not None
        assert start.startswith("a" * (98 - size))
    assert Cut(10**6, '{"a": ', "").text() is None


def test_indentation_does_not_count() -> None:
    schema = {"a": {f"k{number}": [number] for number in range(20_000)}}
    compact = len(json.dumps(schema))
    text = json.dumps({"result": {"tools": [{"x": schema}]}}, indent=8)
    assert len(text) > 4 * compact
    found = read(by(1_000, text), value=2 * compact).lists[0][0]["x"]
    assert isinstance(found, Long)
    assert found.value == schema
    assert len(found.text) < 2 * compact


def test_what_is_too_large_beside_the_items_is_said_to_be() -> None:
    text = json.dumps({"id": 1, "other": "a" * 2_000, "result": {"tools": [2]}})
    assert not read([text], rest=10_000).too_large
    found = read([text], rest=1_000)
    assert found.too_large
    assert found.rest["id"] == 1
    assert found.lists == [[2]]


def test_what_is_not_wanted_any_more_is_passed_over() -> None:
    text = json.dumps({"result": {"tools": [*range(3), ["]", '"'], {"a": []}], "z": 1}})
    found = read(by(2, text), most=3)
    assert found.lists == [[0, 1, 2]]
    assert found.rest == {"result": {"tools": ["list 1"], "z": 1}}


def test_what_python_cannot_nest_or_count_is_an_item_like_another() -> None:
    deep, digits = "[" * 100_000 + "]" * 100_000, "9" * 5_000
    text = f'{{"result": {{"tools": [{{"x": {deep}}}, {{"x": {digits}}}, {deep}, {digits}, 1]}}}}'
    (found,) = read(by(1_000, text)).lists
    assert len(found) == 5
    assert found[1] == {"x": float(digits)}
    assert found[4] == 1


def test_no_more_is_decoded_at_once_than_a_piece_or_one_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decoded: list[int] = []

    class Decoder(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            decoded.append(len(s) - idx)
            return super().raw_decode(s, idx)

    def loads(text: str) -> Any:
        decoded.append(len(text))
        return json.loads(text)

    monkeypatch.setattr(jsonstream, "_DECODER", Decoder())
    monkeypatch.setattr(jsontext, "loads", loads)
    schema = {f"p{number}": {"type": "string"} for number in range(10_000)}
    tools: list[Any] = [{"name": str(number), "x": schema} for number in range(10)]
    tools += [{"name": str(number), "x": {}} for number in range(5_000)]
    text = json.dumps({"result": {"tools": tools}})
    assert len(text) > 2_500_000
    assert len(read([text]).lists[0]) == 5_010
    assert max(decoded) <= max(2 * PIECE, len(json.dumps(schema)))
    # And nothing is decoded over and over again.
    assert sum(decoded) < 2 * len(text) + 5_010 * 2 * PIECE
    assert len(decoded) < 5_200


@settings(deadline=None, max_examples=200)
@given(VALUES)
def test_a_schema_written_in_steps_is_the_same_text(value: Any) -> None:
    assert jsontext.canonical_in_steps(value) == jsontext.canonical(value)
