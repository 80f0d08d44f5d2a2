"""The tour: the real language server beside the real MCP server, and what they answer.

Nothing that is printed as an answer is written here. Each stop says what was promised and ends the
tour with a failure when the answer is something else.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from codeact_lsp import text
from codeact_lsp.demo.client import LIMIT_SECONDS, Client

_SERVER: Final = "my-desk"
_WIDTH: Final = 100
_FIXES: Final = 5
_RECEIVED: Final = (
    {"query": "list", "max-results": 5},
    {
        "page-id": "p-2",
        "from": "2026-01-01",
        "type": "page",
        "filter[status]": "draft",
    },
    {"file_path": "b.txt", "file-path": "a.txt"},
)


class BrokenPromiseError(Exception):
    """An answer is not what was promised."""


def take(picture: Path | None = None) -> int:
    """Take the tour and print it; the exit code.

    Args:
        picture: where to draw what was printed, as an SVG.

    """
    console = Console(
        record=picture is not None, width=_WIDTH if picture else None, highlight=False
    )
    with tempfile.TemporaryDirectory(prefix="codeact-lsp-demo-") as folder:
        try:
            asyncio.run(_Tour(Path(folder).resolve(), console).run())
        except (BrokenPromiseError, RuntimeError, TimeoutError, ConnectionError) as error:
            said = str(error) or "no answer in time"
            console.print(Text(f"not as promised: {text.one_line(said)}", style="bold red"))
            return 1
    if picture is not None:
        drawn = console.export_svg(title="make demo")
        # The viewer's own monospace font will do: a picture that is looked at fetches nothing.
        picture.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL), "utf-8")
    return 0


class _Tour:
    """One tour, in a folder of its own: neither config nor approvals of the user are touched."""

    def __init__(self, folder: Path, console: Console) -> None:
        self._folder = folder
        self._console = console
        self._cell = folder / "cell.py"
        self._text = resources.files("codeact_lsp.demo").joinpath("cell.txt").read_text("utf-8")
        self._version = 1
        self._grow = folder / "grow"
        self._asked: list[str] = []
        self._environment = {
            **os.environ,
            **{
                f"CODEACT_LSP_{kind}_DIR": str(folder / kind.lower())
                for kind in ("CONFIG", "STATE", "CACHE")
            },
        }

    async def run(self) -> None:
        """Every stop, in order.

        Raises:
            BrokenPromiseError: an answer is not what was promised.

        """
        self._cell.write_text(self._text, "utf-8")
        self._write_config()
        command = [sys.executable, "-m", "codeact_lsp", "serve", "--stdio"]
        async with Client(command, self._folder, self._environment, self._answer) as client:
            await self._open(client)
            await self._approval(client)
            await self._completion(client)
            await self._hover(client)
            await self._signature(client)
            await self._diagnostics(client)
            await self._fix(client)
            await self._live(client)
        self._run_cell()

    def _write_config(self) -> None:
        arguments = ["-m", "codeact_lsp.demo.server", "--grow-when", str(self._grow)]
        entry = {"command": sys.executable, "args": arguments}
        config = {"mcpServers": {_SERVER: entry}}
        (self._folder / ".mcp.json").write_text(json.dumps(config, indent=2), "utf-8")

    def _answer(self, method: str, params: Any) -> Any:
        """The user's part of the conversation."""
        if method == "window/showMessageRequest":
            self._asked.append(params["message"])
            return next(one for one in params["actions"] if one["title"] == "Always allow")
        if method == "workspace/configuration":
            return [None for _ in params["items"]]
        return None

    # Stops

    async def _open(self, client: Client) -> None:
        capabilities = {
            "textDocument": {
                "completion": {"completionItem": {"labelDetailsSupport": True}},
                "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
                "publishDiagnostics": {"versionSupport": True},
            },
            "general": {"positionEncodings": ["utf-32"]},
        }
        folder = {"uri": self._folder.as_uri(), "name": "demo"}
        await client.request(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": capabilities,
            },
        )
        await client.notify("initialized", {})
        document = {"languageId": "python", "version": 1, "text": self._text}
        await client.notify(
            "textDocument/didOpen", {"textDocument": {"uri": self._cell.as_uri(), **document}}
        )
        self._heading("A cell that somebody is writing")
        self._python(self._text)

    async def _approval(self, client: Client) -> None:
        self._heading("Its MCP server is in .mcp.json, so the editor asks before it runs")
        await client.until(lambda: self._found(client, "unknown-server") or self._asked)
        self._promise(bool(self._asked), "the editor asks before a workspace's server runs")
        for line in self._asked[0].splitlines():
            self._say(line)
        self._say("→ Always allow", "green")

    async def _completion(self, client: Client) -> None:
        self._heading("Completion after mcp.my_desk.")
        labels = await self._tools_offered(client, "API_patch_page")
        self._promise("type" in labels, "a tool called type is offered as an attribute")
        self._say("  ".join(labels))
        self._heading("The same, typing the raw name: mcp.my_desk.API-pa")
        typed = await self._complete(client, "mcp.my_desk.API-pa")
        self._promise(
            [item["label"] for item in typed["items"]] == ["API_patch_page"],
            "a raw name leads to its spelling",
        )
        self._say("  ".join(item["label"] for item in typed["items"]))

    async def _hover(self, client: Client) -> None:
        self._heading("Hover on from_, a parameter that could not keep its name")
        line = "await mcp.my_desk.API_patch_page(from_=)"
        async with _Draft(self, client, line):
            said = await client.request(
                "textDocument/hover", self._place(line, line.index("from_") + 1)
            )
        self._promise(said is not None, "hover says something")
        shown = said["contents"]["value"]
        self._promise("`from` is a Python keyword" in shown.replace("\\", ""), "why it was renamed")
        self._say(shown)

    async def _signature(self, client: Client) -> None:
        self._heading("Signature help in the middle of a call")
        line = 'await mcp.my_desk.API_patch_page(page_id="p-2",'
        async with _Draft(self, client, line):
            said = await client.request("textDocument/signatureHelp", self._place(line, len(line)))
        self._promise(bool(said and said["signatures"]), "signature help says something")
        label = said["signatures"][0]["label"]
        self._promise("from_: " in label, "the signature has the names that are typed")
        self._python(label)

    async def _diagnostics(self, client: Client) -> None:
        self._heading("What is wrong with the cell")
        await client.until(
            lambda: self._found(client, "raw-keyword") and self._found(client, "raw-tool-name")
        )
        for found in self._latest(client) or ():
            line = found["range"]["start"]["line"] + 1
            self._say(f"line {line}: {found['code']}: {found['message']}")

    async def _fix(self, client: Client) -> None:
        self._heading("Fix all")
        before = self._text.split("\n")
        for _ in range(_FIXES):
            await client.until(lambda: self._latest(client) is not None)
            if not self._latest(client):
                break
            # A call of a tool that has its right name now may have something else wrong with it.
            self._text = _apply(self._text, await self._fix_all(client))
            await self._change(client, self._text)
        for line in difflib.unified_diff(before, self._text.split("\n"), n=0, lineterm=""):
            if not line.startswith(("---", "+++", "@@")):
                self._say(line, "red" if line.startswith("-") else "green")
        self._promise(self._latest(client) == [], "nothing is wrong with the fixed cell")
        self._cell.write_text(self._text, "utf-8")

    async def _fix_all(self, client: Client) -> list[dict[str, Any]]:
        whole = {
            "start": {"line": 0, "character": 0},
            "end": {"line": self._text.count("\n"), "character": 0},
        }
        actions = await client.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": self._cell.as_uri()},
                "range": whole,
                "context": {"diagnostics": [], "only": ["source.fixAll.codeact-lsp"]},
            },
        )
        self._promise(actions, "what is wrong can be fixed")
        return _edits(actions[0]["edit"])

    async def _live(self, client: Client) -> None:
        self._heading("The server adds a tool while the editor is open")
        self._grow.touch()
        labels = await self._tools_offered(client, "undo_last")
        self._say("  ".join(labels))

    def _run_cell(self) -> None:
        self._heading("The cell run, and the keys that the server received")
        done = subprocess.run(
            [sys.executable, "-m", "codeact_lsp", "run", str(self._cell)],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
            check=False,
        )
        self._promise(done.returncode == 0, f"the cell runs: {done.stderr.strip()[-500:]}")
        for line in done.stdout.splitlines():
            self._say(line)
        received = [_received(line) for line in done.stdout.splitlines()]
        self._promise(received == list(_RECEIVED), "the raw keys reach the server")
        self._say("as promised", "bold green")

    # Conversation

    async def _complete(self, client: Client, line: str) -> dict[str, Any]:
        async with _Draft(self, client, line):
            found: dict[str, Any] | None = await client.request(
                "textDocument/completion", self._place(line, len(line))
            )
        return found or {"items": []}

    async def _tools_offered(self, client: Client, wanted: str) -> list[str]:
        """The tools offered, as soon as `wanted` is among them."""
        async with asyncio.timeout(LIMIT_SECONDS):
            while True:
                found = await self._complete(client, "mcp.my_desk.")
                labels = [item["label"] for item in found["items"]]
                if wanted in labels:
                    return labels
                await asyncio.sleep(0.05)

    async def _change(self, client: Client, new: str) -> None:
        self._version += 1
        identifier = {"uri": self._cell.as_uri(), "version": self._version}
        await client.notify(
            "textDocument/didChange",
            {"textDocument": identifier, "contentChanges": [{"text": new}]},
        )

    async def draft(self, client: Client, line: str | None) -> None:
        """Put a line below the cell, or take it away again."""
        await self._change(client, self._text if line is None else f"{self._text}{line}\n")

    def _place(self, line: str, character: int) -> dict[str, Any]:
        self._promise(0 <= character <= len(line), "the place is in the line")
        position = {"line": self._text.count("\n"), "character": character}
        return {"textDocument": {"uri": self._cell.as_uri()}, "position": position}

    def _latest(self, client: Client) -> list[dict[str, Any]] | None:
        """The diagnostics of the newest version of the cell; None before they came."""
        for method, params in reversed(client.notifications):
            if (
                method == "textDocument/publishDiagnostics"
                and params["uri"] == self._cell.as_uri()
                and params.get("version") == self._version
            ):
                found: list[dict[str, Any]] = params["diagnostics"]
                return found
        return None

    def _found(self, client: Client, code: str) -> bool:
        return any(found["code"] == code for found in self._latest(client) or ())

    # Printing

    def _heading(self, words: str) -> None:
        self._console.print()
        self._console.print(Text(words, style="bold cyan"))

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(Text(text.terminal(words), style=style))

    def _python(self, source: str) -> None:
        shown = Syntax(
            text.terminal(source).rstrip(),
            "python",
            theme="ansi_dark",
            background_color="default",
            word_wrap=True,
        )
        self._console.print(shown)

    def _promise(self, kept: object, promise: str) -> None:
        if not kept:
            raise BrokenPromiseError(promise)


