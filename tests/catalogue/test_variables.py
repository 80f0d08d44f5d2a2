from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.catalogue.variables import Scope, expand

SCOPE = Scope(
    environment={
        "HOME": "/h",
        "TOK": "s3cret",
        "EMPTY": "",
        "DOLLAR": "${HOME}",
        "CODEACT_INPUT_A_B": "in",
    },
    builtins={"workspaceFolder": "/w", "userHome": "/h"},
    inputs={"key": "asked"},
    known_inputs=frozenset({"key", "other", "a-b"}),
)


@pytest.mark.parametrize(
    ("text", "expanded", "shown"),
    [
        ("plain $HOME {x} $", "plain $HOME {x} $", "plain $HOME {x} $"),
        ("${HOME}/x", "/h/x", "${HOME}/x"),
        ("Bearer ${env:TOK}", "Bearer s3cret", "Bearer ${env:TOK}"),
        ("${NOPE:-default}", "default", "${NOPE:-default}"),
        ("${env:NOPE:-default}", "default", "${env:NOPE:-default}"),
        ("${NOPE:-}", "", "${NOPE:-}"),
        ("${TOK:-default}", "s3cret", "${TOK:-default}"),
        ("${EMPTY:-default}", "default", "${EMPTY:-default}"),
        ("${EMPTY}", "", "${EMPTY}"),
        ("${NOPE:-${HOME}/.data}", "/h/.data", "${NOPE:-${HOME}/.data}"),
        ("${NOPE:-${ALSO:-${HOME}}}!", "/h!", "${NOPE:-${ALSO:-${HOME}}}!"),
        ("${workspaceFolder}/a ${userHome}", "/w/a /h", "/w/a /h"),
        ("${input:key}", "asked", "${input:key}"),
        ("${input:a-b}", "in", "${input:a-b}"),
        # A value is data: what it holds is not a variable.
        ("${DOLLAR}", "${HOME}", "${DOLLAR}"),
    ],
)
def test_a_variable_becomes_its_value(text: str, expanded: str, shown: str) -> None:
    expansion = expand(text, SCOPE)
    assert expansion.text == expanded
    assert expansion.shown == shown
    assert expansion.missing == []


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("${NOPE}", "unset-variable", "NOPE"),
        ("x${env:NOPE}y", "unset-variable", "NOPE"),
        ("${NOPE:-${ALSO}}", "unset-variable", "ALSO"),
        ("${NOPE", "unknown-variable", "closed"),
        ("${command:rm}", "unknown-variable", "command:rm"),
        ("${}", "unknown-variable", "${}"),
        ("${input:other}", "missing-input", "CODEACT_INPUT_OTHER"),
        ("${input:nobody}", "unknown-input", "nobody"),
    ],
)
def test_what_has_no_value_is_said(text: str, kind: str, words: str) -> None:
    expansion = expand(text, SCOPE)
    ((found, message),) = expansion.missing
    assert found == kind
    assert words in message


def test_another_clients_spelling_is_said_and_left_alone() -> None:
    expansion = expand("{env:TOK}", SCOPE)
    assert expansion.text == "{env:TOK}"
    assert "${env:TOK}" in expansion.foreign[0]


def test_in_that_clients_own_file_it_is_a_variable() -> None:
    scope = Scope({"TOK": "s3cret"}, {}, {}, braces=True)
    assert expand("Bearer {env:TOK}", scope).text == "Bearer s3cret"
    assert expand("{env:NOPE}", scope).missing


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("${}:-eHOMEnvinput "), max_size=40))
def test_a_text_is_expanded_or_refused_and_never_half(text: str) -> None:
    expansion = expand(text, SCOPE)
    if "${" in text and "${" in expansion.text:
        assert expansion.missing or "${DOLLAR}" in text
