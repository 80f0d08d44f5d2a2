"""What a keystroke costs, side by side with general Python servers over generated stubs.

    python -m benchmarks.keystrokes [--sizes 100x200,1000x200,10000x200,1000x5000] [--rounds 2]
        [--turns 5] [--servers codeact-lsp,ty] [--write docs/performance.md]

A size is tools x lines of the cell. In each round every server is started in turn, with the same
catalogue, cell, edits and client. Times are milliseconds from the first byte sent to the last byte
received. `floor` is a `pygls` server that answers with fixed lists.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from benchmarks.client import Client, GoneError, Json
from benchmarks.contestants import CONTESTANTS, OURS, PEERS, Contestant, prepare, versions
from benchmarks.material import SERVERS, cell, snapshot

FLOOR: Final = Contestant(
    "floor", (str(PEERS / "bin/python"), str(Path(__file__).with_name("floor.py")))
)
SETTLED_SECONDS: Final = 0.3
"""How long a server has to be silent before diagnostics are measured."""
READY_SECONDS: Final = 120.0
Times: TypeAlias = dict[str, list[float]]


URI: Final = "file:///w/cell.py"


class Text:
    """The line that is typed, at the end of the cell."""

    def __init__(self, client: Client, text: str, uri: str = URI) -> None:
        self.client = client
        self.uri = uri
        self.line = text.count("\n")
        self.column = self.margin = len(text) - text.rfind("\n") - 1
        self.version = 1
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
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
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": where, "text": text}],
            },
        }

    def here(self, back: int = 0) -> Json:
        position = {"line": self.line, "character": self.column - back}
        return {"textDocument": {"uri": self.uri}, "position": position}

    def replace(self, text: str) -> None:
        """Replace what was typed."""
        self.client.send(self.edit(self.margin, self.column, text))


def labels(found: Any) -> set[str]:
    items = found["items"] if isinstance(found, dict) else found or []
    return {item["label"].removesuffix("()").removesuffix("(…)") for item in items}


def is_offered(found: Any, name: str) -> bool:
    """Whether a completion list is there and holds this item."""
    return name in labels(found)


def milliseconds(client: Client, start: float) -> float:
    """From `start` to the last byte of the message that was taken last."""
    return (client.arrived - start) * 1000


@dataclass(slots=True)
class Run:
    """One server, started once.

    Attributes:
        times: what was measured → milliseconds of each time.
        wrong: what was measured → how often the answer was not the right one.

    """

    text: Text
    times: Times = field(default_factory=dict)
    wrong: Counter[str] = field(default_factory=Counter)

    def typed(
        self, what: str, words: str, method: str, expect: Callable[[Any], bool], back: int = 0
    ) -> None:
        """Type `words` one character after the other, with a request after each."""
        client, result = self.text.client, None
        for character in words:
            change = self.text.edit(self.text.column, self.text.column, character)
            start = time.perf_counter()
            result = client.request(method, self.text.here(back), change)
            self.times.setdefault(what, []).append(milliseconds(client, start))
        self.wrong[what] += not expect(result)

    def diagnosed(self) -> None:
        """From an edit that makes a name unknown to the error that says so."""
        client, text = self.text.client, self.text
        settle(client)
        change = text.edit(text.column, text.column, "y")
        start = time.perf_counter()
        client.send(change)
        client.until(self._is_error, 10)
        self.times.setdefault("diagnostics", []).append(milliseconds(client, start))

    def _is_error(self, message: Json) -> bool:
        if message.get("method") != "textDocument/publishDiagnostics":
            return False
        told = message["params"]
        return told["uri"] == self.text.uri and any(
            one["range"]["start"]["line"] == self.text.line and one.get("severity", 1) == 1
            for one in told["diagnostics"]
        )


def settle(client: Client) -> None:
    """Read until the server is silent."""
    try:
        while True:
            client.until(lambda _: True, SETTLED_SECONDS)
    except TimeoutError:
        return


@dataclass(frozen=True, slots=True)
class Size:
    """How many tools there are, and how many lines the cell has."""

    tools: int
    lines: int

    def name(self, turn: int) -> str:
        """The tool that is typed in a turn; the floor knows no others."""
        return f"tool_{turn % min(self.tools // SERVERS, 99)}"


def measure(contestant: Contestant, folder: Path, size: Size, turns: range) -> Run:
    """Start a server in a prepared workspace, and type."""
    start = time.perf_counter()
    client = contestant.start(folder)
    text = cell(size.lines, size.tools)
    path = folder / "cell.py"
    path.write_text(text, "utf-8")
    run = Run(Text(client, text, path.as_uri()))
    try:
        run.times["start to first completion"] = [ready(client, run.text, start)]
        for turn in turns:
            type_call(run, size.name(turn))
            if contestant.name not in {"floor", "jedi-language-server"}:  # which tell no such error
                run.text.replace(f"mcp.server3.{size.name(turn)}")
                run.diagnosed()
        run.times["memory MB"] = [memory(client.process.pid)]
    finally:
        client.stop()
    return run


def type_call(run: Run, name: str) -> None:
    """Type a call of the tool `name` of a server, and look at it."""
    run.text.replace("await mcp.server3.")
    run.typed("tool name", name, "textDocument/completion", lambda found: is_offered(found, name))
    run.typed("( and signature", "(", "textDocument/signatureHelp", has_signatures)
    run.typed("keyword", "p_", "textDocument/completion", lambda found: is_offered(found, "p_2="))
    run.text.replace(f"await mcp.server3.{name}")
    run.typed("hover", " ", "textDocument/hover", lambda found: "tool_" in str(found), 3)


def has_signatures(found: Any) -> bool:
    return bool(found and found["signatures"])


def ready(client: Client, text: Text, start: float) -> float:
    """Milliseconds from `start` until a tool is offered."""
    text.replace("await mcp.server3.tool_0")  # the whole name: some cut long lists
    while not is_offered(client.request("textDocument/completion", text.here()), "tool_0"):
        if time.perf_counter() - start > READY_SECONDS:
            raise GoneError("no tool is ever offered")
        time.sleep(0.002)
    return milliseconds(client, start)


def memory(pid: int) -> float:
    """Resident MB of a process and those below it."""
    status = Path(f"/proc/{pid}/status").read_text()
    own = int(status.split("VmRSS:")[1].split()[0]) / 1024
    below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(memory(int(child)) for child in below)


def quantiles(values: Sequence[float]) -> tuple[float, float, float]:
    """p50, p95, p99."""
    if len(values) < 2:
        return (values[0],) * 3
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    return statistics.median(values), cuts[94], cuts[98]


def compared(size: Size, runs: dict[str, list[Run]]) -> Iterator[str]:
    """The table of one size as markdown."""
    title = f"{size.tools:,} tools, {size.lines:,} lines"
    yield f"| {title} | {' | '.join(runs)} | to the fastest peer |"
    yield f"| --- | {' | '.join('---' for _ in runs)} | --- |"
    for what in runs[OURS][0].times:
        shown, middle = [], {}
        for name, done in runs.items():
            values = [value for run in done for value in run.times.get(what, [])]
            if not values:
                shown.append("")
                continue
            found = quantiles(values)
            middle[name] = found[0]
            wrong = sum(run.wrong[what] for run in done)
            text = f"{found[0]:.1f}" if len(values) < 20 else " / ".join(f"{v:.1f}" for v in found)
            shown.append(text + (f" ({wrong} wrong)" if wrong else ""))
        peers = [value for name, value in middle.items() if name not in {OURS, FLOOR.name}]
        ratio = f"{middle[OURS] / min(peers):.2f}" if peers else ""
        yield f"| {what} | {' | '.join(shown)} | {ratio} |"


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


PREFACE: Final = """\
# Performance

