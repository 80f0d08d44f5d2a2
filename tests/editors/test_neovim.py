"""A real Neovim with our runtime folder, a real server process, a real MCP server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]  # it ships no types
import pytest

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests" / "hostile" / "server.py"
LIMIT_SECONDS = 60.0
STRICT = False
"""Whether an index out of bounds is an error of Neovim's."""

pytestmark = [
    pytest.mark.editor,
    pytest.mark.skipif(
        shutil.which("nvim", path=str(Path(sys.executable).parent)) is None, reason="no nvim"
    ),
]

SEARCH = {
    "name": "search",
    "description": "Finds pages.",
    "inputSchema": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "max-results": {"type": "integer"}},
        "required": ["query"],
    },
}
FETCH = {"name": "fetch-page", "inputSchema": {"type": "object", "properties": {}}}


def wait(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


class Neovim:
    """Neovim over its own RPC; every wait is for a condition."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.unpacker = msgpack.Unpacker()
        self.sent = 0

    def call(self, method: str, *arguments: Any) -> Any:
        """Call a function of Neovim's API."""
        self.sent += 1
        self.connection.sendall(msgpack.packb([0, self.sent, method, arguments]))
        while True:
            for kind, number, error, result in self.unpacker:
                if (kind, number) == (1, self.sent):
                    assert error is None, error
                    return result
            received = self.connection.recv(65536)
            assert received, "Neovim ended"
            self.unpacker.feed(received)

    def lua(self, source: str, *arguments: Any) -> Any:
        return self.call("nvim_exec_lua", source, arguments)

    def command(self, command: str) -> None:
        self.call("nvim_command", command)

    def messages(self) -> str:
        return str(self.call("nvim_exec2", "messages", {"output": True})["output"])

    def lines(self) -> list[str]:
        return list(self.call("nvim_buf_get_lines", 0, 0, -1, STRICT))

    def set_line(self, line: int, text: str) -> None:
        self.call("nvim_buf_set_lines", 0, line, line + 1, STRICT, [text])

    def put_cursor(self, line: int, column: int) -> None:
        self.call("nvim_win_set_cursor", 0, [line + 1, column])

    def type(self, keys: str) -> None:
        self.call("nvim_input", keys)

    def until(self, condition: Callable[[], Any]) -> Any:
        deadline = time.monotonic() + LIMIT_SECONDS
        while not (value := condition()):
            if time.monotonic() > deadline:
                messages = self.messages()
                raise AssertionError(f"not in time; Neovim says: {messages}")
            # Neovim works only while it is not asked, so let it.
            self.lua("vim.wait(20)")
        return value

    def open(self, path: Path, text: str) -> None:
        path.write_text(text)
        self.command(f"edit {path}")

    def attached(self) -> bool:
        return bool(self.lua("return #vim.lsp.get_clients({name = 'codeact_lsp', bufnr = 0}) > 0"))

    def request(self, method: str, line: int, column: int) -> Any:
        """The result of a request about a place of the buffer, as Neovim's client gets it."""
        return self.lua(
            """
            local method, line, column = ...
            local client = vim.lsp.get_clients({name = 'codeact_lsp', bufnr = 0})[1]
            local params = {
              textDocument = { uri = vim.uri_from_bufnr(0) },
              position = { line = line, character = column },
            }
            local answer = client:request_sync(method, params, 20000, 0)
            return answer and answer.result ~= vim.NIL and answer.result or nil
            """,
            method,
            line,
            column,
        )

    def completions(self, line: int, column: int) -> list[str]:
        found = self.request("textDocument/completion", line, column)
        return [item["label"] for item in found["items"]] if found else []


@pytest.fixture
def tools_file(tmp_path: Path) -> Path:
    return write_tools(tmp_path / "tools.json", SEARCH, FETCH)


def write_tools(file: Path, *tools: Mapping[str, Any]) -> Path:
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps(tools))
    fresh.replace(file)
    return file


@pytest.fixture
def workspace(tmp_path: Path, tools_file: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    told = json.dumps({"tools_file": str(tools_file), "list_changed": True})
    server = {"command": sys.executable, "args": [str(HOSTILE), told]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"web": server}}))
    return folder


