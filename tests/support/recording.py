"""Running a cell in every way that it can go, with tools that write down who was called.

A cell may use, beside Python: `probe(7, value)`, which notes under 7 what `value` is; `flag()`, which
is true in one way and false in another; `times()`, which loops not at all, once or twice; `fail()`,
which raises in one way; and calls of tools with a keyword `at7=…`, noted under 7.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import functools
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import Any, Final, TypeVar

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import ToolBinding
from codeact_lsp.catalogue.model import Catalogue
from codeact_lsp.names import to_wire
from codeact_lsp.runtime.callables import ToolFunction
from codeact_lsp.runtime.errors import ToolCallError
from codeact_lsp.runtime.session import Session, use
from tests.support.desk import forget_modules

WAYS: Final = 300
"""The most ways that one cell is run in."""
OTHER: Final = "other"
UNBOUND: Final = "unbound"
_MODULE: Final = "codeact_lsp.tools"


@dataclass(slots=True)
class Recorded:
    """What all runs of a cell showed.

    Attributes:
        values: number of a probe or call → everything that was seen there.
        keys: number of a call → the sets of raw keys that were sent.
        whole: every way was run, and each to its end.
        endings: what ended runs early.

    """

    values: dict[int, set[str]] = field(default_factory=dict)
    keys: dict[int, set[frozenset[str]]] = field(default_factory=dict)
    whole: bool = True
    endings: set[str] = field(default_factory=set)


class Marked:
    """A part of a result that knows where it is from."""

    place: str


class _Dict(dict[str, Any], Marked):
    pass


class _List(list[Any], Marked):
    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return marked_as(_List(found), self.place) if isinstance(index, slice) else found


class _Text(str, Marked):
    __slots__ = ("__dict__",)


MarkedT = TypeVar("MarkedT", bound=Marked)


def marked_as(value: MarkedT, place: str) -> MarkedT:
    value.place = place
    return value


def marked(value: Any, place: str) -> Any:
    """`value` with each part knowing its path; all items of a list are at 0."""
    match value:
        case dict():
            parts = {key: marked(part, f"{place}.{key}") for key, part in value.items()}
            return marked_as(_Dict(parts), place)
        case list():
            return marked_as(_List(marked(part, f"{place}.0") for part in value), place)
        case str():
            return marked_as(_Text(value), place)
        case _:
            return value


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """What a call gives: awaitable any number of times, and no warning when it never is."""

    place: str
    value: Any

    def __await__(self) -> Generator[None, None, Any]:
        if self.place:
            return self.value
        yield  # which makes this a generator


class _Tape(Session):
    """A session whose tools only write down."""

    def __init__(self, catalogue: Catalogue, results: dict[str, Any]) -> None:
        super().__init__(catalogue=catalogue)
        self._results = results
        self._made: dict[str, ToolFunction] = {}
        self.recorded = Recorded()

    def function(self, tool: ToolBinding) -> ToolFunction:
        place = place_of(tool)
        return self._made.setdefault(place, self._recorder(tool, place))

    def _recorder(self, tool: ToolBinding, place: str) -> ToolFunction:
        renames = details(tool).renames
        value = marked(self._results.get(place, "text"), f"result {place}")

        def binding(**given: object) -> Any:
            sent = to_wire(given, renames)
            for number in (int(key[2:]) for key in sent if key.startswith("at")):
                self.recorded.values.setdefault(number, set()).add(f"tool {place}")
                keys = frozenset(key for key in sent if not key.startswith("at"))
                self.recorded.keys.setdefault(number, set()).add(keys)
            return Ready(place, value)

        binding.__qualname__ = f"tool {place}"
        return binding

    def label(self, value: object) -> str:
        match value:
            case functools.partial():
                return self.label(value.func)
            case Ready():
                return f"pending {value.place}"
            case Marked():
                return value.place
            case ModuleType():
                return self._module(value.__name__)
            case _:
                if value is ToolCallError:
                    return "error"
                name = getattr(value, "__qualname__", "")
                return name if name.startswith("tool ") else OTHER

    def _module(self, name: str) -> str:
        if name == _MODULE:
            return "root"
        if name == f"{_MODULE}.mcp":
            return "mcp"
        server = self.bindings().servers_by_name.get(name.removeprefix(f"{_MODULE}.mcp."))
        return OTHER if server is None else f"server {server.raw}"


def place_of(tool: ToolBinding) -> str:
    """How a tool is written in what is recorded."""
    return f"{tool.server or ''}/{tool.raw}"


class _Oracle:
    """Takes every decision in every way, one run after the other."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []
        self._at = 0

    def choose(self, options: int) -> int:
        if self._at == len(self.taken):
            self.taken.append((0, options))
        self._at += 1
        return self.taken[self._at - 1][0]

    def next(self) -> bool:
        """Turn to the next way; false when that was the last one."""
        self._at = 0
        while self.taken:
            choice, options = self.taken.pop()
            if choice + 1 < options:
                self.taken.append((choice + 1, options))
                return True
        return False


class _Guarded(ast.NodeTransformer):
    """A probe of a name that is not bound is noted, and the run goes on."""

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(func=ast.Name(id="probe"), args=[ast.Constant(value=int() as number), _]):
                noted = ast.parse(f"unbound({number})").body
                handler = ast.ExceptHandler(ast.Name("NameError", ast.Load()), None, noted)
                return ast.fix_missing_locations(
                    ast.copy_location(ast.Try([node], [handler], [], []), node)
                )
            case _:
                return node


def record(text: str, catalogue: Catalogue, results: dict[str, Any]) -> Recorded:
    """What running `text` shows, in all ways that it can go.

    `results` are what tools give, by `server/raw name`; other tools give a text.
    """
    tree = _Guarded().visit(ast.parse(text))
    code = compile(tree, "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    tape = _Tape(catalogue, results)
    before = use(tape)
    forget_modules()
    try:
        oracle = _Oracle()
        with asyncio.Runner() as runner:
            for _ in range(WAYS):
                runner.run(_run(code, tape, oracle))
                if not oracle.next():
                    break
            else:
                tape.recorded.whole = False
    finally:
        use(before)
        tape.close()
        forget_modules()
    return tape.recorded


async def _run(code: CodeType, tape: _Tape, oracle: _Oracle) -> None:
    namespace = {"__name__": "cell", "__builtins__": {**vars(builtins), **_helpers(tape, oracle)}}
    try:
        waiting = eval(code, namespace)
        if waiting is not None:
            await waiting
    except _ENDINGS as error:
        tape.recorded.whole = False
        tape.recorded.endings.add(f"{type(error).__name__}: {error}")


_ENDINGS: Final = (NameError, AttributeError, TypeError, KeyError, ValueError, IndexError)
"""How a run may end early: a name that is not bound in this way, or holds something else."""


def _helpers(tape: _Tape, oracle: _Oracle) -> dict[str, Callable[..., Any]]:
    def probe(number: int, value: object) -> None:
        tape.recorded.values.setdefault(number, set()).add(tape.label(value))

    def unbound(number: int) -> None:
        tape.recorded.values.setdefault(number, set()).add(UNBOUND)

    def flag() -> bool:
        return bool(oracle.choose(2))

    def times() -> range:
        return range(oracle.choose(3))

    def fail() -> None:
        if oracle.choose(2):
            raise ValueError("chosen")

    @contextlib.contextmanager
    def entered(value: object = None) -> Iterator[object]:
        yield value

    helpers = (probe, unbound, flag, times, fail, entered)
    return {helper.__name__: helper for helper in helpers}
