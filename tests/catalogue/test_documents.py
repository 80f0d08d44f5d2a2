from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.catalogue import documents
from codeact_lsp.catalogue.documents import DocumentError, Place

COMMENTED = """\
// team servers
{
  "mcpServers": {
    // "off": { "command": "foo" },
    /* note, with "quotes" */
    "on": { "command": "x", "args": ["http://x/*y*/", "//z",], },
  },
}
"""


def test_comments_and_trailing_commas_are_fine_and_strings_are_left_alone() -> None:
    value = documents.parse(COMMENTED, toml=False).value
    assert value == {"mcpServers": {"on": {"command": "x", "args": ["http://x/*y*/", "//z"]}}}


def test_places_are_those_of_the_keys() -> None:
    document = documents.parse(COMMENTED, toml=False)
    assert document.place(("mcpServers", "on")) == Place(5, 4)
    assert document.place(("mcpServers", "on", "args", 1)) == Place(
        5, COMMENTED.splitlines()[5].index('"//z"')
    )
    # What is not there is where it would be.
    assert document.place(("mcpServers", "on", "env", "K")) == Place(5, 4)
    assert document.place(("nothing",)) == Place(0, 0)


def test_columns_are_code_points_and_lines_are_those_of_an_editor() -> None:
    text = '{"a":1,\r\n"\U0001f600": 1, "b": 2,\r"c\u2028": 3, "d": 4}'
    document = documents.parse(text, toml=False)
    assert document.place(("b",)) == Place(1, 8)
    assert document.place(("d",)) == Place(2, 9)


def test_a_byte_order_mark_shifts_nothing() -> None:
    text = documents.decode(b'\xef\xbb\xbf{"a": 1}\r\n')
    assert documents.parse(text, toml=False).place(("a",)) == Place(0, 1)


def test_a_key_that_stands_twice_is_reported_and_the_last_counts() -> None:
    document = documents.parse('{"s": {"gh": 1,\n "gh": 2}}', toml=False)
    assert document.value == {"s": {"gh": 2}}
    assert document.duplicates == ((("s", "gh"), Place(1, 1)),)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("{", 0, 1, "double quotes"),
        ('{"a" 1}', 0, 5, "colon"),
        ('{"a": }', 0, 6, "value"),
        ('{"a": 1 "b": 2}', 0, 8, "comma"),
        ('{"a": [1 2]}', 0, 9, "comma"),
        ('{\n  "a": tru}', 1, 7, "value"),
        ('{"a": "x\n"}', 0, 8, "string"),
        ('{"a": 1} x', 0, 9, "follow"),
        ("[1]", 0, 0, "object"),
        ("{,}", 0, 1, "double quotes"),
        ("{'a': 1}", 0, 1, "double quotes"),
        ('{"a": 1 /* x', 0, 8, "never ends"),
        ('{"a":' + "[" * 200 + "]" * 200 + "}", 0, 105, "nested"),
    ],
)
def test_a_broken_text_is_an_error_at_its_place(
    text: str, line: int, column: int, words: str
) -> None:
    with pytest.raises(DocumentError, match=words) as caught:
        documents.parse(text, toml=False)
    assert caught.value.place == Place(line, column)


@pytest.mark.parametrize(
    ("data", "words", "place"),
    [
        ('{"a": 1}'.encode("utf-16"), "UTF-16", Place(0, 0)),
        (b'{\n"a": "\xff"}', "not UTF-8", Place(1, 6)),
    ],
)
def test_bytes_that_are_no_utf_8_are_an_error(data: bytes, words: str, place: Place) -> None:
    with pytest.raises(DocumentError, match=words) as caught:
        documents.decode(data)
    assert caught.value.place == place


@pytest.mark.parametrize("text", ["", " \n"])
@pytest.mark.parametrize("toml", [True, False])
def test_an_empty_file_says_nothing(text: str, toml: bool) -> None:  # noqa: FBT001 - a table's column
    assert documents.parse(text, toml=toml).value == {}


TOML = """\
prelude = \"\"\"
x = 1
\"\"\"
[servers.on]
command = "x"
env = { K = "v" }
[servers."a.b"]
'url' = "u"
  nested.key = 1
"""


def test_toml_has_places_too() -> None:
    document = documents.parse(TOML, toml=True)
    assert document.value["servers"]["a.b"]["url"] == "u"
    assert document.place(("servers", "on")) == Place(3, 1)
    assert document.place(("servers", "on", "command")) == Place(4, 0)
    assert document.place(("servers", "on", "env", "K")) == Place(5, 0)
    assert document.place(("servers", "a.b", "url")) == Place(7, 0)
    assert document.place(("servers", "a.b", "nested", "key")) == Place(8, 2)


@pytest.mark.parametrize(
    ("text", "place"),
    [("a = 1\nb = \n", Place(1, 4)), ("a = 1\na = 2\n", Place(1, 5)), ("[a", Place(0, 2))],
)
def test_broken_toml_is_an_error_at_its_place(text: str, place: Place) -> None:
    with pytest.raises(DocumentError) as caught:
        documents.parse(text, toml=True)
    assert caught.value.place == place


values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=15,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(st.text(max_size=5), values, max_size=4), st.sampled_from([None, 1]))
def test_any_json_object_reads_as_the_standard_library_reads_it(
    value: dict[str, Any], indent: int | None
) -> None:
    text = json.dumps(value, indent=indent)
    assert documents.parse(text, toml=False).value == json.loads(text)


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from('{}[]",:/*\\ \n1eatrue-.'), max_size=30), st.booleans())
def test_any_text_is_a_document_or_a_document_error(text: str, toml: bool) -> None:  # noqa: FBT001 - drawn
    try:
        place = documents.parse(text, toml=toml).place(("a",))
    except DocumentError as error:
        place = error.place
    assert place.line <= text.count("\n")
