import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def imported() -> set[str]:
    """The top-level names of every module that the package imports, lazily or not."""
    found = set()
    for path in (ROOT / "codeact_lsp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found


def test_every_dependency_is_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[<>=!~ ]", line)[0] for line in project["dependencies"]}
    assert {name.replace("-", "_") for name in names} <= imported()


def test_locks_name_no_index_and_hold_hashes() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (ROOT / name).read_text("utf-8")
        assert "://" not in text
        pinned = re.findall(r"^\S+==.*(?:\n    .*)*", text, re.MULTILINE)
        assert pinned
        assert all("--hash=sha256:" in pin for pin in pinned)
