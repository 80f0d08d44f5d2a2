"""What is wrong, row by row: `‹…›` marks where a diagnostic stands, and the cell after its fix follows."""

from __future__ import annotations

import re

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.ide.diagnostics import diagnose
from codeact_lsp.ide.model import Diagnostic, Severity
from tests.support.cells import IMPORT, SERVERS, STRING, applied, bindings, tool, view

ERROR, WARNING = Severity.ERROR, Severity.WARNING
INFORMATION, HINT = Severity.INFORMATION, Severity.HINT

FILES = tool(
    "read-file",
    {
        "file-path": STRING,
        "from": {"type": "integer", "minimum": 0, "maximum": 9},
        "mode": {"enum": ["text", "bytes"]},
        "kind": {"const": "only"},
        "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 4},
        "flag": {"type": "boolean"},
        "a b": STRING,
        "deep": {
            "type": "object",
            "properties": {
                "in-ner": STRING,
                "list": {"type": "array", "items": {"type": "object", "properties": {"k-k": STRING}}},
            },
            "required": ["in-ner"],
            "additionalProperties": False,
        },
    },
    ("file-path",),
    output={
        "type": "object",
        "properties": {"exit-code": {"type": "integer"}, "rows": {"type": "array"}},
    },
    additionalProperties=False,
)  # fmt: skip
SOFT = ["_", "case", "lazy", "match", "type"]
MADE = bindings(
    {
        **SERVERS,
        "fs": [FILES],
        "open-api": [tool("any-key", {"known": STRING})],
        "soft": [tool(name) for name in (*SOFT, "open", "list", "filter")],
    }
)
CALL = "await mcp.fs.read_file(file_path='a', "


def diagnosed(marked: str, made: Bindings = MADE) -> tuple[str, list[tuple[str, Diagnostic]]]:
    """The cell without its markers, and what is found with where it stands, markers put in."""
    text = IMPORT + re.sub("[‹›]", "", marked)
    found = diagnose(view(text, made))
    return text, [(_marked(text, one), one) for one in found]


def _marked(text: str, one: Diagnostic) -> str:
    start, end = one.span
    return f"{text[:start]}‹{text[start:end]}›{text[end:]}".removeprefix(IMPORT)


