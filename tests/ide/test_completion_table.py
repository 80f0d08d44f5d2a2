"""Where completion offers what, place by place."""

from __future__ import annotations

import pytest

from codeact_lsp.ide.model import Empty, ItemKind, ItemList
from tests.support.cells import IMPORT
from tests.support.forms import CALL, MADE, R
from tests.support.offers import answer, chosen, listed, named, texts


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("import ‸", ["codeact_lsp", "__dsh__"], id="the first part"),
        pytest.param("from __dsh__.‸", ["tools"], id="the other bindings module"),
        pytest.param("from __dsh__.tools import m‸", ["mcp"], id="from the other bindings module"),
        pytest.param("import os, codeact_lsp.tools.mcp.sh‸", ["shell"], id="a second module"),
        pytest.param("from codeact_lsp.tools.mcp import (‸", ["my_server", "my_srv", "notion", "redis", "shell", "web", "forms"], id="an open bracket"),
        pytest.param("from codeact_lsp.tools.mcp import (notion,\n    sh‸\n)", ["shell"], id="a line of its own"),
        pytest.param("from codeact_lsp.tools import mcp, n‸", ["native_note"], id="a tool without a server"),
        pytest.param("from codeact_lsp.tools.mcp.notion import API-patch-pa‸ge", ["API_patch_page"], id="a tool's raw name"),
        pytest.param("from codeact_lsp.tools.mcp.notion import (ping, API-pa‸)", ["API_patch_page"], id="a raw name in brackets"),
        pytest.param("from codeact_lsp.tools.mcp import my-se‸", ["my_server"], id="a server's raw name"),
        pytest.param("from codeact_lsp.tools.mcp.my-se‸", ["my_server"], id="a raw name in a path"),
        pytest.param("from codeact_lsp.tools.mcp.my-se‸ import ping", ["my_server"], id="a raw name before import"),
        pytest.param("import codeact_lsp.tools.mcp.my-se‸", ["my_server"], id="a raw name as a module"),
        pytest.param("from codeact_lsp.tools.mcp.redis import ty‸", ["type as redis_type"], id="a soft keyword"),
        pytest.param("from codeact_lsp.tools.mcp.redis import op‸", ["open as redis_open"], id="a builtin"),
        pytest.param("from codeact_lsp.tools.mcp.redis import ty‸ as kind", ["type"], id="an alias is there"),
    ],
)  # fmt: skip
def test_imports(marked: str, expected: list[str]) -> None:
    assert sorted(texts(marked, MADE)) == sorted(expected)


@pytest.mark.parametrize("typed", ["a", "imp"])
def test_what_has_no_name_is_not_imported(typed: str) -> None:
    found = answer(f"from codeact_lsp.tools.mcp.redis import my_tool, {typed}‸", MADE)
    assert found is Empty.NOTHING_MATCHES


