"""`await` is offered where it compiles, and nowhere else."""

from __future__ import annotations

import pytest

from codeact_lsp.ide.diagnostics import diagnose
from tests.support.cells import IMPORT, applied, view
from tests.support.own_cells import is_valid

CALL = "mcp.notion.search(query='a')"


def offered(body: str) -> list[str]:
    """What each fix makes of the cell."""
    (one,) = diagnose(view(IMPORT + body))
    assert one.code == "not-awaited"
    return [applied(IMPORT + body, fix.edits) for fix in one.fixes]


@pytest.mark.parametrize(
    "body",
    [
        CALL,
        f"if x:\n    {CALL}",
        f"async def f():\n    {CALL}",
        f"async def f():\n    for x in y:\n        {CALL}['items']",
        f"def f():\n    async def g():\n        {CALL}",
        f"class C:\n    async def f(self):\n        {CALL}",
        f"async def f(): {CALL}",
        f"[{CALL}['items'] for x in y]",
        f"def f(x={CALL}['items']): pass",
        f"r = {CALL}\nr['items']",
        f"async def f():\n    r = {CALL}\n    return r['items']",
    ],
)
def test_await_is_offered(body: str) -> None:
    (after,) = offered(body)
    assert is_valid(after)
    assert "await mcp" in after


@pytest.mark.parametrize(
    "body",
    [
        f"def f():\n    {CALL}",
        f"def f(): {CALL}",
        f"def f():\n    if x:\n        {CALL}['items']",
        f"async def f():\n    def g():\n        {CALL}",
        f"async def f():\n    class C:\n        {CALL}",
        f"class C:\n    {CALL}",
        f"class C:\n    def f(self):\n        {CALL}",
        f"async def f():\n    return lambda: {CALL}['items']",
        f"def f():\n    r = {CALL}\n    return r['items']",
        f"def f():\n    return [{CALL}['items'] for x in y]",
    ],
)
def test_await_is_not_offered_where_it_cannot_compile(body: str) -> None:
    assert offered(body) == []
    assert not is_valid(IMPORT + body.replace("mcp", "await mcp"))


@pytest.mark.parametrize(
    "body",
    [
        f"async def g():\n    return await {CALL}\ng()",
        f"async def g():\n    return await {CALL}\ng()['items']",
        f"async def g():\n    return await {CALL}\nx = g()\nprint(x)",
    ],
)
def test_coroutines_of_the_text_are_left_to_others(body: str) -> None:
    assert diagnose(view(IMPORT + body)) == ()


def test_a_coroutine_that_a_function_hands_on_is_ours() -> None:
    (one,) = diagnose(view(f"{IMPORT}def g():\n    return {CALL}\ng()['items']"))
    assert one.code == "not-awaited"
