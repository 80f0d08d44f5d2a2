"""What a huge listing costs: memory of both processes, and how fresh another server stays.

    python -m benchmarks.listing [--which inlined-250MB,inlined-500MB,random-250MB,small-100000]

A server answers `tools/list` with one message; beside it another one changes every 3 s. Memory is
the peak of a process in MB; `idle` is a run with the other server alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.client import CAPABILITIES, Client
from benchmarks.keystrokes import Text, is_offered

Json = dict[str, Any]
KINDS = ("idle", "inlined-250MB", "inlined-500MB", "random-250MB", "small-100000")
TICK = 3.0
"""A server that changes more often is followed less closely."""


def inlined(depth: int = 3, width: int = 14) -> Json:
    """A schema of 0.6 MB in which one small object is written out 2,744 times."""
    if depth == 0:
        return {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "An identifier of the thing"},
                "mode": {"enum": ["a", "b", "c"]},
                "n": {"type": ["integer", "null"], "minimum": 0},
            },
            "required": ["id"],
        }
    return {
        "type": "object",
        "properties": {f"k{number}": inlined(depth - 1, width) for number in range(width)},
    }


def tools(kind: str) -> Iterator[str]:
    """The tools of a listing, each as JSON."""
    if kind == "small-100000":
        schema = json.dumps({"type": "object", "properties": {"id": {"type": "string"}}})
        for number in range(100_000):
            words = f"Search the records of the service, number {number}. " * 4
            yield f'{{"name":"tool_{number}","description":"{words}","inputSchema":{schema}}}'
        return
    noise = random.Random(1)
    schema = json.dumps({"type": "object", "properties": {"arg": inlined()}})
    for number in range(800 if kind == "inlined-500MB" else 450):
        if kind == "random-250MB":
            # Nothing in it repeats, so compression is of little use.
            schema = json.dumps({"enum": [noise.randbytes(32).hex() for _ in range(8_700)]})
        yield f'{{"name":"tool_{number}","description":"d","inputSchema":{schema}}}'


def serve(kind: str) -> None:
    """Be an MCP server over stdio: `live`, or one that lists `kind`."""
    out = sys.stdout
    lock = threading.Lock()

    def send(**message: Any) -> None:
        with lock:
            out.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            out.flush()

    changed = time.time()

    def tick() -> None:
        nonlocal changed
        while True:
            time.sleep(TICK)
            changed = time.time()
            send(method="notifications/tools/list_changed")

    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "notifications/initialized" and kind == "live":
            threading.Thread(target=tick, daemon=True).start()
        elif method == "initialize":
            send(
                id=number,
                result={
                    "protocolVersion": "2025-06-18",
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": kind, "version": "1"},
                },
            )
        elif method == "tools/list" and kind == "live":
            tool = {"name": "now", "description": str(changed), "inputSchema": {}}
            send(id=number, result={"tools": [tool]})
        elif method == "tools/list":
            with lock:
                out.write(f'{{"jsonrpc":"2.0","id":{number},"result":{{"tools":[')
                for index, text in enumerate(tools(kind)):
                    out.write("," * bool(index) + text)
                out.write("]}}\n")
                out.flush()
        elif number is not None:
            send(id=number, error={"code": -32601, "message": "no such method"})


def prepare(folder: Path, kind: str) -> dict[str, str]:
    """A home in which the servers are configured; its environment."""
    names = ("CACHE", "CONFIG", "STATE")
    own = {f"CODEACT_LSP_{name}_DIR": str(folder / name.lower()) for name in names}
    for path in own.values():
        Path(path).mkdir()
    kinds = ["live"] if kind == "idle" else [kind, "live"]
    (folder / "config" / "config.toml").write_text(
        "".join(
            f"[servers.{'live' if one == 'live' else 'huge'}]\n"
            f"command = {json.dumps(sys.executable)}\n"
            f"args = {json.dumps([str(Path(__file__).resolve()), '--serve', one])}\n"
            for one in kinds
        )
    )
    return {**os.environ, **own}


def peak(pid: int) -> float:
    """The most memory that a process has had, MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def follow(environment: dict[str, str], kind: str, stop_after: float | None = None) -> Json:
    """The catalogue process alone, read by this one."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "codeact_lsp.catalogue"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def say(**message: Any) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(message).encode() + b"\n")
        process.stdin.flush()

    found: Json = {"late": 0.0, "piped": 0.0, "tools": 0}
    start = time.monotonic()
    listed: float | None = None
    changes = 0
    say(type="configure", folders=[])
    for line in process.stdout:
        now = time.monotonic()
        found["piped"] += len(line) / 1e6
        message = json.loads(line)
        if message["type"] == "listing" and message.get("server") == "live":
            items = [item for item in message.get("items", []) if not isinstance(item, str)]
            if changes and items:
                found["late"] = max(found["late"], time.time() - float(items[0][1]))
            changes += 1
        if message["type"] == "server" and message["raw"] == "huge" and message.get("tools"):
            listed, found["tools"] = now, message["tools"]
            found["listed"] = now - start
        if stop_after is not None and now - start > stop_after:
            break
        # A little more, for the cache to be written.
        if now - start > 10 if kind == "idle" else listed is not None and now - listed > 10:
            break
    found["peak"] = peak(process.pid)
    found["cache"] = (
        sum(f.stat().st_size for f in Path(environment["CODEACT_LSP_CACHE_DIR"]).rglob("*.json"))
        / 1e6
    )
    asked = time.monotonic()
    say(type="shutdown")
    process.stdout.close()
    process.wait(60)
    found["ended"] = time.monotonic() - asked
    return found


def edit(environment: dict[str, str], kind: str) -> Json:
    """The editor's process with the catalogue process below it."""
    os.environ.update(environment)
    client = Client([sys.executable, "-m", "codeact_lsp", "serve", "--stdio"])
    client.request("initialize", {"processId": None, "capabilities": CAPABILITIES})
    client.send({"method": "initialized", "params": {}})
    text = Text(client, "from codeact_lsp.tools import mcp\n")
    server = "live" if kind == "idle" else "huge"
    name = {"idle": "now", "small-100000": "tool_99999"}.get(kind, "tool_449")
    client.send(text.edit(0, 0, f"mcp.{server}.{name}"))
    start = time.monotonic()
    slowest = 0.0
    while True:
        asked = time.monotonic()
        found = client.request("textDocument/completion", text.here())
        slowest = max(slowest, time.monotonic() - asked)
        if is_offered(found, name):
            break
        time.sleep(0.02)
    offered = time.monotonic() - start
    result = {"peak": peak(client.process.pid), "offered": offered, "slowest": slowest}
    client.request("shutdown", None)
    client.send({"method": "exit"})
    client.process.wait(20)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--which", default=",".join(KINDS))
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    for kind in options.which.split(","):
        with tempfile.TemporaryDirectory() as folder:
            environment = prepare(Path(folder), kind)
            found = follow(environment, kind)
            cached = edit(environment, kind)
        with tempfile.TemporaryDirectory() as folder:
            environment = prepare(Path(folder), kind)
            live = edit(environment, kind)
            cut = follow(environment, kind, stop_after=3.0)
        print(
            f"{kind:<14} catalogue process: peak {found['peak']:.0f} MB,"
            f" {found['tools']} tools after {found.get('listed', 0):.1f} s,"
            f" other server at most {found['late']:.2f} s late,"
            f" {found['piped']:.1f} MB to the editor, {found['cache']:.1f} MB of cache,"
            f" ended {found['ended']:.2f} s after it was asked, {cut['ended']:.2f} s while listing\n"
            f"{'':<14} editor's process: peak {live['peak']:.0f} MB, offered after"
            f" {live['offered']:.1f} s, slowest completion meanwhile {live['slowest']:.3f} s;"
            f" from the cache {cached['peak']:.0f} MB, {cached['offered']:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
