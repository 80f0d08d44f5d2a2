"""Config, approval, cache and snapshots brought together."""

from __future__ import annotations

import asyncio
import importlib
import json
from types import ModuleType
from typing import Any

import pytest

from codeact_lsp.catalogue.connection import Connection
from codeact_lsp.catalogue.messages import (
    Answer,
    ApprovalAnswer,
    ApprovalRequest,
    Ask,
    Configured,
    InputRequest,
    InputValue,
    Restart,
)
from codeact_lsp.catalogue.model import ServerState

from .conftest import Remote, Watcher, Workspace, watching

LISTED = {ServerState.READY, ServerState.ASLEEP}


def requests(w: Watcher) -> list[ApprovalRequest]:
    return [message for message in w.messages if isinstance(message, ApprovalRequest)]


async def test_opening_a_folder_starts_and_contacts_nothing(
    workspace: Workspace, remote: Remote
) -> None:
    started, log = workspace.path("started"), workspace.path("log")
    workspace.configure(
        s={
            **workspace.hostile(pid_file=str(started)),
            # No field of a repository's file can grant it.
            "trust": True,
            "alwaysAllow": ["*"],
            "autoApprove": ["*"],
        },
        web={"url": remote(log=str(log))},
    )
    (workspace.folder / "codeact-lsp.toml").write_text('[servers.s2]\ncommand = "touch"\n')
    async with watching(workspace) as w:
        await w.until(lambda: w.server("web").state is ServerState.NOT_APPROVED)
        for name in ("s", "s2", "web"):
            assert w.server(name).state is ServerState.NOT_APPROVED
            assert w.kinds(name) == {"not-approved"}
        assert requests(w) == []
    assert not started.exists()
    assert not log.exists()


@pytest.mark.parametrize("answer", list(Answer))
async def test_the_answer_decides(workspace: Workspace, answer: Answer) -> None:
    entry = workspace.hostile(pid_file=str(workspace.path("started")))
    workspace.configure(s=entry)
    async with watching(workspace, can_ask=True) as w:
        await w.until(lambda: requests(w))
        (request,) = requests(w)
        assert request.server == "s"
        assert request.path == str(workspace.folder / ".mcp.json")
        assert all(part in request.shown for part in (entry["command"], entry["args"][0]))
        w.say(ApprovalAnswer(request.key, answer))
        if answer is Answer.NEVER:
            assert w.hub.groups == frozenset()
        else:
            await w.until(lambda: w.names() == ["a"])
    assert workspace.path("started").exists() == (answer is not Answer.NEVER)
    async with watching(workspace, can_ask=True) as w:
        await w.until(lambda: "s" in w.catalogue.servers)
        if answer is Answer.ALWAYS:
            await w.until(lambda: w.server().state in LISTED)
        else:
            assert w.server().state is ServerState.NOT_APPROVED
            # Never means: not even asked.
            assert bool(requests(w)) == (answer is Answer.ONCE)


async def test_what_was_dismissed_or_refused_is_asked_again_on_demand(
    workspace: Workspace,
) -> None:
    (workspace.folder / ".vscode").mkdir()
    (workspace.folder / ".vscode" / "mcp.json").write_text(
        json.dumps(
            {
                "inputs": [{"type": "promptString", "id": "key"}],
                "servers": {"s": {**workspace.hostile(), "env": {"K": "${input:key}"}}},
            }
        )
    )

    def inputs(w: Watcher) -> int:
        return sum(isinstance(m, InputRequest) for m in w.messages)

    async with watching(workspace, can_ask=True) as w:
        await w.until(lambda: requests(w))
        w.say(Ask())
        await w.until(lambda: len(requests(w)) == 2)
        key = requests(w)[0].key
        w.say(ApprovalAnswer(key, Answer.NEVER))
        w.say(Ask())
        w.say(Ask("other"))
        w.say(Ask("s"))
        await w.until(lambda: len(requests(w)) == 3)
        w.say(ApprovalAnswer(key, Answer.ALWAYS))
        await w.until(lambda: inputs(w) == 1)
        w.say(Ask())
        await w.until(lambda: inputs(w) == 2)
        w.say(Restart("s"))
        await w.until(lambda: inputs(w) == 3)
        assert len(requests(w)) == 3


async def test_the_names_that_were_approved_last_are_served_until_the_new_entry_is(
    workspace: Workspace,
) -> None:
    workspace.configure(s=workspace.hostile())
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state in LISTED)
    workspace.configure(s=workspace.hostile(tools=[{"name": "evil"}]))
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state is ServerState.NOT_APPROVED)
        assert w.names() == ["a"]
        assert w.server().stale


