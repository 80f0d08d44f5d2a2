"""From process start to the first correct completion, with the servers' tools in the cache.

    python -m benchmarks.start [--tools 100,1000,10000] [--rounds 10]

The servers themselves never answer, so every name comes from the cache. Times are in milliseconds:
of the clock, and of the processor in the editor's process and in the catalogue process until then.
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
from pathlib import Path

from benchmarks.client import CAPABILITIES, Client
from benchmarks.keystrokes import Text, is_offered
from benchmarks.material import SERVERS, snapshot
from codeact_lsp.catalogue.cache import Cache
from codeact_lsp.catalogue.config import load
from codeact_lsp.catalogue.hub import _place_key
from codeact_lsp.catalogue.model import Server
from codeact_lsp.catalogue.snapshot import read_snapshot

NEVER_ANSWERS = ("sleep", "600")
TEXT = "from codeact_lsp.tools import mcp\n"


def prepare(folder: Path, count: int) -> dict[str, str]:
    """A home whose config has `SERVERS` servers with `count` tools in the cache; its environment."""
    names = ("CACHE", "CONFIG", "STATE")
    environment = {f"CODEACT_LSP_{name}_DIR": str(folder / name.lower()) for name in names}
    for path in environment.values():
        Path(path).mkdir()
    (folder / "config" / "config.toml").write_text(
        "".join(
            f"[servers.server{n}]\ncommand = {json.dumps(NEVER_ANSWERS[0])}\n"
            f"args = {json.dumps(NEVER_ANSWERS[1:])}\n"
            for n in range(SERVERS)
        )
    )
    listing = folder / "catalogue.json"
    listing.write_text(json.dumps(snapshot(count)))
    listed = read_snapshot(listing).servers
    cache = Cache(environment)
    for config in load((), {}, environment).servers:
        server = Server(config.name, listed[config.name].tools, listed_at=time.time())
        cache.store((_place_key(config),), server, {})
    return environment


def children(pid: int) -> list[int]:
    """The processes that `pid` has started."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def processor(pid: int) -> float:
    """Milliseconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def measure(environment: dict[str, str], count: int) -> tuple[float, float, float]:
    """(clock, editor's process, catalogue process) until the last tool of a server is offered."""
    name = f"tool_{count // SERVERS - 1}"
    os.environ.update(environment)
    start = time.perf_counter()
    client = Client([sys.executable, "-m", "codeact_lsp", "serve", "--stdio"])
    client.request("initialize", {"processId": None, "capabilities": CAPABILITIES})
    client.send({"method": "initialized", "params": {}})
    text = Text(client, TEXT)
    client.send(text.edit(0, 0, f"mcp.server{SERVERS - 1}.{name}"))
    while not is_offered(client.request("textDocument/completion", text.here()), name):
        time.sleep(0.01)
    taken = (time.perf_counter() - start) * 1000
    own = processor(client.process.pid)
    child = sum(map(processor, children(client.process.pid)))
    client.request("shutdown", None)
    client.send({"method": "exit"})
    try:
        client.process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        client.process.kill()
    return taken, own, child


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", default="100,1000,10000")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    print(f"{'tools':>6} {'first completion':<18} {'p50':>8} {'p95':>8} {'p99':>8}")
    for count in map(int, options.tools.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            environment = prepare(Path(folder), count)
            rounds = [measure(environment, count) for _ in range(options.rounds)]
        for what, values in zip(
            ("clock", "editor CPU", "catalogue CPU"), zip(*rounds, strict=True), strict=True
        ):
            cuts = statistics.quantiles(values, n=100) if len(values) > 1 else list(values) * 99
            shown = (statistics.median(values), cuts[94], cuts[98])
            print(f"{count:>6} {what:<18}" + "".join(f" {value:8.1f}" for value in shown))


if __name__ == "__main__":
    main()
