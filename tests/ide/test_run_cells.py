from __future__ import annotations

import pytest

from codeact_lsp.ide.model import Settings
from codeact_lsp.ide.run_cells import run_cells
from tests.support.cells import IMPORT, view


def lines(text: str, *before: str, settings: Settings = Settings()) -> list[int]:  # noqa: B008 - immutable
    seen = view(text, before=before, settings=settings)
    return [text.count("\n", 0, cell.span.start) for cell in run_cells(seen)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (IMPORT, [0]),
        (f"{IMPORT}# %% One\nx = 1\n#%%\n\n# words\n# %% Two\nawait x\n", [0, 1, 6]),
        (f"# %%\n{IMPORT}'''\n# %% no\n'''\n", [0]),
        ("# %%\nimport os\n", []),
        ("", []),
        ("import __dsh__.tools\n", [0]),
    ],
)
def test_sections_with_code_in_a_text_that_names_the_bindings(
    text: str, expected: list[int]
) -> None:
    assert lines(text) == expected


def test_what_runs_before_the_text_counts() -> None:
    assert lines("x = 1\n", IMPORT) == [0]


def test_other_roots_count() -> None:
    settings = Settings(bindings_modules=("ours.tools",))
    assert lines("from ours import tools\n", settings=settings) == [0]
