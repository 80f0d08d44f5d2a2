from __future__ import annotations

import builtins
import re
import typing
from types import GenericAlias
from typing import Any

import pytest

from codeact_lsp.bindings import source
from codeact_lsp.bindings.block import render
from codeact_lsp.schema.annotations import write
from tests.support.blocks import execute, uncommented
from tests.support.bound import make_bindings, make_tool, takes

STRING = {"type": "string"}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_a_server_s_tools_are_comments_spelled_the_way_they_are_called() -> None:
    search = make_tool(
        "search",
        takes("q", q={**STRING, "description": "what to look for"}),
        output={**obj(hits={"type": "integer"}), "required": ["hits"]},
        description="Search the reviews.",
    )
    assert render(make_bindings({"review": [search]})) == (
        "from codeact_lsp.tools import ToolCallError, mcp\n"
        "from typing import TypedDict\n"
        "\n"
        "\n"
        "class ReviewSearchOutput(TypedDict):\n"
        "    hits: int\n"
        "\n"
        "\n"
        "# codeact_lsp.tools.mcp.review\n"
        "# mcp.review.search(\n"
        "#     *,\n"
        "#     q: str,  # what to look for\n"
        "# ) -> ReviewSearchOutput:\n"
        '#     """Search the reviews."""\n'
    )


def test_native_tools_are_functions() -> None:
    read = make_tool("read-file", takes("path", path=STRING), description="Reads.\n\nAll of it.")
    assert render(make_bindings(native=[read, make_tool("done")])) == (
        "from codeact_lsp.tools import ToolCallError, done, read_file\n"
        "from typing import Any\n"
        "\n"
        "\n"
        "# codeact_lsp.tools\n"
        "\n"
        "\n"
        "async def done() -> Any:\n"
        "    ...\n"
        "\n"
        "\n"
        "async def read_file(\n"
        "    *,\n"
        "    path: str,\n"
        ") -> Any:\n"
        '    """Reads.\n'
        "\n"
        '    All of it."""\n'
    )


def test_an_empty_catalogue() -> None:
    assert render(make_bindings()) == "from codeact_lsp.tools import ToolCallError\n"


def test_what_only_getattr_reaches_comes_last() -> None:
    block = render(
        make_bindings(
            {"__all__": [make_tool("x")], "z": [make_tool("a.b"), make_tool("c")]},
            native=[make_tool("import"), make_tool("read")],
        )
    )
    heads = [line for line in block.split("\n") if line and not line.startswith(("#  ", " "))]
    assert heads == [
        "from codeact_lsp.tools import ToolCallError, mcp, read",
        "from typing import Any",
        "# codeact_lsp.tools",
        "async def read() -> Any:",
        '# getattr(codeact_lsp.tools, "import")() -> Any:',
        "# codeact_lsp.tools.mcp.z",
        "# mcp.z.c() -> str:",
        '# getattr(mcp.z, "a.b")() -> str:',
        '# getattr(mcp, "__all__")',
        '# getattr(mcp, "__all__").x() -> str:',
    ]


def test_one_class_for_one_shape_and_a_name_for_each_tool() -> None:
    point = obj(x={"type": "integer"})
    block = render(
        make_bindings(
            {"s": [make_tool("a", output=point), make_tool("b", output=point)]}, native=[]
        )
    )
    assert "class SAOutput(TypedDict):" in block
    assert "\nSBOutput = SAOutput\n" in block
    assert "-> SBOutput:" in block


def test_a_name_stays_when_a_tool_is_added() -> None:
    tools = [make_tool("b", takes(p=obj(x=STRING)), output=obj(y=STRING))]
    before = render(make_bindings({"s": tools}))
    after = render(make_bindings({"s": [*tools, make_tool("a", takes(q=obj(x=STRING)))]}))
    for name in ("SBArgsP", "SBOutput"):
        assert name in before
        assert name in after


def test_two_tools_that_want_one_class_name_are_numbered_in_the_order_of_the_block() -> None:
    one, two = make_tool("get-it", output=obj(b=STRING)), make_tool("get_it", output=obj(a=STRING))
    blocks = {render(make_bindings({"s": tools})) for tools in ([one, two], [two, one])}
    (block,) = blocks
    assert "class SGetItOutput(TypedDict):\n    a: NotRequired[str]" in block
    assert "class SGetItOutput2(TypedDict):\n    b: NotRequired[str]" in block
    assert block.index("-> SGetItOutput:") < block.index("-> SGetItOutput2:")


def test_a_class_never_takes_the_name_of_a_native_tool() -> None:
    bindings = make_bindings(native=[make_tool("AOutput"), make_tool("a", output=obj(x=STRING))])
    block = render(bindings)
    assert "class AOutput2(TypedDict)" in block
    assert "async def a() -> AOutput2:" in block
    execute(block, bindings)


