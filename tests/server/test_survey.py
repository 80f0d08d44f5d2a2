"""Schemas are looked at while the client is quiet, each once, and never on the way to an answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.bindings import details as details_module
from codeact_lsp.schema import mapper
from codeact_lsp.server import survey as survey_module
from codeact_lsp.server.commands import show_catalogue
from codeact_lsp.server.endpoint import Endpoint, Handler
from codeact_lsp.server.handlers import METHODS
from codeact_lsp.server.session import Options, Session
from codeact_lsp.server.status import summarise
from codeact_lsp.server.threads import off_loop
from codeact_lsp.server.uris import from_path

Json = dict[str, Any]
ODD = {"type": "object", "properties": {"a/b": {"$ref": "#/nowhere"}}}
PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}}


def listed(name: str, schema: Json) -> Json:
    return {"name": name, "inputSchema": schema}


class Editor:
    """A session over snapshot files, as far as a client sees it."""

    def __init__(self, *files: Path) -> None:
        handlers: dict[str, Handler] = {}
        self.sent: list[Json] = []
        self.endpoint = Endpoint(self._take, handlers)
        self.session = Session(self.endpoint, Options(files))
        handlers.update((name, partial(handle, self.session)) for name, handle in METHODS.items())
        self._news = asyncio.Event()
        self._next = 0

    def _take(self, body: bytes) -> None:
        self.sent.append(json.loads(body))
        self._news.set()

    async def until(self, holds: Callable[[], Any]) -> Any:
        while not (found := holds()):
            self._news.clear()
            await self._news.wait()
        return found

    def notify(self, method: str, params: Json) -> None:
        self._receive({"method": method, "params": params})

    async def request(self, method: str, params: Json) -> Any:
        self._next += 1
        request_id = self._next
        self._receive({"id": request_id, "method": method, "params": params})
        answers = await self.until(lambda: [m for m in self.sent if m.get("id") == request_id])
        return answers[0]["result"]

    def _receive(self, message: Json) -> None:
        self.endpoint.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def start(self) -> None:
        ours = {"codeactLsp": {"status": True}}
        await self.request(
            "initialize", {"capabilities": {"experimental": ours}, "processId": None}
        )
        self.notify("initialized", {})

    def problems_of(self, path: Path) -> list[str]:
        """The messages that were published last for a file."""
        published = [
            message["params"]["diagnostics"]
            for message in self.sent
            if message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == from_path(str(path))
        ]
        return [one["message"] for one in published[-1]] if published else []


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tools whose schemas were parsed, in order."""
    real = mapper.schemas
    seen: list[str] = []

    def counted(*texts: Any, tool: str, server: str | None) -> Any:
        seen.append(tool)
        return real(*texts, tool=tool, server=server)

    monkeypatch.setattr(details_module, "schemas", counted)
    details_module._details.cache_clear()
    return seen


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for kind in ("config", "state", "cache"):
        monkeypatch.setenv(f"CODEACT_LSP_{kind.upper()}_DIR", str(tmp_path / kind))
    return tmp_path / "tools.json"


def write(file: Path, **servers: list[Json]) -> None:
    entries = {name: {"tools": tools} for name, tools in servers.items()}
    file.write_text(json.dumps({"version": 1, "servers": entries}), "utf-8")


def write_native(file: Path, *tools: Json) -> None:
    file.write_text(json.dumps({"version": 1, "native": {"tools": tools}}), "utf-8")


async def test_no_schema_is_parsed_before_the_first_completion_or_while_somebody_types(
    file: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module, "IDLE_SECONDS", 3600.0)
    write(file, web=[listed(f"tool-{number}", ODD) for number in range(200)])
    editor = Editor(file)
    await editor.start()
    await editor.until(lambda: editor.session.knowledge.bindings.servers)
    text = "from codeact_lsp.tools import mcp\nmcp.web."
    uri = "file:///w/cell.py"
    document = {"uri": uri, "version": 1, "languageId": "python", "text": text}
    editor.notify("textDocument/didOpen", {"textDocument": document})
    for character in range(8):
        place = {"position": {"line": 1, "character": character}, "textDocument": {"uri": uri}}
        await editor.request("textDocument/completion", place)
    assert parsed == []
    await editor.session.stop()


async def test_every_schema_is_looked_at_once_when_the_client_is_quiet(
    file: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module, "IDLE_SECONDS", 0.0)
    write(file, web=[listed("odd", ODD), listed("plain", PLAIN)], other=[listed("plain", PLAIN)])
    editor = Editor(file)
    await editor.start()
    (message,) = await editor.until(lambda: editor.problems_of(file))
    assert message == (
        'odd: "#/nowhere" leads nowhere in this schema: it is Any'
        " (at /inputSchema/properties/a~1b/$ref of web)"
    )
    assert sorted(parsed) == ["odd", "plain", "plain"]
    write(file, web=[listed("odd", PLAIN), listed("plain", PLAIN)], other=[listed("plain", PLAIN)])
    await editor.session.source.reconfigure()
    await editor.until(lambda: not editor.problems_of(file))
    assert parsed[3:] == ["odd"]
    assert editor.session.survey.looked_at == 4
    await editor.session.stop()


