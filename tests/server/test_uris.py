"""One document has one key, however its URI is spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeact_lsp.server.uris import from_path, key, to_path


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///c%3A/w/a.py", "file:///C:/w/a.py"),
        ("file:///w/a%20b.py", "file:///w/a b.py"),
        (
            "vscode-notebook-cell:/c%3A/w/n.ipynb#W0sZmlsZQ%3D%3D",
            "vscode-notebook-cell:/c:/w/n.ipynb#W0sZmlsZQ==",
        ),
    ],
)
def test_two_spellings_of_one_document(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///w/A.py", "file:///w/a.py"),
        ("vscode-notebook-cell:/n.ipynb#a", "vscode-notebook-cell:/n.ipynb#b"),
        ("untitled:C", "untitled:c"),
    ],
)
def test_two_documents(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_path_and_back() -> None:
    path = Path("/w/a b/é#1.py").absolute()
    assert to_path(from_path(path)) == path


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "http://h/x", "file://elsewhere/x", "file:", "file://[", ""]
)
def test_what_is_no_local_file(uri: str) -> None:
    assert to_path(uri) is None
