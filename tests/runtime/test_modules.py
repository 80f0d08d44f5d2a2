"""The bindings module: every import form, live views, and what is said of names that are not there."""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
import pydoc
import sys
from types import ModuleType
from typing import Any

import pytest

import codeact_lsp
from codeact_lsp.catalogue.snapshot import parse_snapshot
from codeact_lsp.cli import main
from codeact_lsp.runtime.errors import ServerConnectionError, ToolCallError
from codeact_lsp.runtime.session import Session, use
from tests.support.desk import Desk, forget_modules, tool

SNAPSHOT = {
    "version": 1,
    "native": {"tools": [tool("lookup", {"q": {"type": "string"}}), tool("mcp"), tool("_hidden")]},
    "servers": {
        "notion": {
            "tools": [
                tool("API-patch-page", {"page-id": {"type": "string"}}, required=("page-id",)),
                tool("type"),
                tool("open"),
                tool("123tool"),
                tool("import"),
                tool("__path__"),
                tool("a b"),
            ]
        },
        "my-server": {"tools": [tool("echo")]},
        "my_server": {"tools": [tool("other")]},
        "empty": {"tools": []},
    },
}


@pytest.fixture
def mcp(desk: Desk) -> Any:
    forget_modules()
    desk.session = Session(
        folder=desk.folder, catalogue=parse_snapshot(json.dumps(SNAPSHOT), name="x")
    )
    use(desk.session)
    return importlib.import_module("codeact_lsp.tools").mcp


def run(source: str) -> dict[str, Any]:
    """The names that a cell has bound in the end, without Python's own."""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    return {name: value for name, value in namespace.items() if name != "__builtins__"}


@pytest.mark.parametrize(
    "source",
    [
        "from codeact_lsp.tools import mcp; f = mcp.notion.API_patch_page",
        "import codeact_lsp.tools as T; f = T.mcp.notion.API_patch_page",
        "import codeact_lsp.tools; f = codeact_lsp.tools.mcp.notion.API_patch_page",
        "from codeact_lsp import tools; f = tools.mcp.notion.API_patch_page",
        "import codeact_lsp.tools.mcp; f = codeact_lsp.tools.mcp.notion.API_patch_page",
        "import codeact_lsp.tools.mcp.notion as n; f = n.API_patch_page",
        "from codeact_lsp.tools.mcp import notion; f = notion.API_patch_page",
        "from codeact_lsp.tools.mcp import notion as n; f = getattr(n, 'API-patch-page')",
        "from codeact_lsp.tools.mcp.notion import API_patch_page as f",
        "from codeact_lsp.tools.mcp.notion import *; f = API_patch_page",
        "from codeact_lsp.tools.mcp import *; f = notion.API_patch_page",
        "from codeact_lsp.tools import *; f = mcp.notion.API_patch_page",
        "import codeact_lsp.tools as T; f = getattr(T, 'mcp__notion__API-patch-page')",
    ],
)
def test_every_import_form_reaches_the_tool(mcp: Any, source: str) -> None:
    assert run(source)["f"] is mcp.notion.API_patch_page


@pytest.mark.parametrize(
    ("source", "bound"),
    [
        ("from codeact_lsp.tools import *", {"ToolCallError", "lookup", "mcp"}),
        # `type` would hide the builtin for the rest of the session.
        ("from codeact_lsp.tools.mcp.notion import *", {"API_patch_page", "open"}),
        ("from codeact_lsp.tools.mcp import *", {"empty", "my_server", "notion"}),
    ],
)
def test_a_star_import_binds(mcp: Any, source: str, bound: set[str]) -> None:
    assert set(run(source)) == bound


@pytest.mark.parametrize(
    ("expression", "raw"),
    [
        ("mcp.notion.type", "type"),
        ("getattr(mcp.notion, '123tool')", "123tool"),
        ("getattr(mcp.notion, 'import')", "import"),
        ("getattr(mcp.notion, 'a b')", "a b"),
        ("getattr(mcp, 'my_server').other", "other"),
        ("getattr(mcp, 'my-server').echo", "echo"),
        ("T.lookup", "lookup"),
        ("getattr(T, '_hidden')", "_hidden"),
    ],
)
def test_raw_names_are_reached_by_getattr(mcp: Any, expression: str, raw: str) -> None:
    tools = importlib.import_module("codeact_lsp.tools")
    found = eval(expression, {"mcp": mcp, "T": tools})
    assert found.__doc__.startswith(f"What {raw} does.")


def test_a_dunder_is_pythons_and_not_a_tool(mcp: Any) -> None:
    assert mcp.notion.__path__ == []