@pytest.mark.parametrize(
    ("marked", "label", "after"),
    [
        ("from codeact_lsp.tools.mcp.notion import API-patch-pa‸ge", "API_patch_page", "from codeact_lsp.tools.mcp.notion import API_patch_page"),
        ("from codeact_lsp.tools.mcp.my-se‸ import ping", "my_server", "from codeact_lsp.tools.mcp.my_server import ping"),
        ("import codeact_lsp.tools.mcp.my-se‸rver as s", "my_server", "import codeact_lsp.tools.mcp.my_server as s"),
        ("from codeact_lsp.tools.mcp.redis import ty‸pe as kind", "type", "from codeact_lsp.tools.mcp.redis import type as kind"),
    ],
)  # fmt: skip
def test_an_imported_name_replaces_the_whole_raw_name(marked: str, label: str, after: str) -> None:
    assert chosen(marked, label) == after


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("from codeact_lsp import tools\ntools.‸", ["mcp", "native_note", 'getattr(tools, "not a name")', "ToolCallError"], id="the bindings module"),
        pytest.param("import codeact_lsp.tools\ncodeact_lsp.‸", ["tools"], id="on the way to it"),
        pytest.param("import codeact_lsp.tools.mcp.shell\ncodeact_lsp.tools.mcp.shell.‸", ["run"], id="a whole path"),
        pytest.param("from codeact_lsp.tools import mcp as m\nm.sh‸", ["shell"], id="an alias of mcp"),
        pytest.param("from codeact_lsp.tools.mcp import shell as s\ns.‸", ["run"], id="an alias of a server"),
        pytest.param(f"{IMPORT}mcp.my-se‸", ["my_server"], id="a server's raw name"),
        pytest.param(f"{IMPORT}mcp.my_srv.‸", ["ping"], id="a server whose raw name has a blank"),
        pytest.param(f"{IMPORT}getattr(mcp, 'my srv').‸", ["ping"], id="the same by its raw name"),
        pytest.param(f"{IMPORT}mcp.redis.a‸", ['getattr(mcp.redis, "a.b")'], id="a tool without a name"),
        pytest.param(f"{IMPORT}(mcp.shell).‸", ["run"], id="behind brackets"),
        pytest.param(f"{IMPORT}mcp.notion.API-patch-pa‸ge(page_id=1)", ["API_patch_page"], id="a raw name that is called"),
    ],
)  # fmt: skip
def test_after_a_dot(marked: str, expected: list[str]) -> None:
    assert sorted(texts(marked, MADE)) == sorted(expected)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("form(‸)", ["mode=", "kind=", "count=", "tags=", "pair=", "deep=", "shape=", "old="], id="required first"),
        pytest.param("form(mode=1, kind=2, count=3, tags=4, pair=5, ‸)", ["deep=", "shape=", "old="], id="unfilled only"),
        pytest.param("form(ki‸", ["kind="], id="unfinished"),
        pytest.param("form(*args, ki‸)", ["kind="], id="behind a star"),
        pytest.param("form(**more, ki‸)", ["kind="], id="behind two stars"),
        pytest.param("form(\n    mode=1,\n    ki‸\n)", ["kind="], id="on a line of its own"),
        pytest.param("form(mode=1 ki‸)", ["kind="], id="a missing comma"),
        pytest.param("other(form(ki‸))", ["kind="], id="nested"),
        pytest.param("form(shape=form(ki‸))", ["kind="], id="in a value of itself"),
        pytest.param("%time form(ki‸)", ["kind="], id="behind a line magic"),
    ],
)  # fmt: skip
def test_keywords(marked: str, expected: list[str]) -> None:
    found = [item for item in listed(CALL + marked, MADE).items if item.kind is ItemKind.PARAMETER]
    assert [item.text for item in found if not item.text.startswith("**")] == expected


@pytest.mark.parametrize(
    ("marked", "label", "after"),
    [
        ("form(page[si‸)", "page[size]", 'form(**{"page[size]": })'),
        ("form(page[si‸])", "page[size]", 'form(**{"page[size]": })'),
        ("form($fil‸)", "$filter", 'form(**{"$filter": })'),
        ("form(mode=1, $‸)", "$filter", 'form(mode=1, **{"$filter": })'),
        ("form(\n    a b‸\n)", "a b", 'form(\n    **{"a b": }\n)'),
        ("form(x.‸)", "x.y", 'form(**{"x.y": })'),
        ("form(1s‸)", "1st", 'form(**{"1st": })'),
        ("form(page‸)", "page[size]", 'form(**{"page[size]": })'),
        ('form(mode=1, **{"a b": 1}, $f‸)', "$filter", 'form(mode=1, **{"a b": 1}, **{"$filter": })'),
    ],
)  # fmt: skip
def test_a_raw_name_that_is_no_word_offers_its_spelling(
    marked: str, label: str, after: str
) -> None:
    assert chosen(CALL + marked, f'**{{"{label}": …}}', MADE) == CALL + after


