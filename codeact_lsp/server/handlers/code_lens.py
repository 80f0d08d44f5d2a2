"""`textDocument/codeLens`: cells, for clients that can run one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from codeact_lsp.ide.run_cells import run_cells
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session

_RUN: Final = ("Run cell with codeact-lsp", "codeact-lsp.runCell")
_RUN_ABOVE: Final = ("Run above and this", "codeact-lsp.runAbove")


async def code_lens(session: Session, params: Any) -> list[Json] | None:
    """What runs each section; the argument of a command names the text, and a line from 1."""
    uri = read.uri(read.obj(params))
    seen = session.look(uri)
    if seen is None or not session.editor.run_cell_lens or not session.trusted:
        return None
    opened, view = seen
    document = view.document
    found = await session.compute(view, lambda: run_cells(view))
    lines = [document.lines.position(document.text, cell.span.start, "utf-32")[0] for cell in found]
    follows = len(session.documents.upto(uri)) > 1
    return [
        {
            "range": convert.line_range(line),
            "command": {
                "title": title,
                "command": command,
                "arguments": [{"uri": opened.uri, "line": line + 1}],
            },
        }
        for number, line in enumerate(lines)
        for title, command in ((_RUN, _RUN_ABOVE) if number or follows else (_RUN,))
    ]
