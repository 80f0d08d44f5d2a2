"""Cells made at random: every way to bind a name that Python has, over a few names that collide."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple, TypeAlias

from codeact_lsp.bindings.model import Bindings, ServerBinding, ToolBinding
from tests.support.recording import place_of

NAMES: Final = ("a", "b", "c", "mcp", "web", "notion", "shell", "search", "run")


class Kind(NamedTuple):
    """What a name most likely holds: `root`, `mcp`, `server`, `tool`, `result`, `other`."""

    what: str
    which: str = ""


ROOT, MCP, OTHER = Kind("root"), Kind("mcp"), Kind("other")
Names: TypeAlias = dict[str, Kind]


@dataclass(frozen=True, slots=True)
class Generated:
    """One cell, with what is needed to judge it.

    Attributes:
        parts: its top-level statements in one or more cells of a notebook, in order.
        later: numbers of the probes in functions, which run after names may have changed, and in
            `finally`, which runs after anything may have failed.
        sure: no statement in it does less than its form allows, such as a loop over two things, which
            always ends with the second one, or a function that has not set a global name yet.
        forms: the kinds of statements in it.

    """

    parts: tuple[str, ...]
    later: frozenset[int]
    sure: bool
    forms: frozenset[str]


@dataclass(slots=True)
class _Maker:
    random: Random
    bindings: Bindings
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    number: int = 0
    in_function: int = 0
    in_finally: int = 0
    in_class: bool = False
    in_loop: bool = False
    later: set[int] = field(default_factory=set)
    sure: bool = True
    forms: set[str] = field(default_factory=set)

    # Text

    def write(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def pick(self, options: tuple[str, ...] | list[str]) -> str:
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def next_number(self) -> int:
        self.number += 1
        if self.in_function or self.in_finally:
            self.later.add(self.number)
        return self.number

    # Expressions

    def named(self, names: Names, *kinds: Kind) -> list[str]:
        return [name for name, kind in names.items() if kind in kinds]

    def mcp(self, names: Names) -> str:
        options = self.named(names, MCP) + [f"{root}.mcp" for root in self.named(names, ROOT)]
        if options:
            return self.pick(options)
        self.write("from codeact_lsp.tools import mcp")
        _bind(self, names, "mcp", MCP)
        return "mcp"

    def server(self, names: Names, raw: str | None = None) -> tuple[str, Kind]:
        server = self.bindings.servers_by_raw[raw or self.pick(list(SERVERS))]
        kind = Kind("server", server.raw)
        options = self.named(names, kind)
        if options and self.chance(0.6):
            return self.pick(options), kind
        mcp = self.mcp(names)
        if self.chance(0.2):
            return f'getattr({mcp}, "{server.raw}")', kind
        return f"{mcp}.{server.name}", kind

    def tool(self, names: Names) -> tuple[str, Kind]:
        held = [(name, kind) for name, kind in names.items() if kind.what == "tool"]
        if held and self.chance(0.5):
            return self.random.choice(held)
        server = self.bindings.servers_by_raw[self.pick(list(SERVERS))]
        tool = self.random.choice(server.tools)
        kind = Kind("tool", place_of(tool))
        roots = self.named(names, ROOT)
        if roots and tool.name is not None and self.chance(0.1):
            return f'getattr({self.pick(roots)}, "mcp__{server.raw}__{tool.raw}")', kind
        prefix, _ = self.server(names, server.raw)
        if tool.name is None or self.chance(0.2):
            return f'getattr({prefix}, "{tool.raw}")', kind
        return f"{prefix}.{tool.name}", kind

    def call(self, names: Names) -> tuple[str, Kind]:
        written, kind = self.tool(names)
        given = self.pick(ARGUMENTS)
        return f"{written}(at{self.next_number()}=0{given})", Kind("result", kind.which)

    def value(self, names: Names) -> tuple[str, Kind]:
        """Any expression that can be assigned."""
        what = self.random.random()
        if what < 0.3:
            return self.server(names)
        if what < 0.6:
            return self.tool(names)
        if what < 0.75 and not self.in_class:
            written, kind = self.call(names)
            return f"await {written}", kind
        if what < 0.85:
            mcp = self.mcp(names)
            return mcp, MCP
        if what < 0.92 and names:
            name = self.pick(list(names))
            return name, names[name]
        return self.pick(("1", '"text"', "None", "str", "len")), OTHER

    def target(self) -> str:
        return self.pick(NAMES if self.chance(0.3) else NAMES[:3])

    def probe(self, names: Names, *more: str) -> None:
        options = [*(names or {"mcp": MCP}), *more]
        name = self.pick(options)
        kind = names.get(name, OTHER)
        if kind.what == "result" and kind.which == "notion/search" and self.chance(0.6):
            name += self.pick(
                ['["items"]', '["items"][0]', '["items"][-1]["title"]', '.get("items")', '["items"][:1]']
            )  # fmt: skip
        self.write(f"probe({self.next_number()}, {name})")

    # Statements: each returns the names as they most likely are behind it.

    def block(self, names: Names, length: int) -> Names:
        self.indent += 1
        inner = dict(names)
        for _ in range(length):
            self.statement(inner)
        self.probe(inner)
        self.indent -= 1
        return inner

    def statement(self, names: Names) -> None:
        forms = [form for form in FORMS if self.allowed(form)]
        form = self.random.choices(forms, [FORMS[form] for form in forms])[0]
        self.forms.add(form.__name__)
        form(self, names)
        if self.chance(0.6):
            self.probe(names)

    def allowed(self, form: Form) -> bool:
        if form in BLOCKS and self.indent >= 3:
            return False
        if form is star_import:
            return self.indent == 0
        if form in AWAITING:
            return not self.in_class
        return form is not leave_loop or self.in_loop


Form: TypeAlias = Callable[[_Maker, Names], None]
SERVERS: Final = ("web", "notion", "redis", "shell", "my-server")
ARGUMENTS: Final = (
    "", "", ", query=1", ", from_=1", ', **{"page[size]": 1}', ", max_results=2, order=3",
    ", **dict(query=1)",
)  # fmt: skip


def _bind(maker: _Maker, names: Names, name: str, kind: Kind) -> None:
    names.pop(name, None)
    names[name] = kind


def import_root(maker: _Maker, names: Names) -> None:
    alias = maker.target()
    form, name, kind = maker.random.choice(
        (
            ("from codeact_lsp.tools import mcp", "mcp", MCP),
            ("from codeact_lsp.tools import mcp, ToolCallError", "mcp", MCP),
            (f"from codeact_lsp.tools import (\n    mcp as {alias},\n)", alias, MCP),
            (f"import codeact_lsp.tools as {alias}", alias, ROOT),
            (f"import codeact_lsp.tools.mcp as {alias}", alias, MCP),
            ("import codeact_lsp.tools", "codeact_lsp.tools", ROOT),
            ("import codeact_lsp.tools.mcp.web", "codeact_lsp.tools", ROOT),
            ("from codeact_lsp import tools", "tools", ROOT),
            (f"from codeact_lsp import tools as {alias}", alias, ROOT),
        )
    )
    for line in form.split("\n"):
        maker.write(line)
    _bind(maker, names, name, kind)


def import_server(maker: _Maker, names: Names) -> None:
    server = maker.bindings.servers_by_raw[maker.pick(list(SERVERS))]
    assert server.name is not None
    alias = maker.target()
    kind = Kind("server", server.raw)
    form, name = maker.random.choice(
        (
            (f"from codeact_lsp.tools.mcp import {server.name}", server.name),
            (f"from codeact_lsp.tools.mcp import {server.name} as {alias}", alias),
            (f"import codeact_lsp.tools.mcp.{server.name} as {alias}", alias),
        )
    )
    maker.write(form)
    _bind(maker, names, name, kind)


def import_tool(maker: _Maker, names: Names) -> None:
    server, tool = _named_tool(maker)
    # Where a builtin's name is not bound in one of the ways, Python finds the builtin.
    own = [] if hasattr(builtins, str(tool.name)) else [str(tool.name)]
    alias = maker.pick([maker.target(), *own])
    taken = f"{tool.name} as {alias}" if alias != tool.name else alias
    maker.write(f"from codeact_lsp.tools.mcp.{server.name} import {taken}")
    _bind(maker, names, alias, Kind("tool", place_of(tool)))


def _named_tool(maker: _Maker) -> tuple[ServerBinding, ToolBinding]:
    servers = [maker.bindings.servers_by_raw[raw] for raw in SERVERS]
    return maker.random.choice(
        [(server, tool) for server in servers for tool in server.tools if tool.name is not None]
    )


def star_import(maker: _Maker, names: Names) -> None:
    where = maker.pick(["", ".mcp", ".mcp.notion", ".mcp.shell"])
    maker.write(f"from codeact_lsp.tools{where} import *")
    found = {
        "": {"mcp": MCP},
        ".mcp": {raw: Kind("server", raw) for raw in ("web", "notion", "shell")},
        ".mcp.notion": {"search": Kind("tool", "notion/search")},
        ".mcp.shell": {"run": Kind("tool", "shell/run")},
    }[where]
    for name, kind in found.items():
        _bind(maker, names, name, kind)


def other_import(maker: _Maker, names: Names) -> None:
    name = maker.target()
    maker.write(maker.pick([f"import json as {name}", f"from os.path import join as {name}"]))
    _bind(maker, names, name, OTHER)


def assign(maker: _Maker, names: Names) -> None:
    written, kind = maker.value(names)
    name = maker.target()
    forms = ["{n} = {v}", "{n} = ({v})", "{n} = {m} = {v}"]
    if not maker.in_function:  # where the name may be declared global, which takes no annotation
        forms.append("{n}: object = {v}")
    form = maker.pick(forms)
    other = maker.target()
    maker.write(form.format(n=name, m=other, v=written))
    _bind(maker, names, name, kind)
    if "{m}" in form:
        _bind(maker, names, other, kind)


def unpack(maker: _Maker, names: Names) -> None:
    values = [maker.value(names) for _ in range(maker.random.randint(2, 3))]
    targets = maker.random.sample(NAMES, len(values))
    left = ", ".join(targets)
    right = ", ".join(written for written, _ in values)
    maker.write(maker.pick([f"{left} = {right}", f"[{left}] = [{right}]", f"({left}) = ({right})"]))
    for name, (_, kind) in zip(targets, values, strict=True):
        _bind(maker, names, name, kind)


def unpack_starred(maker: _Maker, names: Names) -> None:
    (first, kind), (second, _), (third, last) = (maker.value(names) for _ in range(3))
    one, rest, two = maker.random.sample(NAMES, 3)
    maker.write(f"{one}, *{rest}, {two} = {first}, {second}, {second}, {third}")
    _bind(maker, names, one, kind)
    names.pop(rest, None)
    _bind(maker, names, two, last)


def keep_in_display(maker: _Maker, names: Names) -> None:
    written, kind = maker.value(names)
    other, _ = maker.value(names)
    held, name = f"held_{len(maker.lines)}", maker.target()
    display, index = maker.random.choice(
        (
            (f'{{"k": {written}, "o": {other}}}', '["k"]'),
            (f"dict(k={written}, o={other})", '["k"]'),
            (f'{{"k": {written}}}', '.get("k")'),
            (f"({other}, {written})", "[1]"),
            (f"[{other}, {written}]", "[-1]"),
        )
    )  # fmt: skip
    maker.write(f"{held} = {display}")
    maker.write(f"{name} = {held}{index}")
    _bind(maker, names, name, kind)


def partial(maker: _Maker, names: Names) -> None:
    written, kind = maker.tool(names)
    name = maker.pick(["a", "b", "c"])
    maker.write("import functools")
    maker.write(f"{name} = functools.partial({written}, order=1)")
    _bind(maker, names, name, kind)
    maker.write(f"await {name}(at{maker.next_number()}=0)")


def make_call(maker: _Maker, names: Names) -> None:
    maker.write(f"await {maker.call(names)[0]}")


def gather(maker: _Maker, names: Names) -> None:
    (first, kind), (second, other) = maker.call(names), maker.call(names)
    one, two = maker.random.sample(NAMES, 2)
    maker.write("import asyncio")
    maker.write(f"{one}, {two} = await asyncio.gather({first}, {second})")
    _bind(maker, names, one, kind)
    _bind(maker, names, two, other)


def follow_result(maker: _Maker, names: Names) -> None:
    mcp, number = maker.mcp(names), maker.next_number()
    one, two = maker.random.sample(("a", "b", "c"), 2)
    maker.write(f"{one} = await {mcp}.notion.search(at{number}=0)")
    _bind(maker, names, one, Kind("result", "notion/search"))
    maker.write(f'for {two} in {one}["items"]:')
    _bind(maker, names, two, OTHER)
    maker.indent += 1
    maker.write(f"probe({maker.next_number()}, {two})")
    maker.write(f'probe({maker.next_number()}, {two}["page-id"])')
    maker.indent -= 1
    maker.write(
        f"{two} = [probe({maker.next_number()}, {one}) for {one} in {one}['items']]"
    )  # fmt: skip


def delete(maker: _Maker, names: Names) -> None:
    name = maker.pick(list(names) or ["a"])
    if "." in name:
        return
    maker.write(f"del {name}")
    names.pop(name, None)
    maker.probe(names, name)


def augmented(maker: _Maker, names: Names) -> None:
    name = maker.target()
    maker.write(f"{name} = 1")
    maker.write(f"{name} += 1")
    _bind(maker, names, name, OTHER)


def walrus(maker: _Maker, names: Names) -> None:
    written, kind = maker.value(names)
    name = maker.target()
    form = maker.pick(["({w}) if flag() else None", "[{w}]", "({w}, 1)[0]", "flag() or {w}"])
    maker.write(form.format(w=f"({name} := {written})"))
    _bind(maker, names, name, kind)


def conditional(maker: _Maker, names: Names) -> None:
    (one, kind), (two, _) = maker.value(names), maker.value(names)
    name = maker.target()
    maker.write(f"{name} = {one} if flag() else {two}")
    _bind(maker, names, name, kind)


def branch(maker: _Maker, names: Names) -> None:
    name = maker.target()
    written, _ = maker.value(names)
    maker.write("if flag():")
    inner = maker.block(names, maker.random.randint(1, 2))
    if maker.chance(0.4):
        maker.write(f"elif flag() and ({name} := {written}) and flag():")
        maker.block(names, 1)
    if maker.chance(0.6):
        maker.write("else:")
        maker.block(names, 1)
    if maker.chance(0.5):
        _replace(names, inner)


def _replace(names: Names, inner: Names) -> None:
    names.clear()
    names.update(inner)


def loop(maker: _Maker, names: Names) -> None:
    name = maker.target()
    outside, maker.in_loop = maker.in_loop, True
    (one, kind), (two, _) = maker.value(names), maker.value(names)
    header = maker.pick(["times", "times", "display", "while"])
    inner = dict(names)
    if header == "times":
        maker.write(f"for {name} in times():")
        _bind(maker, inner, name, OTHER)
    elif header == "display":
        maker.sure = False
        maker.write(f"for {name} in ({one}, {two}):")
        _bind(maker, inner, name, kind)
    else:
        maker.write("for _ in times():" if maker.chance(0.5) else "while flag() and not flag():")
    inner = maker.block(inner, maker.random.randint(1, 2))
    if header == "times" and inner.get(name) != OTHER:
        maker.sure = False  # the loop itself leaves nothing in its own variable
    if header == "while":
        maker.sure = False  # it never comes to a second turn
        maker.indent += 1
        maker.write("break")
        maker.indent -= 1
    maker.in_loop = outside
    if maker.chance(0.3):
        maker.write("else:")
        maker.block(names, 1)


def leave_loop(maker: _Maker, names: Names) -> None:
    maker.write("if flag():")
    inner = maker.block(names, 1)
    maker.indent += 1
    maker.write(maker.pick(["break", "continue"]))
    maker.indent -= 1
    del inner


def attempt(maker: _Maker, names: Names) -> None:
    maker.write("try:")
    maker.indent += 1
    inner = dict(names)
    for _ in range(maker.random.randint(1, 2)):
        maker.write("fail()")
        maker.statement(inner)
    maker.write("fail()")
    maker.indent -= 1
    name = maker.target()
    handler = dict(names)
    if maker.chance(0.5):
        maker.write(f"except ValueError as {name}:")
        handler[name] = OTHER
        if maker.block(handler, 1).get(name) != OTHER:
            maker.sure = False  # what the handler gives to the name is gone behind it
    else:
        maker.write("except ValueError:")
        maker.block(handler, 1)
    if maker.chance(0.3):
        maker.write("else:")
        maker.block(inner, 1)
    if maker.chance(0.3):
        maker.write("finally:")
        maker.in_finally += 1
        maker.block(names, 1)
        maker.in_finally -= 1


def enter(maker: _Maker, names: Names) -> None:
    name = maker.target()
    maker.write(maker.pick(["with entered():", f"with entered(1) as {name}:"]))
    if maker.lines[-1].endswith(f"as {name}:"):
        _bind(maker, names, name, OTHER)
    _replace(names, maker.block(names, maker.random.randint(1, 2)))


def match(maker: _Maker, names: Names) -> None:
    one, two = maker.random.sample(NAMES, 2)
    maker.write("match flag():")
    maker.indent += 1
    maker.write(
        maker.pick(["case True:", f"case True as {one} if flag():", f"case False as {one}:"])
    )
    maker.block(names, 1)
    if maker.chance(0.7):
        maker.write(maker.pick([f"case {two}:", "case _:"]))
        maker.block(names, 1)
    maker.indent -= 1


def function(maker: _Maker, names: Names) -> None:
    name = maker.pick(["f", "g", maker.target()])
    parameter = maker.target()
    taken = maker.pick(["", f"{parameter}=1", f"*{parameter}", f"**{parameter}"])
    maker.write(f"async def {name}({taken}):")
    inside = dict(names)
    if taken:
        _bind(maker, inside, parameter, OTHER)
    maker.indent += 1
    declared = maker.target()
    nested = maker.in_function > 0
    if maker.chance(0.3) and declared != parameter and not nested and not maker.in_class:
        maker.sure = False
        maker.write(f"global {declared}")
    maker.indent -= 1
    in_class, in_loop = maker.in_class, maker.in_loop
    maker.in_class = maker.in_loop = False
    maker.in_function += 1
    maker.block(inside, maker.random.randint(1, 3))
    maker.in_function -= 1
    maker.in_class, maker.in_loop = in_class, in_loop
    if not maker.in_class:
        maker.write(f"await {name}()")
    _bind(maker, names, name, OTHER)


def anonymous(maker: _Maker, names: Names) -> None:
    name = maker.target()
    maker.in_function += 1
    number = maker.next_number()
    free = maker.pick([*names, "mcp"])
    maker.in_function -= 1
    body = maker.pick([name, free])
    maker.write(f"(lambda {name}=1: probe({number}, {body}))()")


def comprehension(maker: _Maker, names: Names) -> None:
    name = maker.target()
    (one, _), (two, _) = maker.value(names), maker.value(names)
    number = maker.next_number()
    if "await" in one + two:
        return
    form = maker.pick(
        [
            "[probe({i}, {n}) for {n} in ({a}, {b})]",
            "{{probe({i}, {n}): 1 for {n} in [{a}, {b}] if flag()}}",
            "list(probe({i}, {n}) for _ in times() for {n} in ({a},))",
            "[probe({i}, k) for k, {n} in enumerate([{a}, {b}])]",
            "[probe({i}, {n}) for k, {n} in enumerate([{a}, {b}])]",
            "[probe({i}, {n}) for k, {n} in zip([1, 2], ({a}, {b}))]",
            "[({n} := {a}) for _ in times()]",
        ]
    )
    if ":=" in form and maker.in_class:
        return
    maker.write(form.format(i=number, n=name, a=one, b=two))
    maker.probe(names, name)


def f_string(maker: _Maker, names: Names) -> None:
    name = maker.pick([*names, "mcp"])
    maker.write(f"f\"x{{probe({maker.next_number()}, {name})}}{{1:>{{len('ab')}}}}\"")


def class_body(maker: _Maker, names: Names) -> None:
    name = maker.pick(["K", maker.target()])
    maker.write(f"class {name}:")
    outside = maker.in_class, maker.in_loop
    maker.in_class, maker.in_loop = True, False
    maker.block(names, maker.random.randint(1, 2))
    maker.in_class, maker.in_loop = outside
    _bind(maker, names, name, OTHER)


FORMS: Final[dict[Form, int]] = {
    import_root: 6, import_server: 5, import_tool: 5, star_import: 2, other_import: 2,
    assign: 8, unpack: 3, unpack_starred: 1, keep_in_display: 3, partial: 2, make_call: 5, gather: 2,
    follow_result: 2, delete: 2, augmented: 1, walrus: 3, conditional: 3, branch: 4, loop: 4,
    leave_loop: 12, attempt: 3, enter: 2, match: 2, function: 4, anonymous: 2, comprehension: 4,
    f_string: 2, class_body: 2,
}  # fmt: skip
BLOCKS: Final = frozenset({branch, loop, attempt, enter, match, function, class_body, leave_loop})
AWAITING: Final = frozenset({make_call, gather, follow_result, partial, function})


def generated(seed: int, bindings: Bindings) -> Generated:
    """The cell of a seed."""
    maker = _Maker(Random(seed), bindings)
    names: Names = {}
    import_root(maker, names)
    starts = [0]
    for _ in range(maker.random.randint(5, 10)):
        if maker.chance(0.1):
            starts.append(len(maker.lines))
        maker.statement(names)
    maker.probe(names)
    parts = tuple(
        "".join(f"{line}\n" for line in maker.lines[start:end])
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    )
    return Generated(parts, frozenset(maker.later), maker.sure, frozenset(maker.forms))
