"""Which shapes are one class, across tools and recursive ones included."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeact_lsp.bindings.block import render
from codeact_lsp.schema import identity
from codeact_lsp.schema.mapper import schemas
from codeact_lsp.schema.types import ObjectType, Schemas
from tests.support.blocks import execute
from tests.support.bound import make_bindings, make_tool

STRING = {"type": "string"}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def listed(item: Any) -> dict[str, Any]:
    return {"type": "array", "items": item}


def gives(output: Any, tool: str, **definitions: Any) -> Schemas:
    return schemas("{}", json.dumps({**output, "$defs": definitions}), tool=tool)


def identity_of(found: Schemas) -> str:
    assert isinstance(found.result, ObjectType)
    return found.shapes[found.result.shape].identity


TREE = obj(value=STRING, more=listed(ref("T")))


def test_one_recursive_shape_of_two_tools_is_one_class() -> None:
    one, other = gives(ref("T"), "a", T=TREE), gives(ref("T"), "b", T=TREE)
    assert identity_of(one) == identity_of(other)
    assert len({shape.name for shape in one.shapes.values()}) == 1


@pytest.mark.parametrize(
    ("output", "definitions"),
    [
        # Written out where it starts, as many libraries do, or further.
        (TREE, {"T": TREE}),
        (obj(value=STRING, more=listed(TREE)), {"T": TREE}),
        # Under two names
        (ref("T"), {"T": obj(value=STRING, more=listed(ref("U"))), "U": TREE}),
        (
            ref("T"),
            {
                "T": obj(value=STRING, more=listed(ref("U"))),
                "U": obj(value=STRING, more=listed(ref("T"))),
            },
        ),
    ],
)
def test_a_shape_is_the_same_however_it_is_written(output: Any, definitions: Any) -> None:
    found = gives(output, "a", **definitions)
    assert {shape.identity for shape in found.shapes.values()} == {
        identity_of(gives(ref("T"), "b", T=TREE))
    }
    assert {shape.name for shape in found.shapes.values()} == {"AOutput"}


@pytest.mark.parametrize(
    "definitions",
    [
        {"T": obj(value={"type": "integer"}, more=listed(ref("T")))},
        {"T": {**TREE, "required": ["value"]}},
        {"T": obj(value=STRING, more=ref("T"))},
        {"T": obj(value=STRING, more=listed(obj(value=STRING)))},
        # These differ from it by what is two steps away only.
        {
            "T": obj(value=STRING, more=listed(ref("U"))),
            "U": obj(value=STRING, more=listed(ref("V"))),
            "V": obj(value=STRING, more=listed(ref("T")), x=STRING),
        },
    ],
)
def test_shapes_that_differ_somewhere_are_different(definitions: Any) -> None:
    one, other = gives(ref("T"), "a", T=TREE), gives(ref("T"), "b", **definitions)
    assert identity_of(one) != identity_of(other)


def test_what_leads_to_a_recursive_shape_is_shared_too() -> None:
    one = gives(obj(root=ref("T")), "a", T=TREE)
    other = gives(obj(root=TREE), "b", T=TREE)
    assert identity_of(one) == identity_of(other)


def test_shapes_that_lead_to_each_other_are_shared_from_wherever_they_are_met() -> None:
    definitions = {"File": obj(folder=ref("Folder")), "Folder": obj(files=listed(ref("File")))}
    one = gives(ref("File"), "a", **definitions)
    other = gives(ref("Folder"), "b", **definitions)
    assert {s.identity for s in one.shapes.values()} == {s.identity for s in other.shapes.values()}
    assert len(one.shapes) == 2


def test_past_a_limit_each_tool_has_its_own() -> None:
    size = identity._MAX_RECURSIVE
    star = {f"D{n}": obj(**{f"k{n}": ref("T")}) for n in range(size)}
    star["T"] = obj(**{f"to{n}": ref(f"D{n}") for n in range(size)})
    one, other = gives(ref("T"), "a", **star), gives(ref("T"), "b", **star)
    assert identity_of(one) != identity_of(other)
    assert len({shape.identity for shape in one.shapes.values()}) == size + 1


def test_shapes_that_only_a_long_walk_tells_apart_are_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ring = {f"D{n}": obj(k=ref(f"D{(n + 1) % 6}")) for n in range(6)}
    ring["D0"] = obj(k=ref("D1"), x=STRING)
    one, other = gives(ref("D0"), "a", **ring), gives(ref("D0"), "b", **ring)
    assert identity_of(one) == identity_of(other)
    monkeypatch.setattr(identity, "_MAX_STEPS", 3)
    one, other = gives(ref("D0"), "a", **ring), gives(ref("D0"), "b", **ring)
    assert identity_of(one) != identity_of(other)


def test_the_block_defines_a_recursive_class_once_and_each_tool_keeps_its_name() -> None:
    output = {**ref("T"), "$defs": {"T": TREE}}
    tools = [make_tool(raw, output=output) for raw in ("b", "c")]
    bindings = make_bindings({"s": tools})
    block = render(bindings)
    assert block.count("(TypedDict)") == 1
    assert "\nSCOutput = SBOutput\n" in block
    execute(block, bindings)
    # A tool that is listed before takes the definition over, and no name changes.
    more = render(make_bindings({"s": [*tools, make_tool("a", output=output)]}))
    assert more.count("(TypedDict)") == 1
    assert "\nSBOutput = SAOutput\nSCOutput = SAOutput\n" in more


NODES = st.integers(0, 3)
GRAPHS = st.lists(
    st.tuples(st.booleans(), st.dictionaries(st.sampled_from("ab"), NODES, max_size=2)),
    min_size=4,
    max_size=4,
)


def unfolded(graph: Any, node: int, steps: int) -> Any:
    """What a walk of `steps` from `node` sees."""
    marked, links = graph[node]
    inner = {key: unfolded(graph, to, steps - 1) for key, to in links.items()} if steps else {}
    return (marked, sorted(links), sorted(inner.items()))


def definitions_of(graph: Any) -> dict[str, Any]:
    return {
        f"N{number}": obj(
            **{key: ref(f"N{links[key]}") for key in sorted(links)},
            **({"m": STRING} if marked else {}),
            z=STRING,
        )
        for number, (marked, links) in enumerate(graph)
    }


@given(GRAPHS, GRAPHS, NODES, NODES)
@settings(deadline=None, max_examples=150)
def test_two_shapes_are_one_class_when_no_walk_tells_them_apart(
    one: Any, other: Any, start: int, end: int
) -> None:
    left = gives(ref(f"N{start}"), "a", **definitions_of(one))
    right = gives(ref(f"N{end}"), "b", **definitions_of(other))
    # Of eight nodes in all, eight steps tell apart whatever can be told apart.
    same = unfolded(one, start, 8) == unfolded(other, end, 8)
    assert (identity_of(left) == identity_of(right)) is same