@pytest.mark.parametrize(
    "marked",
    [
        "form(x + ki‸)", "form(mode=x + ki‸)", "form(mode=-ki‸)", "form(mode=not ki‸)", "form(obj.ki‸)",
        "form(mode=obj.ki‸)", "form(mode=d[ki‸])", "form(mode=[ki‸])", "form(mode=f(ki‸))",
        "form(mode=x if ki‸)", "form(lambda: ki‸)", "form(*ki‸)", "form(**ki‸)", "form(mode=await ki‸)",
        "form(ki for ki in ki‸)", "form(mode=f'{ki‸}')", "form(mode=(ki‸))", "form(x, y := ki‸)",
        "form(ki‸==1)", "form(mode=1)[ki‸]", "(form, ki‸)", "form(mode=page[si‸)",
    ],
)  # fmt: skip
def test_no_keyword_in_the_middle_of_another_expression(marked: str) -> None:
    found = answer(CALL + marked, MADE)
    items = found.items if isinstance(found, ItemList) else ()
    assert not any(item.kind is ItemKind.PARAMETER for item in items)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("form(ki‸nd=1)", "form(kind=1)"),
        ("form(‸kind=1)", "form(kind=1)"),
        ("form(kind‸=1)", "form(kind=1)"),
        ("form(ki‸ = 1)", "form(kind = 1)"),
        ("form(ki‸=)", "form(kind=)"),
        ("form(ki‸\n=1)", "form(kind\n=1)"),
        ("form(ki‸, x)", "form(kind=, x)"),
    ],
)
def test_a_keyword_brings_an_equals_sign_where_none_is(before: str, after: str) -> None:
    assert chosen(CALL + before, "kind=", MADE) == CALL + after


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("mode=‸", ['"fast"', '"it\'s"', "3", "True", "None"], id="members of an enum"),
        pytest.param("mode='‸'", ["fast", "it\\'s"], id="only texts between quotes"),
        pytest.param('mode="‸"', ["fast", "it's"], id="between double quotes"),
        pytest.param("mode='''‸'''", ["fast", "it\\'s"], id="between triple quotes"),
        pytest.param("mode=f'‸'", ["fast", "it\\'s"], id="in an f-string"),
        pytest.param("mode=r'‸'", ["fast"], id="what a raw string can hold"),
        pytest.param("mode=fa‸", ['"fast"'], id="half a word without quotes"),
        pytest.param("mode=fa‸st", ['"fast"'], id="in a word without quotes"),
        pytest.param('mode="fa‸', ['fast"'], id="an open string"),
        pytest.param("mode= ‸ , kind=1", ['"fast"', '"it\'s"', "3", "True", "None"], id="blanks"),
        pytest.param("mode=(‸)", ['"fast"', '"it\'s"', "3", "True", "None"], id="in brackets"),
        pytest.param("kind=‸", ['"only"'], id="a const"),
        pytest.param("kind='‸'", ["only"], id="a const between quotes"),
        pytest.param("count=‸", ["None", "3", "7", "5"], id="null, the examples, the default"),
        pytest.param("tags=[‸]", ['"a"', '"b"'], id="an item of a list"),
        pytest.param("tags=['a', '‸']", ["a", "b"], id="a later item"),
        pytest.param("pair=[‸]", ['"p"'], id="the first position"),
        pytest.param("pair=['p', ‸]", ['"q"'], id="the second position"),
        pytest.param(
            "deep={'in-ner': {'flag': ‸}}", ["True", "False"], id="a boolean of a nested key"
        ),
        pytest.param(
            "deep={'list': [{}, {'k-k': '‸'}]}", ["u", "v"], id="a key in a list of objects"
        ),
        pytest.param("**{'page[size]': ‸}", ["10", "20"], id="a parameter without a name"),
        pytest.param("**{'kind': '‸'}", ["only"], id="one that has a name, by its key"),
        pytest.param("shape={'is': ‸}", ['"round"', '"square"'], id="which of several shapes"),
    ],
)
def test_values(marked: str, expected: list[str]) -> None:
    assert texts(f"{CALL}form({marked})", MADE) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        pytest.param("deep={‸}", ['"list": ', '"in-ner": '], id="required first"),
        pytest.param("deep={'‸'}", ["list", "in-ner"], id="between quotes"),
        pytest.param("deep={'list': 1, '‸'}", ["in-ner", "list"], id="unfilled first"),
        pytest.param("deep={in_‸}", ['"in-ner": '], id="half a word without quotes"),
        pytest.param("deep={in‸}", ['"in-ner": '], id="a keyword of Python"),
        pytest.param("deep={'list': 1, in‸", ['"in-ner": '], id="a keyword of Python behind a key"),
        pytest.param("deep={'in‸': 1}", ["in-ner"], id="a colon is there"),
        pytest.param("deep={'in-ner': {‸}}", ['"k-k": ', '"flag": '], id="nested"),
        pytest.param("deep={'list': [{‸}]}", ['"k-k": ', '"flag": '], id="in a list"),
        pytest.param("deep={'list': [{'flag': 1}, {'‸", ["k-k'", "flag'"], id="unfinished"),
        pytest.param("deep=({‸})", ['"list": ', '"in-ner": '], id="in brackets"),
        pytest.param("shape={‸}", ['"is": ', '"round": ', '"square": '], id="of every shape"),
        pytest.param("shape={'is': 'square', ‸}", ['"square": ', '"is": '], id="of the shape that is named"),
        pytest.param("**{‸}, mode=1", ['"page[size]": ', '"$filter": ', '"a b": ', '"x.y": ', '"1st": ', '"kind": ', '"count": ', '"tags": ', '"pair": ', '"deep": ', '"shape": ', '"old": '], id="of the call: those without a name first"),
        pytest.param("**{'page‸'}", ["page[size]"], id="of the call, between quotes"),
        pytest.param("**{'a b': 1, '‸', **more}, mode=1, kind=1, count=1, tags=1, pair=1, deep=1, shape=1, old=1", ["page[size]", "$filter", "x.y", "1st"], id="of the call, unfilled only"),
    ],
)  # fmt: skip
def test_keys(marked: str, expected: list[str]) -> None:
    assert texts(f"{CALL}form({marked})", MADE) == expected


