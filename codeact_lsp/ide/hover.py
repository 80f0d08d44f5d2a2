"""Hover: what the name, keyword, key or value under the cursor is."""

from __future__ import annotations

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide.describe import classes, describe, type_text
from codeact_lsp.ide.locate import locate
from codeact_lsp.ide.members import why_nothing
from codeact_lsp.ide.model import Answer, Empty, Hover, View
from codeact_lsp.ide.prose import Block, Code, Name, sentence
from codeact_lsp.ide.refs import ErrorClass, Mcp, Pending, Ref, Root, Value


def hover(view: View, offset: int) -> Answer[Hover]:
    """What is known of the thing at `offset`."""
    found = locate(view, offset)
    if isinstance(found, Empty):
        return Answer(None, found)
    blocks = tuple(
        block for target in found.targets for block in describe(view.bindings, target)
    ) or tuple(block for ref in found.refs for block in _ref(view.bindings, ref))
    if not blocks:
        return Answer(None, why_nothing(found.refs))
    return Answer(Hover(blocks, found.span))


def _ref(bindings: Bindings, ref: Ref) -> tuple[Block, ...]:
    """What has no place in the catalogue of its own: modules, and results as a whole."""
    match ref:
        case Root(path):
            return (
                Code(path),
                sentence("bindings module: ", _counts(bindings, len(bindings.native))),
            )
        case Mcp():
            return (Code("mcp"), sentence("MCP servers as modules: ", _counts(bindings, 0)))
        case ErrorClass():
            return (
                Code("class ToolCallError(Exception)"),
                sentence(
                    "raised when a tool reports an error; it has ",
                    Name("server"),
                    " and ",
                    Name("tool_name"),
                ),
            )
        case Value(tool, of):
            known = details(tool, bindings.fold_characters)
            return (
                Code(type_text(of, known)),
                *classes(of, known),
                sentence("the result of ", Name(tool.path)),
            )
        case Pending((Value(tool),)):
            return (sentence("a call of ", Name(tool.path), " that is not awaited yet"),)
        case _:
            return ()


def _counts(bindings: Bindings, native: int) -> str:
    """How many servers there are, and how many tools with `native` that are on none."""
    tools = sum(len(server.tools) for server in bindings.servers) + native
    servers = len(bindings.servers)
    return f"{servers} server{'' if servers == 1 else 's'}, {tools} tool{'' if tools == 1 else 's'}"
