"""The commands of `workspace/executeCommand`; texts are answered, the editor shows them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from codeact_lsp import __version__
from codeact_lsp.bindings.block import render
from codeact_lsp.catalogue.messages import Ask, Refresh, Restart
from codeact_lsp.catalogue.model import Server, ServerState, headline
from codeact_lsp.ide.explain import explain as find_reasons
from codeact_lsp.server import convert
from codeact_lsp.server import params as read
from codeact_lsp.server.params import Json
from codeact_lsp.server.status import summarise
from codeact_lsp.server.threads import off_loop
from codeact_lsp.text import escaped_name, one_line

if TYPE_CHECKING:
    from codeact_lsp.server.session import Session


async def restart(session: Session, argument: Json) -> None:
    """Stop and start servers again now: `{server}`, or all."""
    session.source.send(Restart(_server(argument)))
    if session.source.reads_files_only:
        await session.source.reconfigure()


async def refresh(session: Session, argument: Json) -> None:
    """List again now: `{server}`, or all."""
    session.source.send(Refresh(_server(argument)))
    if session.source.reads_files_only:
        await session.source.reconfigure()


async def approve(session: Session, argument: Json) -> str:
    """Ask again what was dismissed: `{server}`, or all; of `{server}` also what was refused."""
    raw = _server(argument)
    session.source.send(Ask(raw))
    servers = session.knowledge.bindings.catalogue.servers.values()
    count = sum(raw in {None, server.raw} and _waits(server) for server in servers)
    return "Nothing waits for approval." if count == 0 else f"{count} to answer."


async def show_catalogue(session: Session, _argument: Json) -> str:
    """Servers, their states and tools, as text."""
    lines = [summarise(session)["message"]]
    for server in session.knowledge.bindings.servers:
        seen = server.server
        stale = ", stale" if seen.stale else ""
        lines += ["", f"{escaped_name(server.raw)} ({seen.state.value}{stale})"]
        lines += [f"  problem: {headline(problem)}" for problem in session.survey.problems(seen)]
        lines += [f"  {one_line(tool.path)}" for tool in server.tools]
    bindings = session.knowledge.bindings
    others = session.survey.without_server(bindings.catalogue)
    if bindings.native or others:
        lines += ["", "without a server"]
    lines += [f"  problem: {headline(problem)}" for problem in others]
    lines += [f"  {one_line(tool.path)}" for tool in bindings.native]
    return "\n".join(lines)


async def show_prompt_block(session: Session, _argument: Json) -> str:
    """What a model is shown of the tools."""
    bindings = session.knowledge.bindings
    return await off_loop(lambda: render(bindings))


async def show_logs(session: Session, argument: Json) -> str:
    """The newest lines of `{server}`, or of all."""
    return session.source.logs.shown(_server(argument))


async def explain(session: Session, argument: Json) -> str:
    """Why nothing is offered at `{uri, position}`."""
    seen = session.look(read.text(argument, "uri", "arguments[0]"))
    if seen is None:
        return "The server has not been given this text, or it is not Python."
    _, view = seen
    place = read.position(argument, at="arguments[0]")
    offset = convert.offset(view.document, place, session.client.encoding)
    return "\n".join(find_reasons(view, offset).sentences())


async def report(session: Session, _argument: Json) -> str:
    """Versions, settings and states for a report of a fault; no secrets."""
    lines = [
        f"codeact-lsp {__version__}, Python {platform.python_version()} on {sys.platform}",
        f"position encoding: {session.client.encoding}",
        f"diagnostics are {'pushed' if session.pushes else 'pulled'}",
        f"{len(session.folders)} folders, trusted: {session.trusted}",
        f"settings given by the editor: {', '.join(sorted(session.editor.project)) or 'none'}",
        summarise(session)["message"],
    ]
    for server in session.knowledge.bindings.servers:
        seen = server.server
        kinds = sorted({problem.kind for problem in session.survey.problems(seen)})
        lines.append(
            f"{escaped_name(server.raw)}: {seen.state.value}, {len(server.tools)} tools, "
            f"stale: {seen.stale}, revision {one_line(seen.protocol or 'unknown')}, "
            f"problems: {', '.join(kinds) or 'none'}"
        )
    return "\n".join(lines)


def _waits(server: Server) -> bool:
    """Whether a person has to say something before a server can start."""
    missing = any(problem.kind == "missing-input" for problem in server.problems)
    return server.state is ServerState.NOT_APPROVED or missing


def _server(argument: Json) -> str | None:
    return None if argument.get("server") is None else read.text(argument, "server")


COMMANDS: Final[Mapping[str, Callable[[Session, Json], Awaitable[Any]]]] = MappingProxyType(
    {
        "codeact-lsp.approve": approve,
        "codeact-lsp.explain": explain,
        "codeact-lsp.refresh": refresh,
        "codeact-lsp.report": report,
        "codeact-lsp.restart": restart,
        "codeact-lsp.showCatalogue": show_catalogue,
        "codeact-lsp.showLogs": show_logs,
        "codeact-lsp.showPromptBlock": show_prompt_block,
    }
)
