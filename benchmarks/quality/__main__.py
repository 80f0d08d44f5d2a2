"""This server beside general Python servers over generated stubs: what each says at marked positions.

    python -m benchmarks.quality [--servers codeact-lsp,ty] [--show] [--write docs/quality.md]

Ends with 1 if another server says something right anywhere that this one leaves out.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.client import Client, GoneError
from benchmarks.contestants import OURS, Contestant, chosen, prepare, versions
from benchmarks.quality import score
from benchmarks.quality.answers import Answer, ask
from benchmarks.quality.positions import CATALOGUES, Position, positions

NOTHING: Final = Answer(frozenset())
TRIES: Final = 3
"""A server may still be reading the workspace, or the text: an empty answer is asked for again."""
READY: Final = Position(
    source="mcp.‸",
    category="ready",
    question="members",
    text="from codeact_lsp.tools import mcp\nmcp.",
    line=1,
    character=4,
    facts=frozenset({"work", "memory"}),
)
READY_SECONDS: Final = 60.0


def answers_of(
    contestant: Contestant, folder: Path, asked: Sequence[Position]
) -> tuple[list[Answer], float]:
    """The answers of one server, and the seconds until it was ready."""
    start = time.monotonic()
    client = contestant.start(folder)
    try:
        while ask_in_new_file(client, folder, 0, READY).right != READY.facts:
            if time.monotonic() - start > READY_SECONDS:
                raise GoneError(f"{contestant.name} never offers a server")
        ready = time.monotonic() - start
        found = [ask_in_new_file(client, folder, at, one) for at, one in enumerate(asked, 1)]
    finally:
        client.stop()
    return found, ready


def ask_in_new_file(client: Client, folder: Path, number: int, position: Position) -> Answer:
    """Open the position's text as a file of its own, ask, and close it."""
    path = folder / f"cell_{number}.py"
    path.write_text(position.text, "utf-8")
    uri = path.as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": position.text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    answer = NOTHING
    for attempt in range(TRIES):
        answer = ask(client, uri, position)
        if answer.right:
            break
        time.sleep(0.15 * attempt)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    path.unlink()
    return answer


def table(asked: Sequence[Position], answers: score.Answers) -> list[str]:
    """The table as markdown: a row a category, a column a server."""
    counted = score.by_category(asked, answers)
    number = {name: sum(one.category == name for one in asked) for name in counted}
    lines = [
        f"| category | positions | {' | '.join(answers)} |",
        f"| --- | --- | {' | '.join('---' for _ in answers)} |",
    ]
    rows = [*counted.items(), ("**all**", score.total(counted))]
    for name, row in rows:
        cells = " | ".join(str(row[server]) for server in answers)
        lines.append(f"| {name} | {number.get(name, len(asked))} | {cells} |")
    return lines


def summary(asked: Sequence[Position], answers: score.Answers) -> list[str]:
    """What follows from the table."""
    renamed = sum(one.renames for one in asked)
    lost = len(list(score.losses(asked, answers, OURS)))
    equal = len(list(score.not_ahead(asked, answers, OURS)))
    holds, ahead = len(asked) - lost, renamed - equal
    return [
        f"- At {holds} of {len(asked)} positions {OURS} says everything right that any other says.",
        f"- At {ahead} of {renamed} positions that involve a rename it says more than the best other.",
    ]


def show(asked: Sequence[Position], answers: score.Answers) -> None:
    """Print every position where we lose, miss, are wrong, or are not ahead."""
    for loss in score.losses(asked, answers, OURS):
        said = {name: sorted(facts) for name, facts in loss.facts.items()}
        print(f"LOST      {loss.position.source}\n          {said}")
    for position in score.not_ahead(asked, answers, OURS):
        print(f"NOT AHEAD {position.source}")
    for position, answer in zip(asked, answers[OURS], strict=True):
        missing = score.facts_of(position) - answer.right
        if missing or answer.wrong:
            print(
                f"OURS      {position.source}\n          {sorted(missing)} wrong {sorted(answer.wrong)}"
            )


def page(
    asked: Sequence[Position], answers: score.Answers, contestants: Sequence[Contestant]
) -> str:
    """The page of the documentation."""
    known = ", ".join(f"{name} {version}" for name, version in versions(contestants).items())
    return "\n".join([
        *PREFACE,
        "",
        f"{len(asked)} positions, {known}, Python {platform.python_version()}.",
        "Each cell is *right / missing / wrong*, in facts.",
        "",
        *table(asked, answers),
        "",
        *summary(asked, answers),
        "",
    ])  # fmt: skip


PREFACE: Final = """\
# Side by side

A general Python language server can complete bindings too, from the stub files that `codeact-lsp stubs` writes. This
page compares what each server says at marked positions in realistic cells, most of them unfinished as they are while
somebody types: `make quality` asks all of them and writes it anew.

- The positions and what is right at each of them are written by hand, in `benchmarks/quality/cells`. The tools are six
  catalogues: one written for this, and the listings of five published servers.
- A fact is a name that is offered (server, tool, parameter, key, value), a thing that hover says (type, description,
  whether it is required, the raw name), a parameter that signature help shows or marks as active, the line that go to
  definition leads to, and where a name is spelled otherwise than it is listed, whether the documentation of the item or
  parameter says what is sent.
- An item that replaces only a part of the name that was typed (`pa` of `API-pa`) does not count either way: it completes
  something else, and taking it leaves a subtraction.
- *Wrong* is a name of the same sort that is offered and does not exist there: anything after a dot that is no member at
  run time (classes of the stubs, builtins), a keyword that is already given, a definition of something else. Dunder names
  are never wrong, nor are names of Python where an expression may stand.
- The stubs lie in the workspace as a package, so no server has to be told where they are. An empty answer is asked for
  again, so that a server that still reads the workspace loses nothing.""".split("\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", default="", help="comma-separated; all by default")
    parser.add_argument("--show", action="store_true", help="print where this server falls short")
    parser.add_argument("--only", default="", help="categories that start with this")
    parser.add_argument("--write", type=Path, help="the page to write")
    options = parser.parse_args()
    asked = [one for one in positions() if one.category.startswith(options.only)]
    contestants = chosen(options.servers)
    answers: dict[str, list[Answer]] = {}
    for contestant in contestants:
        with tempfile.TemporaryDirectory() as folder:
            prepare(Path(folder), CATALOGUES)
            answers[contestant.name], ready = answers_of(contestant, Path(folder), asked)
        print(f"{contestant.name}: ready after {ready:.1f} s", file=sys.stderr)
    print("\n".join([*table(asked, answers), "", *summary(asked, answers)]))
    if options.show:
        show(asked, answers)
    if options.write:
        options.write.write_text(page(asked, answers, contestants), "utf-8")
    raise SystemExit(1 if any(score.losses(asked, answers, OURS)) else 0)


if __name__ == "__main__":
    main()
