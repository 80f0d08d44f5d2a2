from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeact_lsp.catalogue import config
from codeact_lsp.catalogue.config import Config, ConfigReader
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.settings import DEFAULT_SETTINGS


class Files:
    """A workspace and a home whose files are written in one go."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.user = root / "user"
        self.environment = {"CODEACT_LSP_CONFIG_DIR": str(self.user), "PATH": "/usr/bin"}
        self.project.mkdir()
        self.user.mkdir()

    def write(self, name: str, content: Any) -> Path:
        path = (self.user if name == "config.toml" else self.project) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def load(self, settings: dict[str, Any] | None = None, folder: str = "") -> Config:
        return config.load([self.project / folder], settings, self.environment)

    def server(self, entry: dict[str, Any], **environment: str) -> ServerConfig:
        self.environment |= environment
        self.write(".mcp.json", {"mcpServers": {"s": entry}})
        (server,) = self.load().servers
        return server


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def kinds(found: Config) -> list[str]:
    return [problem.kind for problem in found.problems]


def only(found: Config) -> ServerConfig:
    (server,) = found.servers
    return server


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".mcp.json", {"mcpServers": {"s": {"command": "x", "args": ["-a"]}}}),
        (".vscode/mcp.json", {"servers": {"s": {"command": "x", "args": ["-a"]}}}),
        ("codeact-lsp.toml", '[servers.s]\ncommand = "x"\nargs = ["-a"]\n'),
        ("pyproject.toml", '[tool.codeact-lsp.servers.s]\ncommand = "x"\nargs = ["-a"]\n'),
        ("config.toml", '[servers.s]\ncommand = "x"\nargs = ["-a"]\n'),
    ],
)
def test_the_files_that_are_always_read(files: Files, name: str, content: Any) -> None:
    path = files.write(name, content)
    server = only(files.load())
    assert (server.transport, server.command, server.args) == ("stdio", "x", ("-a",))
    assert server.path == str(path)
    assert server.user_level == (name == "config.toml")
    assert server.usable
    assert server.cwd == str(files.project)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".cursor/mcp.json", {"mcpServers": {"s": {"url": "https://x/mcp"}}}),
        (".gemini/settings.json", {"theme": 1, "mcpServers": {"s": {"httpUrl": "https://x/mcp"}}}),
        (".kiro/settings/mcp.json", {"mcpServers": {"s": {"url": "https://x/mcp"}}}),
        (".github/mcp.json", {"mcpServers": {"s": {"type": "http", "url": "https://x/mcp"}}}),
        ("opencode.json", {"mcp": {"s": {"type": "remote", "url": "https://x/mcp"}}}),
        (".codex/config.toml", '[mcp_servers.s]\nurl = "https://x/mcp"\n'),
        (".zed/settings.json", {"context_servers": {"s": {"url": "https://x/mcp"}}}),
    ],
)
def test_another_clients_file_is_read_once_it_is_named(
    files: Files, name: str, content: Any
) -> None:
    files.write(name, content)
    assert files.load().servers == ()
    files.write("codeact-lsp.toml", f'configs = ["{name}"]\n')
    server = only(files.load())
    assert (server.transport, server.url) == ("http", "https://x/mcp")
    assert not server.user_level


def test_a_repository_names_files_of_its_own_only(files: Files) -> None:
    outside = files.user / "mcp.json"
    outside.write_text('{"mcpServers": {"s": {"command": "x"}}}')
    files.write("codeact-lsp.toml", f'configs = ["{outside}", "../user/mcp.json"]\n')
    found = files.load()
    assert found.servers == ()
    assert kinds(found) == ["setting", "setting"]
    files.write("codeact-lsp.toml", "")
    files.write("config.toml", f'configs = ["{outside}"]\n')
    assert only(files.load()).user_level


def test_the_nearest_file_wins_whole(files: Files) -> None:
    headers = {"Authorization": "Bearer canary"}
    files.write(
        "config.toml", '[servers.gh]\nurl = "https://api/mcp"\nheaders.Authorization = "c"\n'
    )
    files.write(
        ".vscode/mcp.json", {"servers": {"gh": {"url": "https://vs/mcp", "headers": headers}}}
    )
    files.write(".mcp.json", {"mcpServers": {"gh": {"url": "https://evil/mcp"}}})
    found = files.load()
    server = only(found)
    assert server.url == "https://evil/mcp"
    assert dict(server.headers) == {}
    assert not server.user_level
    # Said at every place that has the name.
    places = {Path(problem.path or "").name for problem in found.problems}
    assert set(kinds(found)) == {"replaced-server"}
    assert places == {"config.toml", "mcp.json", ".mcp.json"}


def test_files_of_the_folders_around_count_up_to_the_repository(files: Files) -> None:
    files.write(".git/HEAD", "")
    files.write(".mcp.json", {"mcpServers": {"far": {"command": "x"}, "s": {"command": "far"}}})
    files.write("a/b/.mcp.json", {"mcpServers": {"s": {"command": "near"}}})
    (files.project.parent / ".mcp.json").write_text('{"mcpServers": {"out": {"command": "x"}}}')
    commands = {server.name: server.command for server in files.load(folder="a/b").servers}
    assert commands == {"s": "near", "far": "x"}


def test_a_repository_can_deny_what_the_user_has(files: Files) -> None:
    files.write("config.toml", '[servers.s]\ncommand = "x"\n')
    files.write("codeact-lsp.toml", "[servers.s]\ndisabled = true\n")
    server = only(files.load())
    assert server.disabled
    assert server.problems == ()


def test_a_broken_file_keeps_its_last_good_reading_and_the_others_load(files: Files) -> None:
    reader = ConfigReader(files.environment)
    files.write(".vscode/mcp.json", {"servers": {"v": {"command": "x"}}})
    files.write(".mcp.json", {"mcpServers": {"s": {"command": "x"}}})
    reader.read([files.project])
    path = files.write(".mcp.json", '{"mcpServers": {\n  "s": {"command": }}}')
    found = reader.read([files.project])
    assert [server.name for server in found.servers] == ["s", "v"]
    (problem,) = found.problems
    assert (problem.kind, problem.path) == ("config-syntax", str(path))
    assert (problem.line, problem.column) == (1, 19)
    path.unlink()
    assert [server.name for server in reader.read([files.project]).servers] == ["v"]


def test_every_file_that_was_looked_for_is_told(files: Files) -> None:
    found = files.load()
    names = {path.name for path in found.files}
    assert names >= {".mcp.json", "mcp.json", "codeact-lsp.toml", "pyproject.toml", "config.toml"}


def test_another_tools_mistake_in_pyproject_is_none_of_ours(files: Files) -> None:
    files.write("pyproject.toml", "[tool.other\n")
    assert files.load().problems == ()
    files.write("pyproject.toml", "[tool.codeact-lsp\n")
    assert kinds(files.load()) == ["config-syntax"]


@pytest.mark.parametrize(
    ("content", "kind", "line"),
    [
        ('{"mcpServers":\n {"a": {"command": "x"},\n "a": {"command": "y"}}}', "duplicate-key", 2),
        (
            '{"mcpServers":\n {"gh": {"command": "x"},\n "GH": {"command": "y"}}}',
            "similar-servers",
            2,
        ),
        ('{"mcpServers":\n {"\u0441\u043e": {"command": "x"}}}', "look-alike", 1),
        ('{"servers_": {}}', "config", 0),
        ('{\n"mcpServers": []}', "config", 1),
    ],
)
def test_what_is_odd_is_a_problem_at_its_place(
    files: Files, content: str, kind: str, line: int
) -> None:
    path = files.write(".mcp.json", content)
    (problem,) = files.load().problems
    assert (problem.kind, problem.line, problem.path) == (kind, line, str(path))


def test_two_spellings_of_one_letter_are_two_servers(files: Files) -> None:
    content = '{"mcpServers":\n {"\ufb01": {"command": "x"},\n "fi": {"command": "y"}}}'
    files.write(".mcp.json", content)
    found = files.load()
    assert [server.name for server in found.servers] == ["\ufb01", "fi"]
    assert [(one.kind, one.line) for one in found.problems] == [
        ("look-alike", 1),
        ("similar-servers", 2),
    ]


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"command": "x"}, "stdio"),
        ({"type": "local", "command": ["x", "-a"]}, "stdio"),
        ({"command": {"path": "x", "args": ["-a"]}}, "stdio"),
        ({"url": "https://x"}, "http"),
        ({"serverUrl": "https://x"}, "http"),
        ({"type": "streamable-http", "url": "https://x"}, "http"),
        ({"transport": "streamable_http", "url": "https://x"}, "http"),
        ({"type": "sse", "url": "https://x"}, "sse"),
    ],
)
def test_the_transport_is_said_or_inferred(
    files: Files, entry: dict[str, Any], transport: str
) -> None:
    server = files.server(entry)
    assert server.transport == transport
    assert server.usable
    assert (server.command or server.url) in {"x", "https://x"}
    if "-a" in json.dumps(entry):
        assert server.args == ("-a",)


@pytest.mark.parametrize(
    ("entry", "column_of"),
    [
        (7, '"s"'),
        ({}, '"s"'),
        ({"type": "carrier-pigeon", "command": "x"}, '"type"'),
        ({"type": "http"}, '"type"'),
        ({"type": "stdio", "url": "https://x"}, '"type"'),
        ({"command": 7.5, "args": [True]}, "true"),
        ({"command": "x", "args": "-a"}, '"args"'),
        ({"command": "x", "env": ["A=1"]}, '"env"'),
        ({"command": "x", "env": {"K": "${NOPE}"}}, '"K"'),
        ({"command": "${NOPE}"}, '"command"'),
        ({"command": "x", "cwd": "${NOPE}"}, '"cwd"'),
        ({"command": "x", "envFile": "nope.env"}, '"envFile"'),
        ({"url": "https://x", "headers": {"A": "${NOPE}"}}, '"A"'),
        ({"url": "https://x", "headers": {"A": "a\nb"}}, '"headers"'),
        ({"command": "x", "args": ["-k", "${input:nope}"]}, '"${input:nope}"'),
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_used_is_not_started(
    files: Files, entry: Any, column_of: str
) -> None:
    server = files.server(entry)
    assert not server.usable
    (problem,) = server.problems
    text = (files.project / ".mcp.json").read_text()
    assert problem.column == text.index(column_of)
    assert problem.server == "s"


def test_variables_are_replaced_where_they_may_stand(files: Files) -> None:
    server = files.server(
        {
            "command": "${workspaceFolder}/run",
            "args": ["${A}", "${NOPE:-${A}/x}"],
            "env": {"K": "${env:TOK}", "L": "a"},
            "cwd": "sub",
        },
        A="a",
        TOK="s3cret",
    )
    assert server.command == f"{files.project}/run"
    assert server.args == ("a", "a/x")
    assert dict(server.env) == {"K": "s3cret", "L": "a"}
    assert server.cwd == str(files.project / "sub")
    assert server.shown == (f"{files.project}/run", "${A}", "${NOPE:-${A}/x}")
    assert "s3cret" not in repr(server)


def test_another_clients_spelling_in_a_header_is_said(files: Files) -> None:
    headers = {"Authorization": "Bearer ${env:MY_VAR}", "X-Project": "{env:P}"}
    server = files.server({"url": "https://x", "headers": headers}, MY_VAR="v")
    assert dict(server.headers) == {"Authorization": "Bearer v", "X-Project": "{env:P}"}
    assert [problem.kind for problem in server.problems] == ["variable-spelling"]
    assert server.usable


def test_an_env_file_is_read_under_the_entrys_own(files: Files) -> None:
    files.write(".env", "# c\nexport A=1\nB='two words'\nC=x # note\nD=own\n\nodd\n")
    server = files.server({"command": "x", "envFile": ".env", "env": {"D": "mine"}})
    assert dict(server.env) == {"A": "1", "B": "two words", "C": "x", "D": "mine"}
    assert server.env_file == str(files.project / ".env")


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({"timeout": 30}, 30.0),
        ({"timeout": 60_000}, 60.0),
        ({"startup_timeout_sec": 5}, 5.0),
        ({"startup_timeout_ms": 500}, 0.5),
        ({}, None),
        ({"timeout": "soon"}, None),
        ({"timeout": -1}, None),
    ],
)
def test_a_timeout_is_in_seconds_or_milliseconds(
    files: Files, fields: dict[str, Any], seconds: float | None
) -> None:
    assert files.server({"command": "x", **fields}).timeout == seconds


@pytest.mark.parametrize("key", ["includeTools", "include_tools", "enabled_tools", "tools"])
def test_wanted_tools_have_many_spellings(files: Files, key: str) -> None:
    assert files.server({"command": "x", key: ["a", "b*"]}).include == ("a", "b*")


@pytest.mark.parametrize(
    "key", ["excludeTools", "exclude-tools", "disabled_tools", "disabledTools"]
)
def test_unwanted_tools_have_many_spellings(files: Files, key: str) -> None:
    assert files.server({"command": "x", key: ["a"]}).exclude == ("a",)


@pytest.mark.parametrize("fields", [{"disabled": True}, {"enabled": False}])
def test_a_server_can_be_switched_off(files: Files, fields: dict[str, Any]) -> None:
    assert files.server({"command": "x", **fields}).disabled


def test_codex_spells_headers_in_its_own_way(files: Files) -> None:
    files.environment |= {"TOK": "t", "ORG": "o"}
    files.write(
        ".codex/config.toml",
        '[mcp_servers.s]\nurl = "https://x"\nbearer_token_env_var = "TOK"\n'
        'env_http_headers = { X-Org = "ORG" }\nhttp_headers = { X-A = "1" }\n',
    )
    files.write("codeact-lsp.toml", 'configs = [".codex/config.toml"]')
    assert dict(only(files.load()).headers) == {
        "Authorization": "Bearer t",
        "X-Org": "o",
        "X-A": "1",
    }


def test_settings_of_the_nearest_place_count_whole(files: Files) -> None:
    files.write(
        "config.toml", 'prelude = "user"\nfold-characters = "-."\nbindings-modules = ["u"]\n'
    )
    files.write(
        "codeact-lsp.toml",
        'prelude = "project"\nbindings_modules = ["p"]\nsnapshots = ["names.json"]\n'
        '[rules]\nraw-key = "error"\n',
    )
    settings = files.load({"prelude": "editor", "bindingsModules": None}).settings
    assert settings.prelude == "editor"
    assert settings.bindings_modules == ("p",)
    assert settings.fold_characters == "-."
    assert dict(settings.rules) == {"raw-key": "error"}
    assert settings.snapshots == (str(files.project / "names.json"),)


@pytest.mark.parametrize(
    "line",
    [
        "prelude = 7",
        'bindings-modules = "m"',
        "snapshots = [1]",
        'rules = ["x"]',
        'fold-characters = "a"',
        'fold-characters = "_"',
        "nonsense = 1",
    ],
)
def test_a_setting_that_cannot_be_is_a_problem_at_its_line(files: Files, line: str) -> None:
    path = files.write("codeact-lsp.toml", f"# settings\n{line}\n")
    found = files.load()
    (problem,) = found.problems
    assert (problem.kind, problem.line, problem.path) == ("setting", 1, str(path))
    assert found.settings == DEFAULT_SETTINGS