async def test_the_cache_serves_names_before_any_server_answers(workspace: Workspace) -> None:
    gate = workspace.path("gate")
    script: dict[str, Any] = {"hang_until": {"initialize": str(gate)}}
    workspace.configure(s=workspace.hostile(**script))
    workspace.approve()
    gate.touch()
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state in LISTED)
    gate.unlink()
    async with watching(workspace) as w:
        await w.until(lambda: w.names() == ["a"])
        assert w.server().state is ServerState.STARTING
        assert w.server().stale
        assert w.server().title == "hostile"
        gate.touch()
        await w.until(lambda: w.server().state in LISTED)
        assert not w.server().stale


async def test_what_is_known_is_said_before_the_sdk_is_imported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.configure(**{f"s{number}": workspace.hostile() for number in range(20)})
    workspace.approve()
    heard: list[int] = []
    plain = importlib.import_module
    async with watching(workspace) as w:

        def importing(name: str) -> ModuleType:
            heard.append(len(w.catalogue.servers))
            return plain(name)

        monkeypatch.setattr("importlib.import_module", importing)
        await w.until(lambda: len(heard) == 20)
    assert set(heard) == {20}


async def test_an_editor_that_does_not_read_keeps_no_server_from_starting(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codeact_lsp.catalogue.hub._SAYING_SECONDS", 0.05)
    started = workspace.path("started")
    workspace.configure(s=workspace.hostile(pid_file=str(started)))
    workspace.approve()
    async with watching(workspace) as w:
        monkeypatch.setattr(w.hub._outbox, "quiet", asyncio.Event().wait)
        await w.until(started.exists)


async def test_a_home_that_cannot_be_written_costs_only_the_cache(workspace: Workspace) -> None:
    blocked = workspace.path("blocked")
    blocked.write_text("a file where a folder should be")
    workspace.configure(s=workspace.hostile())
    workspace.approve()
    workspace.environment["CODEACT_LSP_CACHE_DIR"] = str(blocked)
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state in LISTED)
        assert w.names() == ["a"]


async def test_a_changed_file_restarts_only_what_changed(workspace: Workspace) -> None:
    pids = {name: workspace.path(name) for name in ("kept", "changed", "gone", "new")}
    kept, changed, gone, new = (
        workspace.hostile(pid_file=str(path), list_changed=True) for path in pids.values()
    )
    other = workspace.hostile(pid_file=str(pids["changed"]), tools=[{"name": "b"}])
    # What is to come is approved before, so that nothing waits for an answer.
    workspace.configure(changed=other, new=new)
    workspace.approve()
    workspace.configure(kept=kept, changed=changed, gone=gone)
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: all(w.names(name) == ["a"] for name in ("kept", "changed", "gone")))
        w.hub.reload()
        workspace.configure(kept=kept, changed=other, new=new)
        w.hub.reload()
        await w.until(lambda: w.names("changed") == ["b"] and w.names("new") == ["a"])
        assert "gone" not in w.catalogue.servers
        await w.until(lambda: len(w.hub.groups) == 2 or w.server("changed").state in LISTED)
    starts = {name: len(path.read_text().split()) for name, path in pids.items()}
    assert starts == {"kept": 1, "changed": 2, "gone": 1, "new": 1}


async def test_a_broken_file_keeps_the_servers_and_is_a_problem_at_its_line(
    workspace: Workspace,
) -> None:
    workspace.configure(s=workspace.hostile(list_changed=True))
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state is ServerState.READY)
        (workspace.folder / ".mcp.json").write_text('{\n  "mcpServers": {,\n')
        w.hub.reload()
        await w.until(lambda: w.catalogue.problems)
        (problem,) = w.catalogue.problems
        assert (problem.kind, problem.line, problem.column) == ("config-syntax", 1, 17)
        assert w.server().state is ServerState.READY
        assert w.names() == ["a"]


async def test_a_disabled_server_neither_runs_nor_offers_names(workspace: Workspace) -> None:
    workspace.configure(s={**workspace.hostile(), "disabled": True})
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.server().state is ServerState.DISABLED)
        assert w.hub.groups == frozenset()


