"""Cells made at random: every way to bind a name that Python has, over a few names that collide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from codeact_lsp.bindings.model import Bindings
from tests.support.cell_maker import NAMES, OTHER, Kind, Maker, Names, bind
from tests.support.generated_imports import (
    import_root,
    import_server,
    import_tool,
    other_import,
    star_import,
)
from tests.support.generated_inside import call_in_f_string, f_string, set_outer


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


Form: TypeAlias = Callable[[Maker, Names], None]


def _block(maker: Maker, names: Names, length: int) -> Names:
    maker.indent += 1
    inner = dict(names)
    for _ in range(length):
        _statement(maker, inner)
    maker.probe(inner)
    maker.indent -= 1
    return inner


def _statement(maker: Maker, names: Names) -> None:
    forms = [form for form in FORMS if _allowed(maker, form)]
    form = maker.random.choices(forms, [FORMS[form] for form in forms])[0]
    maker.forms.add(form.__name__)
    form(maker, names)
    if maker.chance(0.6):
        maker.probe(names)


def _allowed(maker: Maker, form: Form) -> bool:
    if form in BLOCKS and maker.indent >= 3:
        return False
    if form is star_import:
        return maker.indent == 0
    if form in AWAITING:
        return not maker.in_class
    return form is not leave_loop or maker.in_loop


def assign(maker: Maker, names: Names) -> None:
    written, kind = maker.value(names)
    name = maker.target()
    forms = ["{n} = {v}", "{n} = ({v})", "{n} = {m} = {v}"]
    if not maker.in_function:  # where the name may be declared global, which takes no annotation
        forms.append("{n}: object = {v}")
    form = maker.pick(forms)
    other = maker.target()
    maker.write(form.format(n=name, m=other, v=written))
    bind(names, name, kind)
    if "{m}" in form:
        bind(names, other, kind)


def unpack(maker: Maker, names: Names) -> None:
    values = [maker.value(names) for _ in range(maker.random.randint(2, 3))]
    targets = maker.random.sample(NAMES, len(values))
    left = ", ".join(targets)
    right = ", ".join(written for written, _ in values)
    maker.write(maker.pick([f"{left} = {right}", f"[{left}] = [{right}]", f"({left}) = ({right})"]))
    for name, (_, kind) in zip(targets, values, strict=True):
        bind(names, name, kind)


def unpack_starred(maker: Maker, names: Names) -> None:
    (first, kind), (second, _), (third, last) = (maker.value(names) for _ in range(3))
    one, rest, two = maker.random.sample(NAMES, 3)
    maker.write(f"{one}, *{rest}, {two} = {first}, {second}, {second}, {third}")
    bind(names, one, kind)
    names.pop(rest, None)
    bind(names, two, last)


def keep_in_display(maker: Maker, names: Names) -> None:
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
    bind(names, name, kind)


def partial(maker: Maker, names: Names) -> None:
    written, kind = maker.tool(names)
    name = maker.pick(["a", "b", "c"])
    maker.write("import functools")
    maker.write(f"{name} = functools.partial({written}, order=1)")
    bind(names, name, kind)
    maker.write(f"await {name}(at{maker.next_number()}=0)")


def make_call(maker: Maker, names: Names) -> None:
    maker.write(f"await {maker.call(names)[0]}")


def gather(maker: Maker, names: Names) -> None:
    (first, kind), (second, other) = maker.call(names), maker.call(names)
    one, two = maker.random.sample(NAMES, 2)
    maker.write("import asyncio")
    maker.write(f"{one}, {two} = await asyncio.gather({first}, {second})")
    bind(names, one, kind)
    bind(names, two, other)


def follow_result(maker: Maker, names: Names) -> None:
    mcp, number = maker.mcp(names), maker.next_number()
    one, two = maker.random.sample(("a", "b", "c"), 2)
    maker.write(f"{one} = await {mcp}.notion.search(at{number}=0)")
    bind(names, one, Kind("result", "notion/search"))
    maker.write(f'for {two} in {one}["items"]:')
    bind(names, two, OTHER)
    maker.indent += 1
    maker.write(f"probe({maker.next_number()}, {two})")
    maker.write(f'probe({maker.next_number()}, {two}["page-id"])')
    maker.indent -= 1
    maker.write(
        f"{two} = [probe({maker.next_number()}, {one}) for {one} in {one}['items']]"
    )  # fmt: skip


def delete(maker: Maker, names: Names) -> None:
    name = maker.pick(list(names) or ["a"])
    if "." in name:
        return
    maker.write(f"del {name}")
    names.pop(name, None)
    maker.probe(names, name)


def augmented(maker: Maker, names: Names) -> None:
    name = maker.target()
    maker.write(f"{name} = 1")
    maker.write(f"{name} += 1")
    bind(names, name, OTHER)


def walrus(maker: Maker, names: Names) -> None:
    written, kind = maker.value(names)
    name = maker.target()
    form = maker.pick(["({w}) if flag() else None", "[{w}]", "({w}, 1)[0]", "flag() or {w}"])
    maker.write(form.format(w=f"({name} := {written})"))
    bind(names, name, kind)


def conditional(maker: Maker, names: Names) -> None:
    (one, kind), (two, _) = maker.value(names), maker.value(names)
    name = maker.target()
    maker.write(f"{name} = {one} if flag() else {two}")
    bind(names, name, kind)


def branch(maker: Maker, names: Names) -> None:
    name = maker.target()
    written, _ = maker.value(names)
    maker.write("if flag():")
    inner = _block(maker, names, maker.random.randint(1, 2))
    if maker.chance(0.4):
        maker.write(f"elif flag() and ({name} := {written}) and flag():")
        _block(maker, names, 1)
    if maker.chance(0.6):
        maker.write("else:")
        _block(maker, names, 1)
    if maker.chance(0.5):
        _replace(names, inner)


def _replace(names: Names, inner: Names) -> None:
    names.clear()
    names.update(inner)


def loop(maker: Maker, names: Names) -> None:
    name = maker.target()
    outside, maker.in_loop = maker.in_loop, True
    (one, kind), (two, _) = maker.value(names), maker.value(names)
    header = maker.pick(["times", "times", "display", "while"])
    inner = dict(names)
    if header == "times":
        maker.write(f"for {name} in times():")
        bind(inner, name, OTHER)
    elif header == "display":
        maker.sure = False
        maker.write(f"for {name} in ({one}, {two}):")
        bind(inner, name, kind)
    else:
        maker.write("for _ in times():" if maker.chance(0.5) else "while flag() and not flag():")
    inner = _block(maker, inner, maker.random.randint(1, 2))
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
        _block(maker, names, 1)


def leave_loop(maker: Maker, names: Names) -> None:
    maker.write("if flag():")
    _block(maker, names, 1)
    maker.indent += 1
    maker.write(maker.pick(["break", "continue"]))
    maker.indent -= 1


def attempt(maker: Maker, names: Names) -> None:
    maker.write("try:")
    maker.indent += 1
    inner = dict(names)
    for _ in range(maker.random.randint(1, 2)):
        maker.write("fail()")
        _statement(maker, inner)
    maker.write("fail()")
    maker.indent -= 1
    name = maker.target()
    handler = dict(names)
    if maker.chance(0.5):
        maker.write(f"except ValueError as {name}:")
        handler[name] = OTHER
        if _block(maker, handler, 1).get(name) != OTHER:
            maker.sure = False  # what the handler gives to the name is gone behind it
    else:
        maker.write("except ValueError:")
        _block(maker, handler, 1)
    if maker.chance(0.3):
        maker.write("else:")
        _block(maker, inner, 1)
    if maker.chance(0.3):
        maker.write("finally:")
        maker.in_finally += 1
        _block(maker, names, 1)
        maker.in_finally -= 1


def enter(maker: Maker, names: Names) -> None:
    name = maker.target()
    maker.write(maker.pick(["with entered():", f"with entered(1) as {name}:"]))
    if maker.lines[-1].endswith(f"as {name}:"):
        bind(names, name, OTHER)
    _replace(names, _block(maker, names, maker.random.randint(1, 2)))


def match(maker: Maker, names: Names) -> None:
    one, two = maker.random.sample(NAMES, 2)
    maker.write("match flag():")
    maker.indent += 1
    maker.write(
        maker.pick(["case True:", f"case True as {one} if flag():", f"case False as {one}:"])
    )
    _block(maker, names, 1)
    if maker.chance(0.7):
        maker.write(maker.pick([f"case {two}:", "case _:"]))
        _block(maker, names, 1)
    maker.indent -= 1


def function(maker: Maker, names: Names) -> None:
    name = maker.pick(["f", "g", maker.target()])
    parameter = maker.target()
    taken = maker.pick(["", f"{parameter}=1", f"*{parameter}", f"**{parameter}"])
    maker.write(f"async def {name}({taken}):")
    inside = dict(names)
    if taken:
        bind(inside, parameter, OTHER)
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
    _block(maker, inside, maker.random.randint(1, 3))
    maker.in_function -= 1
    maker.in_class, maker.in_loop = in_class, in_loop
    if not maker.in_class:
        maker.write(f"await {name}()")
    bind(names, name, OTHER)


def anonymous(maker: Maker, names: Names) -> None:
    name = maker.target()
    maker.in_function += 1
    number = maker.next_number()
    free = maker.pick([*names, "mcp"])
    maker.in_function -= 1
    body = maker.pick([name, free])
    maker.write(f"(lambda {name}=1: probe({number}, {body}))()")


def comprehension(maker: Maker, names: Names) -> None:
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


def class_body(maker: Maker, names: Names) -> None:
    name = maker.pick(["K", maker.target()])
    maker.write(f"class {name}:")
    outside = maker.in_class, maker.in_loop
    maker.in_class, maker.in_loop = True, False
    _block(maker, names, maker.random.randint(1, 2))
    maker.in_class, maker.in_loop = outside
    bind(names, name, OTHER)


FORMS: Final[dict[Form, int]] = {
    import_root: 6, import_server: 5, import_tool: 5, star_import: 2, other_import: 2,
    assign: 8, unpack: 3, unpack_starred: 1, keep_in_display: 3, partial: 2, make_call: 5, gather: 2,
    follow_result: 2, delete: 2, augmented: 1, walrus: 3, conditional: 3, branch: 4, loop: 4,
    leave_loop: 12, attempt: 3, enter: 2, match: 2, function: 4, anonymous: 2, comprehension: 4,
    f_string: 2, class_body: 2, call_in_f_string: 2, set_outer: 2,
}  # fmt: skip
BLOCKS: Final = frozenset({branch, loop, attempt, enter, match, function, class_body, leave_loop})
AWAITING: Final = frozenset(
    {make_call, gather, follow_result, partial, function, call_in_f_string, set_outer}
)


def generated(seed: int, bindings: Bindings) -> Generated:
    """The cell of a seed."""
    maker = Maker(Random(seed), bindings)
    names: Names = {}
    import_root(maker, names)
    starts = [0]
    for _ in range(maker.random.randint(5, 10)):
        if maker.chance(0.1):
            starts.append(len(maker.lines))
        _statement(maker, names)
    maker.probe(names)
    parts = tuple(
        "".join(f"{line}\n" for line in maker.lines[start:end])
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    )
    return Generated(parts, frozenset(maker.later), maker.sure, frozenset(maker.forms))
