from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.catalogue.cache import Cache
from codeact_lsp.catalogue.model import Hints, Problem, Server, ServerState, Tool, pack

SERVER = Server(
    "s",
    (
        Tool(
            "a\ud800",
            "d",
            '{"x":1}',
            None,
            "t",
            Hints("h", destructive=True, idempotent=False),
            "digest",
        ),
        Tool("b"),
    ),
    ServerState.READY,
    title="T",
    version="1",
    protocol="2025-06-18",
    address="cmd --token ${TOK}",
    listed_at=12.5,
    problems=(Problem("limit", "x"),),
)


def cache(tmp_path: Path) -> Cache:
    return Cache({"CODEACT_LSP_CACHE_DIR": str(tmp_path / "cache")})


def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "catalogues" / "k.json"


def test_what_was_listed_is_there_again_and_stale(tmp_path: Path) -> None:
    assert cache(tmp_path).store(["k"], SERVER, {"b": "seen"})
    found = cache(tmp_path).load("k", "renamed")
    assert found is not None
    assert found.server.raw == "renamed"
    assert found.server.tools == SERVER.tools
    assert found.server.stale
    assert found.server.state is ServerState.STARTING
    assert (found.server.title, found.server.version) == ("T", "1")
    assert (found.server.protocol, found.server.listed_at) == ("2025-06-18", 12.5)
    assert dict(found.seen) == {"b": "seen"}


def test_nothing_is_kept_but_what_the_server_said(tmp_path: Path) -> None:
    cache(tmp_path).store(["k"], SERVER, {})
    assert "TOK" not in file(tmp_path).read_text()
    assert stat.S_IMODE(file(tmp_path).stat().st_mode) == 0o600


def test_a_file_like_the_broken_ones_is_read_when_it_is_whole(tmp_path: Path) -> None:
    path = file(tmp_path)
    path.parent.mkdir(parents=True)
    head: dict[str, Any] = {"version": 2, "title": None, "server-version": None, "protocol": None}
    head |= {"listed-at": 0.0, "seen": {}, "tools": 1}
    listing = {"type": "listing", "server": None, "items": [TOOL], "first": True}
    path.write_text(f"{json.dumps(head)}\n{json.dumps(listing)}\n")
    found = cache(tmp_path).load("k", "s")
    assert found is not None
    assert found.server.tools == (Tool("a", input_schema="{}", digest="d"),)


def test_a_long_schema_is_there_again(tmp_path: Path) -> None:
    schema = pack('{"description":"' + "long " * 10_000 + '"}')
    assert not isinstance(schema, str)
    cache(tmp_path).store(["k"], Server("s", (Tool("a", input_schema=schema),)), {})
    assert file(tmp_path).stat().st_size < 5_000
    found = cache(tmp_path).load("k", "s")
    assert found is not None
    assert found.server.tools[0].input_schema == schema


def test_a_key_without_a_file_is_nothing(tmp_path: Path) -> None:
    assert cache(tmp_path).load("k", "s") is None


TOOL: list[Any] = ["a", "", "{}", None, None, None, "d", False]


def broken() -> list[str]:
    def changed(*items: Any, **changes: Any) -> str:
        head: dict[str, Any] = {
            "version": 2,
            "title": None,
            "server-version": None,
            "protocol": None,
            "listed-at": 0.0,
            "seen": {},
            "tools": len(items),
            **changes,
        }
        listing = {"type": "listing", "server": None, "items": items, "first": True}
        return f"{json.dumps(head)}\n{json.dumps(listing)}\n"

    def odd(place: int, value: Any) -> str:
        return changed([*TOOL[:place], value, *TOOL[place + 1 :]])

    return [
        "",
        "{",
        "[]",
        "7",
        "\xff",
        "[" * 100_000,
        changed(version=1),
        changed(title=7),
        changed(7),
        changed("digest"),
        changed(tools=1),
        changed(TOOL, tools=2),
        changed(seen=7),
        changed(**{"listed-at": "x"}),
        changed().replace("listing", "hello"),
        *(odd(place, 7) for place in range(7)),
        odd(2, [3]),
        odd(2, [3, "no base64!"]),
        odd(5, [1] * 5),
        odd(5, [None, 1, None, None, None]),
    ]


@pytest.mark.parametrize("text", broken())
def test_a_corrupt_or_foreign_file_is_ignored_and_replaced(tmp_path: Path, text: str) -> None:
    path = file(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(text, "latin-1")
    assert cache(tmp_path).load("k", "s") is None
    cache(tmp_path).store(["k"], SERVER, {})
    assert cache(tmp_path).load("k", "s") is not None


def test_a_folder_that_cannot_be_written_costs_only_the_cache(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    assert not cache(tmp_path).store(["k"], SERVER, {})
    assert cache(tmp_path).load("k", "s") is None


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache(tmp_path).store(["k"], SERVER, {})
    before = file(tmp_path).read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert not cache(tmp_path).store(["k"], Server("s"), {})
    assert [path.name for path in file(tmp_path).parent.iterdir()] == ["k.json"]
    assert file(tmp_path).read_text() == before
