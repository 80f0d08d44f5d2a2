"""Framing: bodies come out whole, whatever pieces the stream arrives in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.server.wire import (
    MOST_BODY_BYTES,
    MOST_HEADER_BYTES,
    Framer,
    FramingError,
    dump,
    frame,
)


@settings(deadline=None, max_examples=200)
@given(bodies=st.lists(st.binary(max_size=40)), cuts=st.lists(st.integers(1, 30), max_size=40))
def test_bodies_survive_any_cuts(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(map(frame, bodies))
    framer, found = Framer(), []
    for size in cuts:
        found += framer.feed(stream[:size])
        stream = stream[size:]
    assert found + framer.feed(stream) == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length : 2 \r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\n\r\n",
        b"Content-Length: 2\n\n",
        b"\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_a_header_may_be_written_so(header: bytes) -> None:
    assert Framer().feed(header + b"{}") == [b"{}"]


def test_a_header_without_a_length_is_skipped() -> None:
    assert Framer().feed(b"Content-Type: x\r\n\r\n" + frame(b"{}")) == [b"{}"]


@pytest.mark.parametrize(
    "stream",
    [
        b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
        b"Origin: https://example.com\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\nHost: localhost\r\n\r\n{}",
    ],
)
def test_what_a_web_page_posts_is_refused(stream: bytes) -> None:
    with pytest.raises(FramingError, match="not LSP's"):
        Framer().feed(stream)


def test_a_header_must_end() -> None:
    with pytest.raises(FramingError, match="does not end"):
        Framer().feed(b"x" * MOST_HEADER_BYTES)


def test_a_body_has_a_limit() -> None:
    with pytest.raises(FramingError, match="bytes"):
        Framer().feed(b"Content-Length: %d\r\n\r\n" % (MOST_BODY_BYTES + 1))


def test_text_travels_as_ascii() -> None:
    assert dump({"a": "é😋\ud800"}) == b'{"a":"\\u00e9\\ud83d\\ude0b\\ud800"}'


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_not_json_is_not_sent(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        dump({"a": number})