@pytest.mark.parametrize(
    ("source", "error", "said"),
    [
        (
            "from codeact_lsp.tools import mcp; mcp.empty.nope",
            AttributeError,
            "no such tool: mcp.empty.nope. Available: none",
        ),
        (
            "from codeact_lsp.tools import mcp; mcp.my_server.nope",
            AttributeError,
            "no such tool: mcp.my_server.nope. Available: other",
        ),
        (
            "from codeact_lsp.tools.mcp.my_server import nope",
            ModuleNotFoundError,
            "no such tool: mcp.my_server.nope. Available: other",
        ),
        (
            "from codeact_lsp.tools.mcp import nope",
            ModuleNotFoundError,
            "no such server: mcp.nope. Available: empty, my-server, my_server, notion",
        ),
        (
            "import codeact_lsp.tools.mcp.nope",
            ModuleNotFoundError,
            "no such server: mcp.nope. Available: empty, my-server, my_server, notion",
        ),
        (
            "from codeact_lsp.tools import nope",
            ModuleNotFoundError,
            "no such tool: nope. Available: mcp, ToolCallError, _hidden, lookup",
        ),
        (
            "import codeact_lsp.tools.mcp.my_server.other",
            ModuleNotFoundError,
            "mcp.my_server.other is a tool, not a module: from codeact_lsp.tools.mcp.my_server import other",
        ),
        (
            "from codeact_lsp.tools import mcp; mcp.notion = 1",
            AttributeError,
            "mcp is a view of the catalogue: 'notion' cannot be set",
        ),
        (
            "from codeact_lsp.tools import mcp; mcp.notion.x = 1",
            AttributeError,
            "mcp.notion is a view of the catalogue: 'x' cannot be set",
        ),
        (
            "from codeact_lsp.tools import mcp; del mcp.notion.open",
            AttributeError,
            "mcp.notion is a view of the catalogue: 'open' cannot be deleted",
        ),
        (
            "import codeact_lsp.tools as T; T.lookup = 1",
            AttributeError,
            "codeact_lsp.tools is a view of the catalogue: 'lookup' cannot be set",
        ),
    ],
)
def test_what_is_said(mcp: Any, source: str, error: type[Exception], said: str) -> None:
    with pytest.raises(error) as raised:
        run(source)
    assert type(raised.value) is error
    assert str(raised.value) == said


def test_dir_shows_what_listings_show(mcp: Any) -> None:
    tools = importlib.import_module("codeact_lsp.tools")

    def names(module: ModuleType) -> list[str]:
        return [name for name in dir(module) if not (name.startswith("__") and name.endswith("__"))]

    assert names(tools) == ["ToolCallError", "_hidden", "lookup", "mcp"]
    assert names(mcp) == ["empty", "my-server", "my_server", "notion"]
    assert names(mcp.my_server) == ["other"]
    assert "API_patch_page" in names(mcp.notion)
    assert not any(name.startswith("mcp__") for name in names(tools))


@pytest.mark.parametrize("name", ["__wrapped__", "__iter__", "__odd__", "__origin__"])
def test_probes_for_dunders_start_nothing(desk: Desk, name: str) -> None:
    desk.serve(s=[tool("echo")])
    desk.open()
    tools = importlib.import_module("codeact_lsp.tools")
    assert not hasattr(tools.mcp.s, name)
    assert not hasattr(tools.mcp, name)
    assert not hasattr(tools, name)
    assert desk.starts("s") == []


def test_help_shows_the_editors_picture(mcp: Any) -> None:
    shown = pydoc.plain(pydoc.render_doc(mcp.notion.API_patch_page))
    assert "async API_patch_page(*, page_id: str) ->" in shown
    assert "What API-patch-page does." in shown


def test_an_optional_parameters_default_prints_as_an_ellipsis(mcp: Any) -> None:
    tools = importlib.import_module("codeact_lsp.tools")
    assert str(inspect.signature(tools.lookup)).startswith("(*, q: str = ...)")


def test_a_binding_has_no_parameter_of_its_own_and_takes_keywords_only(mcp: Any) -> None:
    function = mcp.my_server.other
    assert inspect.iscoroutinefunction(function)
    assert function.__name__ == "other"
    with pytest.raises(TypeError, match=r"other\(\) takes 0 positional arguments but 1 was given"):
        function("x")


def test_a_binding_survives_pickling(mcp: Any) -> None:
    assert pickle.loads(pickle.dumps(mcp.my_server.other)) is mcp.my_server.other


