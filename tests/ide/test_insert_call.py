from __future__ import annotations

import pytest

from codeact_lsp.ide.insert_call import import_for
from tests.support.cells import BINDINGS, IMPORT, applied, cell, view

TOOL = BINDINGS.servers_by_raw["web"].tools[0]


def imported(marked: str, *before: str) -> str:
    at = cell(marked)
    return applied(at.text, import_for(view(at.text, before=before), TOOL, at.offset))


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        ("‸", IMPORT),
        ("import os\n\n‸\n", f"import os\n{IMPORT}\n\n"),
        # Above the call, wherever other imports are.
        ("import os\n‸\nimport re\n", f"import os\n{IMPORT}\nimport re\n"),
        ('"""What."""\n‸\nimport re\n', f'"""What."""\n{IMPORT}\nimport re\n'),
        (f"‸\n{IMPORT}", f"{IMPORT}\n{IMPORT}"),
        ("from codeact_lsp.tools import ToolCallError\n‸", f"{IMPORT[:-4]}ToolCallError, mcp\n"),
        ("async def f():\n    ‸\n", f"{IMPORT}async def f():\n    \n"),
        ("from os import *\n‸", f"from os import *\n{IMPORT}"),
        ("from codeact_lsp.tools import *\n‸", "from codeact_lsp.tools import *\n"),
        ("import mcp\n‸", "import mcp\n"),
        (f"{IMPORT}‸", IMPORT),
        (f"{IMPORT}async def f():\n    ‸\n", f"{IMPORT}async def f():\n    \n"),
    ],
)
def test_the_import_goes_above_the_call_where_there_is_none(marked: str, text: str) -> None:
    assert imported(marked) == text


def test_a_name_that_an_earlier_cell_has_needs_no_import() -> None:
    assert imported("‸", IMPORT) == ""
