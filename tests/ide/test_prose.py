from __future__ import annotations

from codeact_lsp.ide.prose import (
    Block,
    Code,
    Key,
    Name,
    Points,
    Said,
    Table,
    Text,
    markdown,
    plain,
    sentence,
)

RENAME = sentence(
    "sent as ", Key("from"), "; ", Name("from"), " is a Python keyword, so it is spelled ",
    Name("from_"), " here",
)  # fmt: skip


def test_our_words_are_the_same_in_both_renderings() -> None:
    shown = 'sent as "from"; `from` is a Python keyword, so it is spelled `from_` here'
    assert markdown((RENAME,)) == shown
    assert plain((RENAME,)) == shown


def test_blocks_stand_apart() -> None:
    blocks: tuple[Block, ...] = (
        Code("mcp.s.f()"),
        Points((sentence("required"), sentence("default ", Name("1")))),
    )
    assert markdown(blocks) == "```python\nmcp.s.f()\n```\n\n- required\n- default `1`"
    assert plain(blocks) == "mcp.s.f()\n\n- required\n- default `1`"


def test_server_text_is_shown_literally() -> None:
    hostile = Text("![](https://evil.example/p.png) <img src=x> **b** [a](command:x)")
    assert "![](" not in markdown((hostile,))
    assert "<img" not in markdown((hostile,)).replace("\\<img", "")
    assert "](" not in markdown((hostile,)).replace("\\](", "")
    assert plain((hostile,)) == hostile.text


def test_a_fence_cannot_be_closed_from_inside() -> None:
    shown = markdown((Code('"""```\n![](https://evil.example)\n```"""'),))
    assert shown.startswith("````python\n")
    assert shown.endswith("\n````")


def test_a_bar_in_a_name_does_not_split_a_row() -> None:
    table = Table(("JSON key", "Python"), ((sentence(Key("a|b")), sentence(Name("x|y"))),))
    assert markdown((table,)).splitlines() == [
        "| JSON key | Python |",
        "| --- | --- |",
        '| "a\\|b" | `x\\|y` |',
    ]
    assert plain((table,)) == '"a|b"  `x|y`'


def test_a_server_s_line_stays_one_line() -> None:
    assert markdown((sentence("address: ", Said("a\n\n# b")),)) == "address: a # b"


def test_invisible_characters_are_made_visible() -> None:
    assert plain((Text("pay\u202epal"),)) == "pay\\u202epal"
    assert markdown((sentence(Name("a\u200bb")),)) == "`a\\u200bb`"
