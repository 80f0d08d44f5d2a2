"""The naming contract: the tables of cases, and the properties that hold for any JSON name."""

from __future__ import annotations

import inspect
import keyword
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from codeact_lsp import names
from codeact_lsp.names import Reason, Spelling

ANY_NAME = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=12),
    st.text("ab_-1 .", max_size=5),
    st.sampled_from(
        [
            *sorted(names.HARD_KEYWORDS),
            *sorted(names.SOFT_KEYWORDS),
            *("__debug__", "kwargs", "_kwargs", "self", "file-path", "file_path", "from_", "-"),
            *(
                "ﬁle",
                "𝓲𝓷",
                "naïve",
                "nai\u0308ve",
                "\ud800",
                "\x00",
                "",
                "a b",
                "__odd__",
                "--odd--",
            ),
        ]
    ),
)
SIBLINGS = st.lists(ANY_NAME, max_size=10, unique=True)


@pytest.mark.parametrize(
    ("raw", "name", "reason"),
    [
        ("path", "path", None),
        ("naïve", "naïve", None),
        ("城市", "城市", None),
        *((soft, soft, None) for soft in ("type", "match", "case", "_", "lazy")),
        *((own, own, None) for own in ("print", "self", "cls", "kwargs", "args", "timeout")),
        ("_", "_", None),
        ("__odd__", "__odd__", None),
        ("file-path", "file_path", Reason.HYPHEN),
        ("Notion-Version", "Notion_Version", Reason.HYPHEN),
        ("-", "_", Reason.HYPHEN),
        ("a--b", "a__b", Reason.HYPHEN),
        ("from", "from_", Reason.KEYWORD),
        ("class", "class_", Reason.KEYWORD),
        ("None", "None_", Reason.KEYWORD),
        ("async", "async_", Reason.KEYWORD),
        *(
            (odd, None, Reason.NO_IDENTIFIER)
            for odd in ("a b", "filter[name]", "user.name", "$select", "1st", "", "uids[]", "@id")
        ),
        ("ﬁle", None, Reason.NO_IDENTIFIER),
        ("nai\u0308ve", None, Reason.NO_IDENTIFIER),
        ("𝓲𝓷", None, Reason.NO_IDENTIFIER),
        ("__debug__", None, Reason.NO_IDENTIFIER),
        ("--debug--", None, Reason.NO_IDENTIFIER),
        ("1-st", None, Reason.NO_IDENTIFIER),
        ("\ud800", None, Reason.NO_IDENTIFIER),
    ],
)
def test_one_parameter(raw: str, name: str | None, reason: Reason | None) -> None:
    assert names.spell_parameters([raw]) == (Spelling(raw, name, reason),)


@pytest.mark.parametrize(
    ("raws", "expected", "holder"),
    [
        (["file-path", "file_path"], [None, "file_path"], "file_path"),
        (["file_path", "file-path"], ["file_path", None], "file_path"),
        (["class", "class_"], [None, "class_"], "class_"),
        (["class-", "class"], ["class_", None], "class-"),
        (["a-b_c", "a_b-c"], ["a_b_c", None], "a-b_c"),
        (["a_b-c", "a-b_c"], ["a_b_c", None], "a_b-c"),
    ],
)
def test_the_sibling_rule(raws: list[str], expected: list[str | None], holder: str) -> None:
    spellings = names.spell_parameters(raws)
    assert [spelling.name for spelling in spellings] == expected
    (loser,) = (spelling for spelling in spellings if spelling.name is None)
    wanted = next(spelling.name for spelling in spellings if spelling.raw == holder)
    assert loser == Spelling(loser.raw, None, Reason.COLLISION, holder, wanted)


def test_range_filters_of_one_tool_stay_three_parameters() -> None:
    raws = ["StartTime", "StartTime<", "StartTime>"]
    assert [s.name for s in names.spell_parameters(raws)] == ["StartTime", None, None]


def test_more_separators_fold_when_the_setting_names_them() -> None:
    spelled = names.spell_parameters(["user.name", "a/b-c", "a]b"], "-./")
    assert [s.name for s in spelled] == ["user_name", "a_b_c", None]


