"""The group of subcommands."""

from __future__ import annotations

import importlib
from typing import Final

import click

import codeact_lsp

# Name → one line of help. The modules behind them are imported when they are run, because some
# of them bring half a second of imports with them.
_COMMANDS: Final = {
    "serve": "Run the language server.",
    "check": "Report diagnostics of Python files.",
    "complete": "Show what completion offers at a place.",
    "hover": "Show what hover says at a place.",
    "signature": "Show the signature help at a place.",
    "definition": "Show where a tool or parameter stands in the stubs.",
    "names": "List every rename of the catalogue.",
    "render": "Print the prompt block.",
    "stubs": "Write a typed stub package.",
    "catalogue": "List, save or refresh what the servers offer.",
    "approve": "Approve the servers of this workspace.",
    "run": "Run a cell.",
    "demo": "Take the tour.",
}


class _Lazy(click.Group):
    def list_commands(self, _ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = importlib.import_module(f"codeact_lsp.cli.{name}")
        command: click.Command = module.command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(
    cls=_Lazy,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A language server for Python that calls MCP tools.",
)
@click.version_option(codeact_lsp.__version__, prog_name="codeact-lsp")
def app() -> None:
    """The command line without a subcommand prints its help."""