async def test_an_input_is_asked_for_after_approval_and_then_the_server_starts(
    workspace: Workspace,
) -> None:
    environment = workspace.path("environment")
    entry = workspace.hostile(env_file=str(environment))
    args = [*entry["args"], "${input:key}"]
    inputs = [{"type": "promptString", "id": "key", "description": "A key", "password": True}]
    file = workspace.folder / ".vscode" / "mcp.json"
    file.parent.mkdir()
    server = {**entry, "args": args, "env": {"K": "${input:key}"}}
    file.write_text(json.dumps({"inputs": inputs, "servers": {"s": server}}))

    def asked(w: Watcher) -> list[InputRequest]:
        return [m for m in w.messages if isinstance(m, InputRequest)]

    async with watching(workspace, can_ask=True) as w:
        await w.until(lambda: requests(w))
        (question,) = requests(w)
        assert question.shown.endswith(" '${input:key}'")
        assert (question.cwd, question.sets) == (str(workspace.folder), ("K",))
        assert w.server().state is ServerState.NOT_APPROVED
        assert asked(w) == []
        w.say(ApprovalAnswer(question.key, Answer.ONCE))
        await w.until(lambda: w.server().state is ServerState.FAILED)
        assert w.kinds() == {"missing-input"}
        assert asked(w) == [InputRequest("key", "s", str(file), "A key", password=True)]
        w.say(InputValue("key", str(workspace.folder / ".mcp.json"), "of another file"))
        w.say(InputValue("key", str(file), "canary-input"))
        await w.until(lambda: w.names() == ["a"])
        # What the person typed changes nothing that was approved.
        assert requests(w) == [question]
    assert json.loads(environment.read_text())["K"] == "canary-input"


async def test_a_server_gets_a_minimal_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMEBODYS_TOKEN", "canary")
    environment = workspace.path("environment")
    entry = workspace.hostile(env_file=str(environment))
    workspace.configure(s={**entry, "env": {"MINE": "1"}})
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.names() == ["a"])
    found = json.loads(environment.read_text())
    assert found["MINE"] == "1"
    assert found.keys() - {"LC_CTYPE"} <= {
        *("MINE", "PATH", "HOME", "LOGNAME", "USER", "SHELL", "TERM"),
    }


async def test_secrets_are_in_no_message_log_or_cache(workspace: Workspace, remote: Remote) -> None:
    workspace.environment |= {"TOKEN": "canary-token", "ARG": "canary-arg"}
    # The server tells what it was given, as a careless one does.
    entry = workspace.hostile(print_secrets=True, die_at_start=True)
    url = remote(status={"initialize": 500, "server/discover": 500})
    workspace.configure(
        s={
            **entry,
            "args": [*entry["args"], "${ARG}"],
            "env": {"A": "${TOKEN}", "B": "canary-written"},
        },
        web={
            "url": url + "?key=${TOKEN}",
            "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "canary-header"},
        },
        works={**workspace.hostile(), "env": {"A": "${TOKEN}"}},
    )
    workspace.approve()
    async with watching(workspace, can_ask=True) as w:
        await w.until(lambda: len(w.logs("s")) > 4 and w.kinds("s") and w.kinds("web"))
        await w.until(lambda: w.server("works").state in LISTED)
        assert "canary" not in repr(w.messages)
    kept = [path for path in workspace.path("home").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if "canary" in path.read_text()]


async def test_a_snapshot_serves_names_without_any_server(workspace: Workspace) -> None:
    tool = {"name": "API-x", "inputSchema": {"type": "object"}}
    value = {"version": 1, "native": {"tools": [tool]}, "servers": {"notion": {"tools": [tool]}}}
    (workspace.folder / "names.json").write_text(json.dumps(value))
    (workspace.folder / "codeact-lsp.toml").write_text('snapshots = ["names.json"]\n')
    workspace.configure(notion={"command": "nobody-approved-this"})
    async with watching(workspace) as w:
        await w.until(lambda: w.names("notion") == ["API-x"] and w.catalogue.native)
        assert w.server("notion").stale
        assert w.server("notion").state is ServerState.NOT_APPROVED
        assert [tool.raw for tool in w.catalogue.native] == ["API-x"]


async def test_a_mistake_with_one_server_leaves_the_others(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Connection.run

    async def broken(self: Connection) -> None:
        if self.server.raw == "s":
            raise LookupError("a mistake")
        await run(self)

    monkeypatch.setattr(Connection, "run", broken)
    workspace.configure(s=workspace.hostile(), other=workspace.hostile())
    workspace.approve()
    async with watching(workspace) as w:
        await w.until(lambda: w.kinds() == {"internal-error"} and w.names("other") == ["a"])
        assert w.server().state is ServerState.FAILED


async def test_settings_reach_the_editor(workspace: Workspace) -> None:
    (workspace.folder / "codeact-lsp.toml").write_text('prelude = "x = 1"\nfold-characters = "-."')
    async with watching(workspace, settings={"prelude": "y = 2"}) as w:
        await w.until(lambda: any(isinstance(m, Configured) for m in w.messages))
        settings = next(m.settings for m in w.messages if isinstance(m, Configured))
        assert settings.prelude == "y = 2"
        assert settings.fold_characters == "-."
