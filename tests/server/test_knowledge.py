"""Catalogues become bindings off the loop; a burst of them costs the first and the last."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from codeact_lsp.bindings.index import bind
from codeact_lsp.catalogue.model import Catalogue, Server, Tool
from codeact_lsp.server.knowledge import Knowledge


def catalogue(*tools: str, version: int = 1) -> Catalogue:
    listed = tuple(Tool(name, digest=name) for name in tools)
    return Catalogue({"web": Server("web", listed)}, version=version)


class Watched:
    def __init__(self) -> None:
        self.news: asyncio.Queue[None] = asyncio.Queue()
        self.knowledge = Knowledge(lambda: self.news.put_nowait(None))

    def names(self) -> list[str | None]:
        return [tool.name for server in self.knowledge.bindings.servers for tool in server.tools]


async def test_a_burst_is_bound_twice() -> None:
    watched = Watched()
    for version in range(1, 201):
        watched.knowledge.update(catalogue=catalogue(f"t-{version}", version=version))
    await watched.news.get()
    assert watched.names() == ["t_1"]
    await watched.news.get()
    assert watched.names() == ["t_200"]
    assert watched.knowledge.builds == 2


async def test_the_characters_that_are_folded_may_change() -> None:
    watched = Watched()
    watched.knowledge.update(catalogue=catalogue("a-b.c"))
    await watched.news.get()
    assert watched.names() == [None]
    watched.knowledge.update(fold="-.")
    await watched.news.get()
    assert watched.names() == ["a_b_c"]


async def test_the_same_catalogue_is_not_bound_again() -> None:
    watched = Watched()
    known = catalogue("a")
    watched.knowledge.update(catalogue=known)
    await watched.news.get()
    watched.knowledge.update(catalogue=known)
    watched.knowledge.update(fold="-")
    assert watched.knowledge.builds == 1


async def test_a_catalogue_that_cannot_be_bound_leaves_the_names(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    watched = Watched()
    watched.knowledge.update(catalogue=catalogue("a"))
    await watched.news.get()

    def fail(*_args: object, **_options: object) -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr("codeact_lsp.server.knowledge.bind", fail)
    watched.knowledge.update(catalogue=catalogue("b", version=2))
    while "a fault of ours" not in caplog.text:  # noqa: ASYNC110 - a log has no event
        await asyncio.sleep(0)
    assert watched.names() == ["a"]
    monkeypatch.setattr("codeact_lsp.server.knowledge.bind", bind)
    watched.knowledge.update(catalogue=replace(catalogue("c"), version=3))
    await watched.news.get()
    assert watched.names() == ["c"]
