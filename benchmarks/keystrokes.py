"""What a keystroke costs, at 100, 1,000 and 10,000 tools, with a raw client over real pipes.

    python benchmarks/keystrokes.py [--tools 100,1000,10000] [--lines 200,5000] [--rounds 40]

Times are from the first byte sent to the last byte received, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SERVERS = 20
Json = dict[str, Any]
CAPABILITIES: Json = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "completion": {
            "completionItem": {"snippetSupport": True, "labelDetailsSupport": True},
            "completionList": {"itemDefaults": ["editRange"]},
        },
        "publishDiagnostics": {"versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
    },
}
DESCRIPTION = "Search the records of the service and return one page of matches, newest first. " * 5


class Client:
    """Frames messages itself and blocks; nothing is measured but the server."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._buffer = bytearray()
        self._id = 0
        self.seen: list[Json] = []

    def send(self, *messages: Json) -> None:
        data = b""
        for message in messages:
            body = json.dumps({"jsonrpc": "2.0", **message}).encode()
            data += b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        while data:
            data = data[os.write(self._in, data) :]

    def messages(self) -> Iterator[Json]:
        while True:
            while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
                length = int(self._buffer[16:end])
                if len(self._buffer) < end + 4 + length:
                    break
                body = bytes(self._buffer[end + 4 : end + 4 + length])
                del self._buffer[: end + 4 + length]
                yield json.loads(body)
            data = os.read(self._out, 1 << 20)
            if not data:
                raise SystemExit("the server ended")
            self._buffer += data

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        for message in self.messages():
            if wanted(message):
                return message
        raise AssertionError

    def request(self, method: str, params: Any, *before: Json) -> Any:
        self._id += 1
        number = self._id
        self.send(*before, {"id": number, "method": method, "params": params})
        return self.until(lambda message: message.get("id") == number)["result"]


def tool(number: int) -> Json:
    return {
        "name": f"tool-{number}",
        "description": f"{DESCRIPTION}Tool number {number}.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "p1": {"type": "string", "description": "The query text."},
                "p-2": {"type": "integer"},
                "p3": {"enum": ["a", "b", "c"]},
                "opts": {
                    "type": "object",
                    "properties": {k: {"type": "string"} for k in ("alpha", "beta", "gamma")},
                },
                "tags": {"type": "array", "items": {"type": "string"}},
            },
            "required": ["p1"],
        },
        "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}}},
    }


def snapshot(count: int) -> Json:
    per = count // SERVERS
    return {
        "version": 1,
        "servers": {f"server{n}": {"tools": [tool(i) for i in range(per)]} for n in range(SERVERS)},
    }


def cell(lines: int, count: int) -> str:
    per = count // SERVERS
    out = ["import asyncio", "from codeact_lsp.tools import mcp", ""]
    block = 0
    while len(out) < lines - 4:
        server, number = (block * 7 + 1) % SERVERS, (block * 5) % per
        out += [
            f"async def block_{block}(query: str, limit: int = 10) -> list[str]:",
            "    found: list[str] = []",
            f"    page = await mcp.server{server}.tool_{number}(p1=query, p_2=limit)",
            '    for word in page["id"].split():',
            "        if word and not word.startswith('#'):",
            "            found.append(word.strip().lower())",
            "    return sorted(set(found))[:limit]",
            "",
        ]
        block += 1
    return "\n".join([*out, "", ""])


URI = "file:///w/cell.py"


class Text:
    """The line that is typed, at the end of the cell."""

    def __init__(self, client: Client, text: str) -> None:
        self.client = client
        self.line = text.count("\n")
        self.column = 0
        self.version = 1
        document = {"uri": URI, "languageId": "python", "version": 1, "text": text}
        client.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def edit(self, start: int, end: int, text: str) -> Json:
        self.version += 1
        self.column = start + len(text)
        where = {
            "start": {"line": self.line, "character": start},
            "end": {"line": self.line, "character": end},
        }
        return {
            "method": "textDocument/didChange",
            "params": {
                "textDocument": {"uri": URI, "version": self.version},
                "contentChanges": [{"range": where, "text": text}],
            },
        }

    def here(self) -> Json:
        position = {"line": self.line, "character": self.column}
        return {"textDocument": {"uri": URI}, "position": position}