@pytest.fixture
def neovim(tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Neovim]:
    """Neovim with an `init.lua` as `docs/editors/neovim.md` says, started in the workspace."""
    for name in ("CACHE", "CONFIG", "STATE"):
        monkeypatch.setenv(f"CODEACT_LSP_{name}_DIR", str(tmp_path / "home" / name.lower()))
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "xdg" / name.lower()))
    scripts = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{scripts}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(workspace)
    init = tmp_path / "init.lua"
    init.write_text(
        f"vim.opt.runtimepath:append({json.dumps(str(ROOT / 'editors' / 'neovim'))})\n"
        "vim.o.swapfile = false\n"
        "answers = {}\n"
        # The question of approval, answered as the person at the keyboard would.
        "vim.ui.select = function(items, options, choose)\n"
        "  table.insert(answers, options.prompt)\n"
        "  choose(items[1])\n"
        "end\n"
        "vim.lsp.enable('codeact_lsp')\n"
    )
    address = tmp_path / "nvim.sock"
    argv = [
        str(scripts / "nvim"),
        "--headless",
        "--clean",
        "-u",
        str(init),
        "--listen",
        str(address),
    ]
    with (
        subprocess.Popen(argv, stdin=subprocess.DEVNULL) as process,
        socket.socket(socket.AF_UNIX) as connection,
    ):
        try:
            wait(address.exists)
            connection.settimeout(LIMIT_SECONDS)
            connection.connect(str(address))
            yield Neovim(connection)
            connection.sendall(msgpack.packb([2, "nvim_command", ["qall!"]]))
            process.wait(LIMIT_SECONDS)
        finally:
            process.kill()


CELL = """\
from codeact_lsp.tools import mcp

await mcp.web.
await mcp.web.search(query="x", max_results=1)
await mcp.web.search(query="x", max-results=1)
"""


def test_a_cell_is_completed_explained_diagnosed_and_fixed(
    neovim: Neovim, workspace: Path, tools_file: Path
) -> None:
    neovim.open(workspace / "cell.py", CELL)
    neovim.until(neovim.attached)
    neovim.until(lambda: neovim.completions(2, 14) == ["fetch_page", "search"])
    [question] = neovim.lua("return answers")
    assert str(HOSTILE) in question

    hover = neovim.request("textDocument/hover", 3, 34)["contents"]["value"]
    assert 'sent as "max-results"' in hover

    found = neovim.until(
        lambda: [
            d for d in neovim.lua("return vim.diagnostic.get(0)") if d["code"] == "raw-keyword"
        ]
    )
    assert (found[0]["lnum"], found[0]["col"], found[0]["end_col"]) == (4, 32, 43)
    neovim.put_cursor(4, 34)
    neovim.lua(
        """
        vim.lsp.buf.code_action({
          apply = true,
          context = { only = { 'source.fixAll.codeact-lsp' }, diagnostics = {} },
        })
        """
    )
    fixed = 'await mcp.web.search(query="x", max_results=1)'
    neovim.until(lambda: neovim.lines()[4] == fixed)

    write_tools(tools_file, SEARCH, FETCH, {**FETCH, "name": "new-tool"})
    neovim.until(lambda: neovim.completions(2, 14) == ["fetch_page", "new_tool", "search"])


def test_omnifunc_inserts_what_is_chosen(neovim: Neovim, workspace: Path) -> None:
    neovim.open(workspace / "cell.py", "from codeact_lsp.tools import mcp\n\n")
    neovim.until(neovim.attached)
    neovim.set_line(1, "await mcp.web.fetch-p")
    neovim.until(lambda: neovim.completions(1, 21) == ["fetch_page"])
    neovim.put_cursor(1, 20)
    neovim.type("A<C-x><C-o>")
    # The only match is taken without a menu.
    neovim.until(lambda: neovim.lines()[1] == "await mcp.web.fetch_page")


def test_the_command_shows_the_catalogue_and_why_nothing_is_here(
    neovim: Neovim, workspace: Path
) -> None:
    neovim.open(workspace / "cell.py", CELL)
    neovim.until(neovim.attached)
    neovim.until(lambda: neovim.completions(2, 14))
    said = "return require('codeact_lsp').statusline()"
    neovim.until(lambda: neovim.lua(said) == "mcp: 1 server, 2 tools")
    neovim.command("CodeactLsp explain")
    neovim.until(lambda: "Completion: " in neovim.messages())
    neovim.command("CodeactLsp catalogue")
    neovim.until(lambda: "  mcp.web.fetch_page" in neovim.lines())


def test_a_file_alone_has_a_server_without_a_folder(neovim: Neovim, tmp_path: Path) -> None:
    alone = tmp_path / "elsewhere"
    alone.mkdir()
    neovim.open(alone / "alone.py", "from codeact_lsp.tools import mcp\nmcp.\n")
    neovim.until(neovim.attached)
    assert neovim.completions(1, 4) == []
    assert neovim.lua("return answers") == []
    errors = neovim.lua("return vim.lsp.log and vim.v.errmsg or ''")
    assert errors == ""
