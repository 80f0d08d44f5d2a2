"""Which sections of a text can be run as a cell."""

from __future__ import annotations

from codeact_lsp.ide.model import View
from codeact_lsp.syntax.cells import Section, sections
from codeact_lsp.syntax.document import statements


def run_cells(view: View) -> tuple[Section, ...]:
    """The sections with code in them, if the text or what runs before it names a bindings module."""
    roots = {module.split(".", 1)[0] for module in view.settings.bindings_modules}
    if not any(root in document.text for document in view.chain for root in roots):
        return ()
    starts = [statement.span.start for statement in statements(view.document)]
    return tuple(
        section
        for section in sections(view.document)
        if any(section.span.start <= start < section.span.end for start in starts)
    )
