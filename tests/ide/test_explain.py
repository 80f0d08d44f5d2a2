"""Every reason for an empty answer is given somewhere, and the command that explains says it."""

from __future__ import annotations

import pytest

from codeact_lsp.bindings.model import NO_BINDINGS, Bindings
from codeact_lsp.catalogue.model import ServerState
from codeact_lsp.ide.explain import explain
from codeact_lsp.ide.model import Empty
from tests.support.cells import BINDINGS, IMPORT, bindings, cell, tool, view

HIDDEN = bindings({"web": []}, state=ServerState.NOT_APPROVED)
BARE = bindings({"web": []})
R = "r = await mcp.web.search(query='a')\n"

COMPLETION = [
    (Empty.CATALOGUE_EMPTY, "mcp.‸", NO_BINDINGS),
    (Empty.CATALOGUE_EMPTY, "sea‸", NO_BINDINGS),
    (Empty.CATALOGUE_EMPTY, "from codeact_lsp.tools.mcp import ‸", NO_BINDINGS),
    (Empty.CATALOGUE_EMPTY, "getattr(mcp, '‸')", NO_BINDINGS),
    (Empty.SERVER_NOT_APPROVED, "mcp.web.‸", HIDDEN),
    (Empty.SERVER_NOT_APPROVED, "mcp.web.search(‸)", HIDDEN),
    (Empty.SERVER_NOT_APPROVED, "from codeact_lsp.tools.mcp.web import ‸", HIDDEN),
    (Empty.SERVER_NOT_APPROVED, "getattr(mcp.web, '‸')", HIDDEN),
    (Empty.SERVER_HAS_NO_TOOLS, "mcp.web.‸", BARE),
    (Empty.SERVER_HAS_NO_TOOLS, "from codeact_lsp.tools.mcp.web import ‸", BARE),
    (Empty.SERVER_HAS_NO_TOOLS, "getattr(mcp.web, '‸')", BARE),
    (Empty.UNKNOWN_SERVER, "mcp.nope.‸", BINDINGS),
    (Empty.UNKNOWN_SERVER, "from codeact_lsp.tools.mcp.nope import ‸", BINDINGS),
    (Empty.UNKNOWN_TOOL, "mcp.web.nope(‸)", BINDINGS),
    (Empty.UNKNOWN_TOOL, "mcp.web.nope.‸", BINDINGS),
    (Empty.NO_BINDING_HERE, "x.‸", BINDINGS),
    (Empty.NO_BINDING_HERE, "print(‸)", BINDINGS),
    (Empty.NO_BINDING_HERE, "from os import ‸", BINDINGS),
    (Empty.NO_BINDING_HERE, "from . import ‸", BINDINGS),
    (Empty.IN_STRING, "'mcp.‸'", BINDINGS),
    (Empty.IN_STRING, "mcp.web.search(query='‸')", BINDINGS),
    (Empty.IN_STRING, "f'{{mcp.‸}}'", BINDINGS),
    (Empty.IN_COMMENT, "# mcp.‸", BINDINGS),
    (Empty.NOT_PYTHON, "!ls ‸", BINDINGS),
    (Empty.NOT_PYTHON, "%%bash\nls ‸", BINDINGS),
    (Empty.NO_NAME_EXPECTED, "x ‸", BINDINGS),
    (Empty.NO_NAME_EXPECTED, "x = 12‸", BINDINGS),
    (Empty.NO_NAME_EXPECTED, "def f‸(): ...", BINDINGS),
    (Empty.NOTHING_TYPED, "‸", BINDINGS),
    (Empty.NOTHING_TYPED, "x = ‸", BINDINGS),
    (Empty.NOTHING_MATCHES, "zzz‸", BINDINGS),
    (Empty.NOTHING_MATCHES, "mcp.zzz‸", BINDINGS),
    (Empty.NOTHING_MATCHES, "mcp.web.search(zzz‸)", BINDINGS),
    (Empty.NOTHING_MATCHES, "mcp.web.search(order='zzz‸')", BINDINGS),
    (Empty.ALL_PARAMETERS_GIVEN, "mcp.notion.ping(‸)", BINDINGS),
    (Empty.ALL_PARAMETERS_GIVEN, "mcp.redis.type(key=1, ‸)", BINDINGS),
    (Empty.ALL_PARAMETERS_GIVEN, "mcp.redis.type(key=1, **{‸})", BINDINGS),
    (Empty.NO_KNOWN_VALUES, "mcp.web.search(query=‸)", BINDINGS),
    (Empty.NO_KNOWN_VALUES, "mcp.web.search(query={‸})", BINDINGS),
    (Empty.NO_PARAMETER_HERE, "mcp.web.search(nope=‸)", BINDINGS),
    (Empty.RESULT_UNTYPED, f"{R}r['‸']", BINDINGS),
    (Empty.RESULT_UNTYPED, f"{R}r.get('‸')", BINDINGS),
]
HOVER = [
    (Empty.NO_BINDING_HERE, "prin‸t(1)", BINDINGS),
    (Empty.NO_BINDING_HERE, "‸", BINDINGS),
    (Empty.IN_STRING, "'mcp.w‸eb'", BINDINGS),
    (Empty.IN_COMMENT, "# mcp.w‸eb", BINDINGS),
    (Empty.NOT_PYTHON, "!mcp.w‸eb", BINDINGS),
    (Empty.UNKNOWN_SERVER, "mcp.no‸pe", BINDINGS),
    (Empty.UNKNOWN_TOOL, "mcp.web.no‸pe", BINDINGS),
    (Empty.SERVER_NOT_APPROVED, "mcp.web.no‸pe", HIDDEN),
]
SIGNATURE = [
    (Empty.NO_CALL_HERE, "mcp.web.search‸", BINDINGS),
    (Empty.NO_CALL_HERE, "mcp.web.search()‸", BINDINGS),
    (Empty.NO_BINDING_HERE, "print(‸)", BINDINGS),
    (Empty.UNKNOWN_SERVER, "mcp.nope(‸)", BINDINGS),
    (Empty.UNKNOWN_TOOL, "mcp.web.nope(‸)", BINDINGS),
    (Empty.SERVER_NOT_APPROVED, "mcp.web.search(‸)", HIDDEN),
]
ROWS = [
    *(("Completion", *row) for row in COMPLETION),
    *(("Hover", *row) for row in HOVER),
    *(("Signature help", *row) for row in SIGNATURE),
]


