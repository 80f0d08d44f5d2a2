from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.catalogue import jsontext
from codeact_lsp.catalogue.lines import Noise, Splitter, TooLong, read_line

MESSAGE = {"jsonrpc": "2.0", "id": 1, "result": {}}
TEXT = json.dumps(MESSAGE, separators=(",", ":")).encode()


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=5))
def test_lines_are_the_same_however_the_bytes_arrive(data: bytes, cuts: list[int]) -> None:
    splitter = Splitter(limit=1_000)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    found = [
        line for start, end in itertools.pairwise(edges) for line in splitter.feed(data[start:end])
    ]
    found += splitter.finish()
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert found == [line.removesuffix(b"\r") for line in expected]


def test_a_line_over_the_limit_is_thrown_away_and_the_next_one_is_read() -> None:
    splitter = Splitter(limit=100)
    long = b'{"jsonrpc":"2.0","id":7,"result":"' + b"x" * 10_000 + b'"}'
    out: list[bytes | TooLong] = []
    for start in range(0, len(long), 64):
        out += splitter.feed(long[start : start + 64])
        assert sum(map(len, splitter._parts)) <= 10_000
    out += splitter.feed(b"\nnext\n")
    assert out == [TooLong(len(long), 7, 100), b"next"]


def test_what_is_kept_of_a_line_that_is_too_long_does_not_grow() -> None:
    splitter = Splitter(limit=1_000_000)
    for _ in range(1_000):
        assert list(splitter.feed(b"x" * 10_000)) == []
    assert sum(map(len, splitter._parts)) <= 1_000_000


@pytest.mark.parametrize(
    ("line", "identifier"),
    [(b'{"id": "a-1", "x": 1', "a-1"), (b"x" * 200, None), (b'{"id": 1.5e', 1)],
)
def test_the_request_that_is_too_long_is_known_by_its_id(
    line: bytes, identifier: int | str | None
) -> None:
    splitter = Splitter(limit=10)
    (found,) = splitter.feed(line + b"\n")
    assert isinstance(found, TooLong)
    assert found.id == identifier


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"", []),
        (b"  \t", []),
        (TEXT, [MESSAGE]),
        (b" " + TEXT + b" ", [MESSAGE]),
        (b"[" + TEXT + b"," + TEXT + b"]", [MESSAGE, MESSAGE]),
        (b"Example Server 1.2.3", [Noise("Example Server 1.2.3")]),
        (b"[info] { not json", [Noise("[info] { not json")]),
        (b"123", [Noise("123")]),
        (b"[]", [Noise("[]")]),
        (b"{}", [Noise("{}")]),
        (b"null", [Noise("null")]),
        (b"loading ..." + TEXT, [Noise("loading ..."), MESSAGE]),
        (b"loading ..." + TEXT[:-1], [Noise("loading ..."), Noise(TEXT[:-1].decode())]),
        (b"\xff\xfe", [Noise("\ufffd\ufffd")]),
    ],
)
def test_a_line_is_messages_and_noise(line: bytes, expected: list[Any]) -> None:
    assert list(read_line(line)) == expected


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=60))
def test_any_bytes_are_messages_or_noise(data: bytes) -> None:
    for found in read_line(data):
        assert isinstance(found, Noise) or "jsonrpc" in found


def test_one_bad_byte_costs_only_itself() -> None:
    (found,) = read_line(b'{"jsonrpc":"2.0","method":"a\xffb"}')
    assert found == {"jsonrpc": "2.0", "method": "a\ufffdb"}


def test_json_deeper_and_longer_than_the_reader_takes_is_cut_there() -> None:
    text = (
        '{"deep":' + '[{"a":' * 5_000 + "1" + "}]" * 5_000 + ',"long":' + "9" * 5_000 + ',"b":"]}"}'
    )
    found = jsontext.loads(text)
    assert found["long"] == float("inf")
    assert found["b"] == "]}"
    depth = 0
    value = found["deep"]
    while value is not None:
        value = value[0]["a"] if isinstance(value, list) and value[0] is not None else None
        depth += 2
    assert 190 <= depth <= 210


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "[" * 100_000 + "]", '{"a":' * 5_000 + "}"]
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        jsontext.loads(text)


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=15,
)


@settings(deadline=None, max_examples=100)
@given(values)
def test_cutting_leaves_everything_else_as_it_was(value: Any) -> None:
    deep = "[" * 3_000 + "]" * 3_000
    found = jsontext.loads(f'{{"value": {json.dumps(value)}, "deep": {deep}}}')
    assert found["value"] == value