def test_a_key_replaces_the_keyword_that_it_starts_with() -> None:
    assert chosen(f"{CALL}form(deep={{in‸}})", "in-ner", MADE) == f'{CALL}form(deep={{"in-ner": }})'


@pytest.mark.parametrize("marked", ["deep={'list': in‸}", "deep={q in‸}", "tags=[in‸]"])
def test_a_keyword_that_is_no_key_is_not_completed(marked: str) -> None:
    assert answer(f"{CALL}form({marked})", MADE) is Empty.NOTHING_TYPED


def test_a_raw_key_that_has_a_name_is_marked() -> None:
    found = listed(f"{CALL}form(**{{‸}})", MADE)
    assert named(found, "page[size]").description == "optional"
    assert named(found, "mode").description == "has a name: mode="


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("r['‸']", ["items", "next"]),
        ("r[‸]", ['"items"', '"next"']),
        ("r[ite‸]", ['"items"']),
        ("r[‸", ['"items"', '"next"']),
        ("r.get('‸')", ["items", "next"]),
        ("r.get(‸)", ['"items"', '"next"']),
        ("r.get(ite‸, None)", ['"items"']),
        ("r.pop('‸')", ["items", "next"]),
        ("r.setdefault('‸', 1)", ["items", "next"]),
        ("r['items'][0]['‸']", ["page-id", "title"]),
        ("x = r['items'][0]\nx['‸']", ["page-id", "title"]),
        ("[x['‸'] for x in r['items']]", ["page-id", "title"]),
        ("if (q := r['items'][0]):\n    q['‸']", ["page-id", "title"]),
        ("(await mcp.shell.run(command='ls'))['‸']", ["exit-code", "stdout"]),
        ("a, b = await asyncio.gather(mcp.web.search(query='a'), mcp.shell.run(command='b'))\nb['‸']", ["exit-code", "stdout"]),
        ("for x in r['‸']:", ["items", "next"]),
        ("del r['‸']", ["items", "next"]),
        ("r['‸'] = 1", ["items", "next"]),
    ],
)  # fmt: skip
def test_keys_of_a_result(marked: str, expected: list[str]) -> None:
    found = [item.text for item in listed(R + marked).items if item.kind is ItemKind.KEY]
    assert found == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("getattr(mcp.redis, ‸)", ['"a.b"', '"import"', '"my-tool"', '"open"', '"type"']),
        ("getattr(mcp.redis, my‸)", ['"my-tool"']),
        ("getattr(mcp.redis, 'my-‸tool')", ["my-tool"]),
        ("getattr(mcp.redis, '‸', None)", ["a.b", "import", "my-tool", "open", "type"]),
        ("n = mcp.redis\ngetattr(n, 'a‸')", ["a.b"]),
        ("getattr(mcp, '‸')", ["forms", "my srv", "my-server", "notion", "redis", "shell", "web"]),
        ("from codeact_lsp import tools\ngetattr(tools, 'n‸')", ["native-note", "not a name"]),
    ],
)
def test_raw_names_of_getattr(marked: str, expected: list[str]) -> None:
    strings = [t for t in texts(IMPORT + marked, MADE) if t in expected or "my_" not in t]
    assert sorted(strings) == expected