def test_a_separator_has_no_meaning_as_a_pattern() -> None:
    assert names.fold("a^b]c-d", "^]-") == "a_b_c_d"


@pytest.mark.parametrize(
    ("raws", "expected"),
    [
        (["a b"], "kwargs"),
        (["kwargs", "a b"], "_kwargs"),
        (["kwargs", "_kwargs", "a b"], "__kwargs"),
        (["-kwargs", "kwargs"], "__kwargs"),
        (["k wargs"], "kwargs"),
    ],
)
def test_the_catch_all_steps_aside(raws: list[str], expected: str) -> None:
    assert names.catch_all_name(names.spell_parameters(raws)) == expected


RENAMES = {"file_path": "file-path", "from_": "from"}


@pytest.mark.parametrize(
    ("given_", "sent"),
    [
        ({"file_path": 1, "from_": 2, "type": 3}, {"file-path": 1, "from": 2, "type": 3}),
        ({"file-path": 1}, {"file-path": 1}),
        ({"a b": 1, "unknown": 2}, {"a b": 1, "unknown": 2}),
        ({"from_": None}, {"from": None}),
        ({}, {}),
    ],
)
def test_the_way_back(given_: dict[str, object], sent: dict[str, object]) -> None:
    assert names.to_wire(given_, RENAMES) == sent


def test_the_way_back_keeps_the_order_written() -> None:
    sent = names.to_wire({"type": 3, "from_": 2, "file_path": 1}, RENAMES)
    assert list(sent) == ["type", "from", "file-path"]


@pytest.mark.parametrize("order", [["file_path", "file-path"], ["file-path", "file_path"]])
def test_a_name_and_its_raw_key_together_are_refused(order: list[str]) -> None:
    with pytest.raises(TypeError, match=r"'file_path'.*'file-path'"):
        names.to_wire(dict.fromkeys(order), RENAMES)


@pytest.mark.parametrize(
    ("raws", "expected"),
    [
        (["API-patch-page"], {"API-patch-page": "API_patch_page"}),
        (["type", "match", "case"], {"type": "type", "match": "match", "case": "case"}),
        (["import", "None"], {"import": None, "None": None}),
        (
            ["123tool", "a.b", "Create Share", ""],
            dict.fromkeys(["123tool", "a.b", "Create Share", ""]),
        ),
        (["my-tool", "my_tool"], {"my-tool": None, "my_tool": "my_tool"}),
        (["a_b-c", "a-b_c"], {"a-b_c": "a_b_c", "a_b-c": None}),
        (["-"], {"-": None}),
        (["__odd__", "--odd--", "__debug__"], dict.fromkeys(["__odd__", "--odd--", "__debug__"])),
        *(
            ([odd], {odd: odd})
            for odd in ("___", "____", "__x", "x__", "_____", "___x__", "__x___")
        ),
        (["print", "Class"], {"print": "print", "Class": "Class"}),
        (["获取天气", "日本語ツール"], {"获取天气": "获取天气", "日本語ツール": "日本語ツール"}),
        (["reаd_file", "read_file"], {"reаd_file": "reаd_file", "read_file": "read_file"}),
        (["read＿file", "read_file"], {"read＿file": None, "read_file": "read_file"}),
    ],
)
def test_tools_of_a_server(raws: list[str], expected: dict[str, str | None]) -> None:
    for order in (raws, raws[::-1], [*raws, *raws]):
        spelled = names.spell_tools(order)
        assert {raw: spelling.name for raw, spelling in spelled.items()} == expected


@pytest.mark.parametrize(
    "expected",
    [
        Spelling("import", None, Reason.RESERVED),
        Spelling("__odd__", None, Reason.RESERVED),
        Spelling("__debug__", None, Reason.RESERVED),
        Spelling("__x__", None, Reason.RESERVED),
        Spelling("-", None, Reason.RESERVED),
        Spelling("--odd--", None, Reason.RESERVED),
        Spelling("a.b", None, Reason.NO_IDENTIFIER),
        Spelling("my-tool", None, Reason.COLLISION, "my_tool", "my_tool"),
        Spelling("your-tool", "your_tool", Reason.HYPHEN),
        Spelling("my_tool", "my_tool"),
    ],
)
def test_why_a_tool_has_its_name(expected: Spelling) -> None:
    assert names.spell_tools([expected.raw, "my_tool", "zz"])[expected.raw] == expected


