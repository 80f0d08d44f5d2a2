"""Random statements about what is written inside of others: f-strings, and functions in functions."""

from __future__ import annotations

import re

from tests.support.cell_maker import Maker, Names


def f_string(maker: Maker, names: Names) -> None:
    name = maker.pick([*names, "mcp"])
    maker.write(f"f\"x{{probe({maker.next_number()}, {name})}}{{1:>{{len('ab')}}}}\"")


def call_in_f_string(maker: Maker, names: Names) -> None:
    called = maker.call(names)[0]
    field = maker.pick(
        ["{{await {c}}}", "{{(await {c})!r:>{{len('ab')}}}}", "{{{{{{await {c}}}}}}}"]
    )
    maker.write(f'f"""{field.format(c=called)}"""')


def set_outer(maker: Maker, names: Names) -> None:
    """A function inside another that gives a new value to a name of that one."""
    maker.in_function += 1  # what is called in there runs later
    (before, _), (after, _) = maker.value(names), maker.value(names)
    maker.in_function -= 1
    name, outer = maker.pick(["a", "b", "c"]), f"outer_{len(maker.lines)}"
    if name in re.findall(r"\w+", f"{before} {after}"):
        return  # it would be read as the local name
    maker.in_function += 1
    maker.write(f"async def {outer}():")
    maker.indent += 1
    maker.write(f"{name} = {before}")
    maker.write("async def inner():")
    maker.indent += 1
    maker.write(f"nonlocal {name}")
    maker.write(f"probe({maker.next_number()}, {name})")
    maker.write(f"{name} = {after}")
    maker.write(f"probe({maker.next_number()}, {name})")
    maker.indent -= 1
    maker.write("await inner()")
    maker.write(f"probe({maker.next_number()}, {name})")
    maker.indent -= 1
    maker.in_function -= 1
    maker.write(f"await {outer}()")
