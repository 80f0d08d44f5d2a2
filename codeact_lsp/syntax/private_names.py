"""Private names: inside a class, Python reads `__x` as `_Class__x` (reference §6.2.1).

The names of keyword arguments are none of those: `f(__x=1)` passes `__x` everywhere.
"""

from __future__ import annotations

from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.flow import Question
from codeact_lsp.syntax.places import place_of


def read_as(document: Document, name: str, offset: int) -> str:
    """The name or attribute that Python looks for where `name` stands at `offset`."""
    if not name.startswith("__") or name.endswith("__"):
        return name
    owner = _class_around(document, offset).lstrip("_")
    return f"_{owner}{name}" if owner else name


def _class_around(document: Document, offset: int) -> str:
    """The name of the innermost class whose body is around `offset`; "" where there is none."""
    place = place_of(document, offset)
    question = Question("", place.base, document.work)
    for level in reversed(place.levels):
        if level.owner is None or level.owner.line.word != "class":
            continue
        header = question.header(level.owner.clauses[level.clause])
        return header.bindings[0].name if header is not None and header.bindings else ""
    return ""
