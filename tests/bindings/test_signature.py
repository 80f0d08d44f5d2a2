from __future__ import annotations

import inspect
from typing import Any

import pytest

from codeact_lsp.bindings.signature import docstring, documentation, signature
from tests.support.bound import make_tool, native_tool, server_tool, takes

STRING = {"type": "string"}


def text_of(schema: Any, **more: Any) -> str:
    return signature(native_tool(make_tool("f", schema, **more))).text


def test_the_shape_of_a_signature() -> None:
    schema = takes(
        "file-path",
        **{
            "file-path": {"type": "string", "description": "where\n   to write "},
            "from": STRING,
            "type": STRING,
            "a b": {"type": "integer", "description": "not shown"},
        },
    )
    output = {"type": "object", "properties": {"exit-code": {"type": "integer"}}}
    tool = native_tool(make_tool("odd", schema, output=output))
    assert signature(tool).text == (
        "async def odd(\n"
        "    *,\n"
        "    file_path: str,  # where to write\n"
        "    from_: str = ...,\n"
        "    type: str = ...,\n"
        '    **kwargs: Any  # spell as dict keys: "a b"\n'
        ") -> OddOutput:"
    )


def test_the_seed_s_three_answers() -> None:
    schema = takes(
        "file-path",
        **{"file-path": STRING, "from": STRING, "type": STRING, "a b": STRING},
    )
    assert text_of(schema).replace("async def f", "async def odd") == (
        "async def odd(\n"
        "    *,\n"
        "    file_path: str,\n"
        "    from_: str = ...,\n"
        "    type: str = ...,\n"
        '    **kwargs: Any  # spell as dict keys: "a b"\n'
        ") -> Any:"
    )


def test_the_seed_s_collision() -> None:
    schema = takes(**{"file_path": {"type": "integer"}, "file-path": STRING})
    assert text_of(schema).replace("async def f", "async def clash") == (
        "async def clash(\n"
        "    *,\n"
        "    file_path: int = ...,\n"
        '    **kwargs: Any  # spell as dict keys: "file-path"\n'
        ") -> Any:"
    )


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (takes(), "async def f() -> Any:"),
        (takes(a=STRING), "async def f(\n    *,\n    a: str = ...,\n) -> Any:"),
        (
            takes("c d", **{"a b": STRING, "c d": STRING}),
            'async def f(\n    **kwargs: Any  # spell as dict keys: "a b", "c d"; required: "c d"\n) -> Any:',
        ),
        (
            takes("kwargs", **{"kwargs": STRING, "a b": STRING}),
            'async def f(\n    *,\n    kwargs: str,\n    **_kwargs: Any  # spell as dict keys: "a b"\n) -> Any:',
        ),
        (
            takes(**{'a"\n\\': STRING}),
            'async def f(\n    **kwargs: Any  # spell as dict keys: "a\\"\\n\\\\"\n) -> Any:',
        ),
        # Extra keys that are written out
        ({"type": "object", "additionalProperties": True}, "async def f(**kwargs: Any) -> Any:"),
        ({"type": "object", "additionalProperties": STRING}, "async def f(**kwargs: str) -> Any:"),
        ({"type": "object", "additionalProperties": False}, "async def f() -> Any:"),
        (
            {**takes(a=STRING), "additionalProperties": {"type": "integer"}},
            "async def f(\n    *,\n    a: str = ...,\n    **kwargs: int\n) -> Any:",
        ),
        (
            {**takes(**{"a b": STRING}), "additionalProperties": {"type": "integer"}},
            'async def f(\n    **kwargs: Any  # spell as dict keys: "a b"\n) -> Any:',
        ),
        (
            {"type": "object", "patternProperties": {"^x-": STRING}, "additionalProperties": False},
            "async def f(**kwargs: str) -> Any:",
        ),
        # Schemas that describe no object
        (None, "async def f(**kwargs: Any) -> Any:"),
        ({}, "async def f(**kwargs: Any) -> Any:"),
        ({"type": "string"}, "async def f(**kwargs: Any) -> Any:"),
    ],
)
def test_signatures(schema: Any, text: str) -> None:
    assert text_of(schema) == text


def test_a_required_parameter_stays_where_the_schema_has_it() -> None:
    schema = takes("b", a=STRING, b=STRING, c=STRING)
    assert [line.strip() for line in text_of(schema).split("\n")[2:-1]] == [
        "a: str = ...,",
        "b: str,",
        "c: str = ...,",
    ]


@pytest.mark.parametrize(
    ("output", "native", "server"),
    [
        (..., "Any", "str"),
        ({"type": "string"}, "str", "str"),
        ({"type": "object"}, "dict[str, Any]", "dict[str, Any]"),
        ({}, "Any", "Any"),
    ],
)
def test_returns(output: Any, native: str, server: str) -> None:
    tool = make_tool("f") if output is ... else make_tool("f", output=output)
    assert signature(native_tool(tool)).returns == native
    assert signature(server_tool(tool)).returns == server


@pytest.mark.parametrize(
    ("detail", "shown"),
    [("full", 300), ("normal", 120), ("brief", 0)],
)
def test_detail(detail: Any, shown: int) -> None:
    tool = native_tool(
        make_tool("f", takes(a={**STRING, "description": "x" * 300}, **{"b c": STRING}))
    )
    first, last = signature(tool, detail).parameters
    assert len(first.comment) == shown
    assert first.comment.endswith("…") is (detail == "normal")
    assert last.comment == 'spell as dict keys: "b c"'


