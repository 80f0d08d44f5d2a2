"""What a name that starts with two underscores is inside a class, as CPython has it."""

from __future__ import annotations

import pytest

from codeact_lsp.syntax.document import Document
from codeact_lsp.syntax.private_names import read_as

MARKER = "r.__t"


class Recorder:
    """Remembers which attributes were asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> int:
        self.asked.append(name)
        return 1


def keep(**given: object) -> dict[str, object]:
    return given


@pytest.mark.parametrize(
    "code",
    [
        "r.__t",
        "class C:\n    x = r.__t",
        "class _C:\n    x = r.__t",
        "class ___:\n    x = r.__t",
        "class C: x = r.__t",
        "class C:\n    def m(self, a=r.__t): pass",
        "class C:\n    def m(self):\n        return r.__t\nC().m()",
        "class C:\n    x = [r.__t for _ in 'a']",
        "class C:\n    x = (lambda: r.__t)()",
        "class C:\n    if True:\n        for _ in 'a':\n            x = r.__t",
        "class C:\n    class D:\n        x = r.__t",
        "class C:\n    class D:\n        x = 1\n    y = r.__t",
        "class C(*[object, r.__t][:1]): pass",
        "class C:\n    class D(*[object, r.__t][:1]): pass",
        "@(lambda c, _=r.__t: c)\nclass C:\n    x = 1",
        "class C:\n    @(lambda f, _=r.__t: f)\n    def m(self): pass",
        "def f():\n    class C:\n        x = r.__t\nf()",
        "class C:\n    pass\nr.__t",
        "class C:\n    pass\n\ndef f():\n    return r.__t\nf()",
    ],
)
def test_an_attribute_is_read_as_python_reads_it(code: str) -> None:
    recorder = Recorder()
    exec(compile(code, "code", "exec", dont_inherit=True), {"r": recorder})
    offset = code.index(MARKER) + len("r.")
    assert [read_as(Document.parse(code), "__t", offset)] == recorder.asked


@pytest.mark.parametrize("name", ["t", "_t", "__t__", "___", "____t__"])
def test_other_names_stay(name: str) -> None:
    recorder = Recorder()
    code = f"class C:\n    x = r.{name}"
    exec(compile(code, "code", "exec", dont_inherit=True), {"r": recorder})
    assert [read_as(Document.parse(code), name, code.index(name, 15))] == recorder.asked == [name]


def test_python_passes_keywords_as_they_are_written() -> None:
    namespace: dict[str, object] = {"keep": keep}
    exec("class C:\n    given = keep(__x=1)\ngiven = C.given", namespace)
    assert namespace["given"] == {"__x": 1}
