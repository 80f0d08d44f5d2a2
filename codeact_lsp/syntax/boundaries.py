"""Where a logical line starts and ends: indentation, IPython lines, and the start of a statement."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_BLANK_LINES: Final = re.compile(r"(?:[^\S\r\n]*(?:\#[^\r\n]*)?(?:\r\n|\n|\r))*")
_INDENT: Final = re.compile(r"[^\S\r\n]*")
_LINE: Final = re.compile(r"[^\r\n]*")
_SECTION: Final = re.compile(r"^[^\S\r\n]*\#[^\S\r\n]*%%", re.MULTILINE)
_OPERATOR_WORDS: Final = frozenset(
    {"and", "as", "async", "await", "else", "for", "from", "if", "in"}
)
_OPERAND_WORDS: Final = (
    frozenset({"is", "lambda", "not", "or", "return", "yield"}) | _OPERATOR_WORDS
)
# A word that no expression can hold at the start of a line. `class=` and `from-date=` are keyword
# arguments that somebody typed by their raw names, so they end nothing.
_STATEMENT: Final = re.compile(
    r"""
    (?: (?:assert|break|class|continue|def|del|except|finally|global|import|nonlocal|pass|raise|return
        |try|while|with|async[ \t]+(?:def|with))\b (?![^\S\r\n]*(?:=(?!=)|[.,)\]])) (?!-[\w-]*[^\S\r\n]*=(?!=))
      | from[ \t]+[\w.]+[ \t]+import\b
      | @\w[\w.]*[^\S\r\n]*(?:\([^\r\n]*\))?[^\S\r\n]*(?:\r\n|\r|\n)[^\S\r\n]*(?:async|class|def|@)\b
    )""",
    re.VERBOSE,
)
# Words that expressions hold too: headers only if the line ends with their colon.
_HEADER: Final = re.compile(
    r"(?:for|if|elif|else|match|case|async[ \t]+for)\b([^\r\n]*):[^\S\r\n]*(?:\#[^\r\n]*)?(?=[\r\n]|\Z)"
)
_ASSIGNMENT: Final = re.compile(r"[^\W\d][\w.]*[^\S\r\n]*(?::[^\S\r\n]*[\w.\[\], |]+)?=(?!=)")
_OPERAND: Final = re.compile(r"[^\W\d]\w*(?![\w'\"])|\d")
_AWAIT: Final = re.compile(r"await[ \t]")
_CELL_MAGIC: Final = re.compile(r"%%(\w*)[^\r\n]*")
_LINE_MAGIC: Final = re.compile(r"%[\w.]+|%|!!?|\?\??|[,;/](?=[^\W\d])")
_CODE_MAGICS: Final = frozenset({"time", "timeit", "prun", "memit", "capture"})


class Indentation(NamedTuple):
    """The blanks before the first token; a tab reaches the next multiple of eight."""

    columns: int
    end: int


class Magic(NamedTuple):
    """What IPython reads itself: `text[start:end]`, and everything to `stop` unless code follows."""

    end: int
    stop: int
    code_follows: bool
    reach: int = 0


class Following(NamedTuple):
    """The next line that holds more than blanks and a comment; `looked` is how far was read."""

    line: int
    start: int
    columns: int
    looked: int
    end_of_text: bool


def indentation(text: str, start: int) -> Indentation:
    """The indentation of the line that starts at `start`. A form feed starts the count again."""
    match = _INDENT.match(text, start)
    assert match is not None  # it matches the empty text too
    blanks = match.group().rpartition("\f")[2].lstrip("\ufeff")
    return Indentation(len(blanks.expandtabs(8)), match.end())


def line_end(text: str, position: int) -> int:
    """Where the physical line ends, before its terminator."""
    match = _LINE.match(text, position)
    assert match is not None  # it matches the empty text too
    return match.end()


def following(text: str, position: int) -> Following:
    """Look past blank and comment lines from the start of a physical line."""
    blank = _BLANK_LINES.match(text, position)
    assert blank is not None  # it matches the empty text too
    line = blank.end()
    indent = indentation(text, line)
    end = line_end(text, line)
    rest = text[indent.end : indent.end + 1]
    if rest == "@":  # a decorator is told by the line behind it
        end = line_end(text, _after(text, end))
    return Following(line, indent.end, indent.columns, end, end_of_text=rest in {"", "#"})


def wants_operand(last: str) -> bool:
    """Whether an operand is wanted behind a token: behind an operator, an opener or a word such as `in`."""
    if last in _OPERAND_WORDS:
        return True
    return not (last[:1].isalnum() or last[:1] in {"_", ")", "]", "}", '"', "'", "."})


def starts_statement(text: str, start: int, last: str, *, inside: bool) -> bool:
    """Whether the line at `start` can only be a new statement, though a bracket is open.

    Args:
        text: the whole text.
        start: the first token of the line.
        last: the last token before it.
        inside: whether the line is indented deeper than the statement with the open bracket, so
            that it is a part of it unless its first word says otherwise.

    """
    if _STATEMENT.match(text, start):
        return True
    header = _HEADER.match(text, start)
    if header is not None:
        rest = header.group(1)
        # `for p in pipes):` ends the condition of an `if` that began lines before.
        return all(rest.count(a) >= rest.count(b) for a, b in ("()", "[]", "{}"))
    if _ASSIGNMENT.match(text, start):
        return not inside and last not in {",", "("}
    if inside:
        return False
    if _AWAIT.match(text, start):
        return last not in {",", "(", "["}
    operand = _OPERAND.match(text, start)
    return operand is not None and operand.group() not in _OPERAND_WORDS and not wants_operand(last)


def magic(text: str, start: int) -> Magic | None:
    """What IPython takes for itself at the start of a statement; None where Python starts."""
    line = _LINE_MAGIC.match(text, start)
    if line is None:
        return None
    end = line_end(text, start)
    cell = _CELL_MAGIC.match(text, start)
    if cell is not None:
        if cell.group(1) in _CODE_MAGICS:
            return Magic(end, _after(text, end), code_follows=False)
        section = _SECTION.search(text, end)
        stop = len(text) if section is None else section.start()
        looked = 0 if section is None else line_end(text, stop) - stop
        return Magic(stop, stop, code_follows=False, reach=looked)
    if line.group()[0] == "?" or line.group()[1:] in _CODE_MAGICS:
        return Magic(line.end(), line.end(), code_follows=True)
    while text[end - 1] == "\\" and end < len(text):
        end = line_end(text, _after(text, end))
    return Magic(end, _after(text, end), code_follows=False)


def code_magic(text: str, start: int) -> int | None:
    """Where the code behind a line magic at `start` starts; None where what follows is not Python."""
    line = _LINE_MAGIC.match(text, start)
    return line.end() if line is not None and line.group()[1:] in _CODE_MAGICS else None


def _after(text: str, end: int) -> int:
    """The start of the line behind a terminator at `end`."""
    return end + 2 if text.startswith("\r\n", end) else min(end + 1, len(text))
