"""The name that a bare binding of a tool gets, so that it hides no keyword and no builtin."""

from __future__ import annotations

from typing import Final

from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.names import is_bare_importable

BUILTINS: Final = frozenset(
    """
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex delattr dict dir divmod enumerate eval exec filter float format frozenset
    getattr globals hasattr hash help hex id input int isinstance issubclass iter len list locals
    map max memoryview min next object oct open ord pow print property range repr reversed round set
    setattr slice sorted staticmethod str sum super tuple type vars zip
    """.split()
)
"""Builtin functions and types that cells use, written out so that the running Python does not matter.

https://docs.python.org/3/library/functions.html
"""


def hides(name: str) -> bool:
    """Whether binding `name` would take a keyword's or a builtin's meaning away."""
    return not is_bare_importable(name) or name in BUILTINS


def bare_alias(tool: ToolBinding) -> str:
    """The tool's name, or `<server>_<name>` where the name alone would hide something."""
    assert tool.name is not None  # what has no name is never bound to a bare one
    return qualified(tool) if hides(tool.name) else tool.name


def qualified(tool: ToolBinding) -> str:
    """`<server>_<name>`, for a tool that has a name."""
    return f"{tool.server_name or 'native'}_{tool.name}"
