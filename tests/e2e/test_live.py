"""Live servers: asked about, followed, lost and found again while the editor is answered."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import WEB, Start, has_tools, says, shown, snapshot, tool
from tests.support.lsp_client import (
    CAPABILITIES,
    NO_ANSWER,
    Json,
    LspClient,
    eventually,
)
from tests.support.processes import children, command_line, needs_proc

HOSTILE = Path(__file__).parents[1] / "hostile" / "server.py"
URI = "file:///w/cell.py"
TEXT = "from codeact_lsp.tools import mcp\nmcp.web."


def write_tools(file: Path, *tools: Json) -> Path:
    """Replaced whole, as the server may read it at any moment."""
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(tools), encoding="utf-8")
    fresh.replace(file)
    return file


def entry(tools_file: Path, **script: Any) -> Json:
    """A server that announces every change of the tools file."""
    told = {"tools_file": str(tools_file), "list_changed": True, **script}
    return {"command": sys.executable, "args": [str(HOSTILE), json.dumps(told)]}


@pytest.fixture
def tools_file(tmp_path: Path) -> Path:
    return write_tools(tmp_path / "tools.json", *WEB)


@pytest.fixture
def user_config(home: Mapping[str, str], tools_file: Path) -> Path:
    """The server `web`, in the user's own config: approved by being there."""
    server = entry(tools_file)
    path = Path(home["CODEACT_LSP_CONFIG_DIR"]) / "config.toml"
    arguments = ", ".join(map(json.dumps, server["args"]))
    path.write_text(
        f"[servers.web]\ncommand = {json.dumps(server['command'])}\nargs = [{arguments}]\n"
    )
    return path


def workspace_config(root: Path, tools_file: Path) -> Path:
    path = root / ".mcp.json"
    path.write_text(json.dumps({"mcpServers": {"web": entry(tools_file)}}, indent=1))
    return path


async def labels(client: LspClient) -> list[str]:
    found = await client.at("textDocument/completion", URI, 1, 8)
    return [item["label"] for item in found["items"]] if found else []


async def test_a_tool_added_on_a_live_server_is_offered(
    start: Start, root: Path, user_config: Path, tools_file: Path
) -> None:
    client = await start()
    await client.initialize(root=root)
    await client.open(URI, TEXT)
    await has_tools(client)
    assert await labels(client) == ["fetch_page", "search"]
    write_tools(tools_file, *WEB, tool("new-tool"))
    await has_tools(client, "new_tool")
    assert await labels(client) == ["fetch_page", "new_tool", "search"]
    write_tools(tools_file, tool("search"))
    await says(client, "1 server, 1 tool\n")
    assert await labels(client) == ["search"]


async def test_a_schema_that_is_not_understood_is_told_at_the_servers_entry_until_it_is_mended(
    start: Start, root: Path, user_config: Path, tools_file: Path
) -> None:
    write_tools(tools_file, tool("search"), tool("odd-one", q={"$ref": "#/nowhere"}))
    client = await start()
    await client.initialize(root=root)
    uri = user_config.as_uri()

    def told() -> list[Json]:
        published = client.published(uri)
        return published[-1]["diagnostics"] if published else []

    (problem,) = await client.until(told)
    assert problem["code"] == "catalogue-problem"
    assert problem["range"]["start"]["line"] == 0
    assert problem["message"] == (
        'odd-one: "#/nowhere" leads nowhere in this schema: it is Any'
        " (at /inputSchema/properties/q/$ref of web)"
    )
    write_tools(tools_file, tool("search"))
    await client.until(lambda: not told())


async def test_nothing_runs_before_it_is_approved(
    start: Start, root: Path, tools_file: Path, tmp_path: Path
) -> None:
    path = workspace_config(root, tools_file)
    client = await start()
    client.answers["window/showMessageRequest"] = lambda _: NO_ANSWER
    await client.initialize(root=root)
    await client.open(URI, TEXT)
    [question] = await client.until(
        lambda: [r for r in client.requests if r["method"] == "window/showMessageRequest"]
    )
    message = question["params"]["message"]
    assert str(path) in message
    assert str(HOSTILE) in message
    assert str(tools_file) in message
    assert await labels(client) == []
    [problem] = await client.until(lambda: client.published(path.as_uri())[-1:])
    [diagnostic] = problem["diagnostics"]
    assert diagnostic["code"] == "catalogue-problem"
    actions = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": path.as_uri()},
            "range": diagnostic["range"],
            "context": {"diagnostics": [diagnostic]},
        },
    )
    assert [action["command"]["command"] for action in actions] == ["codeact-lsp.approve"]
    await client.send({"jsonrpc": "2.0", "id": question["id"], "result": {"title": "Allow once"}})
    await has_tools(client)
    assert await labels(client) == ["fetch_page", "search"]
    await client.until(lambda: client.published(path.as_uri())[-1]["diagnostics"] == [])


