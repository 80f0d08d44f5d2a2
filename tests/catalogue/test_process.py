"""The real catalogue process, as an editor starts it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from codeact_lsp.catalogue.messages import (
    Configure,
    FromChild,
    Hello,
    Log,
    Refresh,
    encode,
)
from codeact_lsp.catalogue.model import Catalogue, ServerState
from codeact_lsp.catalogue.process import CatalogueProcess, gather

from .conftest import PATIENCE, Workspace, is_alive

LISTED = {ServerState.READY, ServerState.ASLEEP}


class Editor:
    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.messages: list[FromChild] = []
        self.versions: list[int] = []
        self.process = CatalogueProcess(
            on_catalogue=lambda catalogue: self.versions.append(catalogue.version),
            on_message=self.messages.append,
            environment=workspace.environment,
        )

    @property
    def catalogue(self) -> Catalogue:
        return self.process.catalogue

    def child(self) -> int:
        return [m.pid for m in self.messages if isinstance(m, Hello)][-1]

    def state(self, raw: str = "s") -> ServerState | None:
        server = self.catalogue.servers.get(raw)
        return None if server is None else server.state


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110 - half of it is about other processes
            await asyncio.sleep(0.01)


@asynccontextmanager
async def editing(workspace: Workspace) -> AsyncIterator[Editor]:
    editor = Editor(workspace)
    await editor.process.start(Configure((str(workspace.folder),)))
    try:
        yield editor
    finally:
        await editor.process.stop()


def stubborn(workspace: Workspace) -> None:
    """Configure a server that no polite word ends."""
    workspace.configure(
        s=workspace.hostile(
            list_changed=True,
            ignore_eof=True,
            ignore_sigterm=True,
            grandchild=str(workspace.path("grandchild")),
            pid_file=str(workspace.path("pid")),
        )
    )
    workspace.approve()


def is_started(workspace: Workspace) -> bool:
    path = workspace.path("grandchild")
    return path.exists() and path.read_text() != ""


def pids(workspace: Workspace) -> list[int]:
    return [int(workspace.path(name).read_text()) for name in ("pid", "grandchild")]


async def test_real_servers_are_listed(workspace: Workspace) -> None:
    workspace.configure(
        time={"command": sys.executable, "args": ["-m", "mcp_server_time"]},
        git={"command": sys.executable, "args": ["-m", "mcp_server_git"]},
    )
    workspace.approve()
    found = await gather(Configure((str(workspace.folder),)), environment=workspace.environment)
    assert found.settled
    names = {raw: [t.raw for t in server.tools] for raw, server in found.catalogue.servers.items()}
    assert names["time"] == ["get_current_time", "convert_time"]
    assert "git_status" in names["git"]
    assert not found.catalogue.servers["git"].stale


async def test_one_look_at_what_is_not_approved_says_what_to_approve(workspace: Workspace) -> None:
    workspace.configure(s=workspace.hostile(pid_file=str(workspace.path("pid"))))
    found = await gather(Configure((str(workspace.folder),)), environment=workspace.environment)
    assert found.settled
    assert [request.server for request in found.approvals] == ["s"]
    assert not workspace.path("pid").exists()


async def test_one_look_does_not_wait_for_ever(workspace: Workspace) -> None:
    workspace.configure(s=workspace.hostile(hang=["initialize", "server/discover"]))
    workspace.approve()
    found = await gather(
        Configure((str(workspace.folder),)), seconds=0.5, environment=workspace.environment
    )
    assert not found.settled


async def test_stopping_ends_also_what_ignores_every_word(workspace: Workspace) -> None:
    stubborn(workspace)
    async with editing(workspace) as editor:
        await until(lambda: editor.state() is ServerState.READY)
        started = [editor.child(), *pids(workspace)]
        assert all(map(is_alive, started))
        began = time.monotonic()
    assert not any(map(is_alive, started))
    # The promise is three seconds, and the machine may be slow; ten would mean that none is kept.
    assert time.monotonic() - began < 10


async def test_the_death_of_the_child_costs_only_freshness(workspace: Workspace) -> None:
    stubborn(workspace)
    async with editing(workspace) as editor:
        await until(lambda: editor.state() is ServerState.READY)
        first, left = editor.child(), pids(workspace)
        workspace.path("pid").unlink()
        os.kill(first, signal.SIGKILL)
        await until(lambda: editor.catalogue.servers["s"].stale)
        assert [tool.raw for tool in editor.catalogue.servers["s"].tools] == ["a"]
        await until(lambda: not any(map(is_alive, left)))
        await until(lambda: editor.state() is ServerState.READY)
        assert editor.child() != first
        assert not editor.catalogue.servers["s"].stale
        assert editor.versions == sorted(set(editor.versions))


async def test_a_file_that_changes_is_noticed(workspace: Workspace) -> None:
    workspace.configure(s=workspace.hostile(), t=workspace.hostile(tools=[{"name": "b"}]))
    workspace.approve()
    workspace.configure(s=workspace.hostile())
    async with editing(workspace) as editor:
        await until(lambda: editor.state() in LISTED)
        workspace.configure(s=workspace.hostile(), t=workspace.hostile(tools=[{"name": "b"}]))
        await until(lambda: editor.state("t") in LISTED)


Start = Callable[[Workspace], subprocess.Popen[bytes]]


@pytest.fixture
def start_child() -> Iterator[Start]:
    """Starts a bare catalogue process; it does not outlive the test."""
    started: list[subprocess.Popen[bytes]] = []

    def start(workspace: Workspace) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(
            [sys.executable, "-m", "codeact_lsp.catalogue"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=workspace.environment,
        )
        started.append(child)
        assert child.stdin is not None
        child.stdin.write(encode(Configure((str(workspace.folder),))))
        child.stdin.flush()
        return child

    yield start
    for child in started:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            stream.close()


async def test_sigterm_leaves_nothing_behind(workspace: Workspace, start_child: Start) -> None:
    stubborn(workspace)
    child = start_child(workspace)
    await until(lambda: is_started(workspace))
    child.terminate()
    await until(lambda: child.poll() is not None)
    assert not any(map(is_alive, pids(workspace)))


async def test_the_end_of_stdin_leaves_nothing_behind(
    workspace: Workspace, start_child: Start
) -> None:
    stubborn(workspace)
    child = start_child(workspace)
    await until(lambda: is_started(workspace))
    assert child.stdin is not None
    child.stdin.close()
    await until(lambda: child.poll() is not None)
    assert child.returncode == 0
    assert not any(map(is_alive, pids(workspace)))


async def test_a_reader_that_goes_away_is_a_clean_end(
    workspace: Workspace, start_child: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    workspace.configure(s=workspace.hostile(huge={"count": 5_000, "size": 1_000}))
    workspace.approve()
    child = start_child(workspace)
    assert child.stdout is not None
    child.stdout.close()
    await until(lambda: child.poll() is not None)
    assert child.returncode == 0
    assert capfd.readouterr().err == ""


async def test_a_killed_editor_leaves_nothing_behind(workspace: Workspace) -> None:
    stubborn(workspace)
    code = (
        "import asyncio, sys\n"
        "from codeact_lsp.catalogue.messages import Configure\n"
        "from codeact_lsp.catalogue.process import CatalogueProcess\n"
        "async def main():\n"
        "    p = CatalogueProcess(on_catalogue=lambda c: None)\n"
        "    await p.start(Configure((sys.argv[1],)))\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    editor = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(workspace.folder), env=workspace.environment
    )
    try:
        await until(lambda: is_started(workspace))
    finally:
        editor.kill()
        await editor.wait()
    await until(lambda: not any(map(is_alive, pids(workspace))))


async def test_a_line_that_is_no_message_is_skipped(
    workspace: Workspace, start_child: Start
) -> None:
    workspace.configure(s=workspace.hostile())
    workspace.approve()
    child = start_child(workspace)
    assert child.stdin is not None
    child.stdin.write(b'{"type": "nonsense"}\nnot json\n\xff\n' + encode(Refresh()))
    child.stdin.close()
    assert child.stdout is not None
    await asyncio.to_thread(child.stdout.read)
    await until(lambda: child.poll() is not None)
    assert child.returncode == 0


async def test_a_stray_print_cannot_reach_the_stream(workspace: Workspace, tmp_path: Path) -> None:
    # Something that prints before the child is ready, and again from inside.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, threading, time\n"
        "def later():\n"
        "    while 'codeact_lsp.catalogue.entries' not in sys.modules: time.sleep(0.001)\n"
        "    print('stray', flush=True)\n"
        "if 'codeact_lsp.catalogue' in sys.orig_argv:\n"
        "    print('stray', flush=True)\n"
        "    threading.Thread(target=later).start()\n"
    )
    workspace.environment["PYTHONPATH"] = str(tmp_path)
    workspace.configure(s={"command": "x", "disabled": True})
    async with editing(workspace) as editor:
        await until(lambda: editor.state() is ServerState.DISABLED)
        await until(
            lambda: [m.text for m in editor.messages if isinstance(m, Log)] == ["stray"] * 2
        )
        assert len([m for m in editor.messages if isinstance(m, Hello)]) == 1


def test_the_editors_side_never_imports_the_sdk() -> None:
    code = (
        "import sys, json\n"
        "import codeact_lsp.catalogue.process, codeact_lsp.catalogue.config\n"
        "import codeact_lsp.catalogue.snapshot, codeact_lsp.catalogue.approval\n"
        "print(json.dumps([m for m in sys.modules if m.partition('.')[0] in "
        "('mcp', 'mcp_types', 'pydantic', 'anyio', 'httpx2')]))\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(out.stdout) == []