@pytest.mark.parametrize(
    ("code", "severity", "marked", "after"),
    [
        ("raw-key", WARNING, "await mcp.fs.read_file(**{‹\"file-path\"›: 'a'})", "await mcp.fs.read_file(file_path='a')"),
        ("raw-key", WARNING, CALL + "**{'a b': 'b', ‹'from'›: 1})", CALL + "from_=1, **{'a b': 'b'})"),
        ("raw-key", WARNING, "d = {'file-path': 'a'}\nawait mcp.fs.read_file(**‹d›)", "d = {\"file_path\": 'a'}\nawait mcp.fs.read_file(**d)"),
        ("raw-key", WARNING, "await mcp.fs.read_file(**‹dict({'file-path': 'a'})›)", None),
        ("raw-keyword", ERROR, "await mcp.fs.read_file(‹file-path›='a')", "await mcp.fs.read_file(file_path='a')"),
        ("raw-keyword", ERROR, "await mcp.fs.read_file(‹file-path› = 'a')", "await mcp.fs.read_file(file_path = 'a')"),
        ("raw-keyword", ERROR, CALL + "‹from›=1)", CALL + "from_=1)"),
        ("raw-tool-name", ERROR, "await ‹mcp.fs.read-file›(file_path='a')", "await mcp.fs.read_file(file_path='a')"),
        ("raw-tool-name", ERROR, "await ‹mcp.redis.import›(file='a')", "await getattr(mcp.redis, \"import\")(file='a')"),
        ("raw-tool-name", ERROR, "await ‹mcp.open-api›.any_key()", "await mcp.open_api.any_key()"),
        ("raw-tool-name", ERROR, "from codeact_lsp.tools.mcp.fs import ‹read-file›", "from codeact_lsp.tools.mcp.fs import read_file"),
        ("raw-tool-name", ERROR, "from codeact_lsp.tools.mcp.fs import ‹read-file› as r", "from codeact_lsp.tools.mcp.fs import read_file as r"),
        ("raw-tool-name", ERROR, "from codeact_lsp.tools.mcp import fs, ‹open-api›", "from codeact_lsp.tools.mcp import fs, open_api"),
        ("raw-tool-name", ERROR, "from codeact_lsp.tools.mcp.‹open-api› import any_key", "from codeact_lsp.tools.mcp.open_api import any_key"),
        ("raw-tool-name", ERROR, "import codeact_lsp.tools.mcp.‹open-api› as a", "import codeact_lsp.tools.mcp.open_api as a"),
        ("needless-getattr", HINT, "await ‹getattr(mcp.fs, 'read-file')›(file_path='a')", "await mcp.fs.read_file(file_path='a')"),
        ("name-conflict", ERROR, CALL + "**{‹'file-path'›: 'b'})", "await mcp.fs.read_file(file_path='a')"),
        ("unknown-server", ERROR, "await mcp.‹notoin›.ping()", "await mcp.notion.ping()"),
        ("unknown-server", ERROR, "mcp.‹open_apy›", "mcp.open_api"),
        ("unknown-tool", ERROR, "mcp.fs.‹read_fil›", "mcp.fs.read_file"),
        ("unknown-tool", ERROR, "mcp.fs.‹readfile›", "mcp.fs.read_file"),
        ("unknown-tool", ERROR, "from codeact_lsp.tools.mcp.fs import ‹read_fil›", "from codeact_lsp.tools.mcp.fs import read_file"),
        ("unknown-parameter", ERROR, CALL + "‹flg›=True)", CALL + "flag=True)"),
        ("unknown-parameter", WARNING, "await mcp.open_api.any_key(‹knwon›='a')", "await mcp.open_api.any_key(known='a')"),
        ("missing-argument", ERROR, "await ‹mcp.fs.read_file›()", "await mcp.fs.read_file(file_path=...)"),
        ("missing-argument", ERROR, "await ‹mcp.fs.read_file›(flag=True)", "await mcp.fs.read_file(flag=True, file_path=...)"),
        ("positional-argument", ERROR, "await mcp.fs.read_file(‹'a'›)", "await mcp.fs.read_file(file_path='a')"),
        ("not-awaited", WARNING, "‹mcp.notion.ping()›", "await mcp.notion.ping()"),
        ("not-awaited", WARNING, "print(‹mcp.fs.read_file(file_path='a')›['rows'])", "print((await mcp.fs.read_file(file_path='a'))['rows'])"),
        ("not-awaited", WARNING, "r = mcp.fs.read_file(file_path='a')\nfor x in ‹r›: ...", "r = await mcp.fs.read_file(file_path='a')\nfor x in r: ..."),
        ("argument-type", ERROR, CALL + "from_=‹'1'›)", None),
        ("argument-type", ERROR, CALL + "from_=‹-1›)", None),
        ("argument-type", ERROR, CALL + "from_=‹10›)", None),
        ("argument-type", ERROR, CALL + "mode=‹'txt'›)", CALL + 'mode="text")'),
        ("argument-type", ERROR, CALL + "kind=‹'other'›)", CALL + 'kind="only")'),
        ("argument-type", ERROR, CALL + "name=‹'A1'›)", None),
        ("argument-type", ERROR, CALL + "name=‹'a'›)", None),
        ("argument-type", ERROR, CALL + "name=‹'abcde'›)", None),
        ("argument-type", ERROR, CALL + "flag=‹1›)", None),
        ("argument-type", ERROR, CALL + "deep=‹{}›)", CALL + 'deep={"in-ner": ...})'),
        ("argument-type", ERROR, CALL + "deep={'in-ner': ‹1›})", None),
        ("argument-type", ERROR, CALL + "deep={'in-ner': 'a', ‹'lisp'›: []})", CALL + "deep={'in-ner': 'a', \"list\": []})"),
        ("renamed-nested-key", ERROR, CALL + "deep={‹'in_ner'›: 'a'})", CALL + "deep={\"in-ner\": 'a'})"),
        ("renamed-nested-key", ERROR, CALL + "deep={'in-ner': 'a', 'list': [{‹'k_k'›: 'a'}]})", CALL + "deep={'in-ner': 'a', 'list': [{\"k-k\": 'a'}]})"),
        ("result-attribute", ERROR, "r = await mcp.fs.read_file(file_path='a')\nr.‹exit_code›", "r = await mcp.fs.read_file(file_path='a')\nr[\"exit-code\"]"),
        ("binding-overwritten", WARNING, "from codeact_lsp.tools.mcp.notion import ping\n‹ping› = await ping()\nprint(ping)", "from codeact_lsp.tools.mcp.notion import ping\nping_result = await ping()\nprint(ping_result)"),
    ],
)  # fmt: skip
def test_a_row(code: str, severity: Severity, marked: str, after: str | None) -> None:
    text, found = diagnosed(marked)
    assert [(where, one.code, one.severity) for where, one in found] == [(marked, code, severity)]
    [(_, one)] = found
    if after is None:
        assert one.fixes == () or "**{" in one.message
    else:
        assert applied(text, one.fixes[0].edits) == IMPORT + after