async def test_a_question_holds_no_links_and_says_where_and_with_what_it_would_run(
    start: Start, root: Path
) -> None:
    entry = {"command": "run", "args": ["[ok](command:x)"], "cwd": "sub", "env": {"[a](b)": "1"}}
    (root / ".mcp.json").write_text(json.dumps({"mcpServers": {"[s](command:y)": entry}}))
    client = await start()
    await client.initialize(root=root)
    [question] = await client.until(lambda: client.requests)
    assert question["params"]["message"] == (
        f"May the MCP server '[s] (command:y)' of {root / '.mcp.json'} run?\n"
        f"run '[ok] (command:x)'\nin {root / 'sub'}\nwith [a] (b)"
    )


async def test_a_dismissed_question_is_asked_again_on_demand(
    start: Start, root: Path, tools_file: Path
) -> None:
    workspace_config(root, tools_file)
    client = await start()

    def questions() -> list[Json]:
        return [r for r in client.requests if r["method"] == "window/showMessageRequest"]

    await client.initialize(root=root)
    await client.until(questions)
    client.answers["window/showMessageRequest"] = lambda _: {"title": "Always allow"}
    command = {"command": "codeact-lsp.approve", "arguments": [{"server": "web"}]}
    await client.request("workspace/executeCommand", command)
    await has_tools(client)
    assert len(questions()) == 2
    again = await start()
    await again.initialize(root=root)
    await has_tools(again)
    assert again.requests == []


async def test_a_client_of_ours_is_asked_in_our_own_words(
    start: Start, root: Path, tools_file: Path
) -> None:
    path = workspace_config(root, tools_file)
    client = await start()
    client.answers["codeact-lsp/approve"] = lambda _: "once"
    own = {"experimental": {"codeactLsp": {"approval": True, "status": True}}}
    await client.initialize(root=root, capabilities={**CAPABILITIES, **own})
    await has_tools(client)
    [question] = [r["params"] for r in client.requests]
    assert (question["server"], question["path"]) == ("web", str(path))
    assert str(HOSTILE) in question["shown"]
    assert (question["cwd"], question["sets"]) == (str(root), [])
    statuses = await client.until(
        lambda: [
            m["params"]
            for m in client.notifications
            if m["method"] == "codeact-lsp/status" and m["params"]["tools"] == 2
        ]
    )
    assert statuses[0]["servers"] == 1
    assert statuses[0]["renames"] == 1
    assert statuses[0]["message"].startswith("1 server, 2 tools")


async def test_a_folder_without_any_server_is_done_loading_too(start: Start, root: Path) -> None:
    client = await start()
    own = {"experimental": {"codeactLsp": {"status": True}}}
    await client.initialize(root=root, capabilities={**CAPABILITIES, **own})
    [status] = await client.until(
        lambda: [m["params"] for m in client.notifications if m["method"] == "codeact-lsp/status"]
    )
    assert (status["servers"], status["tools"], status["loading"]) == (0, 0, False)


async def test_a_folder_that_is_not_trusted_starts_nothing(
    start: Start, root: Path, tools_file: Path, tmp_path: Path
) -> None:
    workspace_config(root, tools_file)
    (root / "codeact-lsp.toml").write_text('snapshots = ["saved.json"]\n')
    snapshot(root / "saved.json", saved=[tool("kept-tool")])
    client = await start()
    await client.initialize(root=root, options={"trusted": False})
    await has_tools(client, "kept_tool")
    assert "web" not in await shown(client)
    assert client.requests == []


async def test_no_folder_means_no_project_config(
    start: Start, root: Path, tools_file: Path, user_config: Path
) -> None:
    # The server's working directory is a folder with config, which must not be read.
    workspace_config(root, write_tools(tools_file.with_name("other.json"), tool("wrong")))
    client = await start()
    await client.initialize(root=None)
    await has_tools(client)
    assert "wrong" not in await shown(client)
    assert client.requests == []


def catalogue_process(client: LspClient) -> int | None:
    """The process id of the catalogue process."""
    assert client.process is not None
    return next(
        (p for p in children(client.process.pid) if b"codeact_lsp.catalogue" in command_line(p)),
        None,
    )


@needs_proc
async def test_the_death_of_the_catalogue_process_costs_freshness_only(
    start: Start, root: Path, user_config: Path, tools_file: Path
) -> None:
    client = await start()
    await client.initialize(root=root)
    await client.open(URI, TEXT)
    await has_tools(client)
    pid = catalogue_process(client)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await says(client, "stale")
    assert await labels(client) == ["fetch_page", "search"]
    await eventually(lambda: catalogue_process(client) not in {None, pid})
    await says(client, "(ready)")
    write_tools(tools_file, *WEB, tool("after"))
    await has_tools(client, "after")