def typed(text: Text, words: str, method: str, expect: Callable[[Any], Any]) -> list[float]:
    """Milliseconds of each character of `words`, typed one by one with a request after each."""
    times = []
    result = None
    for character in words:
        change = text.edit(text.column, text.column, character)
        start = time.perf_counter()
        result = text.client.request(method, text.here(), change)
        times.append((time.perf_counter() - start) * 1000)
    if not expect(result):
        raise SystemExit(f"{words!r}: not the right answer: {str(result)[:300]}")
    return times


def has(label: str) -> Callable[[Any], bool]:
    """Whether a completion list holds this item."""
    return lambda found: any(item["label"] == label for item in found["items"])


def is_offered(found: Json | None, name: str) -> bool:
    """Whether a completion list is there and holds this item."""
    return found is not None and any(item["label"] == name for item in found["items"])


def clear(text: Text) -> None:
    text.client.send(text.edit(0, text.column, ""))
    text.column = 0


def diagnosed(text: Text) -> float:
    """Milliseconds from an edit to the diagnostics of its version."""
    change = text.edit(text.column, text.column, "x")
    start = time.perf_counter()
    text.client.send(change)
    text.client.until(
        lambda message: (
            message.get("method") == "textDocument/publishDiagnostics"
            and message["params"].get("version") == text.version
        )
    )
    return (time.perf_counter() - start) * 1000


def memory(pid: int) -> float:
    """Resident MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measure(count: int, lines: int, rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalogue.json"
        file.write_text(json.dumps(snapshot(count)))
        start = time.perf_counter()
        client = Client([sys.executable, "-m", "codeact_lsp", "serve", "--catalogue", str(file)])
        client.request("initialize", {"processId": None, "capabilities": CAPABILITIES})
        times["initialize"] = [(time.perf_counter() - start) * 1000]
        client.send({"method": "initialized", "params": {}})
        text = Text(client, cell(lines, count))
        client.send(text.edit(0, 0, "mcp.server3."))
        while not is_offered(client.request("textDocument/completion", text.here()), "tool_0"):
            time.sleep(0.002)
        times["first completion"] = [(time.perf_counter() - start) * 1000]
        for turn in range(rounds):
            name = f"tool_{turn % (count // SERVERS)}"
            clear(text)
            client.send(text.edit(0, 0, "await mcp.server3."))
            times.setdefault("tool name", []).extend(
                typed(text, name, "textDocument/completion", has(name))
            )
            times.setdefault("( signature", []).extend(
                typed(text, "(", "textDocument/signatureHelp", lambda found: found["signatures"])
            )
            times.setdefault("keyword", []).extend(
                typed(text, "p_", "textDocument/completion", has("p_2="))
            )
            client.send(text.edit(0, text.column, f"mcp.server3.{name}"))
            times.setdefault("hover", []).extend(
                typed(text, " ", "textDocument/hover", lambda _: True)
            )
            client.send(text.edit(0, text.column, f"mcp.server3.tool_{turn}y"))
            times.setdefault("diagnostics", []).append(diagnosed(text))
        times["memory MB"] = [memory(client.process.pid)]
        client.request("shutdown", None)
        client.send({"method": "exit"})
        client.process.wait()
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", default="100,1000,10000")
    parser.add_argument("--lines", default="200")
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    print(f"{'tools':>6} {'lines':>6} {'what':<18} {'p50':>8} {'p95':>8} {'p99':>8}")
    for lines in map(int, options.lines.split(",")):
        for count in map(int, options.tools.split(",")):
            for what, values in measure(count, lines, options.rounds).items():
                cuts = statistics.quantiles(values, n=100) if len(values) > 1 else values * 99
                shown = (statistics.median(values), cuts[94], cuts[98])
                print(f"{count:>6} {lines:>6} {what:<18}" + "".join(f" {v:8.2f}" for v in shown))


if __name__ == "__main__":
    main()