def test_an_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(ToolCallError("a\x1b", server="s", tool_name="t")))
    assert (error.text, str(error), error.server, error.tool_name) == ("a\x1b", "a\\x1b", "s", "t")


async def test_a_tool_without_a_server_says_so_when_it_is_called(mcp: Any) -> None:
    tools = importlib.import_module("codeact_lsp.tools")
    with pytest.raises(ServerConnectionError, match="lookup belongs to no server"):
        await tools.lookup(q="x")


async def test_a_server_that_only_a_snapshot_knows_says_so_when_it_is_called(mcp: Any) -> None:
    with pytest.raises(ServerConnectionError, match="my_server is known from a snapshot only"):
        await mcp.my_server.other()


def test_a_tool_that_is_added_later_is_there(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("codeact_lsp.runtime.session.RELIST_SECONDS", 0.0)
    desk.serve(s=[tool("echo")])
    desk.open()
    mcp = importlib.import_module("codeact_lsp.tools").mcp
    assert not hasattr(mcp.s, "later")
    desk.tools_file("s").write_text(json.dumps({"tools": [tool("echo"), tool("later")]}))
    assert mcp.s.later.__name__ == "later"
    assert len(desk.starts("s")) == 1


def test_names_are_there_from_the_cache_without_starting_a_server(desk: Desk) -> None:
    desk.serve(s=[tool("echo")])
    desk.open()
    mcp = importlib.import_module("codeact_lsp.tools").mcp
    echo = mcp.s.echo
    assert len(desk.starts("s")) == 1
    desk.open()
    again = importlib.import_module("codeact_lsp.tools").mcp
    assert "echo" in dir(again.s)
    assert again.s.echo.__doc__ == echo.__doc__
    assert len(desk.starts("s")) == 1


def test_a_server_that_is_configured_or_approved_later_needs_no_restart(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeact_lsp.runtime.session.RELIST_SECONDS", 0.0)
    desk.serve(one=[tool("echo")])
    desk.open()
    mcp = importlib.import_module("codeact_lsp.tools").mcp
    assert mcp.one.echo.__name__ == "echo"
    assert not hasattr(mcp, "two")
    desk.tools_file("two").write_text(json.dumps({"tools": [tool("later")]}))
    config = {"mcpServers": {"two": desk.entry("two")}}
    (desk.folder / ".mcp.json").write_text(json.dumps(config))
    with pytest.raises(AttributeError, match="two is not approved"):
        mcp.two.later  # noqa: B018 - looking is the test
    assert main(["approve", "two", "--always"]) == 0
    assert mcp.two.later.__name__ == "later"
    assert (len(desk.starts("one")), len(desk.starts("two"))) == (1, 1)


def test_looking_in_vain_is_not_a_listing_each_time(desk: Desk) -> None:
    desk.serve(s=[tool("echo")])
    desk.write_user_config({"s": {**desk.entry("s"), "command": "no-such-program"}})
    session = desk.open()
    mcp = importlib.import_module("codeact_lsp.tools").mcp
    listings = 0
    list_once = session._list

    async def counted(raw: str) -> Any:
        nonlocal listings
        listings += 1
        return await list_once(raw)

    session._list = counted  # type: ignore[method-assign] # counts what it does
    assert [hasattr(mcp.s, name) for name in ("a", "b", "c")] == [False] * 3
    assert listings == 1


def test_a_committed_snapshot_serves_the_names_of_a_server_that_is_not_approved(desk: Desk) -> None:
    (desk.folder / "tools.json").write_text(json.dumps(SNAPSHOT))
    (desk.folder / "codeact-lsp.toml").write_text('snapshots = ["tools.json"]\n')
    config = {"mcpServers": {"notion": desk.entry("notion")}}
    (desk.folder / ".mcp.json").write_text(json.dumps(config))
    desk.open()
    mcp = importlib.import_module("codeact_lsp.tools").mcp
    assert mcp.notion.API_patch_page.__name__ == "API_patch_page"
    assert desk.starts("notion") == []


class Shell:
    """What the extension uses of an IPython shell."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {}

    def push(self, variables: dict[str, object]) -> None:
        self.names.update(variables)

    def drop_by_id(self, variables: dict[str, object]) -> None:
        for name, value in variables.items():
            if self.names.get(name) is value:
                del self.names[name]


def test_the_ipython_extension_binds_mcp(mcp: Any) -> None:
    shell = Shell()
    codeact_lsp.load_ipython_extension(shell)
    assert shell.names == {
        "mcp": sys.modules["codeact_lsp.tools.mcp"],
        "ToolCallError": ToolCallError,
    }
    codeact_lsp.unload_ipython_extension(shell)
    assert shell.names == {}
