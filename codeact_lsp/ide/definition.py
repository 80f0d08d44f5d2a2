"""Go to definition: a server, tool or parameter in the generated stub."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.bindings.stubs import StubFile, native_stub, server_stub
from codeact_lsp.ide.locate import locate
from codeact_lsp.ide.model import Answer, Empty, Target, View
from codeact_lsp.syntax.expressions import Span


@dataclass(frozen=True, slots=True)
class Definition:
    """A place in a stub.

    Attributes:
        origin: what was asked about, in the document.
        stub: the whole file; its path is relative to the stub package's parent.
        line: from 0.

    """

    origin: Span
    stub: StubFile
    line: int


def definition(view: View, offset: int) -> Answer[tuple[Definition, ...]]:
    """Where the thing at `offset` is defined."""
    located = locate(view, offset)
    if isinstance(located, Empty):
        return Answer(None, located)
    found = tuple(
        place
        for target in located.targets
        if (place := place_of(view.bindings, target, located.span)) is not None
    )
    return Answer(found) if found else Answer(None, Empty.NO_BINDING_HERE)


def place_of(bindings: Bindings, target: Target, origin: Span) -> Definition | None:
    """The place of `target` in its stub; a key or value further in is at its parameter's."""
    if target.server is None:
        stub = native_stub(bindings)
    else:
        server = bindings.servers_by_raw.get(target.server)
        if server is None or server.name is None:
            return None
        stub = server_stub(bindings, server)
    if target.tool is None:
        return Definition(origin, stub, 0)
    line = stub.tools.get(target.tool)
    if line is None:
        return None
    if target.path and not target.result:
        line = stub.parameters.get((target.tool, str(target.path[0])), line)
    return Definition(origin, stub, line)
