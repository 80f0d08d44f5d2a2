"""Server text made safe: the only four ways out.

Text from a server reaches people in four places, each with one function here: Python source
(`comment`, `literal`, `docstring`), markdown (`markdown`, `markdown_code`), a terminal (`terminal`)
and a log (`log_line`). All of them make invisible and direction-changing characters visible first.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

# Cc controls, Cf formats (bidi, zero width, tags), Cs surrogates, Co private use, Zl and Zp line
# breaks that editors do not agree on: https://www.unicode.org/reports/tr36/. Not Cn: what is
# unassigned differs between interpreters, and one text must come out the same under all of them.
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_KEPT: Final = frozenset({"\n", "\t"})
# Letters, marks and unassigned places that draw nothing although their category does not say so:
# Default_Ignorable_Code_Point of https://www.unicode.org/Public/UCD/latest/ucd/
_BLANK: Final = frozenset("\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u2065") | frozenset(
    map(
        chr,
        (
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xFFF0, 0xFFF9),
            *range(0xE0000, 0xE1000),
        ),
    )
)
_EMOJI_VARIATION: Final = "\ufe0f"
_LINE_BREAK: Final = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


def _is_hidden(character: str) -> bool:
    return character in _BLANK or unicodedata.category(character) in _HIDDEN_CATEGORIES


def _escape(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def visible(text: str) -> str:
    """`text` with every character that a person cannot see written as a Python escape.

    Line breaks of every kind become a line feed, tabs stay, and the emoji variation selector stays after
    a symbol. What comes out can be encoded in UTF-8.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_BREAK.sub("\n", text)
    out: list[str] = []
    previous = ""
    for character in text:
        keeps = character in _KEPT or (
            character == _EMOJI_VARIATION and unicodedata.category(previous or "a") == "So"
        )
        out.append(character if keeps or not _is_hidden(character) else _escape(character))
        previous = character
    return "".join(out)


def one_line(text: str) -> str:
    """`visible(text)` with each run of white space collapsed to one blank, ends trimmed."""
    return " ".join(visible(text).split())


def is_suspicious(name: str) -> bool:
    """Whether `name` could be taken for another one (https://www.unicode.org/reports/tr39/).

    It holds hidden characters, mixes scripts, is made of letters that all look like Latin ones, or
    holds a character that Python or a person reads as a plainer one.
    """
    if name.isascii():
        return not name.isprintable()
    foreign = {character for character in name if not character.isascii()}
    return (
        visible(name) != name
        or unicodedata.normalize("NFKC", name) != name
        or len(_scripts(name)) > 1
        or not _LIKE_PUNCTUATION.isdisjoint(map(unicodedata.category, foreign))
        or foreign.union(filter(str.isalpha, name)) <= _LIKE_LATIN
    )


def look_alike(name: str) -> str:
    """What is said of a name that is suspicious."""
    return (
        f"{escaped_name(name)} may look like another name: it mixes scripts, or holds characters that"
        " look like others or that cannot be seen"
    )


def escaped_name(name: str) -> str:
    """`name` on one line as people are shown it; every non-ASCII character escaped if suspicious."""
    shown = one_line(name)
    if not is_suspicious(name):
        return shown
    return "".join(map(_if_ascii, name))


def _if_ascii(character: str) -> str:
    return character if character.isascii() and character.isprintable() else _escape(character)