def test_a_description_is_shown_up_to_its_limit() -> None:
    tool = native_tool(
        make_tool("f", takes(a={**STRING, "description": "x" * 30_000}), description="y" * 30_000)
    )
    assert len(signature(tool).parameters[0].comment) == 20_000
    assert len(docstring(tool)) == 20_000 + len('""""""')


def test_ranges_cover_the_parameters_in_both_forms() -> None:
    schema = takes(
        "from", **{"from": {**STRING, "description": "a, b: c"}, "b": STRING, "c d": STRING}
    )
    found = signature(native_tool(make_tool("f", schema)))
    assert found.label == "f(*, from_: str, b: str = ..., **kwargs: Any) -> Any"
    sources = ["from_: str", "b: str = ...", "**kwargs: Any"]
    assert [found.text[slice(*p.text_range)] for p in found.parameters] == sources
    assert [found.label[slice(*p.label_range)] for p in found.parameters] == sources
    assert [p.parameter.raw if p.parameter else None for p in found.parameters] == [
        "from",
        "b",
        None,
    ]


def test_labels_without_parameters() -> None:
    assert signature(native_tool(make_tool("f"))).label == "f() -> Any"
    assert signature(native_tool(make_tool("f", {}))).label == "f(**kwargs: Any) -> Any"


def test_the_docstring_is_what_the_tool_says_its_lines_kept() -> None:
    tool = native_tool(make_tool("f", description="\n First.\n\n  Second:\n    third  \n"))
    assert docstring(tool) == '"""First.\n\n      Second:\n        third"""'
    assert docstring(native_tool(make_tool("f", description=" \n "))) == ""


def test_documentation_lists_parameters_in_the_order_of_the_signature() -> None:
    schema = takes(
        **{
            "a b": {**STRING, "description": "passed as a key"},
            "file-path": {**STRING, "description": "where\nto write\n\nit"},
            "silent": STRING,
            "from": {**STRING, "description": "since when"},
        }
    )
    tool = native_tool(make_tool("f", schema, description="Does it.\n"))
    assert documentation(tool) == (
        "Does it.\n"
        "\n"
        "Parameters:\n"
        "    file_path: where\n"
        "        to write\n"
        "\n"
        "        it\n"
        "    from_: since when\n"
        '    "a b": passed as a key'
    )


@pytest.mark.parametrize(
    ("description", "schema", "expected"),
    [
        ("Says.", takes(a=STRING), "Says."),
        ("", takes(a={**STRING, "description": "d"}), "Parameters:\n    a: d"),
        ("", takes(a=STRING), ""),
        ("", takes(**{"a b": STRING}), 'Parameters:\n    "a b": passed as **{"a b": ...}'),
    ],
)
def test_documentation_leaves_out_what_is_not_said(
    description: str, schema: Any, expected: str
) -> None:
    assert documentation(native_tool(make_tool("f", schema, description=description))) == expected


HOSTILE = [
    'x"""\nPWNED = 1\n"""',
    "x'''\nPWNED = 1\n'''",
    "ends with a backslash \\",
    'ends with a quote "',
    'ends with an escaped quote \\"',
    "carriage\rPWNED = 1 #",
    "next line\x85PWNED = 1\u2028PWNED = 1\u2029PWNED = 1\x0bPWNED = 1\x0cPWNED = 1\x1cPWNED = 1",
    "nul \0 and surrogate \ud800",
    r"\N{NOT A NAME} \x \u12 \777",
    "bidi \u202e and tag \U000e0041",
    '"+__import__("os").system("id")+"',
    "]\nPWNED = 1",
    "*/ --> ``` \n# PWNED = 1",
    "{PWNED} %s {0}",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_server_text_is_never_code(text: str) -> None:
    schema = takes(
        **{
            "a": {"type": "string", "description": text, "default": text, "title": text},
            "b": {"enum": [text, "x"]},
            text: {"const": text, "description": text},
            "o": {"type": "object", "properties": {text: {"const": text, "description": text}}},
        }
    )
    tool = native_tool(make_tool("f", schema, description=text, output={"const": text}))
    source = f"{signature(tool).text}\n    {docstring(tool)}"
    namespace: dict[str, Any] = {"__annotations__": {}}
    exec(f"from __future__ import annotations\n{source}", namespace)
    assert "PWNED" not in namespace
    assert set(namespace) - {"__builtins__", "__annotations__"} == {"annotations", "f"}
    source.encode("utf-8")
    function = namespace["f"]
    assert inspect.signature(function).parameters.keys() >= {"a", "b", "o"}
    assert documentation(tool).startswith(inspect.cleandoc(function.__doc__)[:5])


def test_names_that_may_look_like_others_are_spelled_out_beside_them() -> None:
    tool, path = "s\u0435arch", "p\u0430th"
    made = server_tool(make_tool(tool, takes(**{path: {**STRING, "description": "Where."}})))
    assert signature(made, "brief").text == (
        f"async def {tool}(  # spelled s\\u0435arch\n"
        f"    *,\n"
        f"    {path}: str = ...,  # spelled p\\u0430th\n"
        f") -> str:"
    )
    assert f"{path}: str = ...,  # spelled p\\u0430th; Where." in signature(made).text
    bare = server_tool(make_tool(tool))
    assert signature(bare).text == f"async def {tool}() -> str:  # spelled s\\u0435arch"
    (parameter,) = signature(made).parameters
    start, end = parameter.text_range
    assert signature(made).text[start:end] == parameter.source
