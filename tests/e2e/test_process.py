"""The server as a process: what it starts, what it leaves, what it imports, what it reports."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import WEB, Start, has_tools, snapshot
from tests.support import lsp_client
from tests.support.lsp_client import LspClient, eventually
from tests.support.processes import children, is_running, needs_proc

URI = "file:///w/cell.py"


async def report(client: LspClient) -> str:
    command = {"command": "codeact-lsp.report"}
    said = await client.request("workspace/executeCommand", command)
    assert isinstance(said, str)
    return said


@needs_proc
async def test_a_clean_end_leaves_no_children(start: Start, root: Path) -> None:
    client = await start()
    await client.initialize(root=root)
    assert client.process is not None
    pid = client.process.pid
    await eventually(lambda: children(pid))
    descendants = children(pid)
    assert await client.stop() == 0
    await eventually(lambda: not any(map(is_running, descendants)))


@needs_proc
async def test_nothing_is_started_before_initialized(start: Start, root: Path) -> None:
    client = await start()
    await client.request("initialize", {"processId": None, "capabilities": {}})
    await report(client)
    assert client.process is not None
    assert children(client.process.pid) == set()


@pytest.mark.skipif(sys.platform == "win32", reason="asking for a process would end it there")
async def test_an_editor_that_is_gone_ends_the_server(
    start: Start, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = (
        "import sys, codeact_lsp.server.session as s; s.PARENT_SECONDS = 0.05\n"
        "from codeact_lsp.cli import main; sys.exit(main(['serve']))"
    )
    editor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    monkeypatch.setattr("os.getpid", lambda: editor.pid)
    client = await start(command=[sys.executable, "-c", watch])
    await client.initialize(root=root)
    await report(client)
    editor.kill()
    await editor.wait()
    assert await client.exit_code() == 1


async def test_modules_in_the_working_directory_are_not_run(start: Start, root: Path) -> None:
    for name in ("json", "asyncio", "sitecustomize", "mcp", "codeact_lsp"):
        (root / f"{name}.py").write_text(f"open({str(root / 'ran')!r}, 'w')")
    # A problem in it tells when the catalogue process has come so far.
    (root / ".mcp.json").write_text("{")
    # As the installed command does, which puts no working directory on the path.
    client = await start(
        command=[sys.executable, "-P", "-m", "codeact_lsp", "serve"], env={"PYTHONPATH": ""}
    )
    await client.initialize(root=root)
    path = (root / ".mcp.json").as_uri()
    await client.until(lambda: client.published(path))
    assert await client.stop() == 0
    assert not (root / "ran").exists()


IMPORTED = """
import sys
from codeact_lsp.cli import main
code = main(["serve"])
sys.stderr.write("modules: " + " ".join(sorted(sys.modules)) + ".\\n")
sys.exit(code)
"""


async def test_what_is_slow_to_import_is_not_imported(start: Start, root: Path) -> None:
    client = await start(command=[sys.executable, "-c", IMPORTED])
    await client.initialize(root=root)
    await client.open(URI, "from codeact_lsp.tools import mcp\nmcp.\n")
    await client.at("textDocument/completion", URI, 1, 4)
    await client.stop()
    found = await client.until(lambda: re.search(rb"modules: ([^\n]*)\.\n", client.stderr))
    modules = {name.partition(".")[0] for name in found[1].decode().split(" ")}
    slow = {"mcp", "mcp_types", "pydantic", "httpx2", "rich", "jsonschema", "lsprotocol", "pygls"}
    slow |= {"websockets", "platformdirs", "json5", "rapidfuzz"}
    # `http` comes with `urllib.request`.
    assert modules & {*slow, "http"} == set()


SLOW = """
import sys, time
import codeact_lsp.ide.hover as hover
from codeact_lsp.cli import main
def slow(view, offset):
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    raise RuntimeError("slow")
hover.hover = slow
sys.exit(main(sys.argv[1:]))
"""


async def test_a_debug_mode_reports_what_holds_the_loop(
    start: Start, root: Path, tmp_path: Path
) -> None:
    file = snapshot(tmp_path / "web.json", web=WEB)
    client = await start(
        command=[sys.executable, "-c", SLOW, "serve", "--catalogue", str(file)],
        env={"CODEACT_LSP_WATCH_LOOP": "1"},
    )
    await client.initialize(root=root)
    await has_tools(client)
    await client.open(URI, "mcp\n")
    with pytest.raises(lsp_client.LspError):
        await client.at("textDocument/hover", URI, 0, 1)
    await client.until(lambda: b"WARNING asyncio: Executing" in client.stderr)
    assert b" took " in client.stderr


async def test_a_report_holds_no_values_of_settings(start: Start, root: Path) -> None:
    client = await start()
    await client.initialize(root=root, options={"prelude": "secret = 'hunter2'"})
    said = await report(client)
    assert "prelude" in said
    assert "hunter2" not in said