def test_a_class_never_takes_a_name_of_typing() -> None:
    taken = {name for name in (*dir(builtins), *dir(typing)) if re.search("Args|Output", name)}
    assert taken <= {"ParamSpecArgs"}
    bindings = make_bindings(native=[make_tool("param_spec", takes(_=obj(x=STRING)))])
    assert "class ParamSpecArgs2(TypedDict)" in render(bindings)


@pytest.mark.parametrize(
    "raw", ["list", "str", "dict", "int", "Any", "Literal", "TypedDict", "NotRequired"]
)
def test_a_native_tool_that_hides_a_name_of_annotations(raw: str) -> None:
    schema = takes(
        a={"type": "array", "items": STRING},
        b={"enum": ["x"]},
        c=obj(x={"type": "integer"}),
        d={},
        e={"type": "object"},
    )
    bindings = make_bindings(
        native=[make_tool(raw, schema), make_tool("zz", schema), make_tool("typing")]
    )
    block = render(bindings)
    namespace = execute(block, bindings)
    hints = namespace["zz"].__annotations__
    assert hints["a"] == list[str]
    assert hints["b"] == typing.Literal["x"]
    assert typing.get_type_hints(namespace["ZzArgsC"]) == {"x": int}


def test_keys_that_a_class_body_cannot_hold() -> None:
    keys = ["exit-code", "from", "__x", "list", "Any", "a b", "", "x"]
    output = {**obj(**{key: {"type": "array", "items": {}} for key in keys}), "required": keys}
    bindings = make_bindings(native=[make_tool("run", output=output)])
    namespace = execute(render(bindings), bindings)
    # Checkers refuse an empty key, so it is a comment.
    keys.remove("")
    assert namespace["RunOutput"].__annotations__ == dict.fromkeys(keys, list[Any])
    assert '\n        # "": list[Any],\n' in render(bindings)


@pytest.mark.parametrize(
    "key", ["exit-code", "from", "__x", "a b", "ﬁle", "list", "Any", "RunOutput"]
)
def test_one_such_key_makes_the_class_functional(key: str) -> None:
    inner = {"type": "array", "items": {"$ref": "#"}}
    output = {**obj(**{key: {}, "inner": inner}), "required": [key]}
    bindings = make_bindings(native=[make_tool("run", output=output)])
    block = render(bindings)
    assert "RunOutput = TypedDict(" in block
    execute(block, bindings)


@pytest.mark.parametrize("key", ["type", "self", "_", "_x", "x__", "print", "é"])
def test_any_other_key_stands_in_a_class_body(key: str) -> None:
    block = render(make_bindings(native=[make_tool("run", output=obj(**{key: {}}))]))
    assert f"class RunOutput(TypedDict):\n    {key}: NotRequired[Any]\n" in block


def test_a_short_functional_class_is_one_line() -> None:
    output = {**obj(**{"exit-code": {"type": "integer"}}), "required": ["exit-code"]}
    block = render(make_bindings(native=[make_tool("run", output=output)]))
    assert '\nRunOutput = TypedDict("RunOutput", {"exit-code": int})\n' in block


TREE = {
    "$defs": {
        "T": {
            "type": "object",
            "properties": {
                "value": STRING,
                "left": {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]},
                "more": {"type": "array", "items": {"$ref": "#/$defs/T"}},
            },
        }
    },
    "$ref": "#/$defs/T",
}


@pytest.mark.parametrize("key", ["value", "the-value"])
def test_recursive_classes_execute(key: str) -> None:
    import json

    schema = json.loads(json.dumps(TREE).replace('"value"', f'"{key}"'))
    bindings = make_bindings(native=[make_tool("t", output=schema)])
    namespace = execute(render(bindings), bindings)
    hints = typing.get_type_hints(namespace["TOutput"], namespace)
    tree = namespace["TOutput"]
    assert hints == {key: str, "left": tree | None, "more": GenericAlias(list, (tree,))}


def test_recursive_classes_of_two_tools_are_never_mixed() -> None:
    def output(key: str) -> Any:
        back = {"type": "object", "properties": {"back": {"$ref": "#"}}}
        return {"type": "object", "properties": {"inner": back, key: STRING}}

    bindings = make_bindings(
        native=[make_tool("a", output=output("x")), make_tool("b", output=output("y"))]
    )
    namespace = execute(render(bindings), bindings)
    assert namespace["AOutputInner"] is not namespace["BOutputInner"]
    for tool in "AB":
        inner = typing.get_type_hints(namespace[f"{tool}OutputInner"], namespace)
        assert inner == {"back": namespace[f"{tool}Output"]}