What `make bench` printed: this server beside general Python servers over the stubs that `codeact-lsp stubs` writes, in turn
on the same catalogue, cell, edits and client, each of them started anew in every round. Times are milliseconds from the
first byte sent to the last byte received, p50 / p95 / p99 (the median alone where there are few).

- *tool name*, *keyword*: one character typed (`didChange`) and the completion after it. *( and signature*, *hover*: an edit
  and the request after it. *diagnostics*: from an edit that makes a name unknown to the error that says so.
- *memory* is resident, of the server and the processes below it, after the run.
- An empty cell was not measured: the server has no such answer, or gave none in time.
- *wrong* counts answers that do not hold what was typed. Jedi tells no type errors.
- *floor* is a `pygls` server that answers with fixed lists of 100 items: what its framing costs.
- *to the fastest peer* is our p50 divided by the smallest p50 of the peers."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100x200,1000x200,10000x200,1000x5000")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--servers", default=",".join(one.name for one in (*CONTESTANTS, FLOOR)))
    parser.add_argument("--write", type=Path, help="the page to write")
    options = parser.parse_args()
    names = options.servers.split(",")
    contestants = [one for one in (*CONTESTANTS, FLOOR) if one.name in names]
    known = ", ".join(
        f"{name} {version}" for name, version in versions(contestants).items() if name != FLOOR.name
    )
    lines = [
        *PREFACE.split("\n"),
        "",
        f"{known}; Python {platform.python_version()}, {os.cpu_count()} processors.",
    ]
    before = load()
    for written in options.sizes.split(","):
        size = Size(*map(int, written.split("x")))
        runs: dict[str, list[Run]] = {one.name: [] for one in contestants}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "workspace"
            folder.mkdir()
            listing = Path(name) / "snapshot.json"
            listing.write_text(json.dumps(snapshot(size.tools)), "utf-8")
            prepare(folder, [listing])
            for turn in range(options.rounds):
                turns = range(turn * options.turns, (turn + 1) * options.turns)
                for one in contestants:
                    try:
                        runs[one.name].append(measure(one, folder, size, turns))
                    except (GoneError, TimeoutError) as error:
                        print(f"{one.name}, {size}: {error}", file=sys.stderr)
        table = list(compared(size, runs))
        print("\n".join(["", *table]), flush=True)
        lines += ["", *table]
    conditions = f"Rounds: {options.rounds}. Load average: {before} before, {load()} behind."
    lines += ["", conditions, ""]
    print(lines[-2], file=sys.stderr)
    if options.write:
        options.write.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