def test_of_two_folds_the_hyphen_sorts_before_the_dot() -> None:
    spelled = names.spell_tools(["weather.get", "weather-get"], "-.")
    assert spelled["weather-get"].name == "weather_get"
    assert spelled["weather.get"].holder == "weather-get"


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("search", "search"),
        ("web-search", "web_search"),
        ("type", None),
        ("_", None),
        ("import", None),
        ("mcp", None),
        ("ToolCallError", None),
        ("_private", None),
        ("-private", None),
    ],
)
def test_native_tools(raw: str, name: str | None) -> None:
    spelling = names.spell_native_tools([raw])[raw]
    if name is None:
        assert spelling == Spelling(raw, None, Reason.RESERVED)
    else:
        assert (spelling.raw, spelling.name) == (raw, name)


def test_native_tools_fold_what_the_setting_names() -> None:
    assert names.spell_native_tools(["web.search"], "-.")["web.search"].name == "web_search"


@pytest.mark.parametrize(
    ("raws", "expected"),
    [
        (["notion"], {"notion": "notion"}),
        (["my-server"], {"my-server": "my_server"}),
        (["my server!!"], {"my server!!": "my_server_"}),
        (["a-b", "a_b"], {"a-b": None, "a_b": "a_b"}),
        (["a.b", "a b"], {"a b": "a_b", "a.b": None}),
        (["a--b"], {"a--b": "a__b"}),
        (["a  -b"], {"a  -b": "a__b"}),
        (["1x"], {"1x": "_1x"}),
        (["class"], {"class": "class_"}),
        (["class", "class_"], {"class": None, "class_": "class_"}),
        ([""], {"": "server"}),
        (["", "server"], {"": None, "server": "server"}),
        (["café", "cafe\u0301"], {"café": "café", "cafe\u0301": None}),
        (["cafe\u0301"], {"cafe\u0301": "café"}),
        (["𝓲𝓷"], {"𝓲𝓷": "in_"}),
        (["type"], {"type": "type"}),
        (["MCPBrowser", "mcpbrowser"], {"MCPBrowser": "MCPBrowser", "mcpbrowser": "mcpbrowser"}),
        (["__init__"], {"__init__": None}),
        (["__debug__"], {"__debug__": "__debug___"}),
    ],
)
def test_servers(raws: list[str], expected: dict[str, str | None]) -> None:
    for order in (raws, raws[::-1]):
        spelled = names.spell_servers(order)
        assert {raw: spelling.name for raw, spelling in spelled.items()} == expected


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], Spelling("plain", "plain")),
        ([], Spelling("a-b", "a_b", Reason.HYPHEN)),
        ([], Spelling("class", "class_", Reason.KEYWORD)),
        ([], Spelling("a b", "a_b", Reason.NO_IDENTIFIER)),
        (["a_b"], Spelling("a-b", None, Reason.COLLISION, "a_b", "a_b")),
        (["a b"], Spelling("a.b", None, Reason.COLLISION, "a b", "a_b")),
        (["a"], Spelling("__init__", None, Reason.RESERVED)),
    ],
)
def test_why_a_server_has_its_name(others: list[str], expected: Spelling) -> None:
    assert names.spell_servers([expected.raw, *others, "A"])[expected.raw] == expected


def test_flat_names_hold_both_raw_names() -> None:
    assert names.flat_name("notion", "API-patch-page") == "mcp__notion__API-patch-page"


@pytest.mark.parametrize(
    ("name", "importable"),
    [("search", True), ("print", True), ("type", False), ("_", False), ("a-b", False)],
)
def test_a_soft_keyword_is_never_a_bare_import(name: str, *, importable: bool) -> None:
    assert names.is_bare_importable(name) is importable


