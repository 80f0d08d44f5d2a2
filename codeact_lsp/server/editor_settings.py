"""The settings that the editor sends, by the names of `codeact-lsp.toml`, and its own few beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

SECTION: Final = "codeact-lsp"
_DEBOUNCE: Final = "diagnostics-debounce"
_INLAY_HINTS: Final = "inlay-hints"
_RUN_CELL_LENS: Final = "run-cell-lens"
_OWN: Final = frozenset({_DEBOUNCE, _INLAY_HINTS, _RUN_CELL_LENS})
_PROJECT: Final = frozenset(
    {"bindings-modules", "configs", "fold-characters", "prelude", "rules", "snapshots"}
)
_MOST_MILLISECONDS: Final = 60_000


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """What the editor asked for.

    Attributes:
        project: what a project file may say too; the catalogue process merges it with those.
        debounce_seconds: how long the client must pause before diagnostics are pushed.
        inlay_hints: show raw keys and result types in the text.
        run_cell_lens: offer to run cells, to a client that can.

    """

    project: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    debounce_seconds: float = 0.0
    inlay_hints: bool = False
    run_cell_lens: bool = True


DEFAULT: Final = EditorSettings()


def section(value: Any) -> Mapping[str, Any] | None:
    """Our settings among those of everybody; None where there are none.

    They are nested under `codeact-lsp`, dotted (`codeact-lsp.prelude`) or bare.
    """
    if not isinstance(value, Mapping):
        return None
    dotted = {
        name.removeprefix(f"{SECTION}."): setting
        for name, setting in value.items()
        if isinstance(name, str) and name.startswith(f"{SECTION}.")
    }
    nested = value.get(SECTION)
    if isinstance(nested, Mapping):
        return {**nested, **dotted}
    return dotted or ({**value} if value.keys() & (_OWN | _PROJECT) else None)


def read(table: Mapping[str, Any]) -> EditorSettings:
    """Our settings, checked as far as they are the server's own."""
    return EditorSettings(
        project=MappingProxyType({name: table[name] for name in _PROJECT & table.keys()}),
        debounce_seconds=_milliseconds(table.get(_DEBOUNCE)),
        inlay_hints=table.get(_INLAY_HINTS) is True,
        run_cell_lens=table.get(_RUN_CELL_LENS) is not False,
    )


def _milliseconds(value: Any) -> float:
    """Seconds; 0 for what is no number."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return 0.0
    return min(max(0, value), _MOST_MILLISECONDS) / 1000
