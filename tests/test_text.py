"""Server text is data in all four places that it reaches."""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import tokenize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codeact_lsp import text

# What breaks out of one place or another, and everything else that JSON can hold.
HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                *(
                    '"',
                    '""',
                    '"""',
                    "'",
                    "'''",
                    "\\",
                    "\\\\",
                    "\n",
                    "\r",
                    "\r\n",
                    "\v",
                    "\f",
                    "\x1c",
                ),
                *(
                    "\x85",
                    "\u2028",
                    "\u2029",
                    "\x00",
                    "\x1b[31m",
                    "\ud800",
                    "\udfff",
                    "\\N{DIGIT ONE}",
                ),
                *(
                    "\u202e",
                    "\u200b",
                    "\ufeff",
                    "\U000e0041",
                    "#",
                    "```",
                    "`",
                    "<b>",
                    "![x](y)",
                    "\t",
                ),
                *(
                    "http://x.y",
                    "[a](command:x)",
                    "&amp;",
                    "*",
                    "_",
                    "- ",
                    "1. ",
                    "    ",
                    "===",
                    "$x$",
                ),
                *("PWNED = 1", "{x}", "%s", "x", " "),
            ]
        ),
        st.characters(exclude_categories=()),
    ),
    max_size=12,
).map("".join)
LINES = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain _ text", "plain _ text"),
        ("a\r\nb\rc\x85d\u2028e", "a\nb\nc\nd\ne"),
        ("tab\tstays", "tab\tstays"),
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("a\u202eb\u200bc", "a\\u202eb\\u200bc"),
        ("\U000e0064\U000e006f", "\\U000e0064\\U000e006f"),
        ("ok\ufe0f", "ok\\ufe0f"),
        ("☀\ufe0f", "☀\ufe0f"),
        ("ok\U000e0101", "ok\\U000e0101"),
        ("\ud800", "\\ud800"),
        ("naïve 城市 🏴", "naïve 城市 🏴"),
        ("\u3164", "\\u3164"),
    ],
)
def test_what_cannot_be_seen_is_written_out(raw: str, shown: str) -> None:
    assert text.visible(raw) == shown


@given(HOSTILE)
@settings(deadline=None)
def test_visible_text_can_be_encoded_and_shows_every_character(raw: str) -> None:
    shown = text.visible(raw)
    shown.encode("utf-8")
    assert text.visible(shown) == shown
    assert not LINES.search(shown.replace("\n", ""))


@given(HOSTILE)
@example('x"""\nPWNED=1\ndef z():\n    """')
@example("y'''\n")
@example("tail\\")
@example('tail"')
@settings(deadline=None, max_examples=300)
def test_a_docstring_is_one_string_whatever_it_holds(raw: str) -> None:
    source = f"def f():\n    {text.docstring(raw, '    ')}\n"
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    (statement,) = function.body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Constant)
    assert isinstance(statement.value.value, str)
    shown = "\n".join(line.rstrip() for line in text.visible(raw).expandtabs(4).strip().split("\n"))
    assert inspect.cleandoc(statement.value.value) == inspect.cleandoc(shown)


@given(HOSTILE, HOSTILE)
@settings(deadline=None, max_examples=200)
def test_two_docstrings_together_do_not_break_out(first: str, second: str) -> None:
    docs = [text.docstring(raw, "    ") for raw in (first, second)]
    module = ast.parse("".join(f"def f():\n    {doc}\n" for doc in docs))
    assert [len(node.body) for node in module.body if isinstance(node, ast.FunctionDef)] == [1, 1]
    assert len(module.body) == 2


@given(HOSTILE)
@settings(deadline=None, max_examples=300)
def test_a_comment_is_one_comment_whatever_it_holds(raw: str) -> None:
    source = f"x = 1  # {text.comment(raw)}\ny = 2\n"
    kinds = [token.type for token in tokenize.generate_tokens(io.StringIO(source).readline)]
    assert kinds.count(tokenize.COMMENT) == 1
    assert len(ast.parse(source).body) == 2


@given(HOSTILE)
@settings(deadline=None, max_examples=300)
def test_a_literal_is_exactly_the_text(raw: str) -> None:
    written = text.literal(raw)
    assert ast.literal_eval(written) == raw
    assert text.visible(written) == written


@given(HOSTILE)
@example("\xa0")
@settings(deadline=None)
def test_a_raw_key_in_a_comment_is_a_json_string(raw: str) -> None:
    written = text.json_key(raw)
    assert json.loads(written) == json.loads(json.dumps(raw))
    assert text.one_line(written).replace(" ", "") == written.replace(" ", "")


