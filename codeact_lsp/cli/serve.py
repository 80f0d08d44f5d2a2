"""`codeact-lsp serve`: the language server."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from codeact_lsp.cli.errors import NotRunError


class _Address(click.ParamType[tuple[str, int]]):
    name = "HOST:PORT"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        host, _, port = str(value).rpartition(":")
        if not (host and port.isdecimal() and int(port) < 65_536):
            self.fail(f"{value!r} is not HOST:PORT", param, ctx)
        return host.strip("[]"), int(port)


@click.command(
    "serve", help="Run the language server, over standard streams if nothing else is said."
)
@click.option("--stdio", is_flag=True, help="Speak over standard input and output (the default).")
@click.option("--tcp", type=_Address(), help="Wait for one client on a loopback address.")
@click.option("--ws", type=_Address(), help="The same over WebSocket.")
@click.option("--pipe", metavar="PATH", help="Connect to the named pipe of a client.")
@click.option(
    "--catalogue",
    "catalogues",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Serve this snapshot in place of live servers. Repeatable.",
)
def command(
    *,
    stdio: bool,
    tcp: tuple[str, int] | None,
    ws: tuple[str, int] | None,
    pipe: str | None,
    catalogues: tuple[Path, ...],
) -> int:
    if sum((stdio, tcp is not None, ws is not None, pipe is not None)) > 1:
        raise click.UsageError("--stdio, --tcp, --ws and --pipe are one choice")
    from codeact_lsp.server import transport
    from codeact_lsp.server.main import serve
    from codeact_lsp.server.session import Options

    chosen = transport.stdio
    if tcp is not None:
        chosen = partial(transport.tcp, host=tcp[0], port=tcp[1])
    elif ws is not None:
        chosen = partial(transport.websocket, host=ws[0], port=ws[1])
    elif pipe is not None:
        chosen = partial(transport.pipe, path=pipe)
    try:
        return serve(chosen, Options(tuple(path.absolute() for path in catalogues)))
    except transport.TransportError as error:
        raise NotRunError(str(error)) from error
