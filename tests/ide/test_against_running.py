"""CPython runs the same cells: what a name or a call means is what it turns out to be.

Cells are made at random and run in every way that they can go, over the real bindings module with
tools that write down who was called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from codeact_lsp.bindings.details import details
from codeact_lsp.ide.calls import arguments
from codeact_lsp.ide.model import View
from codeact_lsp.ide.names_held import names_held
from codeact_lsp.ide.refs import (
    ErrorClass,
    Mcp,
    Pending,
    Ref,
    Refs,
    Root,
    ServerRef,
    ToolRef,
    Value,
)
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.call import calls
from codeact_lsp.syntax.expressions import Call, Constant, Name
from tests.support.cells import BINDINGS, IMPORT, view
from tests.support.generated_cells import FORMS, Generated, generated
from tests.support.recording import OTHER, UNBOUND, Recorded, place_of, record

CELLS: Final = 500
RESULTS: Final = {
    "notion/search": {"items": [{"page-id": "p", "title": "t"}] * 2, "next": None},
    "shell/run": {"exit-code": 0, "stdout": "text"},
}


@pytest.fixture(autouse=True)
def nothing_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"CODEACT_LSP_{kind}_DIR", str(tmp_path / kind.lower()))
    monkeypatch.chdir(tmp_path)


class Said(NamedTuple):
    """What the analysis says of a probe or a call."""

    values: frozenset[str]
    keys: frozenset[str] | None


def label(ref: Ref) -> str:
    match ref:
        case Root():
            return "root"
        case Mcp():
            return "mcp"
        case ErrorClass():
            return "error"
        case ServerRef(server):
            return f"server {server.raw}"
        case ToolRef(tool):
            return f"tool {place_of(tool)}"
        case Pending((Value() as value,)):
            return f"pending {label(value)}"
        case Value(tool, _, path):
            return ".".join((f"result {place_of(tool)}", *map(str, path)))
        case _:
            return OTHER


def numbered(call: Call) -> int | None:
    """The number of a probe, or of a call of a tool."""
    if isinstance(call.function, Name) and call.function.name == "probe":
        first = call.arguments[0].value
        return int(first.text) if isinstance(first, Constant) else None
    numbers = [int(a.name[2:]) for a in call.arguments if a.name and a.name.startswith("at")]
    return numbers[0] if numbers else None


def keys_of(seen: View, call: Call, refs: Refs) -> frozenset[str] | None:
    """The raw keys that `call` sends; None where that is not sure."""
    if len(refs) != 1 or not isinstance(refs[0], ToolRef) or refs[0].given is None:
        return None
    tool, already = refs[0].tool, refs[0].given
    given = arguments(seen, call)
    if given.open:
        return None
    renames = details(tool).renames
    spelled = {*already, *(one.spelled for one in given.given)}
    return frozenset(renames.get(name, name) for name in spelled if not name.startswith("at"))


def analysed(seen: View) -> Iterator[tuple[int, Said]]:
    for call in calls(seen.document):
        number = numbered(call)
        if number is None:
            continue
        is_probe = isinstance(call.function, Name) and call.function.name == "probe"
        refs = resolve(seen, call.arguments[1].value if is_probe else call.function)
        keys = None if is_probe else keys_of(seen, call, refs)
        yield number, Said(frozenset(map(label, refs)), keys)


def difference(said: Said, seen: set[str], *, exact: bool) -> str | None:
    """Why what is said is not what was seen.

    What was seen has to be said. What is said has to be seen where all ways were run to their end and
    nothing outside of the cell could have led to another one.
    """
    bound = frozenset(seen - {UNBOUND})
    if not bound:
        return None
    if not bound <= said.values:
        return f"seen {sorted(bound)}, said {sorted(said.values)}"
    # An unbound name is reported as unknown where `except … as` or a loop without a turn unbinds it.
    missing = {OTHER} if UNBOUND in seen else set()
    if exact and not said.values <= bound | missing:
        return f"said {sorted(said.values)}, seen only {sorted(bound)}"
    return None


def differences(cell: Generated, recorded: Recorded) -> list[str]:
    parts = cell.parts
    found = []
    for at in range(len(parts)):
        plain = view(parts[at], before=parts[:at])
        for seen in (plain, replace(plain, names=names_held(plain), resolved={})):
            for number, said in analysed(seen):
                if number not in recorded.values:
                    continue
                exact = recorded.whole and cell.sure and number not in cell.later
                why = difference(said, recorded.values[number], exact=exact)
                sent = recorded.keys.get(number, set())
                if why is None and said.keys is not None and sent - {said.keys}:
                    why = f"sent {sorted(map(sorted, sent))}, said {sorted(said.keys)}"
                if why is not None and f"{number}: {why}" not in found:
                    found.append(f"{number}: {why}")
    return found


@pytest.mark.parametrize("seed", range(CELLS))
def test_a_name_means_what_it_turns_out_to_be(seed: int) -> None:
    cell = generated(seed, BINDINGS)
    recorded = record("".join(cell.parts), BINDINGS.catalogue, RESULTS)
    found = differences(cell, recorded)
    assert not found, "\n".join([*found, "", *cell.parts])


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    probe(1, x)\nf(mcp.web)",
        "class K:\n    web = mcp.web\nprobe(1, K.web)",
        "with entered(mcp.web) as x:\n    probe(1, x)",
        'probe(1, globals()["mcp"])',
        'probe(1, getattr(mcp, "we" + "b"))',
        "exec('x = mcp.web')\nprobe(1, x)",
    ],
)
def test_what_is_not_followed_is_unknown_and_never_something_else(text: str) -> None:
    cell = Generated((IMPORT + text,), frozenset(), sure=True, forms=frozenset())
    recorded = record(cell.parts[0], BINDINGS.catalogue, RESULTS)
    assert recorded.values[1] <= {"server web", "mcp"}, "the run should find a binding"
    ((_, said),) = analysed(view(cell.parts[0]))
    assert said.values == {OTHER}


def test_the_cells_hold_every_form() -> None:
    forms = Counter(form for seed in range(CELLS) for form in generated(seed, BINDINGS).forms)
    assert set(forms) == {form.__name__ for form in FORMS}
    assert min(forms.values()) >= 20


def test_the_cells_run_far_enough_to_tell_something() -> None:
    cells = 100
    seen: Counter[str] = Counter()
    for seed in range(cells):
        recorded = record("".join(generated(seed, BINDINGS).parts), BINDINGS.catalogue, RESULTS)
        seen["to the end"] += recorded.whole
        for values in recorded.values.values():
            seen.update({value.split()[0] for value in values})
    assert seen["to the end"] >= cells / 2
    assert min(seen[kind] for kind in ("tool", "server", "result", "mcp", "root", OTHER)) >= cells
