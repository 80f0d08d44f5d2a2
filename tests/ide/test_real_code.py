"""No false positive: valid calls of real tools, and ordinary Python, are left alone."""

from __future__ import annotations

import asyncio.tasks
import dataclasses
import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from codeact_lsp import text
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.index import bind
from codeact_lsp.bindings.model import Bindings, ToolBinding
from codeact_lsp.catalogue.model import unpack
from codeact_lsp.catalogue.snapshot import read_snapshot
from codeact_lsp.ide.diagnostics import diagnose
from tests.support import samples
from tests.support.cells import IMPORT, view

CATALOGUES = sorted((Path(__file__).parents[1] / "wild" / "catalogues").glob("*.json"))


def call(tool: ToolBinding, values: dict[str, Any], *, raw: bool = False) -> str:
    """A call as the signature says; with `raw`, every parameter by its raw key."""
    known = details(tool)
    named, keyed = [], []
    for key, value in values.items():
        parameter = known.by_raw.get(key)
        if raw or parameter is None or parameter.name is None:
            keyed.append(f"{text.literal(key)}: {value!r}")
        else:
            named.append(f"{parameter.name}={value!r}")
    if keyed:
        named.append(f"**{{{', '.join(keyed)}}}")
    return f"await {tool.path}({', '.join(named)})\n"


def valid_calls(made: Bindings, *, raw: bool = False) -> Iterator[str]:
    for server in made.servers:
        for tool in server.tools:
            for every in (False, True):
                values = samples.arguments(json.loads(unpack(tool.tool.input_schema)), every=every)
                if values is not None:
                    yield call(tool, values, raw=raw)


@pytest.mark.parametrize("path", CATALOGUES, ids=lambda path: path.stem)
def test_valid_calls_of_real_tools(path: Path) -> None:
    made = bind(read_snapshot(path))
    calls = list(valid_calls(made))
    tools = sum(len(server.tools) for server in made.servers)
    assert len(calls) > tools, "too few calls to say anything"
    found = diagnose(view(IMPORT + "".join(calls), made))
    assert [(one.code, one.message) for one in found] == []


@pytest.mark.parametrize(
    "path",
    [path for path in CATALOGUES if path.stem in {"brave-official", "firecrawl", "notion"}],
    ids=lambda path: path.stem,
)
def test_cells_written_before_the_rename_are_warned_of_and_no_more(path: Path) -> None:
    made = bind(read_snapshot(path))
    found = diagnose(view(IMPORT + "".join(valid_calls(made, raw=True)), made))
    assert {one.code for one in found} <= {"raw-key"}


def test_there_are_real_catalogues() -> None:
    assert len(CATALOGUES) >= 10


@pytest.mark.parametrize("module", [asyncio.tasks, dataclasses], ids=str)
def test_ordinary_python(module: ModuleType) -> None:
    body = inspect.getsource(module).replace("from __future__", "# from __future__")
    assert diagnose(view(f"{IMPORT}mcp.notion.ping\n{body}")) == ()
