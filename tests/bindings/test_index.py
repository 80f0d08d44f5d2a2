from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from codeact_lsp import names
from codeact_lsp.bindings.index import bind
from codeact_lsp.catalogue.model import Catalogue, Server, ServerState, Tool
from codeact_lsp.schema import mapper
from tests.support.bound import make_bindings, make_tool


def listed(*raws: str) -> list[Tool]:
    return [make_tool(raw) for raw in raws]


def test_servers_and_tools_stand_in_the_order_of_their_raw_names() -> None:
    bindings = make_bindings({"b": listed("z", "a-b", "a"), "a": listed("x")})
    assert [server.raw for server in bindings.servers] == ["a", "b"]
    assert [tool.raw for tool in bindings.servers[1].tools] == ["a", "a-b", "z"]


@pytest.mark.parametrize(
    ("server", "tool", "path"),
    [
        ("notion", "API-patch-page", "mcp.notion.API_patch_page"),
        ("notion", "search", "mcp.notion.search"),
        ("notion", "type", "mcp.notion.type"),
        ("notion", "API.patch", 'getattr(mcp.notion, "API.patch")'),
        ("notion", "import", 'getattr(mcp.notion, "import")'),
        ("notion", "", 'getattr(mcp.notion, "")'),
        ("notion", 'a"\n\u202e', r'getattr(mcp.notion, "a\"\n\u202e")'),
        ("my-notion", "search", "mcp.my_notion.search"),
        ("123", "search", "mcp._123.search"),
        ("__all__", "search", 'getattr(mcp, "__all__").search'),
        ("__all__", "a b", 'getattr(getattr(mcp, "__all__"), "a b")'),
    ],
)
def test_paths(server: str, tool: str, path: str) -> None:
    assert make_bindings({server: listed(tool)}).servers_by_raw[server].by_raw[tool].path == path


@pytest.mark.parametrize(
    ("raw", "name", "path"),
    [
        ("read", "read", "read"),
        ("read-file", "read_file", "read_file"),
        ("type", None, 'getattr(codeact_lsp.tools, "type")'),
        ("mcp", None, 'getattr(codeact_lsp.tools, "mcp")'),
        ("_x", None, 'getattr(codeact_lsp.tools, "_x")'),
        ("a b", None, 'getattr(codeact_lsp.tools, "a b")'),
    ],
)
def test_native_tools(raw: str, name: str | None, path: str) -> None:
    bindings = make_bindings(native=listed(raw))
    tool = bindings.native_by_raw[raw]
    assert (tool.name, tool.path) == (name, path)
    assert (name in bindings.native_by_name) is (name is not None)


def test_flat_names_keep_server_and_tool_apart() -> None:
    bindings = make_bindings({"my__server": listed("do"), "my": listed("server__do", "API-x")})
    assert bindings.flat["mcp__my__API-x"].path == "mcp.my.API_x"
    # Both pairs have one flat name; the server that sorts first has it.
    assert bindings.flat["mcp__my__server__do"].server == "my"
    assert bindings.servers_by_raw["my__server"].by_raw["do"].path == "mcp.my__server.do"


def test_a_native_tool_that_is_really_called_so_hides_a_flat_name() -> None:
    bindings = make_bindings({"s": listed("t")}, native=listed("mcp__s__t"))
    assert "mcp__s__t" not in bindings.flat


def test_of_two_tools_with_one_raw_name_the_first_stands() -> None:
    bindings = make_bindings(
        {"s": [make_tool("t", description="1"), make_tool("t", description="2")]}
    )
    assert [tool.tool.description for tool in bindings.servers[0].tools] == ["1"]


def test_fold_characters_reach_tools_and_native_tools() -> None:
    catalogue = Catalogue(
        MappingProxyType({"s": Server("s", (make_tool("a.b"),))}), tuple(listed("c.d"))
    )
    assert bind(catalogue).servers[0].tools[0].name is None
    bindings = bind(catalogue, fold_characters="-.")
    assert bindings.servers[0].tools[0].name == "a_b"
    assert bindings.native[0].name == "c_d"


def test_no_schema_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapper, "schemas", None)
    make_bindings({"s": [Tool("t", input_schema="not JSON")]})


def catalogue_of(*servers: Server) -> Catalogue:
    return Catalogue(MappingProxyType({server.raw: server for server in servers}))


def test_unchanged_servers_are_taken_over() -> None:
    a, b = Server("a", tuple(listed("x"))), Server("b", tuple(listed("y")))
    before = bind(catalogue_of(a, b))
    after = bind(catalogue_of(a, replace(b, tools=tuple(listed("z")))), previous=before)
    assert after.servers_by_raw["a"] is before.servers_by_raw["a"]
    assert list(after.servers_by_raw["b"].by_name) == ["z"]


def test_a_server_that_only_changed_its_state_keeps_its_tools() -> None:
    a = Server("a", tuple(listed("x")))
    before = bind(catalogue_of(a))
    ready = replace(a, state=ServerState.READY)
    after = bind(catalogue_of(ready), previous=before)
    assert after.servers[0].server is ready
    assert after.servers[0].tools is before.servers[0].tools


def test_a_server_whose_own_name_changed_is_bound_again() -> None:
    tools = tuple(listed("x"))
    before = bind(catalogue_of(Server("a-b", tools)))
    after = bind(catalogue_of(Server("a-b", tools), Server("a_b")), previous=before)
    assert before.servers_by_raw["a-b"].tools[0].path == "mcp.a_b.x"
    assert after.servers_by_raw["a-b"].tools[0].path == 'getattr(mcp, "a-b").x'


def test_other_fold_characters_bind_everything_again() -> None:
    a = Server("a", tuple(listed("x.y")))
    before = bind(catalogue_of(a))
    assert (
        bind(catalogue_of(a), previous=before, fold_characters=".").servers[0].tools[0].name
        == "x_y"
    )


def test_a_changed_server_costs_its_own_names_only(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = [Server(f"s{n}", tuple(listed("x", "y"))) for n in range(50)]
    before = bind(catalogue_of(*servers))
    spelled: list[str] = []
    real = names.spell_tools

    def counted(raws: dict[str, Tool], fold: str) -> object:
        spelled.extend(raws)
        return real(raws, fold)

    monkeypatch.setattr(names, "spell_tools", counted)
    bind(catalogue_of(*servers[1:], replace(servers[0], tools=tuple(listed("z")))), previous=before)
    assert spelled == ["z"]