async def test_what_the_listing_said_is_not_said_again_and_a_flood_is_counted(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module, "IDLE_SECONDS", 0.0)
    write(file, web=[{"name": "none"}, *(listed(f"odd{n:02}", ODD) for n in range(50))])
    editor = Editor(file)
    await editor.start()
    messages = await editor.until(lambda: editor.problems_of(file)[1:])
    assert len(messages) == survey_module.MAX_SHOWN + 1
    assert messages[-1] == "30 more in its schemas: `codeact-lsp catalogue list`"
    assert not [message for message in messages if message.startswith("none")]
    problems = editor.session.survey.problems(editor.session.knowledge.bindings.servers[0].server)
    assert len(problems) == survey_module.MAX_SHOWN + 2
    await editor.session.stop()


class Gate:
    """A client that is idle when a test says so."""

    def __init__(self, editor: Editor, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = asyncio.Event()
        self.asked = asyncio.Event()
        monkeypatch.setattr(editor.endpoint, "idle", self._wait)

    async def _wait(self, _seconds: float) -> None:
        self.asked.set()
        await self.open.wait()


async def test_a_catalogue_that_was_replaced_meanwhile_is_not_looked_through(
    file: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(file, web=[listed("old", ODD)], other=[listed("gone", ODD)])
    editor = Editor(file)
    gate = Gate(editor, monkeypatch)
    await editor.start()
    await gate.asked.wait()
    write(file, web=[listed("new", ODD)])
    await editor.session.source.reconfigure()
    knowledge = editor.session.knowledge
    await editor.until(lambda: len(knowledge.bindings.servers) == 1)
    gate.open.set()
    (message,) = await editor.until(lambda: editor.problems_of(file))
    assert message.startswith("new: ")
    assert parsed == ["new"]
    await editor.session.stop()


async def test_a_server_that_changed_its_state_only_is_not_looked_through_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module, "IDLE_SECONDS", 0.0)
    write(file, web=[listed("odd", ODD)], other=[listed("odd", ODD)])
    editor = Editor(file)
    await editor.start()
    await editor.until(lambda: len(editor.problems_of(file)) == 2)
    slices: list[object] = []

    def counted(work: Callable[[], Any]) -> asyncio.Future[Any]:
        slices.append(work)
        return off_loop(work)

    monkeypatch.setattr(survey_module, "off_loop", counted)
    knowledge, survey = editor.session.knowledge, editor.session.survey
    now = knowledge.bindings.catalogue
    stale = replace(now.servers["web"], stale=True)
    knowledge.update(catalogue=replace(now, servers={"web": stale}, version=now.version + 1))
    await editor.until(lambda: len(editor.problems_of(file)) == 1)
    assert slices == []
    assert len(survey.problems(stale)) == 1
    back = replace(now, version=now.version + 2)
    knowledge.update(catalogue=back)
    await editor.until(lambda: len(editor.problems_of(file)) == 2)
    # The server that was gone is one that nothing is known of.
    assert len(slices) == 1
    await editor.session.stop()


async def test_only_what_is_found_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(file, a=[listed("plain", PLAIN)], b=[listed("odd", ODD)], c=[listed("plain", PLAIN)])
    editor = Editor(file)
    gate = Gate(editor, monkeypatch)
    await editor.start()
    await gate.asked.wait()
    told: list[int] = []
    tell, survey = editor.session.problems_changed, editor.session.survey

    def counted() -> None:
        told.append(survey.looked_at)
        tell()

    monkeypatch.setattr(editor.session, "problems_changed", counted)
    gate.open.set()
    await editor.until(lambda: editor.problems_of(file))
    while survey.looked_at < 3:  # noqa: ASYNC110 - nothing is sent of a server without problems
        await asyncio.sleep(0)
    assert told == [2]
    await editor.session.stop()


async def test_tools_without_a_server_are_looked_at_too(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module, "IDLE_SECONDS", 0.0)
    write_native(file, listed("plain", PLAIN), listed("odd", ODD))
    editor = Editor(file)
    await editor.start()
    session = editor.session
    (problem,) = await editor.until(
        lambda: session.survey.without_server(session.knowledge.bindings.catalogue)
    )
    assert (problem.tool, problem.pointer) == ("odd", "/inputSchema/properties/a~1b/$ref")
    assert summarise(session)["problems"] == 1
    shown = await show_catalogue(session, {})
    assert "without a server\n  problem: odd: " in shown
    await session.stop()