class _Draft:
    """A line that is being typed below the cell."""

    def __init__(self, tour: _Tour, client: Client, line: str) -> None:
        self._tour = tour
        self._client = client
        self._line = line

    async def __aenter__(self) -> None:
        await self._tour.draft(self._client, self._line)

    async def __aexit__(self, *_: object) -> None:
        await self._tour.draft(self._client, None)


def _edits(edit: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The text edits of a `WorkspaceEdit` of one document."""
    changes = edit.get("changes") or {}
    found = [one for edits in changes.values() for one in edits]
    for change in edit.get("documentChanges") or ():
        found += change["edits"]
    return found


def _apply(source: str, edits: list[dict[str, Any]]) -> str:
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(position: Mapping[str, int]) -> int:
        return starts[position["line"]] + position["character"]

    def start(edit: Mapping[str, Any]) -> int:
        return offset(edit["range"]["start"])

    for edit in sorted(edits, key=start, reverse=True):
        source = source[: start(edit)] + edit["newText"] + source[offset(edit["range"]["end"]) :]
    return source


def _received(line: str) -> Any:
    """What a line of the cell's output says was received."""
    import ast

    try:
        value = ast.literal_eval(line)
    except (SyntaxError, ValueError):
        return line
    return value.get("received", value) if isinstance(value, dict) else value
