"""Running a prompt block, and what is in it."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any
from unittest.mock import patch

from codeact_lsp.bindings.model import Bindings

# A call by a path of names, or by `getattr` with texts that may hold anything.
_TEXT = r'"(?:[^"\\]|\\.)*+"'
_PATH = rf'getattr\((?:[^"]|{_TEXT})*?\)|[^\s("]+'
_HEAD = re.compile(rf"^# (?:{_PATH})\((?=\)|\*\*|$|  # spelled )")


def execute(block: str, bindings: Bindings) -> dict[str, Any]:
    """The names that `block` binds, run where the bindings module has what it imports."""
    module = ModuleType("codeact_lsp.tools")
    for name in ("ToolCallError", "mcp", *bindings.native_by_name):
        setattr(module, name, object())
    namespace: dict[str, Any] = {"__name__": "block"}
    with patch.dict(sys.modules, {"codeact_lsp.tools": module}):
        exec(compile(block, "block", "exec", dont_inherit=True), namespace)
    del namespace["__builtins__"]
    return namespace


def uncommented(block: str) -> list[str]:
    """Each commented function of `block` as an `async def`."""
    functions: list[str] = []
    for paragraph in re.split(r"\n\n", block):
        lines = [line for line in paragraph.split("\n") if line.startswith("#")]
        for line in lines:
            head = _HEAD.match(line)
            if head and not line.startswith("#  "):
                functions.append(f"async def f({line[head.end() :]}")
            elif functions and line.startswith(("#  ", "# )")):
                functions[-1] += f"\n{line[2:]}"
            elif functions and line == "#":
                functions[-1] += "\n"
    return functions