# Dashes, connectors, blanks, quotes, mathematical signs and accents that stand alone.
_LIKE_PUNCTUATION: Final = frozenset({"Pc", "Pd", "Pf", "Pi", "Sk", "Sm", "Zs"})
# Cyrillic and Greek letters that look like Latin ones.
_LIKE_LATIN: Final = frozenset("асеорхуіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅҮοναρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
# The names of Unicode letters start with their script; those of East Asia, and micrometres, are written
# together by honest people.
_ONE_SCRIPT: Final = {
    **dict.fromkeys(("CJK", "HIRAGANA", "KATAKANA", "HANGUL"), "HAN"),
    "MICRO": "LATIN",
}


def _scripts(name: str) -> frozenset[str]:
    words = (
        unicodedata.name(character, "UNKNOWN").split(" ", 1)[0].split("-", 1)[0]
        for character in name
        if character.isalpha()
    )
    scripts = frozenset(_ONE_SCRIPT.get(word, word) for word in words)
    # East Asian text holds Latin words, and nobody mistakes one for the other.
    return scripts - {"LATIN"} if "HAN" in scripts else scripts


def comment(text: str) -> str:
    """`text` for a trailing `#` comment: one line that nothing in it can end."""
    return one_line(text)


def literal(text: str) -> str:
    """A Python string literal that evaluates to exactly `text`.

    Double quotes, as JSON writes them; every hidden character is an escape, so nobody who reads the
    source sees another text than Python does.
    """
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(c if not _is_hidden(c) else _escape(c) for c in quoted)


def json_key(raw: str) -> str:
    """A raw key as a JSON string for comments and messages, hidden characters and odd blanks escaped."""
    quoted = json.dumps(raw, ensure_ascii=False)
    return "".join(
        json.dumps(c)[1:-1] if _is_hidden(c) or (c.isspace() and c != " ") else c for c in quoted
    )


# One quote inside a line is harmless; two together, or one at the end, could help to close.
_RISKY_QUOTES: Final = re.compile(r'"{2,}|"$')


def docstring(text: str, indent: str) -> str:
    """A docstring statement, without its first indent, that shows `visible(text)`.

    Safe by construction: every backslash is doubled and no two unescaped quotes ever stand
    together, so the only unescaped `\"\"\"` are the two written here. Lines after the first are
    indented by `indent`; `inspect.cleandoc` gives `visible(text)` back, tabs expanded and ends of
    lines trimmed.
    """
    lines = (
        _RISKY_QUOTES.sub(lambda run: '\\"' * len(run[0]), line.rstrip().replace("\\", "\\\\"))
        for line in visible(text).expandtabs(4).strip().split("\n")
    )
    first, *rest = lines
    return '"""' + "\n".join([first, *(indent + line if line else "" for line in rest)]) + '"""'


_MARKUP: Final = re.compile(
    r"""
    [\\`*\[\]<~|]             # code, emphasis, links and images, HTML, strike-through, tables
    | (?<![^\W_])_ | _(?![^\W_])  # emphasis, but not the underscores inside a name
    | &(?=\#?\w+;)              # character references
    | (?<=[A-Za-z]):(?=//)      # links without markup
    | (?<=\bwww)\.
    """,
    re.VERBOSE,
)
_NUMBERED: Final = re.compile(r"\d+(?=[.)])")


def markdown(text: str) -> str:
    """`text` shown literally in markdown: no markup, HTML, link or image survives, lines are kept."""
    return "  \n".join(map(_markdown_line, visible(text).expandtabs(4).split("\n")))


def _markdown_line(line: str) -> str:
    bare = line.lstrip(" ")
    # A blank at the start of a line would be lost, and four of them would make a code block.
    margin = "\N{NO-BREAK SPACE}" * (len(line) - len(bare))
    number = _NUMBERED.match(bare)
    head = number[0] if number else ""
    rest = _MARKUP.sub(r"\\\g<0>", bare[len(head) :])
    return margin + head + ("\\" + rest if number or rest[:1] in tuple("#+-=>") else rest)


def markdown_code(text: str, language: str = "") -> str:
    """A fenced block that holds `text`, with a fence longer than any run of backticks in it."""
    shown = visible(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}"


def markdown_span(text: str) -> str:
    """An inline code span that holds `text` on one line."""
    shown = one_line(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if shown[:1] in {"`", ""} or shown[-1:] == "`" else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


_WORD: Final = re.compile(r"\w+")
_LIKE_ASCII: Final = re.compile("[\u02d7\u2010-\u2012\u2024\u2043\u2044\u2212\u2215\u2236]")


def terminal(text: str) -> str:
    """`text` for a terminal: no escape sequence survives; lines and tabs stay.

    A word that mixes scripts is written with escapes, and so are signs that look like those of ASCII. So
    is a word whose letters all look like Latin ones, unless others show that its script is meant.
    """
    shown = visible(text)
    if shown.isascii():
        return shown
    foreign = {c for c in shown if c.isalpha() and not unicodedata.name(c, "").startswith("LATIN")}
    suspects = _LIKE_LATIN if foreign <= _LIKE_LATIN else frozenset()

    def told_apart(word: re.Match[str]) -> str:
        deceives = len(_scripts(word[0])) > 1 or not suspects.isdisjoint(word[0])
        return "".join(map(_if_ascii, word[0])) if deceives else word[0]

    return _LIKE_ASCII.sub(lambda sign: _escape(sign[0]), _WORD.sub(told_apart, shown))


def terminal_line(text: str) -> str:
    """`text` for a terminal on one line."""
    return terminal(one_line(text))


def log_line(text: str, limit: int = 2_000) -> str:
    """`text` as one line of a log, cut at `limit` characters."""
    line = visible(text).replace("\n", "\\n")
    return line if len(line) <= limit else f"{line[:limit]}… ({len(line) - limit} more)"