@pytest.mark.parametrize(("feature", "why", "marked", "made"), ROWS)
def test_why_there_is_nothing(feature: str, why: Empty, marked: str, made: Bindings) -> None:
    at = cell(IMPORT + marked)
    said = explain(view(at.text, made), at.offset).sentences()
    assert f"{feature}: {why.value}" in said


def test_every_reason_is_given_somewhere() -> None:
    assert {why for _, why, _, _ in ROWS} == set(Empty)


def test_every_reason_is_one_plain_sentence_of_its_own() -> None:
    sentences = [why.value for why in Empty]
    assert len(set(sentences)) == len(sentences)
    assert all(said.endswith(".") and said[0].isupper() for said in sentences)


def test_where_there_is_an_answer_it_is_said() -> None:
    at = cell(f"{IMPORT}mcp.web.search(que‸ry=1)")
    assert explain(view(at.text), at.offset).sentences() == (
        "Completion: there is an answer here.",
        "Hover: there is an answer here.",
        "Signature help: there is an answer here.",
    )


def test_a_tool_without_a_name_is_still_a_tool() -> None:
    at = cell(f"{IMPORT}getattr(mcp.s, 'a b')(‸)")
    found = explain(view(at.text, bindings({"s": [tool("a b")]})), at.offset)
    assert (found.completion, found.signature_help) == (Empty.ALL_PARAMETERS_GIVEN, None)
