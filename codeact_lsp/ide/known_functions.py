"""Functions of the standard library that carry bindings and results along, and what each gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple, TypeAlias

from codeact_lsp.ide import results
from codeact_lsp.ide.members import UNKNOWN, together
from codeact_lsp.ide.refs import Follow, Managed, Many, Other, Pending, Refs, Row, Table, Value
from codeact_lsp.syntax.expressions import ArgumentKind, Call, Expression

FOLLOWED_MODULES: Final = frozenset(
    {
        "asyncio",
        "collections",
        "contextlib",
        "copy",
        "functools",
        "heapq",
        "itertools",
        "json",
        "random",
        "typing",
    }
)
"""The modules whose functions are known here."""
FOLLOWED_BUILTINS: Final = frozenset(
    """
    aiter anext dict enumerate filter frozenset getattr iter list map max min next reversed set
    sorted tuple zip
    """.split()
)
"""The builtins that are known here."""


class Given(NamedTuple):
    """What a call gives to a function, and how to find out what that is."""

    call: Call
    follow: Follow

    def positional(self) -> tuple[Expression, ...]:
        """The arguments without a name, up to the first starred one."""
        found: list[Expression] = []
        for argument in self.call.arguments:
            if argument.kind is ArgumentKind.STAR:
                break
            if argument.kind is ArgumentKind.POSITIONAL:
                found.append(argument.value)
        return tuple(found)

    def starred(self) -> bool:
        """Whether there are more positional arguments than are written."""
        return any(argument.kind is ArgumentKind.STAR for argument in self.call.arguments)

    def at(self, position: int) -> Refs:
        """What a positional argument is."""
        values = self.positional()
        return self.follow(values[position]) if position < len(values) else UNKNOWN

    def items(self, position: int) -> Refs:
        """What a loop over a positional argument gives."""
        return together(map(results.iterate, self.at(position)))

    def named(self, name: str) -> Refs | None:
        """What is given by a keyword; None where it is not."""
        for argument in self.call.arguments:
            if argument.name == name:
                return self.follow(argument.value)
        return None


_Gives: TypeAlias = Callable[[Given], Refs]


def known_function(path: str, given: Given) -> Refs | None:
    """What a call of the function at a dotted path gives; None where it is not known here."""
    known = _KNOWN.get(path)
    return None if known is None else known(given)


def tasks(refs: Refs) -> Refs:
    """The same, with every coroutine running by itself."""
    return tuple(Pending(ref.value, task=True) if isinstance(ref, Pending) else ref for ref in refs)


def _argument(position: int) -> _Gives:
    return lambda given: given.at(position)


def _list_of_items(position: int) -> _Gives:
    return lambda given: (Many(given.items(position)),)


def _listed(given: Given) -> Refs:
    return (
        together(map(results.listed, given.at(0))) if given.call.arguments else (results.NO_ITEM,)
    )  # fmt: skip


def _reordered(given: Given) -> Refs:
    return together(map(results.cut, given.at(0))) if given.call.arguments else (results.NO_ITEM,)


def _item(given: Given) -> Refs:
    """`next(items)`, `next(items, other)`."""
    others = map(given.at, range(1, len(given.positional())))
    return together((given.items(0), *others))


def _extreme(given: Given) -> Refs:
    """`max(items)`, `max(items, default=other)`, `max(one, other)`."""
    count = len(given.positional())
    if count > 1 or given.starred():
        return together([*map(given.at, range(count)), *([UNKNOWN] if given.starred() else [])])
    default = given.named("default")
    return together((given.items(0), *(() if default is None else (default,))))


def _zip(given: Given) -> Refs:
    if given.starred():
        return UNKNOWN
    return (Many((Row(tuple(map(given.items, range(len(given.positional()))))),)),)


def _zip_longest(given: Given) -> Refs:
    default = given.named("fillvalue") or UNKNOWN
    if given.starred():
        return UNKNOWN
    count = len(given.positional())
    return (Many((Row(tuple(together((given.items(at), default)) for at in range(count))),)),)


def _enumerate(given: Given) -> Refs:
    return (Many((Row((UNKNOWN, given.items(0))),)),)


def _chain(given: Given) -> Refs:
    count = len(given.positional())
    if given.starred():
        return UNKNOWN
    return (Many(together(map(given.items, range(count)))),)


def _chain_of(given: Given) -> Refs:
    return (Many(together(map(results.iterate, given.items(0)))),)


def _pairs(given: Given) -> Refs:
    items = given.items(0)
    return (Many((Row((items, items)),)),)


def _runs(given: Given) -> Refs:
    """`groupby(items)`: pairs of a key and some of the items."""
    return (Many((Row((UNKNOWN, (Many(given.items(0)),))),)),)


def _batches(given: Given) -> Refs:
    return (Many((Many(given.items(0)),)),)


def _awaited(given: Given) -> Refs:
    return together(ref.value if isinstance(ref, Pending) else UNKNOWN for ref in given.at(0))


def _next_later(given: Given) -> Refs:
    return (Pending(_item(given)),)


def _task(given: Given) -> Refs:
    return tasks(given.at(0))


def _gather(given: Given) -> Refs:
    """Results in a row; with a star among the arguments, any number of results.

    The calls run whether or not anybody awaits the future.
    """
    exceptions = given.named("return_exceptions") is not None
    rows: list[Refs] = []
    for argument in given.call.arguments:
        if argument.kind in {ArgumentKind.POSITIONAL, ArgumentKind.STAR}:
            refs = given.follow(argument.value)
            starred = argument.kind is ArgumentKind.STAR
            pending = together(map(results.iterate, refs)) if starred else refs
            values = [ref.value if isinstance(ref, Pending) else UNKNOWN for ref in pending]
            rows.append(together([*values, UNKNOWN] if exceptions else values))
    if given.starred():
        return (Pending((Many(together(rows)),), task=True),)
    return (Pending((Row(tuple(rows)),), task=True),)


def _wait(given: Given) -> Refs:
    some = (Many(tasks(given.items(0))),)
    return (Pending((Row((some, some)),)),)


def _as_completed(given: Given) -> Refs:
    return (Many(tasks(given.items(0))),)


def _managed(given: Given) -> Refs:
    return (Managed(given.at(0)),)


def mapping(given: Given) -> Refs:
    """`dict(other, name=value)`, where the other may be pairs too."""
    table = Table(())
    taken: list[Refs] = []
    for argument in given.call.arguments:
        refs = given.follow(argument.value)
        if argument.name is not None:
            table = with_entry(table, argument.name, refs)
        elif argument.kind is ArgumentKind.STAR:
            table = with_entry(table, None, UNKNOWN)
        else:
            table, held = with_all_of(table, refs)
            taken += [held] if held else []
    return joined(table, taken)


def joined(table: Table, taken: list[Refs]) -> Refs:
    """The dict, and the results that were taken into it; those alone where it has nothing else."""
    alone = taken and all(key is None for key, _ in table.entries)
    return together(taken if alone and len(taken) == len(table.entries) else [*taken, (table,)])


def with_entry(table: Table, key: str | None, refs: Refs) -> Table:
    """The dict with one more entry, whose key is None where it is not known."""
    known = [(name, held) for name, held in table.entries if key is None or name != key]
    return Table((*known, (key, refs)), table.whole and key is not None)


def with_all_of(table: Table, refs: Refs) -> tuple[Table, Refs]:
    """The dict with the entries of others, and those results whose keys are only declared."""
    if len(refs) == 1:
        other = refs[0]
        if isinstance(other, Table):
            for key, held in (*other.entries, *((None, held) for _, held in other.more)):
                table = with_entry(table, key, held)
            return replace(table, whole=table.whole and other.whole), ()
        if isinstance(other, Value) and results.merged(other) == (other,):
            return with_entry(table, None, UNKNOWN), refs
        pair = results.iterate(other)
        if len(pair) == 1 and isinstance(pair[0], Row) and len(pair[0].items) == 2:
            return with_entry(table, None, pair[0].items[1]), ()
    return with_entry(table, None, UNKNOWN), ()


def is_known(refs: Refs) -> bool:
    """Whether anything of it is."""
    return not all(isinstance(ref, Other) for ref in refs)


_KNOWN: Final[Mapping[str, _Gives]] = {
    "asyncio.as_completed": _as_completed,
    "asyncio.create_task": _task,
    "asyncio.ensure_future": _task,
    "asyncio.gather": _gather,
    "asyncio.run": _awaited,
    "asyncio.shield": _argument(0),
    "asyncio.wait": _wait,
    "asyncio.wait_for": _argument(0),
    "builtins.aiter": _argument(0),
    "builtins.anext": _next_later,
    "builtins.dict": mapping,
    "builtins.enumerate": _enumerate,
    "builtins.filter": _list_of_items(1),
    "builtins.frozenset": _reordered,
    "builtins.iter": _listed,
    "builtins.list": _listed,
    "builtins.max": _extreme,
    "builtins.min": _extreme,
    "builtins.next": _item,
    "builtins.reversed": _reordered,
    "builtins.set": _reordered,
    "builtins.sorted": _reordered,
    "builtins.tuple": _listed,
    "builtins.zip": _zip,
    "collections.OrderedDict": mapping,
    "collections.defaultdict": lambda _: (Table(()),),
    "collections.deque": _listed,
    "contextlib.aclosing": _managed,
    "contextlib.closing": _managed,
    "contextlib.nullcontext": _managed,
    "copy.copy": _argument(0),
    "copy.deepcopy": _argument(0),
    "heapq.nlargest": _list_of_items(1),
    "heapq.nsmallest": _list_of_items(1),
    "itertools.batched": _batches,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of,
    "itertools.cycle": _list_of_items(0),
    "itertools.dropwhile": _list_of_items(1),
    "itertools.filterfalse": _list_of_items(1),
    "itertools.groupby": _runs,
    "itertools.islice": _list_of_items(0),
    "itertools.pairwise": _pairs,
    "itertools.takewhile": _list_of_items(1),
    "itertools.zip_longest": _zip_longest,
    "random.choice": lambda given: given.items(0),
    "random.choices": _list_of_items(0),
    "random.sample": _list_of_items(0),
    "typing.cast": _argument(1),
}
LAMBDAS: Final[Mapping[str, tuple[int | str, int]]] = {
    "builtins.filter": (0, 1),
    "builtins.max": ("key", 0),
    "builtins.min": ("key", 0),
    "builtins.sorted": ("key", 0),
    "heapq.nlargest": ("key", 1),
    "heapq.nsmallest": ("key", 1),
    "itertools.dropwhile": (0, 1),
    "itertools.filterfalse": (0, 1),
    "itertools.groupby": ("key", 0),
    "itertools.takewhile": (0, 1),
}
"""Functions that call a function with each item: which argument that is, and where the items are."""