INSIDE = [
    pytest.param("mcp.shell.‸", ["run"], id="a tool"),
    pytest.param("form(ki‸)", ["kind="], id="a keyword"),
    pytest.param("form(kind=‸)", ['"only"'], id="a value"),
    pytest.param("form(deep={in_‸})", ['"in-ner": '], id="a key"),
    pytest.param("form(**{pag‸})", ['"page[size]": '], id="a key of the call"),
    pytest.param("r[ite‸]", ['"items"'], id="a key of a result"),
    pytest.param("getattr(mcp.shell, ‸)", ['"run"'], id="a raw name"),
    pytest.param("native_n‸", ["native_note"], id="a bare name"),
]
AROUND = [
    pytest.param("print(f'{|}')", id="an f-string"),
    pytest.param("print(f'{|!r:>{w}}')", id="with a conversion and a format"),
    pytest.param("f'{w:>{|}}'", id="in a format"),
    pytest.param("f'''\n{|\n}'''", id="over lines"),
    pytest.param("f'{f\"{|}\"}'", id="nested"),
    pytest.param("@|\ndef f(): ...", id="a decorator"),
    pytest.param("@cached(|)\ndef f(): ...", id="an argument of a decorator"),
    pytest.param("lambda: |", id="a lambda"),
    pytest.param("lambda x=|: x", id="a default of a lambda"),
    pytest.param("[| for x in y]", id="a comprehension"),
    pytest.param("[x for x in |]", id="what it goes over"),
    pytest.param("{x: | async for x in y if z}", id="a value of one"),
    pytest.param("[x for x in y if |]", id="a condition of one"),
    pytest.param("async def f():\n    return await |", id="behind await"),
    pytest.param("x = (y :=|)", id="a walrus"),
    pytest.param("if |:\n    pass", id="a condition"),
    pytest.param("other(1, x=|)", id="an argument"),
    pytest.param("%time |", id="a magic with code"),
    pytest.param("x = [\n    |,\n]", id="a display"),
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("inside", "expected"), INSIDE)
def test_wherever_an_expression_stands(around: str, inside: str, expected: list[str]) -> None:
    marked = f"{R}form = mcp.forms.form\n{around.replace('|', inside)}"
    kinds = {ItemKind.TOOL, ItemKind.MODULE}
    found = listed(marked, MADE).items
    # A word that may become a key may also become the name of a tool: those come below.
    above = [item.text for item in found if item.kind not in kinds or not item.edits]
    assert (above or [item.text for item in found]) == expected


@pytest.mark.parametrize("inside", ["mcp.shell.‸", "form(‸", "form(mode=‸", "r['‸", "nat‸"])
@pytest.mark.parametrize(
    ("around", "why"),
    [
        ("# |", Empty.IN_COMMENT),
        ("x = 1  # |", Empty.IN_COMMENT),
        ('x = "|"', Empty.IN_STRING),
        ('"""\n|\n"""', Empty.IN_STRING),
        ('b"|"', Empty.IN_STRING),
        ('rb"|"', Empty.IN_STRING),
        ('f"|{x}"', Empty.IN_STRING),
        ('f"{x}|"', Empty.IN_STRING),
        ('f"{{|}}"', Empty.IN_STRING),
        ('f"{x:|}"', Empty.IN_STRING),
        ("!|", Empty.NOT_PYTHON),
        ("x = !|", Empty.NOT_PYTHON),
        ("%pip |", Empty.NOT_PYTHON),
        ("%%bash\n|", Empty.NOT_PYTHON),
    ],
)
def test_nothing_in_comments_plain_strings_and_other_languages(
    around: str, why: Empty, inside: str
) -> None:
    assert answer(f"{CALL}{around.replace('|', inside)}", MADE) is why
