"""What may not have run, what runs at once, and what may run later."""

from __future__ import annotations

import pytest

from tests.syntax.test_scopes import lines_of


@pytest.mark.parametrize(
    ("snippet", "lines"),
    [
        ("a = 1\nx and (a := 2)\na‸", ["x and (a := 2)", "a = 1"]),
        ("a = 1\n(a := 2) and x\na‸", ["(a := 2) and x"]),
        ("a = 1\nx or (a := 2)\na‸", ["x or (a := 2)", "a = 1"]),
        ("a = 1\n(a := 2) if x else 3\na‸", ["(a := 2) if x else 3", "a = 1"]),
        ("a = 1\n2 if (a := x) else 3\na‸", ["2 if (a := x) else 3"]),
        ("a = 1\n[(a := x) for x in y]\na‸", ["[(a := x) for x in y]", "a = 1"]),
        ("a = 1\n[x for x in (a := y)]\na‸", ["[x for x in (a := y)]"]),
        ("a = 1\nif x and (a := y):\n    a‸", ["if x and (a := y):"]),
        ("a = 1\nif x and (a := y):\n    pass\nelse:\n    a‸", ["if x and (a := y):", "a = 1"]),
        ("a = 1\nif x:\n    pass\nelif (a := y):\n    pass\nelse:\n    a‸", ["elif (a := y):"]),
        ("a = 1\nif x:\n    pass\nelif (a := y):\n    pass\na‸", ["elif (a := y):", "a = 1"]),
        ("a = 1\nif x:\n    pass\nelif f(a‸, a := 2):\n    pass", ["a = 1"]),
        ("a = 1\nwhile (a := x):\n    pass\na‸", ["while (a := x):"]),
        ("a = f(a := 1)\na‸", ["a = f(a := 1)"]),
    ],
)
def test_a_walrus_counts_as_run_where_it_must_have_run(snippet: str, lines: list[str]) -> None:
    assert lines_of(snippet) == lines


@pytest.mark.parametrize(
    ("snippet", "lines"),
    [
        ("a = 1\nclass K:\n    a‸\na = 2", ["a = 1"]),
        ("a = 1\nclass a:\n    b = a‸", ["a = 1"]),
        ("a = 1\nclass K:\n    a = 2\n    class L:\n        a‸", ["a = 1"]),
        ("a = 1\nclass K:\n    a‸\n    a = 2", ["a = 1"]),
        ("a = 1\ndef f():\n    a = 2\n    class K:\n        a‸\n        a = 3", ["a = 1"]),
        ("a = 1\ndef f():\n    a = 2\n    class K:\n        a‸", ["a = 2"]),
        ("a = 1\nclass K:\n    a = 2\n    f = lambda: a‸", ["a = 1"]),
        ("a = 1\nclass K:\n    a = 2\n    f = [a‸ for x in y]", ["a = 1"]),
        ("a = 1\nclass K:\n    a = 2\n    f = [x for x in a‸]", ["a = 2"]),
        ("a = 1\ndef a():\n    class K:\n        a‸\n        a = 3", ["def a():", "a = 1"]),
    ],
)
def test_a_class_body_runs_where_it_stands(snippet: str, lines: list[str]) -> None:
    assert lines_of(snippet) == lines


@pytest.mark.parametrize(
    ("snippet", "lines"),
    [
        ("a = 1\ndef f():\n    global a\n    a = 2\nf()\na‸", ["a = 1", "a = 2"]),
        ("a = 1\na‸\ndef f():\n    global a\n    a = 2", ["a = 1"]),
    ],
)
def test_a_function_may_have_set_a_global_name(snippet: str, lines: list[str]) -> None:
    assert lines_of(snippet) == lines


def test_a_function_may_run_before_its_document_binds_the_name() -> None:
    assert lines_of("def f():\n    a‸\na = 2", "a = 1") == ["a = 2", "a = 1"]
    assert lines_of("a = 2\ndef f():\n    a‸", "a = 1") == ["a = 2"]


@pytest.mark.parametrize(
    ("snippet", "lines"),
    [
        ("a = 1\nmatch x:\n    case [a] if y:\n        pass\n    case _:\n        a‸", ["case [a] if y:", "a = 1"]),
        ("a = 1\nmatch x:\n    case [a]:\n        pass\n    case _:\n        a‸", ["a = 1"]),
        ("a = 1\nmatch x:\n    case True:\n        a = 2\na‸", ["a = 2", "a = 1"]),
        ("a = 1\nmatch x:\n    case y:\n        a = 2\na‸", ["a = 2"]),
        ("a = 1\ntry:\n    a = 2\nexcept E:\n    pass\nelse:\n    a = 3\na‸", ["a = 3", "a = 2", "a = 1"]),
        ("try:\n    pass\nexcept E as a:\n    a = 2\na‸", []),
    ],
)  # fmt: skip
def test_what_is_left_by_a_part_that_was_not_finished(snippet: str, lines: list[str]) -> None:
    assert lines_of(snippet) == lines
