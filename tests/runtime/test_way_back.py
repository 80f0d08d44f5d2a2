"""The way back, end to end: through a binding, to a server's process, and read back there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from codeact_lsp import names
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.snapshot import parse_snapshot
from codeact_lsp.runtime.background import Background
from codeact_lsp.runtime.callables import make_function
from codeact_lsp.runtime.guard import Guard
from codeact_lsp.runtime.opening import connect
from codeact_lsp.runtime.values import arguments_to_json
from tests.support.desk import ECHO, tool

Received = Callable[[ToolBinding, dict[str, object]], Any]


@pytest.fixture(scope="module")
def received(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Received]:
    """What a real server receives when a tool's binding is called with keywords."""
    tools = tmp_path_factory.mktemp("echo") / "tools.json"
    tools.write_text(json.dumps({"tools": [tool("echo")]}))
    config = ServerConfig(
        name="s",
        path="config.toml",
        transport="stdio",
        command=sys.executable,
        args=(str(ECHO), str(tools)),
        cwd=str(Path.cwd()),
    )
    background, guard = Background("test"), Guard()
    connection = connect(config, os.environ, guard).connection

    async def call(binding: ToolBinding, arguments: dict[str, object]) -> Any:
        result = await connection.call(binding.raw, arguments_to_json(arguments))
        return result["structuredContent"]["received"]

    def receive(binding: ToolBinding, keywords: dict[str, object]) -> Any:
        function = make_function(binding, names.DEFAULT_FOLD, call)
        return background.submit(function(**keywords)).result()

    yield receive
    background.submit(connection.close()).result()
    background.stop()
    guard.close()


def bound(raws: list[str]) -> ToolBinding:
    listing = {"tools": [tool("echo", {raw: {} for raw in raws})]}
    [server] = bind(parse_snapshot(json.dumps(listing), name="s")).servers
    return server.by_raw["echo"]


ODD = st.sampled_from(
    """file-path file_path from from_ class class_ a-b_c a_b-c a_b_c kwargs _kwargs self binding
    arguments type _ 1st $x ﬁle 𝓲𝓷 __debug__ None""".split()
) | st.sampled_from(["a b", "", "x" * 1_000])
RAWS = st.lists(ODD | st.text(st.characters(codec="utf-8"), max_size=20), unique=True, max_size=12)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(raws=RAWS)
@example(raws=["kwargs", "_kwargs", "a b", "self", "arguments"])
@example(raws=["file-path", "file_path", "class", "class_"])
def test_what_is_sent_for_a_name_is_exactly_its_raw_name(
    received: Received, raws: list[str]
) -> None:
    binding = bound(raws)
    parameters = details(binding).parameters
    keywords: dict[str, object] = {
        parameter.raw if parameter.name is None else parameter.name: number
        for number, parameter in enumerate(parameters)
    }
    sent = {parameter.raw: number for number, parameter in enumerate(parameters)}
    assert sent.keys() == set(raws)
    assert received(binding, keywords) == sent
