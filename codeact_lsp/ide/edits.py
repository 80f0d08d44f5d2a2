"""Edits of a call's arguments that leave the rest of the text as it is."""

from __future__ import annotations

import re
from typing import Final

from codeact_lsp import text
from codeact_lsp.ide.model import TextEdit
from codeact_lsp.syntax import expressions as ast
from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.expressions import Argument, Call, Span

_TITLE: Final = 60
_BEHIND = re.compile(r"[ \t]*,[ \t]*")
_BEFORE = re.compile(r"[ \t]*,\s*$|,\s*$")


def source(document: Document, span: Span) -> str:
    """The text of `span`."""
    return document.text[span.start : span.end]


def writes(written: str) -> str:
    """The title of a fix that writes `written`: one line that fits a menu."""
    shown = text.one_line(written)
    return f"Write {shown if len(shown) <= _TITLE else shown[: _TITLE - 1] + '…'}"


def dropped(document: Document, span: Span) -> Span:
    """`span` with the comma that goes with it when it is taken out of a list."""
    behind = _BEHIND.match(document.text, span.end)
    if behind is not None:
        return Span(span.start, behind.end())
    # Without a comma behind it is the last one, so the comma before it goes.
    start = max(0, span.start - 200)
    before = _BEFORE.search(document.text[start : span.start])
    return span if before is None else Span(start + before.start(), span.end)


def without_argument(document: Document, argument: Argument) -> TextEdit:
    """Takes an argument out of its call."""
    return TextEdit(dropped(document, argument.span), "")


def without_entry(document: Document, argument: Argument, entry: ast.Entry) -> TextEdit:
    """Takes one entry out of `**{…}`, the whole argument when it is the only one."""
    display = ast.bare(argument.value)
    if isinstance(display, ast.Dict) and len(display.entries) == 1:
        return without_argument(document, argument)
    return TextEdit(dropped(document, entry.span), "")


def entry_as_keyword(
    document: Document, argument: Argument, entry: ast.Entry, name: str
) -> tuple[TextEdit, ...]:
    """Turns one entry of `**{…}` into `name=value` before it."""
    keyword = f"{name}={source(document, entry.value.span)}"
    display = ast.bare(argument.value)
    if isinstance(display, ast.Dict) and len(display.entries) == 1:
        return (TextEdit(argument.span, keyword),)
    at = argument.span.start
    return (
        TextEdit(Span(at, at), f"{keyword}, "),
        TextEdit(dropped(document, entry.span), ""),
    )


def added_arguments(call: Call, written: str) -> TextEdit | None:
    """Adds arguments before the closing parenthesis; None while there is none."""
    if call.close is None:
        return None
    if not call.arguments:
        return TextEdit(Span(call.open + 1, call.open + 1), written)
    end = call.arguments[-1].span.end
    return TextEdit(Span(end, end), f", {written}")
