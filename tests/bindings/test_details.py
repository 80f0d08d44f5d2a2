from __future__ import annotations

import pytest

from codeact_lsp.bindings import details as details_module
from codeact_lsp.bindings.details import details, tool_problems
from codeact_lsp.bindings.model import CatchAll
from codeact_lsp.bindings.signature import signature
from codeact_lsp.names import Reason
from codeact_lsp.schema.mapper import schemas
from tests.support.bound import make_tool, native_tool, server_tool, takes

STRING = {"type": "string"}


def test_parameters_are_found_by_name_and_by_raw_key() -> None:
    schema = takes("a b", **{"file-path": STRING, "from": STRING, "type": STRING, "a b": STRING})
    found = details(native_tool(make_tool("f", schema)))
    assert [p.raw for p in found.parameters] == ["file-path", "from", "type", "a b"]
    assert list(found.by_name) == ["file_path", "from_", "type"]
    assert list(found.by_raw) == ["file-path", "from", "type", "a b"]
    assert found.renames == {"file_path": "file-path", "from_": "from"}
    assert found.by_raw["a b"].spelling.reason is Reason.NO_IDENTIFIER
    assert found.catch_all == CatchAll("kwargs", "Any", ("a b",), ("a b",))
    assert not found.closed


def test_a_closed_schema() -> None:
    closed = {**takes(a=STRING), "additionalProperties": False}
    assert details(native_tool(make_tool("f", closed))).closed
    patterned = {**closed, "patternProperties": {"^x-": STRING}}
    assert not details(native_tool(make_tool("f", patterned))).closed


def test_details_are_worked_out_once_for_a_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counted(*texts: str, tool: str, server: str | None) -> object:
        calls.append(tool)
        return schemas(*texts, tool=tool, server=server)

    monkeypatch.setattr(details_module, "schemas", counted)
    tool = make_tool("only_here", takes(a=STRING))
    first = details(server_tool(tool, "x"))
    assert details(server_tool(tool, "x")) is first
    assert details(server_tool(tool, "y")) is not first
    assert calls == ["only_here", "only_here"]


def test_the_cache_is_bounded() -> None:
    assert details_module._details.cache_info().maxsize is not None


def test_problems_say_where() -> None:
    tool = server_tool(
        make_tool("f", takes(a={"type": "wibble"}, b={**STRING, "description": "x" * 20_001}))
    )
    schema, limit = tool_problems(tool)
    assert (schema.kind, schema.server, schema.tool) == ("schema", "s", "f")
    assert schema.pointer == "/inputSchema/properties/a/type"
    assert (limit.kind, limit.pointer) == ("limit", "/inputSchema/properties/b/description")
    assert schema.message.startswith('f: "wibble"')


def test_parameters_that_may_look_like_others_are_a_problem() -> None:
    raw = "p\u0430th/x"
    (problem,) = tool_problems(server_tool(make_tool("f", takes(path=STRING, **{raw: STRING}))))
    assert problem.kind == "look-alike"
    assert problem.message.startswith(r"f: p\u0430th/x may look like another name")
    assert problem.pointer == "/inputSchema/properties/p\u0430th~1x"


def test_going_over_a_catalogue_keeps_nothing() -> None:
    before = details_module._details.cache_info().currsize
    tool_problems(server_tool(make_tool("never_looked_at", takes(a=STRING))))
    assert details_module._details.cache_info().currsize == before


def test_a_tool_that_cannot_be_shown_degrades_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(details_module, "schemas", broken)
    tool = server_tool(make_tool("degrades_here", takes(a=STRING)))
    assert signature(tool).text == "async def degrades_here(**kwargs: Any) -> Any:"
    (problem,) = tool_problems(tool)
    assert problem.kind == "internal"
    assert "boom" in problem.message


def test_class_names_do_not_depend_on_how_a_server_is_spelled() -> None:
    tool = make_tool("get-it", output={"type": "object", "properties": {"a": {}}})
    assert details(server_tool(tool, "my-server")).returns == "MyServerGetItOutput"
    assert details(server_tool(tool, "my server")).returns == "MyServerGetItOutput"
    assert details(server_tool(tool, "123")).returns == "Tool123GetItOutput"
    assert details(native_tool(tool)).returns == "GetItOutput"