BINDERS = [
    pytest.param("from codeact_lsp.tools.mcp.soft import ‹{name}›", id="import"),
    pytest.param("from codeact_lsp.tools.mcp.notion import ping as ‹{name}›", id="as"),
    pytest.param("‹{name}› = mcp.soft.{name}", id="assignment"),
    pytest.param("‹{name}›: object = mcp.notion.ping", id="annotated"),
    pytest.param("a, ‹{name}› = 1, mcp.notion.ping", id="unpacking"),
    pytest.param("for ‹{name}› in [mcp.notion.ping]: ...", id="for"),
    pytest.param("(‹{name}› := mcp.notion.ping)", id="walrus"),
    pytest.param("import codeact_lsp.tools.mcp.notion as ‹{name}›", id="a module"),
]
CAPTURE = "match mcp.notion.ping:\n    case ‹{name}›: ..."


@pytest.mark.parametrize("marked", BINDERS)
@pytest.mark.parametrize("name", SOFT)
def test_a_soft_keyword_is_not_to_be_hidden(name: str, marked: str) -> None:
    marked = marked.format(name=name)
    _, found = diagnosed(marked)
    assert [(where, one.code, one.severity) for where, one in found] == [
        (marked, "soft-keyword-shadowing", WARNING)
    ]


@pytest.mark.parametrize("name", [name for name in SOFT if name != "_"])
def test_a_capture_hides_a_soft_keyword_too(name: str) -> None:
    marked = CAPTURE.format(name=name)
    assert [(w, one.code) for w, one in diagnosed(marked)[1]] == [
        (marked, "soft-keyword-shadowing")
    ]


@pytest.mark.parametrize("marked", [*BINDERS, CAPTURE])
@pytest.mark.parametrize("name", ["open", "list", "filter"])
def test_a_builtin_is_not_to_be_hidden(name: str, marked: str) -> None:
    marked = marked.format(name=name)
    _, found = diagnosed(marked)
    assert [(where, one.code, one.severity) for where, one in found] == [
        (marked, "builtin-shadowing", INFORMATION)
    ]


def test_the_message_says_what_is_lost_and_the_fix_takes_the_uses_along() -> None:
    text, found = diagnosed(
        "from codeact_lsp.tools.mcp.soft import ‹type›\nawait type()\nprint(type)"
    )
    [(_, one)] = found
    assert "type" in one.message
    assert applied(text, one.fixes[0].edits) == (
        f"{IMPORT}from codeact_lsp.tools.mcp.soft import type as soft_type\n"
        "await soft_type()\nprint(soft_type)"
    )


STALE = bindings({"fs": [FILES]}, stale=True)
PARTIAL = bindings({"fs": [FILES]}, state=ServerState.LISTING)


@pytest.mark.parametrize("made", [STALE, PARTIAL])
@pytest.mark.parametrize("marked", ["mcp.fs.‹nope›", CALL + "‹nope›=1)"])
def test_of_a_listing_that_may_be_old_only_hints_are_given(marked: str, made: Bindings) -> None:
    _, found = diagnosed(marked, made)
    assert [(where, one.severity) for where, one in found] == [(marked, HINT)]


@pytest.mark.parametrize(
    "text",
    [
        "await mcp.fs.read_file(**known_later)",
        "await mcp.fs.read_file(flag=True, **known_later)",
        "await mcp.fs.read_file(**{**known_later})",
        "await mcp.fs.read_file(**{computed: 1})",
        CALL + "from_=computed, mode=f'{computed}', deep={'in-ner': computed})",
        CALL + "deep={**known_later})",
        "await mcp.fs.read_file(*known_later)",
    ],
)
def test_what_python_cannot_know_is_not_flagged(text: str) -> None:
    assert diagnosed(text)[1] == []


@pytest.mark.parametrize(
    "text",
    [
        "mcp.fs.nope  # codeact: ignore[unknown-tool]",
        "mcp.fs.nope  # codeact: ignore",
        "await mcp.fs.read_file(  # codeact: ignore[missing-argument]\n)",
        "await mcp.fs.read_file(\n    file-path='a',  # codeact: ignore[raw-keyword]\n)",
    ],
)
def test_a_comment_silences_what_stands_beside_it(text: str) -> None:
    assert diagnosed(text)[1] == []


@pytest.mark.parametrize(
    ("uses", "after"),
    [
        ("type = 1\nprint(type)", "type = 1\nprint(type)"),
        ("type = type()\nprint(type)", "type = soft_type()\nprint(type)"),
        ("for type in x: ...", "for type in x: ..."),
        ("type(type=1)", "soft_type(type=1)"),
        ("x.type(type)", "x.type(soft_type)"),
    ],
)
def test_a_renaming_leaves_what_is_bound_anew(uses: str, after: str) -> None:
    head = "from codeact_lsp.tools.mcp.soft import type"
    text, found = diagnosed(f"{head}\n{uses}")
    fix = next(one for _, one in found if one.code == "soft-keyword-shadowing").fixes[0]
    assert applied(text, fix.edits) == f"{IMPORT}{head} as soft_type\n{after}"