def test_the_typing_import_names_exactly_what_is_used() -> None:
    schema = takes(a={"enum": ["Never", "NotRequired"]}, b={"type": "array", "items": STRING})
    block = render(make_bindings({"s": [make_tool("t", schema)]}))
    assert block.split("\n")[1] == "from typing import Literal"


@pytest.mark.parametrize("detail", ["full", "normal", "brief"])
def test_descriptions_of_nested_keys_follow_the_detail(detail: Any) -> None:
    schema = takes(p=obj(x={**STRING, "description": "y" * 200}))
    block = render(make_bindings(native=[make_tool("t", schema)]), detail)
    (line,) = (line for line in block.split("\n") if line.startswith("    x:"))
    assert len(line.partition("# ")[2]) == {"full": 200, "normal": 120, "brief": 0}[detail]


def test_order_of_listing_changes_nothing() -> None:
    a, b, c = (
        make_tool("a", takes(x=STRING)),
        make_tool("b-c", {}),
        make_tool("z", output=obj(y={})),
    )
    first = make_bindings({"s": [a, b, c], "t": [c, a]}, native=[b, c])
    second = make_bindings({"t": [a, c], "s": [c, b, a]}, native=[c, b])
    assert render(first) == render(second)


def test_uncommented_signatures_compile() -> None:
    schema = takes("a b", **{"a b": STRING, "from": STRING, "self": STRING, "kwargs": STRING})
    tools = [make_tool(raw, schema, description='"""\n\nx') for raw in ("a", "b.c", "import")]
    functions = uncommented(
        render(make_bindings({"s": [*tools, make_tool("none"), make_tool("any", {})]}))
    )
    assert len(functions) == 5
    for function in functions:
        compile(function, "f", "exec")


HOSTILE = [
    '"""\nPWNED = 1\n"""',
    "\rPWNED = 1 #",
    "\nPWNED = 1\n",
    "\x0cPWNED = 1",
    "\u2028PWNED = 1",
    "\ud800",
    "\0",
    "'''",
    "\\",
    "()",
    "x()",
    '")(**',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_server_becomes_code(text: str) -> None:
    schema = takes(
        **{
            text: {"const": text, "description": text},
            "o": obj(**{text: {"const": text, "description": text}}),
        }
    )
    tools = [
        make_tool(raw, schema, output=obj(**{text: {"enum": [text, 1]}}), description=text)
        for raw in ("t", text)
    ]
    bindings = make_bindings({text: tools, "s": tools}, native=tools)
    block = render(bindings)
    namespace = execute(block, bindings)
    assert "PWNED" not in namespace
    block.encode("utf-8")
    for function in uncommented(block):
        compile(function, "f", "exec")


@pytest.mark.parametrize("title", ["Point", "class", "str", "X(dict): pass\nPWNED = 1\nclass Y"])
def test_a_title_never_names_a_class(title: str) -> None:
    # A server can give two shapes one title, or change it with its next release.
    point = {**obj(x={**obj(y=STRING), "title": title}), "title": title}
    bindings = make_bindings({"s": [make_tool("t", takes(p=point), output=point)]})
    classes = execute(render(bindings), bindings).keys()
    assert {name for name in classes if name.startswith("S")} == {"STArgsP", "STArgsPX"}
    assert "PWNED" not in classes


def test_a_tool_that_cannot_be_written_degrades_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(type_: Any, words: Any) -> str:
        if "broken" in repr(type_):
            raise ZeroDivisionError
        return write(type_, words)

    monkeypatch.setattr(source, "write", broken)
    good, bad = takes(a={"const": "good"}), takes(a={"const": "broken"}, b=obj(x=STRING))
    bindings = make_bindings({"s": [make_tool("a", bad), make_tool("b", good)]})
    block = render(bindings)
    assert "# mcp.s.a(**kwargs: Any) -> Any:" in block
    assert '#     a: Literal["good"] = ...,' in block
    execute(block, bindings)


def test_a_block_with_names_that_may_look_like_others_has_them_and_tells_them_apart() -> None:
    tool, server = "s\u0435arch", "\u0441\u043e"
    keys = {"p\u0430th": STRING, "k\u0435y": STRING}
    schema = takes(**keys, o=obj(**keys))
    bindings = make_bindings({server: [make_tool(tool, schema)]}, native=[make_tool(tool, schema)])
    block = render(bindings)
    assert tool in execute(block, bindings)
    for function in uncommented(block):
        compile(function, "f", "exec")
    assert f"# codeact_lsp.tools.mcp.{server}  (spelled \\u0441\\u043e)" in block
    assert f"# mcp.{server}.{tool}(  # spelled s\\u0435arch" in block
    assert f"async def {tool}(  # spelled s\\u0435arch" in block
    assert "# spelled p\\u0430th" in block
    assert "# spelled k\\u0435y" in block
