"""A list that a function fills is its own, whatever other functions call theirs."""

from __future__ import annotations

from codeact_lsp.ide.diagnostics import diagnose_again
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import Many, Other
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.call import calls
from codeact_lsp.syntax.document import Document
from tests.support.cells import BINDINGS, IMPORT, view

FUNCTIONS = 12
FILLS = """\
async def fill_{n}():
    found = []
    page = await mcp.notion.search(query="{n}")
    for item in page["items"]:
        found.append(item)
    return found

"""


def test_an_edit_costs_the_function_that_it_is_in() -> None:
    text = IMPORT + "".join(FILLS.format(n=n) for n in range(FUNCTIONS))
    document = Document.parse(text)
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    edited = document.replaced(len(text), len(text), "async def more():\n    found = [1]\n")
    _, again = diagnose_again(View(BINDINGS, (edited,)), kept)
    # Statements may be diagnosed line by line; those of the other functions are not among them.
    assert again.diagnosed < FUNCTIONS


def test_an_edit_reads_the_function_that_it_is_in() -> None:
    text = IMPORT + "".join(FILLS.format(n=n) for n in range(100))
    document = Document.parse(text)
    _, kept = diagnose_again(View(BINDINGS, (document,)), None)
    start = text.index('"0"') + 1
    edited = document.replaced(start, start, "x")
    done = document.work.lines_parsed
    _, again = diagnose_again(View(BINDINGS, (edited,)), kept)
    assert again.diagnosed == 1
    assert edited.work.lines_parsed - done < 60


def test_a_global_list_is_filled_by_any_function() -> None:
    text = f"{IMPORT}found = []\ndef g(x):\n    found.append(x)\nshow(found)\n"
    seen = view(text)
    call = next(one for one in calls(seen.document) if text[one.span.start :].startswith("show"))
    (ref,) = resolve(seen, call.arguments[0].value)
    assert isinstance(ref, Many)
    assert ref.item == (Other(),)
