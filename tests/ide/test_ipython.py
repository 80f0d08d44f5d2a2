"""IPython's own lines stand aside: what is Python around them is understood, where it stands."""

from __future__ import annotations

import pytest

from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.model import Empty
from codeact_lsp.ide.prose import plain
from codeact_lsp.ide.signature_help import signature_help
from tests.support.cells import BINDINGS, IMPORT, cell, view
from tests.support.offers import answer, texts

SEARCH = "mcp.notion.sea‸"


@pytest.mark.parametrize(
    "marked",
    [
        f"%pip install x\n{SEARCH}",
        f"!ls -la {{path}}\n{SEARCH}",
        f"!!ls\n{SEARCH}",
        f"!ls \\\n  -la\n{SEARCH}",
        f"files = !ls\n{SEARCH}",
        f"a = b = %sql select 1\n{SEARCH}",
        f"%cd ..\r\n{SEARCH}",
        f"%time {SEARCH}",
        f"%timeit -n 10 {SEARCH}",
        f"x = %time {SEARCH}",
        f"%%time\n{SEARCH}",
        f"%%timeit -n 10\n{SEARCH}",
        f"%%capture out\n{SEARCH}",
        f"%%prun -s cumulative\n{SEARCH}",
        f"%%time\n\n# Why.\ndef f():\n    {SEARCH}",
        f"%%bash\nls\n# %%\n{SEARCH}",
        f"# %%\n%%bash\nls (\n# %% next\n{SEARCH}",
        f"{SEARCH}?",
        f"{SEARCH}??",
        f"?{SEARCH}",
        f"??{SEARCH}",
        f"mcp.web.search?\n{SEARCH}",
        f"??mcp.web\n{SEARCH}",
        f"%time?\n{SEARCH}",
        f"x = 10 %3\n{SEARCH}",
        f"x = 10 % y; {SEARCH}",
        f"x = (10\n     %3)\n{SEARCH}",
        f"x = '''\n%%bash\n!ls\n'''\n{SEARCH}",
        f"{SEARCH};",
        f"f(x);\n{SEARCH}",
        f";print a b\n,print a b\n/print a\n{SEARCH}",
        f"for x in y:\n    !ls {{x}}\n    {SEARCH}",
        f"if x:\n\t%cd y\n\t%time {SEARCH}",
        f"try:\n    !ls\nexcept E:\n    {SEARCH}",
        f"async def f():\n    x = !ls\n    await {SEARCH}",
    ],
)
def test_python_around_magics_is_completed(marked: str) -> None:
    assert texts(marked, BINDINGS, IMPORT) == ["search"]


@pytest.mark.parametrize(
    "marked",
    [
        f"!echo {SEARCH}",
        f"!!echo {SEARCH}",
        f"!ls \\\n  {SEARCH}",
        f"x = !echo {SEARCH}",
        f"%pip install {SEARCH}",
        f"x = %sql {SEARCH}",
        f"%%bash\n{SEARCH}",
        f"%%bash\n\n\n(\n{SEARCH}",
        f"%%writefile a.py\n{SEARCH}",
        f"%%html\n<a>{SEARCH}</a>",
        f"%%time {SEARCH}",
        f"for x in y:\n    !echo {SEARCH}",
        f";print {SEARCH}",
        f",print {SEARCH}",
        f"/print {SEARCH}",
    ],
)
def test_what_ipython_takes_for_itself_is_not_python(marked: str) -> None:
    at = cell(marked)
    seen = view(at.text, before=(IMPORT,))
    assert answer(marked, BINDINGS, IMPORT) is Empty.NOT_PYTHON
    assert hover(seen, at.offset).empty is Empty.NOT_PYTHON
    assert signature_help(seen, at.offset).value is None


@pytest.mark.parametrize(
    "marked",
    [
        "mcp.notion.sea‸rch?",
        "mcp.notion.sea‸rch??",
        "?mcp.notion.sea‸rch",
        "??mcp.notion.sea‸rch",
        "    mcp.notion.sea‸rch?",
        "%time mcp.notion.sea‸rch",
        "x = %time mcp.notion.sea‸rch",
        "%%time\nmcp.notion.sea‸rch",
        "for x in y:\n    !ls\n    mcp.notion.sea‸rch",
    ],
)
def test_hover(marked: str) -> None:
    at = cell(marked)
    found = hover(view(at.text, before=(IMPORT,)), at.offset).value
    assert found is not None
    assert plain(found.blocks).startswith("async def search(")
    assert at.text[found.span.start : found.span.end] == "search"


WRONG = "mcp.web.nope"


@pytest.mark.parametrize(
    ("text", "over"),
    [
        (f"%pip install x\n{WRONG}", ["nope"]),
        (f"# 😋\n%cd 😋\n{WRONG}", ["nope"]),
        (f"%time {WRONG}", ["nope"]),
        (f"x = %timeit {WRONG}", ["nope"]),
        (f"%%time\n{WRONG}", ["nope"]),
        (f"x = 10 %{WRONG}", ["nope"]),
        (f"{WRONG}?", ["nope"]),
        (f"for x in y:\n    !ls\n    {WRONG}", ["nope"]),
        (f"!{WRONG}", []),
        (f"x = !{WRONG}", []),
        (f"x = %sql {WRONG}", []),
        (f"%%bash\n{WRONG}", []),
        (f"%%bash\n{WRONG}\n# %%\n{WRONG}", ["nope"]),
        (f";{WRONG} a", []),
        (f",{WRONG} a", []),
        (f"/{WRONG} a", []),
        ("await mcp.notion.ping();", []),
        ("%time await mcp.notion.ping()", []),
        ("%time mcp.notion.ping()", ["mcp.notion.ping()"]),
        ("%%timeit -n 1\nmcp.notion.ping()", ["mcp.notion.ping()"]),
        ("mcp.notion.ping?", []),
    ],
)
def test_diagnostics_stand_where_the_text_has_them(text: str, over: list[str]) -> None:
    found = diagnose(view(text, before=(IMPORT,)))
    assert [text[one.span.start : one.span.end] for one in found] == over


@pytest.mark.parametrize(
    "first",
    [
        "r = await mcp.notion.search(query='a')",
        "%time r = await mcp.notion.search(query='a')",
        "r = %time await mcp.notion.search(query='a')",
        "%%time\nr = await mcp.notion.search(query='a')",
    ],
)
def test_what_a_magic_runs_binds_its_result(first: str) -> None:
    assert texts(f"{first}\nr['‸']", BINDINGS, IMPORT) == ["items", "next"]


def test_what_a_shell_gives_is_no_binding_any_more() -> None:
    assert answer(f"{IMPORT}mcp = !ls\nmcp.‸") is Empty.NO_BINDING_HERE
    assert diagnose(view(f"{IMPORT}mcp = !ls\nmcp.nope")) == ()
