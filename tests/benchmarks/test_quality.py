"""How answers of language servers are counted side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.quality import score
from benchmarks.quality.answers import Answer, completion, definition, hover, signature
from benchmarks.quality.positions import Position, parse, positions
from benchmarks.quality.score import Count

TOOLS = {"memory": ("read_graph", "open_nodes")}
RAWS = {"due_date": "due-date", "from_": "from"}
FRAME = "== frame\nfrom x import f\nif True:\n    @\n"


def at(line: str, question: str = "members") -> Position:
    (position,) = parse(f"{FRAME}== category: {question}\n{line}", TOOLS, RAWS)
    return position


def offered(position: Position, *items: Any, **more: Any) -> Answer:
    """The answer that these items, or labels, make."""
    listed = [item if isinstance(item, dict) else {"label": item} for item in items]
    return completion(position, {"items": listed, **more}, lambda item: item)


def replacing(label: str, start: int, end: int, **more: Any) -> Any:
    line = {"line": 2}
    edit = {"range": {"start": {**line, "character": start}, "end": {**line, "character": end}}}
    return {"label": label, "textEdit": edit, **more}


def test_a_line_becomes_a_document_with_a_cursor() -> None:
    position = at('a = 1⏎f("‸ :: one "two words" ~three ! renames', "strings")
    assert position.text == 'from x import f\nif True:\n    a = 1\n    f("'
    assert (position.line, position.character) == (3, 7)
    assert position.facts == {"one", "two words"}
    assert position.allowed == {"three"}
    assert position.renames


def test_a_server_stands_for_its_tools() -> None:
    assert at("m.‸ :: @memory x").facts == {"read_graph", "open_nodes", "x"}


@pytest.mark.parametrize("line", ["no cursor :: x", "two ‸ ‸ :: x", "nothing expected ‸"])
def test_a_line_that_is_no_position_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="not a position"):
        at(line)


def test_there_are_enough_positions_and_each_stands_once() -> None:
    asked = positions()
    assert len(asked) >= 200
    assert len({(one.text, one.line, one.character, one.question) for one in asked}) == len(asked)
    assert sum(one.renames for one in asked) >= 50


@pytest.mark.parametrize(
    ("line", "question", "items", "right", "wrong"),
    [
        ("m.‸ :: one two", "members", ["one", "two()", "__all__"], {"one", "two"}, set()),
        ("m.‸ :: one", "members", ["Other"], set(), {"Other"}),
        ("m.‸ :: one ~two", "members", ["one", "two"], {"one"}, set()),
        ("m.on‸ :: one", "members", ["one", "other"], {"one"}, set()),
        ("on‸ :: one", "names", ["one", "only", "len"], {"one"}, set()),
        ("f(‸ :: a b", "keywords", ["a=", "c=", "len", "f"], {"a"}, {"c"}),
        ("f(‸ :: a b", "keywords", ['**{"b": }'], {"b"}, set()),
        ('f("‸ :: a', "strings", ['"a"', "b"], {"a"}, {"b"}),
        ("f(x=‸ :: a True", "values", ['"a"', "'c'", "True", "None", "len"], {"a", "True"}, {"c"}),
    ],
)
def test_what_of_a_list_counts(
    line: str, question: str, items: list[str], right: set[str], wrong: set[str]
) -> None:
    assert offered(at(line, question), *items) == Answer(frozenset(right), frozenset(wrong))


def test_what_a_client_would_not_show_does_not_count() -> None:
    position = at("m.ab‸ :: xyz a_b")
    assert offered(position, "xyz", "a_b").right == {"a_b"}
    assert offered(position, {"label": "xyz", "filterText": "abc"}).right == {"xyz"}


def test_only_an_item_that_replaces_the_whole_raw_name_counts() -> None:
    position = at("m.due-d‸ :: due_date")
    found = {"filterText": "due-date"}
    assert offered(position, replacing("due_date", 6, 11, **found)).right == {"due_date"}
    assert offered(position, replacing("due_date", 10, 11, **found)).right == set()
    assert offered(position, "due_date", "date", "d") == Answer(frozenset())
    default = replacing("", 6, 11)["textEdit"]["range"]
    shared = offered(position, {"label": "due_date", **found}, itemDefaults={"editRange": default})
    assert shared.right == {"due_date"}


def test_where_a_name_is_respelled_it_counts_to_say_what_is_sent() -> None:
    position = at("f(‸ :: due_date from_ ! renames", "keywords")
    assert score.facts_of(position) == {"due_date", "from_", "says due-date"}
    told = {"label": "due_date=", "documentation": "sent as due-date"}
    assert offered(position, told).right == {"due_date", "says due-date"}
    assert offered(position, "due_date=").right == {"due_date"}


def test_a_keyword_that_is_sent_has_to_stand_in_quotes() -> None:
    position = at("f(from‸ :: from_ ! renames", "keywords")
    told = {"label": "from_=", "documentation": 'sent as "from"'}
    assert offered(position, told).right == {"from_", "says from"}
    assert offered(position, {**told, "documentation": "taken from there"}).right == {"from_"}


def test_a_hover_is_matched_as_plain_text() -> None:
    position = at(r"f‸ :: /a_b: int(?! =)/ /sent as/ /none/", "hover")
    shown = {"kind": "markdown", "value": "```python\na\\_b:  int\n```\nsent\nas"}
    assert hover(position, {"contents": shown}).right == {"/a_b: int(?! =)/", "/sent as/"}
    assert hover(position, None).right == set()


def test_the_active_parameter_of_a_signature_is_a_fact() -> None:
    position = at("f(‸ :: a b > b", "signature")
    label = "f(*, a: int, b: str)"
    shown = {"label": label, "parameters": [{"label": [5, 11]}, {"label": "b: str"}]}
    right = signature(position, {"signatures": [shown], "activeParameter": 1})
    assert right == Answer(frozenset({"a", "b", "> b"}))
    other = signature(position, {"signatures": [{**shown, "activeParameter": 0}]})
    assert other == Answer(frozenset({"a", "b"}), frozenset({"> a"}))
    assert signature(position, {"signatures": [shown]}).right == {"a", "b"}
    assert signature(position, None).right == set()


def test_a_definition_is_the_line_that_it_leads_to(tmp_path: Path) -> None:
    position = at('f‸ :: "def f("', "definition")
    path = tmp_path / "a b.pyi"
    path.write_text("x = 1\nasync def f(\n", "utf-8")
    for line, right, wrong in ((1, {"def f("}, set()), (0, set(), {"x = 1"})):
        place = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 1}}
        link = {"targetUri": path.as_uri(), "targetRange": place, "targetSelectionRange": place}
        expected = Answer(frozenset(right), frozenset(wrong))
        assert definition(position, [link]) == expected
        assert definition(position, {"uri": path.as_uri(), "range": place}) == expected


def test_counting_and_comparing() -> None:
    one = at("m.‸ :: a b c ! renames")
    two = at("m.d‸ :: d")
    asked = (one, two)
    answers = {
        "ours": [Answer(frozenset("ab")), Answer(frozenset("d"))],
        "best": [Answer(frozenset("bc"), frozenset("xy")), Answer(frozenset())],
        "poor": [Answer(frozenset()), Answer(frozenset("d"))],
    }
    table = score.by_category(asked, answers)
    assert table["category"] == {
        "ours": Count(3, 1, 0),
        "best": Count(2, 2, 2),
        "poor": Count(1, 3, 0),
    }
    assert score.total({"x": table["category"], "y": table["category"]})["best"] == Count(4, 4, 4)
    (lost,) = score.losses(asked, answers, "ours")
    assert lost == score.Loss(one, {"best": frozenset("c")})
    assert list(score.not_ahead(asked, answers, "ours")) == [one]
    answers["ours"][0] = Answer(frozenset("abc"))
    assert list(score.losses(asked, answers, "ours")) == []
    assert list(score.not_ahead(asked, answers, "ours")) == []
