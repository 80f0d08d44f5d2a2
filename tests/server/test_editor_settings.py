"""Settings, in every form in which editors send them."""

from __future__ import annotations

from typing import Any

import pytest

from codeact_lsp.server.editor_settings import DEFAULT, read, section


@pytest.mark.parametrize(
    "sent",
    [
        {"prelude": "x", "diagnostics-debounce": 250, "inlay-hints": True},
        {"codeact-lsp": {"prelude": "x", "diagnostics-debounce": 250, "inlay-hints": True}},
        {
            "codeact-lsp.prelude": "x",
            "codeact-lsp.diagnostics-debounce": 250,
            "codeact-lsp.inlay-hints": True,
        },
        {
            "codeact-lsp": {"prelude": "x", "inlay-hints": True},
            "codeact-lsp.diagnostics-debounce": 250,
        },
    ],
)
def test_the_forms(sent: Any) -> None:
    ours = section(sent)
    assert ours is not None
    settings = read(ours)
    assert dict(settings.project) == {"prelude": "x"}
    assert settings.debounce_seconds == 0.25
    assert settings.inlay_hints is True


@pytest.mark.parametrize("sent", [None, [], "x", {}, {"python": {"prelude": "x"}}, {1: 2}])
def test_settings_of_somebody_else(sent: Any) -> None:
    assert section(sent) is None


@pytest.mark.parametrize(("value", "offered"), [(False, False), (True, True), (None, True)])
def test_running_cells_is_offered_unless_the_setting_is_off(value: Any, offered: bool) -> None:  # noqa: FBT001 - a column of a table
    assert read({"run-cell-lens": value}).run_cell_lens is offered


def test_no_settings() -> None:
    assert read({}) == DEFAULT


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(0, 0), (-5, 0), (1e9, 60), ("250", 0), (True, 0), (None, 0), (float("nan"), 0)],
)
def test_a_debounce_out_of_bounds(value: Any, seconds: float) -> None:
    assert read({"diagnostics-debounce": value}).debounce_seconds == seconds