@pytest.mark.parametrize(
    ("raw", "markdown"),
    [
        ("Get_user_by_id", "Get_user_by_id"),
        ("__none__ _x", "\\_\\_none\\_\\_ \\_x"),
        ("`x` **bold**", "\\`x\\` \\*\\*bold\\*\\*"),
        ("[a](b)", "\\[a\\](b)"),
        ("![i](https://x.y/p.png)", "!\\[i\\](https\\://x.y/p.png)"),
        ("<scheme>://<host> & List<T>", "\\<scheme>://\\<host> & List\\<T>"),
        ("&lt; &#60; R&D", "\\&lt; \\&#60; R&D"),
        ("a\nb", "a  \nb"),
        ("# title", "\\# title"),
        ("- item\n+ item\n> quote", "\\- item  \n\\+ item  \n\\> quote"),
        ("1. one\n2) two\n1.5 is a number", "1\\. one  \n2\\) two  \n1\\.5 is a number"),
        ("===", "\\==="),
        ("a | b ~c~", "a \\| b \\~c\\~"),
        ("    code", "\xa0\xa0\xa0\xa0code"),
        ("www.x.y", "www\\.x.y"),
        ("C:\\dir", "C:\\\\dir"),
    ],
)
def test_markdown_shows_the_text_and_not_its_markup(raw: str, markdown: str) -> None:
    assert text.markdown(raw) == markdown


@given(HOSTILE)
@settings(deadline=None, max_examples=300)
def test_a_fence_is_longer_than_every_run_inside(raw: str) -> None:
    block = text.markdown_code(raw, "python").split("\n")
    fence = block[0].removesuffix("python")
    assert set(fence) == {"`"}
    assert block[-1] == fence
    assert not any(line.lstrip().startswith(fence) for line in block[1:-1])


@pytest.mark.parametrize(
    ("raw", "span"),
    [
        ("x", "`x`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("", "`  `"),
        ("a\nb", "`a b`"),
    ],
)
def test_a_code_span(raw: str, span: str) -> None:
    assert text.markdown_span(raw) == span


@given(HOSTILE)
@settings(deadline=None)
def test_no_terminal_sequence_survives(raw: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text.terminal(raw))


def test_a_log_line_is_one_line_and_says_what_was_cut() -> None:
    assert text.log_line("a\r\nb\x1b") == "a\\nb\\x1b"
    assert text.log_line("x" * 12, limit=10) == "xxxxxxxxxx… (2 more)"


@pytest.mark.parametrize(
    ("name", "suspicious"),
    [
        ("read_file", False),
        ("reаd_file", True),
        ("файл", False),
        ("naïve", False),
        ("获取天气", False),
        ("日本語ツール", False),
        ("a\u200bb", True),
        ("a\tb", True),
        ("\U000e0041", True),
    ],
)
def test_names_that_look_like_others(name: str, *, suspicious: bool) -> None:
    assert text.is_suspicious(name) is suspicious


def test_a_suspicious_name_is_shown_escaped() -> None:
    assert text.escaped_name("reаd_file") == "re\\u0430d_file"
    assert text.escaped_name("файл") == "файл"
    assert text.escaped_name("a\tb") == "a\\x09b"


@pytest.mark.parametrize(
    "name",
    [
        "rea\u0434",  # a Cyrillic letter among Latin ones
        "\u0441\u043e\u0440\u0443",  # letters that all look like Latin ones
        "\u039f\u039a",
        "a\u2010b",  # a hyphen that is not the one of ASCII
        "a\u200bb",
        "a\u202eb",
        "\uff46ile",
        "\ufb01le",
        "cafe\u0301",
        "a\xa0b",
        "a\x1bb",
    ],
)
def test_a_name_that_may_look_like_another(name: str) -> None:
    assert text.is_suspicious(name)
    assert text.escaped_name(name).isascii()
    assert text.escaped_name(name) in text.look_alike(name)


@pytest.mark.parametrize(
    "name",
    [
        "search",
        "API-patch page",
        "caf\xe9",
        "\u043f\u043e\u0438\u0441\u043a",
        "\u03b1\u03b2\u03b3",
        "\u691c\u7d22_tool",
        "\uac80\uc0c9",
        "search\U0001f50d",
    ],
)
def test_a_name_that_is_only_foreign(name: str) -> None:
    assert not text.is_suspicious(name)
    assert text.escaped_name(name) == name
    assert text.terminal(f"mcp.s.{name}()") == f"mcp.s.{name}()"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("no tool \u0441\u043e\u0440\u0443 here", "no tool \\u0441\\u043e\\u0440\\u0443 here"),
        ("\u043f\u043e\u0438\u0441\u043a \u0443 \u043d\u0430\u0441", None),
        ("a \u2192 b \u2026 na\xefve \u2013 10\xb5s x\xb2", None),
        ("a\u2010b", "a\\u2010b"),
        ("a\x1b[31mb\nc\td", "a\\x1b[31mb\nc\td"),
    ],
)
def test_what_a_terminal_is_shown(written: str, shown: str | None) -> None:
    assert text.terminal(written) == (written if shown is None else shown)


def test_tags_are_shown_whatever_flag_stands_before_them() -> None:
    hidden = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "evil") + "\U000e007f"
    for shown in (text.visible(hidden), text.terminal(hidden), text.markdown(hidden)):
        assert not any(0xE0000 <= ord(character) < 0xE1000 for character in shown)
    assert text.visible("ok\ufe0f\U000e0101") == "ok\\ufe0f\\U000e0101"
