"""`codeact-lsp approve`: the user's word on the servers that a workspace's files name."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from codeact_lsp import text
from codeact_lsp.catalogue import approval, config
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.messages import Answer
from codeact_lsp.cli.errors import NotRunError
from codeact_lsp.cli.options import json_option, print_json


@click.command("approve", help="Show what the workspace's config would run, and approve it or not.")
@click.argument("names", nargs=-1, metavar="[SERVER]…")
@click.option("--always", "answer", flag_value=Answer.ALWAYS.value, help="Approve without asking.")
@click.option("--never", "answer", flag_value=Answer.NEVER.value, help="Refuse without asking.")
@click.option("--list", "only_list", is_flag=True, help="Only show what is asked.")
@json_option
def command(names: tuple[str, ...], answer: str | None, only_list: bool, output: str) -> int:  # noqa: FBT001 - click's
    store = approval.Store(os.environ)
    servers = _asked(names)
    if not only_list:
        for server in servers:
            if not names and _said(store, server) is not None:
                continue
            given = Answer(answer) if answer else _ask(server)
            if given is not None:
                store.record(server, given)
    if output == "json":
        print_json({"servers": [_json(store, server) for server in servers]})
    else:
        for server in servers:
            for line in _lines(store, server):
                click.echo(line)
        if not servers:
            click.echo("no workspace file names a server here")
    return int(any(not store.is_approved(server) for server in servers))


def _asked(names: tuple[str, ...]) -> list[ServerConfig]:
    servers = {
        server.name: server
        for server in config.load([Path.cwd()]).servers
        if not server.user_level and not server.disabled
    }
    unknown = [name for name in names if name not in servers]
    if unknown:
        raise NotRunError(f"no workspace file names a server {text.json_key(unknown[0])}")
    return [servers[name] for name in names] if names else list(servers.values())


def _ask(server: ServerConfig) -> Answer | None:
    if not sys.stdin.isatty():
        raise NotRunError(
            "there is no terminal to ask in; read what --list shows, then use --always or --never"
        )
    for line in _described(server):
        click.echo(line)
    said = click.prompt("Run it?", type=click.Choice(["always", "never", "skip"]), default="skip")
    return None if said == "skip" else Answer(said)


def _said(store: approval.Store, server: ServerConfig) -> Answer | None:
    return store.answer(approval.key(server, os.environ))


def _described(server: ServerConfig) -> list[str]:
    return [
        f"{text.escaped_name(server.name)}, of {text.terminal_line(server.path)}, runs",
        f"  {text.terminal_line(approval.shown(server, os.environ))}",
    ]


def _lines(store: approval.Store, server: ServerConfig) -> list[str]:
    said = _said(store, server)
    return [*_described(server), f"  {_STATES[said]}"]


_STATES = {
    None: "not approved",
    Answer.ONCE: "approved once",
    Answer.ALWAYS: "approved",
    Answer.NEVER: "refused",
}


def _json(store: approval.Store, server: ServerConfig) -> dict[str, object]:
    said = _said(store, server)
    return {
        "server": server.name,
        "path": server.path,
        "shown": approval.shown(server, os.environ),
        "answer": None if said is None else said.value,
    }