def test_the_keyword_tables_agree_with_this_python() -> None:
    assert frozenset(keyword.kwlist) == names.HARD_KEYWORDS
    assert len(names.HARD_KEYWORDS) == 35
    assert frozenset(keyword.softkwlist) <= names.SOFT_KEYWORDS
    assert {"_", "case", "lazy", "match", "type"} == names.SOFT_KEYWORDS
    assert not names.HARD_KEYWORDS & names.SOFT_KEYWORDS
    assert names.is_hard_keyword("from")
    assert not names.is_hard_keyword("type")
    assert names.is_soft_keyword("type")
    assert not names.is_soft_keyword("from")


# --- properties over any JSON name


@given(SIBLINGS)
@example(["kwargs", "a b", "file-path", "file_path", "from", "type"])
@settings(deadline=None)
def test_property_1_every_name_compiles(raws: list[str]) -> None:
    spellings = names.spell_parameters(raws)
    spelled = [s.name for s in spellings if s.name is not None]
    parameters = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in spelled]
    inspect.Signature(parameters)
    star = "*, " if spelled else ""
    compile(
        f"async def f({star}{', '.join([*spelled, ''])}**{names.catch_all_name(spellings)}): 0",
        "f",
        "exec",
    )
    compile(f"f({', '.join(f'{name}=0' for name in spelled)})", "f", "exec")


@given(SIBLINGS)
@settings(deadline=None)
def test_property_2_names_and_raw_names_are_one_to_one(raws: list[str]) -> None:
    spellings = names.spell_parameters(raws)
    assert [s.raw for s in spellings] == raws
    spelled = [s.name for s in spellings if s.name is not None]
    assert len(set(spelled)) == len(spelled)
    # What Python sees is what was spelled.
    assert [unicodedata.normalize("NFKC", name) for name in spelled] == spelled


@given(SIBLINGS)
@settings(deadline=None)
def test_property_3_the_key_sent_is_the_raw_name(raws: list[str]) -> None:
    spellings = names.spell_parameters(raws)
    call = {s.raw if s.name is None else s.name: s.raw for s in spellings}
    received: dict[str, object] = {}

    def binding(**kwargs: object) -> None:
        received.update(names.to_wire(kwargs, names.rename_map(spellings)))

    binding(**call)
    assert received == {raw: raw for raw in raws}


@given(SIBLINGS)
@settings(deadline=None)
def test_property_4_a_raw_name_never_means_a_sibling(raws: list[str]) -> None:
    spellings = names.spell_parameters(raws)
    renames = names.rename_map(spellings)
    for raw in raws:
        assert names.to_wire({raw: 1}, renames) == {raw: 1}


@given(st.lists(st.from_regex(r"[a-z]{3,8}", fullmatch=True), max_size=6, unique=True))
@settings(deadline=None)
def test_property_5_a_tool_without_renames_is_left_alone(raws: list[str]) -> None:
    plain = [raw for raw in raws if not keyword.iskeyword(raw)]
    spellings = names.spell_parameters(plain)
    assert spellings == tuple(Spelling(raw, raw) for raw in plain)
    assert names.rename_map(spellings) == {}


@given(SIBLINGS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_property_6_order_changes_no_tool_or_server(raws: list[str], random: object) -> None:
    shuffled = list(raws)
    random.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis gives a random.Random
    for spell in (names.spell_tools, names.spell_native_tools, names.spell_servers):
        spelled = spell(raws)
        assert spell(shuffled) == spelled
        taken = [s.name for s in spelled.values() if s.name is not None]
        assert len(set(taken)) == len(taken)
        assert all(names.is_usable(name) for name in taken)
        # A name that something really has is never given to another.
        assert all(spelled[name].name == name for name in taken if name in spelled)


@given(st.lists(ANY_NAME, max_size=6, unique=True))
@settings(deadline=None)
def test_a_name_of_ten_thousand_characters_is_a_name_like_any_other(raws: list[str]) -> None:
    long = ["a" * 10_000, "a-" * 5_000, " " * 10_000]
    spelled = [s.name for s in names.spell_parameters([*long, *raws])[:3]]
    assert spelled == ["a" * 10_000, "a_" * 5_000, None]