GARBAGE = """
import os, sys
import codeact_lsp.server.source as source
from codeact_lsp.cli import main
source.COMMAND = (sys.executable, "-c", os.environ["GARBAGE"])
sys.exit(main(["serve"]))
"""
GOOD = """
from codeact_lsp.catalogue.messages import *
from codeact_lsp.catalogue.model import Server, ServerState, Tool
import os, sys
out = sys.stdout.buffer
for message in (
    Hello(os.getpid()),
    Configured(servers=("web",)),
    Listing("web", (Tool("search", digest="1"), Tool("fetch-page", digest="2")), first=True),
    ServerUpdate(Server("web", state=ServerState.READY), tools=2),
):
    out.write(encode(message))
out.flush()
"""


AFTER = """
for message in (
    Listing("web", ("1", "2", Tool("after", digest="3")), first=True),
    ServerUpdate(Server("web", state=ServerState.READY), tools=3),
):
    out.write(encode(message))
"""


async def faked(start: Start, root: Path, said: str) -> LspClient:
    """A server whose catalogue process is a script that says something after a good listing."""
    script = f"{GOOD}\n{said}\nout.flush()\nsys.stdin.read()"
    client = await start(command=[sys.executable, "-c", GARBAGE], env={"GARBAGE": script})
    await client.initialize(root=root)
    await client.open(URI, TEXT)
    return client


@pytest.mark.parametrize(
    "noise",
    [
        'out.write(b"garbage\\n")',
        'out.write(b"\\xff\\x00" * 100_000 + b"\\n")',
        'out.write(b\'{"type":"server"}\\n\')',
        'out.write(b"[" * 100_000 + b"\\n")',
    ],
)
async def test_noise_of_the_catalogue_process_is_passed_over(
    start: Start, root: Path, noise: str
) -> None:
    client = await faked(start, root, noise + AFTER)
    await has_tools(client, "after")
    assert await labels(client) == ["after", "fetch_page", "search"]
    assert await client.stop() == 0


@pytest.mark.parametrize(
    "end",
    [
        'out.write(encode(Listing("web", ("unknown digest",))))',
        'out.write(encode(ServerUpdate(Server("web", state=ServerState.READY), tools=7)))',
        "out.flush(); sys.exit(3)",
    ],
)
async def test_a_catalogue_process_that_is_lost_leaves_the_last_good_names(
    start: Start, root: Path, end: str
) -> None:
    client = await faked(start, root, end)
    await says(client, "stale")
    assert await labels(client) == ["fetch_page", "search"]
    assert await client.stop() == 0


async def test_loading_shows_as_progress(start: Start, root: Path, user_config: Path) -> None:
    client = await start()
    capabilities = {**CAPABILITIES, "window": {"workDoneProgress": True}}
    await client.initialize(root=root, capabilities=capabilities)
    kinds = await client.until(
        lambda: [
            m["params"]["value"]["kind"]
            for m in client.notifications
            if m["method"] == "$/progress" and m["params"]["value"]["kind"] == "end"
        ]
    )
    assert kinds == ["end"]
    values = [m["params"]["value"] for m in client.notifications if m["method"] == "$/progress"]
    assert values[0]["kind"] == "begin"
    assert values[-1]["message"].startswith("1 server, 2 tools")


async def test_settings_of_the_editor_are_asked_for_and_followed(
    start: Start, root: Path, tmp_path: Path
) -> None:
    first = snapshot(tmp_path / "first.json", web=WEB)
    second = snapshot(tmp_path / "second.json", other=[tool("second-tool")])
    settings: Json = {"snapshots": [str(first)], "prelude": "from codeact_lsp.tools import mcp"}
    client = await start()
    client.answers["workspace/configuration"] = lambda _: [settings]
    workspace = {**CAPABILITIES["workspace"], "configuration": True}
    await client.initialize(root=root, capabilities={**CAPABILITIES, "workspace": workspace})
    await client.open(URI, "\nmcp.web.")
    await has_tools(client)
    assert await labels(client) == ["fetch_page", "search"]
    settings = {"snapshots": [str(second)]}
    await client.notify("workspace/didChangeConfiguration", {"settings": None})
    await has_tools(client, "second_tool")
    assert await labels(client) == []


async def test_pushed_settings_are_followed(start: Start, root: Path, tmp_path: Path) -> None:
    file = snapshot(tmp_path / "first.json", web=WEB)
    client = await start()
    await client.initialize(root=root)
    pushed = {"codeact-lsp": {"snapshots": [str(file)]}, "python": {"snapshots": 7}}
    await client.notify("workspace/didChangeConfiguration", {"settings": pushed})
    await has_tools(client)
    await client.notify("workspace/didChangeConfiguration", {"settings": {"python": {}}})
    await client.open(URI, TEXT)
    assert await labels(client) == ["fetch_page", "search"]


async def test_folders_come_and_go(start: Start, root: Path) -> None:
    (root / "codeact-lsp.toml").write_text('snapshots = ["saved.json"]\n')
    snapshot(root / "saved.json", web=WEB)
    client = await start()
    await client.initialize(root=None)
    folder = {"uri": root.as_uri(), "name": "root"}
    event = {"added": [folder], "removed": []}
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await has_tools(client)
    event = {"added": [], "removed": [folder]}
    await client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    await says(client, "0 tools")
